# Installs the build into an empty prefix, then configures, builds and runs the project beside this file against it, as
# a user would. Leaves everything in work_dir for a look after a failure.
file(REMOVE_RECURSE ${work_dir})
set(source ${work_dir}/source)
set(build ${work_dir}/build)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/ DESTINATION ${source})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  string(FIND "${output}" "${text}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected '${text}' in:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${work_dir}/prefix)
run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
  -DCMAKE_PREFIX_PATH=${work_dir}/prefix)
run(${CMAKE_COMMAND} --build ${build})
run(${build}/consumer)
expect("spec.tone: unknown value \"Rude\": expected one of \"Formal\", \"Friendly\"")
file(READ ${source}/crd/gadgets.example.com_gadgets.yaml output)
expect("# Copyright of the authors")

# Without CMake: what the pkg-config file says is enough to compile and link.
file(GLOB_RECURSE pkg_config_file ${work_dir}/prefix/keelson.pc)
cmake_path(GET pkg_config_file PARENT_PATH pkg_config_dir)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pkg_config_dir} pkg-config --cflags --libs keelson)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${compiler} ${source}/pkg_config.cc -o ${work_dir}/pkg_config ${flags})
run(${work_dir}/pkg_config)
expect("stored greeting")

# Nothing is generated again without need.
set(generated ${build}/keelson_api/consumer/api/v1/generated.cc)
file(SHA256 ${generated} first_bytes)
run(${CMAKE_COMMAND} --build ${build})
string(FIND "${output}" "Generating" found)
if(NOT found EQUAL -1)
  message(FATAL_ERROR "built anew although nothing changed:\n${output}")
endif()

# The same bytes each time.
file(REMOVE ${generated})
run(${CMAKE_COMMAND} --build ${build})
file(SHA256 ${generated} second_bytes)
if(NOT first_bytes STREQUAL second_bytes)
  message(FATAL_ERROR "the second run gave other bytes: ${generated}")
endif()

# A change in a header that the API header includes is noticed.
file(READ ${source}/shared/named.h header)
string(REPLACE "  std::string name;\n" "  std::string name;\n\n  // +optional\n  std::string title;\n" header "${header}")
file(WRITE ${source}/shared/named.h "${header}")
run(${CMAKE_COMMAND} --build ${build})
run(${build}/consumer)
expect("field title")
message("${output}")
