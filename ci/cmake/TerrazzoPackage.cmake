# What `cmake --install` puts where. Components, each of use without the others
# but for what it says:
#   runtime        libterrazzo_runtime: launches compiled kernels, no LLVM
#   compiler       libterrazzo (runtime and compiler), terrazzo-worker, tz
#   plugin-<name>  a target: its libraries and its manifest (terrazzo_plugin)
#   development    headers, CMake package, pkg-config; links with runtime or compiler
#   sdk            static libraries of the dialect, for compiler halves of plugins
# TerrazzoConfig.cmake finds whichever of them are there.
include(CMakePackageConfigHelpers)

# As the preceding component, these are of use only to who links.
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Terrazzo)
function(_terrazzo_export component)
  terrazzo_install(EXPORT Terrazzo-${component} NAMESPACE Terrazzo:: DESTINATION ${_package}
    COMPONENT development)
endfunction()
terrazzo_install(TARGETS terrazzo_headers EXPORT Terrazzo-headers)
_terrazzo_export(headers)
terrazzo_install(TARGETS terrazzo_runtime EXPORT Terrazzo-runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
_terrazzo_export(runtime)

set(_sdk TerrazzoIR TerrazzoWire TerrazzoMathLibrary TerrazzoOptimizer TerrazzoLowering TerrazzoSimplification
         TerrazzoSimtLayout TerrazzoSimt TerrazzoSimtLowering)
if(TERRAZZO_BUILD_COMPILER)
  terrazzo_install(TARGETS terrazzo EXPORT Terrazzo-compiler
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler NAMELINK_COMPONENT development)
  _terrazzo_export(compiler)
  # One name for all of them: the linker takes what a plugin uses.
  add_library(terrazzo_sdk INTERFACE)
  add_library(Terrazzo::sdk ALIAS terrazzo_sdk)
  set_target_properties(terrazzo_sdk PROPERTIES EXPORT_NAME sdk)
  target_link_libraries(terrazzo_sdk INTERFACE terrazzo_headers ${_sdk})
  target_include_directories(terrazzo_sdk SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
  terrazzo_install(TARGETS terrazzo_sdk ${_sdk} EXPORT Terrazzo-sdk
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/terrazzo/sdk COMPONENT sdk)
  terrazzo_install(EXPORT Terrazzo-sdk NAMESPACE Terrazzo:: DESTINATION ${_package} COMPONENT sdk)
  terrazzo_install(FILES ${Terrazzo_SOURCE_DIR}/ci/cmake/TerrazzoLLVM.cmake
    DESTINATION ${_package} COMPONENT sdk)
endif()

# The headers of the SDK are there without its libraries, too: they only compile.
terrazzo_install(DIRECTORY ${Terrazzo_SOURCE_DIR}/include/terrazzo
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def" PATTERN "*.td")
if(TERRAZZO_BUILD_COMPILER)
  terrazzo_install(DIRECTORY ${Terrazzo_BINARY_DIR}/include/terrazzo
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
endif()

configure_package_config_file(
  ${Terrazzo_SOURCE_DIR}/ci/cmake/TerrazzoConfig.cmake.in
  ${Terrazzo_BINARY_DIR}/package/TerrazzoConfig.cmake
  INSTALL_DESTINATION ${_package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
# Before 1.0 a minor may break what the one before promised.
write_basic_package_version_file(${Terrazzo_BINARY_DIR}/package/TerrazzoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
terrazzo_install(FILES ${Terrazzo_BINARY_DIR}/package/TerrazzoConfig.cmake
                       ${Terrazzo_BINARY_DIR}/package/TerrazzoConfigVersion.cmake
                       ${Terrazzo_SOURCE_DIR}/ci/cmake/TerrazzoPlugin.cmake
  DESTINATION ${_package} COMPONENT development)

# pkg-config, for builds without CMake. Paths follow the file, so that an
# installation may be moved.
set(_pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(TZ_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(TZ_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(TZ_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH _up /p/${_pc} /p)
  string(REGEX REPLACE "/$" "" _up ${_up})
  set(TZ_PC_PREFIX "\${pcfiledir}/${_up}")
  set(TZ_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(TZ_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
function(_terrazzo_pkgconfig TZ_PC_NAME TZ_PC_LIBRARY TZ_PC_DESCRIPTION)
  configure_file(${Terrazzo_SOURCE_DIR}/ci/cmake/terrazzo.pc.in
    ${Terrazzo_BINARY_DIR}/package/${TZ_PC_NAME}.pc @ONLY)
  terrazzo_install(FILES ${Terrazzo_BINARY_DIR}/package/${TZ_PC_NAME}.pc DESTINATION ${_pc}
    COMPONENT development)
endfunction()
_terrazzo_pkgconfig(terrazzo-runtime terrazzo_runtime "launches compiled tile kernels")
if(TERRAZZO_BUILD_COMPILER)
  _terrazzo_pkgconfig(terrazzo terrazzo "compiles and launches tile kernels")
endif()

foreach(component IN ITEMS runtime compiler development sdk)
  terrazzo_install(FILES ${Terrazzo_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT ${component})
  terrazzo_install(DIRECTORY ${Terrazzo_SOURCE_DIR}/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT ${component} FILES_MATCHING PATTERN "*.txt")
endforeach()

# Removes what the last installations from this folder put anywhere.
if(TERRAZZO_INSTALL AND NOT TARGET uninstall)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${Terrazzo_SOURCE_DIR}/ci/cmake/Uninstall.cmake
    VERBATIM)
endif()
