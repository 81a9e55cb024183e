//===- ExactIntegers.h - sums and products that do not wrap -----*- C++ -*-===//
//
// What   Which integers are what their arithmetic says, without wrapping: those
//        whose ranges tell, and those that compute an address (R3). And which
//        are not negative, given that.
// Why    Formulas are exact, integers wrap: who takes the one for the other
//        must know that they are the same.
//
// What computes an address is told by its uses: by offsets of pointers and of
// view accesses, and by comparisons in their masks. Views that a pass made of
// pointers have offsets of their own, so ask before.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_EXACTINTEGERS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_EXACTINTEGERS_H

#include "terrazzo/analysis/Hints.h"

#include "llvm/ADT/DenseSet.h"

namespace tz::analysis {

class ExactIntegers {
public:
  /// Ops of another dialect that give their operand's value.
  using KeepsValue = bool (*)(mlir::Operation *op);

  ExactIntegers(tile::KernelOp kernel, const Hints &hints,
                KeepsValue alsoKeeps = nullptr);

  /// Whether no sum, difference or product leaves its type on the way to
  /// `value`, which is that of LaneForms: what a branch, a load or a quotient
  /// gives is a number as any other.
  bool isExact(mlir::Value value) const;
  /// What the sum, difference or product `op` is before it wraps.
  Interval rangeOf(mlir::Operation *op) const;
  /// Whether `value` is known to be at least 0. What a loop carries is, if it
  /// begins so and nothing negative is added.
  bool isNatural(mlir::Value value) const;
  /// ... or would be, if no sum or product left its type.
  bool isNaturalUnlessItWraps(mlir::Value value) const;

private:
  bool keepsValue(mlir::Operation *op) const;
  bool fits(mlir::Operation *op) const;
  bool isNatural(mlir::Value value, bool mayWrap) const;
  bool isNaturalIf(mlir::Operation *op, bool mayWrap,
                   llvm::SmallVectorImpl<mlir::Value> &pending) const;

  const Hints &hints;
  KeepsValue alsoKeeps;
  llvm::DenseSet<mlir::Value> addresses; // they compute one
};

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_EXACTINTEGERS_H
