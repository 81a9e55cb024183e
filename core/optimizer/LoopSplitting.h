//===- LoopSplitting.h - a loop in two parts --------------------*- C++ -*-===//
//
// What   Cuts a loop at an iteration that is known when the program runs: the
//        iterations before or after it run in a copy.
// Why    What holds in most iterations, and not in the first or last ones, need
//        not be asked for in each of them (PeelMasks).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_LOOPSPLITTING_H
#define TERRAZZO_OPTIMIZER_LOOPSPLITTING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::optimizer {

/// The iterations of `loop` before `iteration` (i64) run in a copy in front of
/// it, which is returned. The loop's step is the positive constant `step`.
mlir::scf::ForOp splitHead(mlir::scf::ForOp loop, mlir::Value iteration,
                           int64_t step);

/// `iteration` (i64) of `loop` and those after it run in a copy behind it,
/// which is returned.
mlir::scf::ForOp splitTail(mlir::scf::ForOp loop, mlir::Value iteration,
                           int64_t step);

/// if (there is an iteration) {it} else {what the loop began with}, for a loop
/// of one iteration at most.
void runOnce(mlir::scf::ForOp loop);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_LOOPSPLITTING_H
