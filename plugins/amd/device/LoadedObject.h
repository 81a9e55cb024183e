//===- LoadedObject.h - what a code object says of itself -----------------===//
//
// What   The processor of an ELF file of the HSA ABI, and for each kernel its
//        arguments, LDS and registers, from the metadata note.
// Why    HIP loads what it is given: a code object of another processor is
//        told as a bare number, and a launch with too few arguments reads
//        behind them. Here both are said in words, before HIP is asked.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DEVICE_LOADEDOBJECT_H
#define TERRAZZO_PLUGINS_AMD_DEVICE_LOADEDOBJECT_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tz::amd {

struct KernelFacts {
  /// Of each argument that the launch gives, in order; hidden ones are HIP's.
  std::vector<uint32_t> offsets;
  uint64_t argBytes = 0;    ///< up to the end of the last of them
  uint64_t sharedBytes = 0; ///< static LDS
  uint32_t maxThreads = 0;  ///< of a work-group; 0: it does not say
  uint32_t requiredBlock[3] = {0, 0, 0}; ///< 0: any
};

struct CodeObject {
  std::string processor; ///< "gfx942"
  std::map<std::string, KernelFacts, std::less<>> kernels;
};

/// Throws TZ_E_DATA_LOSS for bytes that are no linked code object, or a damaged
/// one. A processor that this half does not know is named by its number.
CodeObject readCodeObject(std::string_view file);

/// Whether the compiler half makes code of this name: "gfx942".
bool isKnownProcessor(std::string_view processor);

} // namespace tz::amd

#endif
