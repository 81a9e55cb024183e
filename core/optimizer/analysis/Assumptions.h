//===- Assumptions.h - what tl.assume says of a kernel's values -*- C++ -*-===//
//
// What   The comparisons of all tile.assume ops that hold wherever the values
//        that they compare exist.
//
//===----------------------------------------------------------------------===//
#ifndef TZ_CORE_OPTIMIZER_ANALYSIS_ASSUMPTIONS_H
#define TZ_CORE_OPTIMIZER_ANALYSIS_ASSUMPTIONS_H

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tz::analysis {

/// In program order, the parts of a conjunction one by one. An assumption in a
/// loop or a branch speaks of values of its own block alone: where these exist,
/// the block runs. One of values from outside may never be reached, and is left
/// out.
llvm::SmallVector<mlir::arith::CmpIOp>
assumedComparisons(tile::KernelOp kernel);

} // namespace tz::analysis

#endif // TZ_CORE_OPTIMIZER_ANALYSIS_ASSUMPTIONS_H
