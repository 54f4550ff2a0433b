# make install: the layers' libraries, their headers (generated ones too), the program, a pkg-config file and a CMake
# package, so that a user writes
#   find_package(keelson REQUIRED)
#   target_link_libraries(my_operator PRIVATE keelson::codec)
#   keelson_api(my_operator HEADERS api/v1/app.h)
# Headers under internal/ are installed because public ones include them; they are not an interface.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY KEELSON_LAYERS)
add_custom_target(keelson_layers DEPENDS ${layers} keelson)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keelson)
install(TARGETS ${layers} keelson EXPORT keelsonTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/keelson DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*_test_support.h" EXCLUDE PATTERN "generator" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/keelson DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL
  FILES_MATCHING PATTERN "*.h")

install(EXPORT keelsonTargets NAMESPACE keelson:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/keelsonConfig.cmake.in
  ${PROJECT_BINARY_DIR}/keelsonConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/keelsonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/keelsonConfig.cmake ${PROJECT_BINARY_DIR}/keelsonConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/KeelsonApi.cmake
  DESTINATION ${package_dir})

# For other build systems: c++ main.cc $(pkg-config --cflags --libs keelson). Libraries stand before those they need.
set(pc_libraries)
foreach(layer ${layers})
  list(PREPEND pc_libraries -l${layer})
endforeach()
list(JOIN pc_libraries " " pc_libraries)
set(pc_link_options)
if(NOT BUILD_SHARED_LIBS)
  set(pc_link_options "-Wl,--gc-sections -Wl,-z,now ")
endif()
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE pc_dl)
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
string(REGEX REPLACE "[^/]+" ".." prefix_from_here ${pc_dir})
configure_file(${PROJECT_SOURCE_DIR}/cmake/keelson.pc.in ${PROJECT_BINARY_DIR}/keelson.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/keelson.pc DESTINATION ${pc_dir})
