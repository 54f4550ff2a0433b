# Installs the build into an empty prefix, then configures, builds and runs the project beside this file against it, as
# a user would. Leaves everything in work_dir for a look after a failure.
file(REMOVE_RECURSE ${work_dir})
foreach(command
    "${CMAKE_COMMAND};--install;${build_dir};--prefix;${work_dir}/prefix"
    "${CMAKE_COMMAND};-S;${CMAKE_CURRENT_LIST_DIR};-B;${work_dir}/build;-G;${generator};-DCMAKE_CXX_COMPILER=${compiler};-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
    "${CMAKE_COMMAND};--build;${work_dir}/build"
    "${work_dir}/build/consumer")
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN command " " command)
    message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
  endif()
endforeach()
message("${output}")
