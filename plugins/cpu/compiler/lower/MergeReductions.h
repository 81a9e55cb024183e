//===- MergeReductions.h - Reductions of one shape as one -------*- C++ -*-===//
//
// What   See MergeReductions.cpp.
// Why    Done on the tile IR, in front of the lowering, which makes one nest of
//        each reduction.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_MERGEREDUCTIONS_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_MERGEREDUCTIONS_H

#include "terrazzo/ir/Tile.h"

namespace tz::cpu {

/// Changes `kernel`.
void mergeReductions(tile::KernelOp kernel);

/// The operation by which the region combines the pair of its arguments with
/// this number, if that is all that it does to it; else null.
mlir::Operation *combinationOf(mlir::Region &region, unsigned number);

} // namespace tz::cpu

#endif
