# What is installed: the libraries (component runtime), headers and the CMake
# package (development), each plugin with its manifest (plugin-<name>, by
# terrazzo_plugin). core/driver adds libterrazzo to the same export set.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(terrazzo_headers INTERFACE)
set_target_properties(terrazzo_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(terrazzo_headers INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set_target_properties(terrazzo_runtime PROPERTIES EXPORT_NAME runtime)
target_link_libraries(terrazzo_runtime INTERFACE terrazzo_headers)
install(TARGETS terrazzo_runtime EXPORT TerrazzoTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
          NAMELINK_COMPONENT development)
install(TARGETS terrazzo_headers EXPORT TerrazzoTargets)

install(FILES ${CMAKE_SOURCE_DIR}/include/terrazzo/plugin.h
              ${CMAKE_SOURCE_DIR}/include/terrazzo/terrazzo.h
              ${CMAKE_SOURCE_DIR}/include/terrazzo/terrazzo.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/terrazzo COMPONENT development)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/terrazzo/plugin
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/terrazzo COMPONENT development
  FILES_MATCHING PATTERN "*.h")

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Terrazzo)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/ci/cmake/TerrazzoConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/TerrazzoConfig.cmake
  INSTALL_DESTINATION ${_package})
# Before 1.0 a minor may break what the one before promised.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/TerrazzoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/TerrazzoConfig.cmake
              ${CMAKE_BINARY_DIR}/package/TerrazzoConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/ci/cmake/TerrazzoPlugin.cmake
  DESTINATION ${_package} COMPONENT development)
install(EXPORT TerrazzoTargets NAMESPACE Terrazzo:: DESTINATION ${_package}
  COMPONENT development)
