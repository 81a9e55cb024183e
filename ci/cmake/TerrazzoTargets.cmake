# How Terrazzo's own targets are declared: libraries, executables, unit tests.
# Every C++ target takes one of the two precompiled headers:
#   terrazzo_library(name MLIR ...)   sources that include LLVM or MLIR
#   terrazzo_library(name ...)        C++ only (runtime, loader, tools without LLVM)

include(GNUInstallDirs)
set(TERRAZZO_SOURCE_DIR ${Terrazzo_SOURCE_DIR})
set(TERRAZZO_INCLUDE_DIRS ${Terrazzo_SOURCE_DIR}/include ${Terrazzo_BINARY_DIR}/include)
set(TERRAZZO_OUTPUT_BIN ${Terrazzo_BINARY_DIR}/bin)
set(TERRAZZO_OUTPUT_LIB ${Terrazzo_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${TERRAZZO_OUTPUT_BIN})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${TERRAZZO_OUTPUT_LIB})

# The public headers, for programs and for plugins, which link no library.
add_library(terrazzo_headers INTERFACE)
add_library(Terrazzo::headers ALIAS terrazzo_headers)
set_target_properties(terrazzo_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(terrazzo_headers INTERFACE
  "$<BUILD_INTERFACE:${TERRAZZO_INCLUDE_DIRS}>"
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# terrazzo_install(...): install(), unless another project holds this one.
macro(terrazzo_install)
  if(TERRAZZO_INSTALL)
    install(${ARGN})
  endif()
endmacro()

file(CONFIGURE OUTPUT ${Terrazzo_BINARY_DIR}/pch/empty.cpp CONTENT "") # as it is, where it is: all depends on it
add_library(tz_pch_cxx OBJECT ${Terrazzo_BINARY_DIR}/pch/empty.cpp)
target_precompile_headers(tz_pch_cxx PRIVATE
  <algorithm> <array> <atomic> <chrono> <cstdint> <cstdio> <cstdlib> <cstring>
  <filesystem> <functional> <map> <memory> <mutex> <optional> <set> <span>
  <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant>
  <vector>)

if(TERRAZZO_BUILD_COMPILER)
# The dialect is in it, too: nearly every file that sees MLIR sees that.
add_library(tz_pch_mlir OBJECT ${Terrazzo_BINARY_DIR}/pch/empty.cpp)
target_include_directories(tz_pch_mlir PRIVATE ${TERRAZZO_INCLUDE_DIRS})
target_include_directories(tz_pch_mlir SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
add_dependencies(tz_pch_mlir TerrazzoIRIncGen)
# In angle brackets: CMake takes quoted paths relative to the source folder.
target_precompile_headers(tz_pch_mlir PRIVATE
  <memory> <optional> <string> <vector>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/DialectImplementation.h> <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h> <mlir/IR/Verifier.h>
  <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Parser/Parser.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <llvm/ADT/APFloat.h> <llvm/ADT/TypeSwitch.h> <llvm/IR/IRBuilder.h>
  <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h> <llvm/ADT/StringSwitch.h>
  <llvm/Support/Error.h> <llvm/Support/MemoryBuffer.h>
  <llvm/Support/raw_ostream.h> <terrazzo/ir/Tile.h>
  <algorithm> <array> <atomic> <chrono> <cstring> <filesystem> <functional>
  <map> <mutex> <set> <thread> <unordered_map> <variant>)
endif()

function(_terrazzo_configure name mlir)
  target_include_directories(${name} PRIVATE ${TERRAZZO_INCLUDE_DIRS} ${Terrazzo_SOURCE_DIR})
  if(mlir)
    target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_precompile_headers(${name} REUSE_FROM tz_pch_mlir)
  else()
    target_precompile_headers(${name} REUSE_FROM tz_pch_cxx)
  endif()
endfunction()

# terrazzo_library(name [MLIR] SOURCES a.cpp ... [LINK lib ...] [DEPENDS target ...])
function(terrazzo_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  _terrazzo_configure(${name} "${ARG_MLIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# terrazzo_launch_path(name): what a launch runs through. The presets for tests say
# -O1, with which clang inlines nothing, and their wheels and bundles are measured.
# (-O2 would be another level than that of the precompiled header.)
function(terrazzo_launch_path name)
  target_compile_options(${name} PRIVATE -finline-functions)
endfunction()

# terrazzo_executable(name [MLIR] SOURCES a.cpp ... [LINK lib ...])
function(terrazzo_executable name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _terrazzo_configure(${name} "${ARG_MLIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# terrazzo_unittest(name [MLIR] SOURCES a.cpp ... [LINK lib ...]): one GoogleTest
# binary a library, found by ci/test as bin/test-*.
function(terrazzo_unittest name)
  if(NOT TERRAZZO_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(test-${name} ${ARG_SOURCES})
  _terrazzo_configure(test-${name} "${ARG_MLIR}")
  target_link_libraries(test-${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND test-${name})
endfunction()
