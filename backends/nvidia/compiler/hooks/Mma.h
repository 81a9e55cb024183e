//===- Mma.h - dots by warps ----------------------------------------------===//
//
// What   mma.sync: a warp multiplies 16 x k by k x 8 in registers, which are
//        filled from swizzled shared memory by ldmatrix. When it fits, its
//        layouts, its PTX.
// Why    Every machine from sm_80 on has it; on sm_90a it does what is too
//        small for a warp group.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_MMA_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_MMA_H

#include "backends/nvidia/compiler/Architectures.h"

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

#include "llvm/IR/IRBuilder.h"

namespace tz::nvidia {

inline constexpr llvm::StringLiteral MmaName = "mma";

/// Layouts for a dot; none if the instruction does not fit.
std::optional<simt::DotChoice> chooseMma(const simt::DotRequest &request,
                                         const ArchitectureFacts &architecture);

/// Emits the dot for this warp; `thread` is the index in the block.
llvm::SmallVector<llvm::Value *> emitMma(llvm::IRBuilderBase &b, simt::DotOp op,
                                         const simt::DotSource &a,
                                         const simt::DotSource &rhs,
                                         llvm::ArrayRef<llvm::Value *> acc,
                                         llvm::Value *thread);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_MMA_H
