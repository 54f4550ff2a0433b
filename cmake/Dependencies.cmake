# Everything here comes from Debian packages (tools/install-deps); docs/dependencies.md says why each was chosen.
# What a layer links must be found by those who use the installed library too: cmake/keelsonConfig.cmake.in.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(simdjson REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
find_package(CURL REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
find_package(ZLIB REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)

# The code generator's parser. libclang has a C interface and no CMake package of its own in Debian.
find_path(LIBCLANG_INCLUDE clang-c/Index.h PATHS /usr/lib/llvm-19/include REQUIRED)
find_library(LIBCLANG_LIBRARY NAMES clang-19 clang PATHS /usr/lib/llvm-19/lib REQUIRED)
add_library(libclang UNKNOWN IMPORTED)
set_target_properties(libclang PROPERTIES
  IMPORTED_LOCATION ${LIBCLANG_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBCLANG_INCLUDE})
find_package(CLI11 REQUIRED)

if(KEELSON_BUILD_TESTS)
  # Here because it must come before the first layer: tests registered earlier are silently never run.
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  include(GoogleTest)
endif()
