//===- TileKernel.h - Matrix products on the tiles of AMX -----------------===//
//
// What   emitDot for plans of the kinds TileBF16 and TileI8.
// Why    Tiles are configured, and blocked, in another way than vectors.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_DOT_TILEKERNEL_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_DOT_TILEKERNEL_H

#include "plugins/cpu/compiler/dot/Dot.h"

namespace tz::cpu {

/// As emitDot; `plan.tiles()` holds.
void emitTileDot(llvm::IRBuilderBase &b, const DotPlan &plan,
                 llvm::Value *packedA, llvm::Value *lda, llvm::Value *packedB,
                 llvm::Value *acc, llvm::Value *ldAcc, bool accumulate);

} // namespace tz::cpu

#endif
