//===- KernelFacts.h - what a kernel's code takes -------------------------===//
//
// What   Registers, spills, threads and memory of a program of a kernel.
// Why    A time alone does not say whether its code or its grid is to blame.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_KERNELFACTS_H
#define TERRAZZO_RUNTIME_PROFILE_KERNELFACTS_H

#include "runtime/launch/RuntimeArtifact.h"

#include <algorithm>

namespace tz::runtime {

/// 0: unknown, or none. Of a thread registers and spilled bytes, of a program
/// the others.
struct KernelFacts {
  uint32_t registers = 0, spillBytes = 0, threads = 0;
  uint64_t sharedBytes = 0;

  /// Of its first variant.
  static KernelFacts of(const Artifact &artifact) {
    const Variant &variant = artifact.variants.front();
    KernelFacts made{variant.regs, variant.spillBytes, 1,
                     variant.staticScratch + variant.dynScratch};
    for (uint32_t extent : variant.block) {
      made.threads *= std::max(extent, 1u);
    }
    return made;
  }
};

/// Of a grid; at most UINT64_MAX.
inline uint64_t programsOf(const std::array<int64_t, 3> &grid) {
  uint64_t programs = 1;
  for (int64_t extent : grid) {
    if (__builtin_mul_overflow(programs, uint64_t(std::max<int64_t>(extent, 1)),
                               &programs)) {
      return UINT64_MAX;
    }
  }
  return programs;
}

} // namespace tz::runtime

#endif
