//===- LoopPeeling.h - where checks in a loop cease to hold -----*- C++ -*-===//
//
// What   Questions that PeelMasks asks of a loop before it splits it: may a
//        check be decided for all iterations up to one, does one iteration
//        follow, which masks are worth it. Nothing is changed.
// Why    Each is a proof over polynomials, and PeelMasks itself is about where
//        code is copied to.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_OPTIMIZER_LOOPPEELING_H
#define TERRAZZO_CORE_OPTIMIZER_LOOPPEELING_H

#include "core/optimizer/analysis/KnownMasks.h"
#include "core/optimizer/analysis/LaneForms.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <string>
#include <vector>

namespace tz::optimizer {

/// One checked dimension of one access. The block is inside if both are >= 0.
struct BoundsCheck {
  mlir::Operation *access;
  unsigned dim;
  analysis::Polynomial slack; // extent - offset - block
  analysis::Polynomial offset;
  bool open = true;
  bool reported = false;       // a remark has said why it stays
  bool withIterations = false; // asked where the loop that it is in is split
  std::string why{};           // it is not decided once, and the cure

  BoundsCheck(mlir::Operation *access, unsigned dim, analysis::Polynomial slack,
              analysis::Polynomial offset)
      : access(access), dim(dim), slack(slack), offset(offset) {}
};

class LoopPeeling {
public:
  /// `boundsAreFree`: the target's loads check bounds for nothing.
  LoopPeeling(analysis::Hints &hints, analysis::LaneForms &forms,
              analysis::KnownMasks &masks, bool boundsAreFree)
      : hints(hints), forms(forms), masks(masks), boundsAreFree(boundsAreFree) {
  }

  bool dependsOnIteration(const BoundsCheck &check, mlir::scf::ForOp loop);
  /// Why `loop` has no iteration up to which `check` holds and after which it
  /// may not; empty if it has.
  std::string whyNotSplit(mlir::scf::ForOp loop, const BoundsCheck &check);
  /// Whether no iteration follows the first in which one of these is below
  /// zero.
  bool leavesOneIteration(mlir::scf::ForOp loop,
                          llvm::ArrayRef<analysis::Polynomial> slacks);
  /// Masks that cost a compare and a select a lane in each iteration of a loop
  /// with dots, and that all lanes but those of its first or last iterations
  /// pass.
  std::vector<analysis::IterationMask> costlyMasks(mlir::scf::ForOp loop);

private:
  struct Bound;
  std::optional<Bound> upperBound(mlir::scf::ForOp loop);
  bool isNonNegative(const analysis::Polynomial &p) {
    return forms.scalars().range(p, hints).nonNegative();
  }

  analysis::Hints &hints;
  analysis::LaneForms &forms;
  analysis::KnownMasks &masks;
  bool boundsAreFree;
};

} // namespace tz::optimizer

#endif // TERRAZZO_CORE_OPTIMIZER_LOOPPEELING_H
