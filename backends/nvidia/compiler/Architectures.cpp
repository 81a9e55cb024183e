//===- Architectures.cpp - what code is made for --------------------------===//
//
// What   See Architectures.h. Shared memory of a block: CUDA C++ Programming
//        Guide 13.0, table "Technical Specifications per Compute Capability"; so
//        threads, blocks and registers of a multiprocessor.
// Why    See Architectures.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Architectures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tz::nvidia {

static constexpr ArchitectureFacts Known[] = {
    {"nvidia:sm_90a", "sm_90a", "+ptx80", 90, 227 * 1024, 2048, 32, false},
    {"nvidia:sm_80", "sm_80", "+ptx74", 80, 163 * 1024, 2048, 32, false},
    {"nvidia:sm_86", "sm_86", "+ptx74", 86, 99 * 1024, 1536, 16, false},
    {"nvidia:sm_87", "sm_87", "+ptx74", 87, 163 * 1024, 1536, 16, false},
    {"nvidia:sm_89", "sm_89", "+ptx84", 89, 99 * 1024, 1536, 24, true},
    {"nvidia:sm_100a", "sm_100a", "+ptx86", 100, 227 * 1024, 2048, 32, true},
    {"nvidia:sm_103a", "sm_103a", "+ptx88", 103, 227 * 1024, 2048, 32, true},
    {"nvidia:sm_120a", "sm_120a", "+ptx87", 120, 99 * 1024, 1536, 24, true},
    {"nvidia:sm_121a", "sm_121a", "+ptx88", 121, 99 * 1024, 1536, 24, true},
};

/// Registers are given out by eight for each thread; one KiB of shared memory
/// is taken for each block beside its own.
unsigned ArchitectureFacts::blocksBeside(unsigned blockThreads,
                                         unsigned registers,
                                         uint64_t blockShared) const {
  constexpr uint64_t reserved = 1024;
  const uint64_t byRegisters =
                     RegistersOfAll / (alignTo(registers, 8) * blockThreads),
                 byShared = (sharedBytes + reserved) / (blockShared + reserved);
  return unsigned(
      std::min({byRegisters, byShared, uint64_t(threads / blockThreads),
                uint64_t(blocks)}));
}

ArrayRef<ArchitectureFacts> architectures() { return Known; }

const ArchitectureFacts *findArchitecture(StringRef target) {
  if (target == "nvidia") {
    return &Known[0];
  }
  auto *found = llvm::find_if(Known, [&](const ArchitectureFacts &one) {
    return one.id == target || one.cpu == target;
  });
  return found == std::end(Known) ? nullptr : found;
}

} // namespace tz::nvidia
