//===- LoopIterations.h - what a later iteration of a loop needs ----------===//
//
// What   The ops of a loop from which a value of another iteration is computed,
//        whether there is such an iteration, and whether a load may go ahead to
//        it.
// Why    Copies into ring buffers and loads into registers go ahead by the same
//        rules.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_LOOPITERATIONS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_LOOPITERATIONS_H

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace tz::simt {

/// On a loop whose iterations have enough loads under way each: copies of its
/// body would take registers for nothing.
inline constexpr llvm::StringLiteral RolledLoop = "simt.rolled";

/// What is computed of one iteration to know some values of it.
struct Slice {
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> carried; // iteration arguments

  bool hasLoads() const;
  /// The ops as they stand in the loop.
  llvm::SmallVector<mlir::Operation *> inOrder(mlir::scf::ForOp loop) const;
};

/// Adds what `value` is computed from: pure ops of the loop's body and loads
/// that may go ahead, as long as what they read depends on nothing that the
/// loop carries. False if there is something else; the slice is of no use then.
bool addToSlice(mlir::scf::ForOp loop, mlir::Value value, Slice &slice);

/// May the load be done before earlier iterations have ended? Nothing that the
/// loop writes may be what it reads, and no iteration may end the program.
bool mayGoAhead(mlir::scf::ForOp loop, mlir::Operation *load);

/// Does anything in `where` write what the load may read?
bool isWrittenIn(mlir::Operation *where, mlir::Operation *load);

/// The counter is 32 bits wide, or its step is a small constant: then the
/// number of iterations that are left is exact in 64 bits.
bool countsIterations(mlir::scf::ForOp loop);

/// How a loop counts: as it stands, or as it will where other values take the
/// place of its bounds.
struct IterationCounter {
  IterationCounter(mlir::scf::ForOp loop, const mlir::IRMapping &map = {})
      : loc(loop.getLoc()), lower(map.lookupOrDefault(loop.getLowerBound())),
        upper(map.lookupOrDefault(loop.getUpperBound())),
        step(map.lookupOrDefault(loop.getStep())),
        isUnsigned(loop.getUnsignedCmp()) {}

  mlir::Location loc;
  mlir::Value lower, upper, step;
  bool isUnsigned;
};

/// Is there an iteration this many after the one with this index? (That may be
/// none itself: the distance to the bound decides.) Needs countsIterations if
/// `iterations` is not zero.
mlir::Value hasIteration(mlir::OpBuilder &b, const IterationCounter &counter,
                         mlir::Value index, unsigned iterations);

/// The index so many iterations after `index`, without a look at the bound.
mlir::Value indexAfter(mlir::OpBuilder &b, const IterationCounter &counter,
                       mlir::Value index, unsigned iterations);

/// How many iterations a loop has, if that is known, and no more than `most`.
std::optional<int64_t> fewIterations(mlir::scf::ForOp loop, int64_t most);

/// How many iterations a loop has at most, if its upper bound is the lesser of
/// its lower one and a constant more, and of anything else.
std::optional<int64_t> iterationsAtMost(mlir::scf::ForOp loop);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_LOOPITERATIONS_H
