# terrazzo_plugin(<name> MANIFEST <plugin.json.in> [MAP <plugin.map>]
#                 [COMPILER <target>] [DEVICE <target> ...] [VERSION <x.y.z>]
#                 [NEEDS_MINOR <n>] [FOLDER <folder>])
#
# Makes module libraries into a plugin: one exported symbol, everything bound
# inside, files and manifest together in lib/terrazzo/plugins.d (of the project's
# build folder and of the installation). The same function serves the source tree
# and, through find_package(Terrazzo) or add_subdirectory, a vendor's own project.
#
# One target may be both halves. Without MAP the one exported symbol is that of
# plugin.h. FOLDER is below the build folder, for a plugin that no loader is to find
# by itself; such a one is not installed.
#
# Several device targets are several device halves of one compiler half; the
# template then has a list, "device": [ @TZ_PLUGIN_DEVICES@ ]. NEEDS_MINOR is the
# least ABI minor of a host that the plugin works with (TZ_ABI_TARGET_MINOR), for
# one that cannot do without what came after TZ_ABI_OLDEST_MINOR.
#
# The manifest template sees @TZ_PLUGIN_NAME@ @TZ_PLUGIN_VERSION@ @TZ_ABI_MAJOR@
# @TZ_ABI_MINOR@ @TZ_ABI_TARGET_MINOR@ @TZ_PLUGIN_COMPILER@ @TZ_PLUGIN_DEVICE@ (file
# names; empty: no such half) and @TZ_PLUGIN_ARCH@.
#
# terrazzo_manifest(<template> <file>) writes such a manifest from TZ_PLUGIN_*
# that the caller has set.
include(GNUInstallDirs)
# The ABI is a fact of the header that plugins are compiled against. An installed
# package has said where it is.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../../include/terrazzo/plugin.h)
  set_property(GLOBAL PROPERTY TERRAZZO_PLUGIN_HEADER ${CMAKE_CURRENT_LIST_DIR}/../../include/terrazzo/plugin.h)
endif()

function(terrazzo_manifest template file)
  get_property(header GLOBAL PROPERTY TERRAZZO_PLUGIN_HEADER)
  file(STRINGS ${header} lines REGEX "^#define TZ_ABI_(MAJOR|MINOR|OLDEST_MINOR) ")
  foreach(line IN LISTS lines)
    if(line MATCHES "TZ_ABI_(MAJOR|MINOR|OLDEST_MINOR) ([0-9]+)u")
      set(TZ_ABI_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(NOT DEFINED TZ_ABI_TARGET_MINOR)
    set(TZ_ABI_TARGET_MINOR ${TZ_ABI_OLDEST_MINOR})
  endif()
  if(TZ_ABI_TARGET_MINOR GREATER TZ_ABI_MINOR)
    message(FATAL_ERROR "plugin ${TZ_PLUGIN_NAME} needs ABI ${TZ_ABI_MAJOR}.${TZ_ABI_TARGET_MINOR}; the headers of Terrazzo in ${header} are of ABI ${TZ_ABI_MAJOR}.${TZ_ABI_MINOR}. Build it with a newer Terrazzo")
  endif()
  configure_file(${template} ${file} @ONLY)
endfunction()

function(terrazzo_plugin name)
  cmake_parse_arguments(ARG "" "MANIFEST;MAP;COMPILER;VERSION;NEEDS_MINOR;FOLDER" "DEVICE" ${ARGN})
  set(rule install)
  if(PROJECT_NAME STREQUAL Terrazzo)
    set(rule terrazzo_install)
  endif()
  set(TZ_PLUGIN_NAME ${name})
  set(TZ_PLUGIN_VERSION ${PROJECT_VERSION})
  if(ARG_VERSION)
    set(TZ_PLUGIN_VERSION ${ARG_VERSION})
  endif()
  set(TZ_PLUGIN_ARCH ${CMAKE_SYSTEM_PROCESSOR})
  if(ARG_MAP)
    get_filename_component(map ${ARG_MAP} ABSOLUTE)
  else()
    set(map ${PROJECT_BINARY_DIR}/terrazzo-plugin.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "TZ_0 { global: tz_plugin_query_v*; local: *; };\n")
  endif()
  set(folder ${PROJECT_BINARY_DIR}/lib/terrazzo/plugins.d)
  if(ARG_FOLDER)
    set(folder ${PROJECT_BINARY_DIR}/${ARG_FOLDER})
  endif()
  set(destination ${CMAKE_INSTALL_LIBDIR}/terrazzo/plugins.d)
  list(LENGTH ARG_DEVICE devices)
  set(targets ${ARG_COMPILER} ${ARG_DEVICE})
  list(REMOVE_DUPLICATES targets)
  add_custom_target(tz_plugin_${name}) # builds those of the halves that there are
  foreach(target IN LISTS targets)
    if(NOT TARGET "${target}")
      continue()
    endif()
    add_dependencies(tz_plugin_${name} ${target})
    set(output libtz_${name}_device)
    if(target STREQUAL "${ARG_COMPILER}" AND target IN_LIST ARG_DEVICE)
      set(output libtz_${name})
      set(TZ_PLUGIN_COMPILER ./${output}.so)
      set(TZ_PLUGIN_DEVICE ./${output}.so)
    elseif(target STREQUAL "${ARG_COMPILER}")
      set(output libtz_${name}_compiler)
      set(TZ_PLUGIN_COMPILER ./${output}.so)
    else()
      if(devices GREATER 1)
        set(output lib${target})
      endif()
      set(TZ_PLUGIN_DEVICE ./${output}.so)
      list(APPEND TZ_PLUGIN_DEVICES "\"./${output}.so\"")
    endif()
    set_target_properties(${target} PROPERTIES
      PREFIX "" OUTPUT_NAME ${output} LIBRARY_OUTPUT_DIRECTORY ${folder}
      INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON LINK_DEPENDS ${map})
    if(NOT PROJECT_NAME STREQUAL Terrazzo) # whose own flags say it
      set_target_properties(${target} PROPERTIES
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
    target_compile_definitions(${target} PRIVATE TZ_PLUGIN_VERSION="${TZ_PLUGIN_VERSION}")
    if(DEFINED ARG_NEEDS_MINOR)
      target_compile_definitions(${target} PRIVATE TZ_ABI_TARGET_MINOR=${ARG_NEEDS_MINOR}u)
    endif()
    target_link_options(${target} PRIVATE
      -Wl,--version-script=${map} -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
      -Wl,-z,now -Wl,-z,nodelete)
    if(NOT CMAKE_CXX_FLAGS MATCHES "sanitize" AND NOT TERRAZZO_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    if(ARG_FOLDER)
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY TERRAZZO_PLUGIN_TARGETS ${target})
    cmake_language(CALL ${rule} TARGETS ${target} LIBRARY DESTINATION ${destination} COMPONENT plugin-${name})
  endforeach()
  if(DEFINED ARG_NEEDS_MINOR)
    set(TZ_ABI_TARGET_MINOR ${ARG_NEEDS_MINOR})
  endif()
  list(JOIN TZ_PLUGIN_DEVICES ", " TZ_PLUGIN_DEVICES)
  terrazzo_manifest(${ARG_MANIFEST} ${folder}/${name}.json)
  if(ARG_FOLDER)
    return()
  endif()
  cmake_language(CALL ${rule} FILES ${folder}/${name}.json DESTINATION ${destination} COMPONENT plugin-${name})
  # What tz conform is to expect, beside the manifest.
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/known_failures.txt)
    configure_file(known_failures.txt ${folder}/${name}.known_failures.txt COPYONLY)
    cmake_language(CALL ${rule} FILES ${folder}/${name}.known_failures.txt
      DESTINATION ${destination} COMPONENT plugin-${name})
  endif()
endfunction()
