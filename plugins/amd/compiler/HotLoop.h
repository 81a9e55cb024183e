//===- HotLoop.h - what stands in a kernel's busiest loop -----------------===//
//
// What   Counts instructions of the loop that matters, from the machine code.
// Why    How often a loop waits, and how much of it is products, is decided
//        behind LLVM IR. `tz explain` tells it of the code that is launched.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOTLOOP_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOTLOOP_H

#include "plugins/amd/compiler/AmdMachines.h"

#include <map>
#include <string>

namespace tz::amd {

/// Of the innermost loop with the most matrix instructions; where none has any,
/// of the one with the most accesses to memory.
struct LoopFigures {
  unsigned instructions = 0; ///< 0: the kernel has no loop
  unsigned matrix = 0;       ///< MFMA, WMMA
  unsigned waits = 0;        ///< for memory or LDS
  unsigned barriers = 0;
  unsigned shared = 0; ///< accesses of LDS, exchanges among them
  unsigned memory = 0; ///< accesses of global memory and of spills
  /// Bytes that a lane moves by one load or store of global memory; 0: there is
  /// none. Of the whole kernel where there is no loop.
  unsigned narrowest = 0, widest = 0;
};

/// By the kernels' names. Throws plugin::Failure.
std::map<std::string, LoopFigures> hotLoopsOf(const std::string &codeObject,
                                              const Machine &machine);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOTLOOP_H
