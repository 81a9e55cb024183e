//===- PtxMachine.h - what passes and lowering both ask -------------------===//
//
// What   The answers that PtxTarget and PtxHooks share (simt/SimtMachine.h).
// Why    Both must be the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMACHINE_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMACHINE_H

#include "terrazzo/simt/SimtMachine.h"

namespace tz::nvidia {

/// Base: simt::SimtTarget or simt::SimtHooks.
template <typename Base>
class PtxMachine : public Base {
public:
  /// Boxes of the TMA unit begin at multiples of 128 bytes. Swizzled ones, and
  /// what wgmma reads, begin at multiples of 1,024: the descriptors of matrices
  /// then need no base offset, whatever the swizzle (PTX ISA, Asynchronous
  /// warpgroup level matrix shared memory layout).
  int64_t sharedAlignment(simt::BufferType buffer) const override {
    return buffer.getLayout().getBits() == 0 ? 128 : 1024;
  }
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMACHINE_H
