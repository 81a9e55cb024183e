//===- Architectures.h - what code is made for ----------------------------===//
//
// What   The targets of the compiler half, by id, and what LLVM calls them.
// Why    The lowest PTX version that the features need is emitted (R16).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_ARCHITECTURES_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_ARCHITECTURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tz::nvidia {

struct ArchitectureFacts {
  llvm::StringRef id;   // "nvidia:sm_90a"
  llvm::StringRef cpu;  // "sm_90a"
  llvm::StringRef ptx;  // LLVM's feature: "+ptx80"
  unsigned number;      // 90
  unsigned sharedBytes; // of one block, opted in
  unsigned threads;     // of a multiprocessor
  unsigned blocks;
  bool hasFloat8Mma; // mma.sync of 8-bit floats, in this version of PTX

  /// Blocks that fit into a multiprocessor, if each has so many threads with so
  /// many registers, and so much shared memory.
  unsigned blocksBeside(unsigned blockThreads, unsigned registers,
                        uint64_t blockShared) const;
};

/// Registers of a multiprocessor, 32 bits wide.
constexpr unsigned RegistersOfAll = 65536;

/// The default first.
llvm::ArrayRef<ArchitectureFacts> architectures();
/// "nvidia:sm_90a", "sm_90a", or "nvidia" for the default; null if unknown.
const ArchitectureFacts *findArchitecture(llvm::StringRef target);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_ARCHITECTURES_H
