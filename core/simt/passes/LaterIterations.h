//===- LaterIterations.h - what a loop computes ahead -----------*- C++ -*-===//
//
// What   Emits what a later iteration needs to know its addresses, for one
//        iteration after the other.
// Why    Copies into ring buffers and loads into registers go ahead alike.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_LATERITERATIONS_H
#define TERRAZZO_CORE_SIMT_PASSES_LATERITERATIONS_H

#include "core/simt/analysis/LoopIterations.h"

namespace tz::simt {

class LaterIterations {
public:
  /// Both outlive this.
  LaterIterations(mlir::scf::ForOp loop, const Slice &ahead)
      : loop(loop), ahead(ahead), inOrder(ahead.inOrder(loop)) {}

  /// `map` knows what the first iteration carries.
  void start(mlir::IRMapping &map);
  /// What the iteration so many after the one with this index computes to know
  /// its addresses; says whether there is such an iteration. Indices are not
  /// loaded for one that is not there.
  mlir::Value begin(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::Value index,
                    unsigned iterations);
  /// From what an iteration carries to what the next one does.
  void advance(mlir::IRMapping &map);
  /// What the iteration to which `map` leads carries of its addresses.
  llvm::SmallVector<mlir::Value> carried(const mlir::IRMapping &map);
  /// `map` knows them from these.
  void carry(mlir::IRMapping &map, mlir::ValueRange values);

private:
  mlir::scf::ForOp loop;
  const Slice &ahead;
  llvm::SmallVector<mlir::Operation *> inOrder;
};

/// Erases what nobody reads any more.
void eraseDead(mlir::Block &block);

/// A branch for a loop that has an iteration. Where it has none, nothing is
/// loaded, and the results are what the loop begins with.
mlir::scf::IfOp branchIfIterated(mlir::scf::ForOp loop);

/// A loop over the same iterations that carries other values; its body is
/// empty.
mlir::scf::ForOp emptyLoopLike(mlir::OpBuilder &b, mlir::scf::ForOp loop,
                               mlir::ValueRange inits);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_LATERITERATIONS_H
