//===- FoldedLanes.h - lanes whose value nobody sees ------------*- C++ -*-===//
//
// What   Decides whether a tile may hold something else in the lanes beyond a
//        limit: those in which offsets fold (offsets % M), or that a mask hides.
// Why    Kernels wrap the rows of a block's last part around only to stay
//        inside the array, or hide them in every iteration: what those rows
//        give is masked off when it is stored. If so, M is a bound like any
//        other, and the mask is for nothing.
//
// A value is followed through elementwise ops, changes of shape, products,
// reductions along other dimensions, branches and loops to stores whose bound
// masks those lanes off; every other use sees them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_FOLDEDLANES_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_FOLDEDLANES_H

#include "core/optimizer/analysis/ExactIntegers.h"
#include "core/optimizer/analysis/LaneForms.h"

namespace tz::analysis {

class FoldedLanes {
public:
  FoldedLanes(tile::KernelOp kernel, LaneForms &forms, const Hints &hints);

  /// Whether `loaded` may hold anything where one of `folds` applies, given
  /// that offsets that must not be negative are not; if not, `why` says what
  /// sees it, and the cure.
  bool areUnseen(mlir::Value loaded, llvm::ArrayRef<Fold> folds,
                 std::string &why);

private:
  struct Lanes {
    mlir::Value value;
    unsigned dim;
    bool operator==(const Lanes &) const = default;
  };

  bool isExactUnlessSmall(mlir::Value limit);
  bool follow(mlir::OpOperand &use, unsigned dim, const Fold &fold,
              llvm::SmallVectorImpl<Lanes> &next, std::string &why);
  bool isMaskedOff(mlir::Operation *store, unsigned dim, const Fold &fold);

  LaneForms &forms;
  const Hints &hints;
  ExactIntegers exact;
};

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_FOLDEDLANES_H
