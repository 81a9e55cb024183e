# Finds LLVM/MLIR 22 and makes a fully static link possible: Debian's MLIR
# targets name the shared `LLVM` in their link interface, and mixing that with
# static components registers every option twice and aborts at start. So in each
# imported MLIR target `LLVM` is replaced by an interface target of our own.
set(TERRAZZO_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Where LLVM/MLIR 22 is installed")
find_package(MLIR 22.1 REQUIRED CONFIG PATHS ${TERRAZZO_LLVM_ROOT}/lib/cmake/mlir NO_DEFAULT_PATH)
find_package(LLVM 22.1 REQUIRED CONFIG PATHS ${TERRAZZO_LLVM_ROOT}/lib/cmake/llvm NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# llvm-config --system-libs would add libz3, which nothing here needs.
add_library(tz_llvm_support INTERFACE)
foreach(component IN ITEMS LLVMCore LLVMSupport LLVMTargetParser LLVMDemangle
                           LLVMBinaryFormat LLVMBitReader LLVMBitWriter
                           LLVMIRReader LLVMAsmParser LLVMFrontendOpenMP
                           LLVMTransformUtils LLVMAnalysis LLVMRemarks)
  if(TARGET ${component})
    target_link_libraries(tz_llvm_support INTERFACE ${component})
  endif()
endforeach()

# LLVM compresses sections with zstd, which not every machine has; what ships
# carries it.
find_library(TERRAZZO_ZSTD_STATIC libzstd.a)

get_property(_tz_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS _tz_imported)
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  set(before "${libs}")
  if(libs AND TERRAZZO_ZSTD_STATIC)
    list(TRANSFORM libs REPLACE "^zstd::libzstd_shared$" "${TERRAZZO_ZSTD_STATIC}")
  endif()
  if(libs)
    list(TRANSFORM libs REPLACE "^LLVM$" "tz_llvm_support")
  endif()
  if(NOT "${libs}" STREQUAL "${before}")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()
