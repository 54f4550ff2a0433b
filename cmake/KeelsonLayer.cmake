# One folder is one target is one layer: keelson_layer(core LINK fmt::fmt) in keelson/core/CMakeLists.txt builds
# every source beside it, and every *_test.cc into keelson_core_test.

# How everything in this repository is compiled. Never passed on to those who use the libraries: warnings are errors
# for us, not for them.
add_library(keelson_options INTERFACE)
target_compile_features(keelson_options INTERFACE cxx_std_20)
target_compile_options(keelson_options INTERFACE -Wall -Wextra -Werror)
# GCC 12 warns of overlapping copies inside its own std::string for `"literal" + string` (its bug 105651).
target_compile_options(keelson_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_compile_definitions(keelson_options INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)
target_include_directories(keelson_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(KEELSON_SANITIZE STREQUAL "address")
  target_compile_options(keelson_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(keelson_options INTERFACE -fsanitize=address,undefined)
elseif(KEELSON_SANITIZE STREQUAL "thread")
  target_compile_options(keelson_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(keelson_options INTERFACE -fsanitize=thread)
elseif(KEELSON_SANITIZE)
  message(FATAL_ERROR "KEELSON_SANITIZE is '${KEELSON_SANITIZE}'; it takes 'address', 'thread' or nothing")
endif()
if(KEELSON_FUZZ)
  target_compile_options(keelson_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# SUBFOLDERS are parts of the layer that have a folder of their own.
# LINK is what the layer's headers need (users get it too), PRIVATE_LINK what only its sources need. A layer that serves
# only our own programs says INTERNAL: it is a static library that is not installed.
function(keelson_layer name)
  cmake_parse_arguments(arg "INTERNAL" "" "SOURCES;SUBFOLDERS;LINK;PRIVATE_LINK" ${ARGN})
  list(TRANSFORM arg_SUBFOLDERS APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS *.cc internal/*.cc ${arg_SUBFOLDERS})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|main)\\.cc$")

  if(arg_INTERNAL)
    set(kind STATIC)
  endif()
  add_library(keelson_${name} ${kind} ${sources} ${arg_SOURCES})
  add_library(keelson::${name} ALIAS keelson_${name})
  set_target_properties(keelson_${name} PROPERTIES EXPORT_NAME ${name})
  if(BUILD_SHARED_LIBS)
    # No symbol carries an export mark: a shared build exports all.
    set_target_properties(keelson_${name} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
  endif()
  target_compile_features(keelson_${name} PUBLIC cxx_std_20)
  target_compile_options(keelson_${name} PRIVATE -ffunction-sections -fdata-sections)
  if(NOT BUILD_SHARED_LIBS)
    # A program has only the functions and tables that it uses. It finds those of libraries at its start, and need not
    # keep tables of symbols in memory for later.
    target_link_options(keelson_${name} INTERFACE LINKER:--gc-sections LINKER:-z,now)
  endif()
  target_include_directories(keelson_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  target_link_libraries(keelson_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:keelson_options> ${arg_PRIVATE_LINK})
  if(NOT arg_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY KEELSON_LAYERS keelson_${name})
  endif()

  if(KEELSON_BUILD_TESTS AND tests)
    keelson_test(keelson_${name}_test SOURCES ${tests} LINK keelson_${name})
  endif()
endfunction()

# A GoogleTest program, each TEST a ctest of its own: "core/Result.KeepsItsError". KEELSON_TEST_DATA is the repository's
# tests/data. The prefix keeps two programs' tests of one name apart; without it ctest would run only one of them.
function(keelson_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} keelson_options GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE KEELSON_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  string(REGEX REPLACE "^keelson_|_test$" "" prefix ${name})
  gtest_discover_tests(${name} TEST_PREFIX ${prefix}/ DISCOVERY_TIMEOUT 60)
endfunction()
