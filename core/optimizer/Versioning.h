//===- Versioning.h - two copies of a kernel's rest -------------*- C++ -*-===//
//
// What   Puts the rest of a block into both branches of an scf.if, for what is
//        only true if a condition on scalars is.
// Why    Full blocks (PeelMasks) and offsets that are not negative
//        (RecoverViews) are known when the program runs, once for all of it.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_VERSIONING_H
#define TERRAZZO_OPTIMIZER_VERSIONING_H

#include "core/optimizer/analysis/Polynomial.h"

#include "mlir/IR/IRMapping.h"

namespace tz::optimizer {

/// Whether every scalar of `p` is there just before `point`.
bool isAvailable(const analysis::Polynomial &p, mlir::Operation *point,
                 const analysis::ScalarTable &scalars);

/// i1: none of these is below zero. Null if there are none.
mlir::Value emitNonNegative(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<analysis::Polynomial> all,
                            const analysis::ScalarTable &scalars);

/// `first` and what follows it in its block, without the terminator.
class Rest {
public:
  explicit Rest(mlir::Operation *first);

  /// Whether a tile made in the rest leaves the block: both branches would have
  /// to put it into one place.
  bool yieldsTile() const;
  /// Ops that a copy has.
  size_t size() const;
  /// if (condition) {the rest} else {a copy of it}, whose ops `copies` then
  /// has.
  mlir::scf::IfOp version(mlir::Value condition, mlir::IRMapping &copies);
  mlir::scf::IfOp version(mlir::Value condition);

private:
  mlir::Operation *first, *terminator;
  llvm::SmallVector<mlir::OpOperand *> results; // of the terminator
};

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_VERSIONING_H
