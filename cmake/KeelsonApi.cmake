# keelson_api(target HEADERS header... [BASE directory] [CRD_OUTPUT directory] [HEADER_FILE file])
#
# Makes the API types that headers declare part of a target:
#   add_executable(my_operator main.cc)
#   keelson_api(my_operator HEADERS api/v1/app.h api/v1alpha1/app.h)
# During the build `keelson generate code` writes a generated.h and a generated.cc for each directory of headers. The
# target compiles the sources, finds the headers (#include "api/v1/generated.h") and links keelson::codec. They are
# written again when a header, or a header that it includes, changes.
#
# BASE         what #include paths start from; by default the directory of the CMakeLists.txt
# CRD_OUTPUT   also write the CustomResourceDefinitions there, which are usually committed: config/crd/bases
# HEADER_FILE  text, such as a licence, to put on top of generated files
#
# What the target may include and the macros it is compiled with hold for reading the headers too.
include_guard()
cmake_policy(VERSION 3.25)

function(keelson_api target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BASE;CRD_OUTPUT;HEADER_FILE" "HEADERS")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "keelson_api: there is no target '${target}': call it behind add_executable or add_library")
  endif()
  if(NOT arg_HEADERS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "keelson_api: write keelson_api(${target} HEADERS api/v1/app.h ...), not "
      "keelson_api(${ARGV})")
  endif()
  set(base ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_BASE)
    cmake_path(ABSOLUTE_PATH arg_BASE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE base)
  endif()

  set(output ${CMAKE_CURRENT_BINARY_DIR}/keelson_api/${target})
  set(headers)
  set(generated)
  foreach(header ${arg_HEADERS})
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(IS_PREFIX base ${header} NORMALIZE below)
    if(NOT below)
      message(FATAL_ERROR "keelson_api: ${header} is not below ${base}: give BASE a directory that holds it")
    endif()
    list(APPEND headers ${header})
    cmake_path(GET header PARENT_PATH directory)
    cmake_path(RELATIVE_PATH directory BASE_DIRECTORY ${base})
    cmake_path(APPEND output ${directory} OUTPUT_VARIABLE directory)
    cmake_path(NORMAL_PATH directory)
    cmake_path(APPEND directory generated.h OUTPUT_VARIABLE file)
    list(APPEND generated ${file})
    cmake_path(APPEND directory generated.cc OUTPUT_VARIABLE file)
    list(APPEND generated ${file})
  endforeach()
  list(REMOVE_DUPLICATES generated)

  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(defines $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  set(includes "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
  set(defines "$<$<BOOL:${defines}>:-D$<JOIN:${defines},$<SEMICOLON>-D>>")
  set(licence)
  if(arg_HEADER_FILE)
    cmake_path(ABSOLUTE_PATH arg_HEADER_FILE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(licence --header-file ${arg_HEADER_FILE})
  endif()

  set(crds)
  if(arg_CRD_OUTPUT)
    cmake_path(ABSOLUTE_PATH arg_CRD_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(crds COMMAND keelson::keelson generate crd --output ${arg_CRD_OUTPUT} -I${base} ${licence} "${includes}"
      "${defines}" ${headers})
  endif()

  # A target may have several of these, each with files of its own.
  string(SHA256 depfile "${headers}")
  string(SUBSTRING ${depfile} 0 16 depfile)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND keelson::keelson generate code --base ${base} --output ${output} --depfile ${output}/${depfile}.d
      ${licence} "${includes}" "${defines}" ${headers}
    ${crds}
    DEPENDS ${headers} ${arg_HEADER_FILE} keelson::keelson
    DEPFILE ${output}/${depfile}.d
    COMMENT "Generating code for the API types of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${generated})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${base}> $<BUILD_INTERFACE:${output}>)
  target_link_libraries(${target} PUBLIC keelson::codec)
endfunction()
