//===- IterationBounds.h - from which iteration, and up to which ----------===//
//
// What   Code for the iteration of a loop at which formulas of it begin, or
//        cease, not to be negative.
// Why    There a loop is split (LoopSplitting.h): in one part what they decide
//        need not be asked.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ITERATIONBOUNDS_H
#define TERRAZZO_OPTIMIZER_ITERATIONBOUNDS_H

#include "core/optimizer/analysis/KnownMasks.h"

namespace tz::optimizer {

/// The bound up to which `loop` may run so that none of these, which fall with
/// its iterations, falls below zero; an i64.
mlir::Value fullUntil(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                      llvm::ArrayRef<analysis::Polynomial> slacks,
                      analysis::ScalarTable &scalars);
/// The iteration from which on all of `rising` hold, as an i64.
mlir::Value fullFrom(mlir::OpBuilder &builder, mlir::scf::ForOp loop,
                     llvm::ArrayRef<analysis::IterationMask> rising,
                     analysis::ScalarTable &scalars);
/// Each condition of these once.
llvm::SmallVector<analysis::Polynomial>
conditionsOf(llvm::ArrayRef<analysis::IterationMask> all);
/// `iteration` if none of these is below zero, otherwise `other` as an i64.
mlir::Value iterationIf(mlir::OpBuilder &builder,
                        llvm::ArrayRef<analysis::Polynomial> conditions,
                        mlir::Value iteration, mlir::Value other,
                        const analysis::ScalarTable &scalars);
/// The masks are true in all iterations of `loop`.
void assume(mlir::scf::ForOp loop, llvm::ArrayRef<analysis::IterationMask> all);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_ITERATIONBOUNDS_H
