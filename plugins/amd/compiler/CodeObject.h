//===- CodeObject.h - what a code object says of its kernels --------------===//
//
// What   The kernels' metadata, as the code generator wrote it.
// Why    Registers, spills and LDS are known once the code is made. Reading
//        them from the result holds what is told to what is loaded.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_CODEOBJECT_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_CODEOBJECT_H

#include <cstdint>
#include <map>
#include <string>

namespace tz::amd {

/// The fields of LLVM's "AMDHSA Code Object V5 Metadata" of the same names.
struct KernelFigures {
  uint32_t vgprs = 0; ///< of a lane, accumulators (AGPRs) among them
  uint32_t agprs = 0, sgprs = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0; ///< registers
  uint32_t privateBytes = 0;               ///< of a lane
  uint64_t sharedBytes = 0;                ///< LDS
  uint32_t argBytes = 0;                   ///< hidden arguments among them
  uint32_t lanes = 0;                      ///< of a wave
};

/// By the kernels' names. Throws plugin::Failure.
std::map<std::string, KernelFigures> figuresOf(const std::string &codeObject);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_CODEOBJECT_H
