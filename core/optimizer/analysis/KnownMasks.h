//===- KnownMasks.h - comparisons that are true in full blocks --*- C++ -*-===//
//
// What   The comparisons of a kernel as formulas: each is true in all lanes
//        where its slack is not negative. Folds those that follow from what is
//        known in a region.
// Why    A mask guards more than the access whose bound it is: where(cols < n,
//        x - mean, 0) costs a compare and a select a lane, in a block that is
//        full for nothing.
//
// Formulas are exact, comparisons wrap (R3): one counts only if its smaller
// side cannot leave its type where the larger, a plain value, bounds it, and
// nothing widens what may have wrapped.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_KNOWNMASKS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_KNOWNMASKS_H

#include "core/optimizer/analysis/LaneForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tz::analysis {

/// A comparison that the iteration of a loop decides: true in all lanes while
/// `slack`, a formula of the iteration with `slope`, is not negative. That is
/// so only if none of `conditions`, which do not change in the loop, is below
/// zero.
struct IterationMask {
  mlir::arith::CmpIOp op;
  Polynomial slack;
  int64_t slope;
  llvm::SmallVector<Polynomial, 2> conditions;
};

class KnownMasks {
public:
  KnownMasks(tile::KernelOp kernel, LaneForms &forms, const Hints &hints);

  /// The formulas of which none may be below zero for `op` to be true in all
  /// lanes; nullopt: that is not known.
  std::optional<llvm::SmallVector<Polynomial, 2>>
  conditionsOf(mlir::arith::CmpIOp op) const;

  /// The comparisons in `loop` that hold up to an iteration (slope < 0) or from
  /// one on (slope > 0): rows beside columns too, as in a causal mask.
  std::vector<IterationMask> ofIterations(mlir::scf::ForOp loop);

  /// Replaces by `true`, in `region`, the comparisons that hold there in all
  /// lanes because none of `nonNegative` is below zero. Returns how many.
  size_t fold(mlir::Region &region, llvm::ArrayRef<Polynomial> nonNegative);

private:
  struct Comparison {
    mlir::arith::CmpIOp op;
    Polynomial slack; // the smallest difference of the sides, less one if <
    Polynomial least; // the smallest value of the smaller side
    bool isExact;     // the smaller side needs no lower bound
  };

  void collect(mlir::arith::CmpIOp op);
  std::optional<IterationMask> iterationMask(mlir::arith::CmpIOp op,
                                             mlir::scf::ForOp loop);
  bool follows(const Polynomial &p, llvm::ArrayRef<Polynomial> nonNegative);

  LaneForms &forms;
  const Hints &hints;
  llvm::SmallVector<Comparison> comparisons;
};

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_KNOWNMASKS_H
