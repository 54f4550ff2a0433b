# Everything here comes from Debian packages (tools/install-deps); docs/dependencies.md says why each was chosen.
# What a layer links must be found by those who use the installed library too: cmake/keelsonConfig.cmake.in.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(simdjson REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
if(KEELSON_BUILD_TESTS)
  # Here because it must come before the first layer: tests registered earlier are silently never run.
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  include(GoogleTest)
endif()
