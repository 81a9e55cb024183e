//===- LaneForms.h - tiles as formulas of their lane indices ----*- C++ -*-===//
//
// What   For integer tiles and tiles of pointers: base + start + sum over the
//        dimensions of lane[d] * index[d], where start and lane are formulas of
//        scalars. For views: the make_view they come from, and their position.
// Why    RecoverViews reads accesses off these forms, PeelMasks compares them.
//
// The walk goes through what R3 allows to be exact: add, sub, mul, sign
// extension, splat, broadcast, unit dimensions, transpose, and what a loop adds
// in every iteration. Everything else is one unknown scalar, or no form.
//
// What wraps around or stops at a limit (offsets % M, where(offsets < M,
// offsets, 0), minimum(offsets, M - 1)) has the form of `offsets`, with a note
// of the lanes in which that is not its value. Only who asks for such forms
// gets them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_LANEFORMS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_LANEFORMS_H

#include "core/optimizer/analysis/ExactIntegers.h"
#include "core/optimizer/analysis/Polynomial.h"

#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace tz::analysis {

/// The lanes of dimension `dim` with an index of `limit` - `start` or more have
/// another value than the form says, and so have all if `offsets` may be
/// negative or wraps in its type.
struct Fold {
  mlir::Value offsets, bound; // the tile before it is folded, and by what
  unsigned dim;
  Polynomial start, limit;
  bool needsSign = true; // a remainder of a negative value is another one

  bool operator==(const Fold &) const = default;
};

struct LaneForm {
  mlir::Value base; // a scalar pointer; null for integers
  Polynomial start;
  llvm::SmallVector<Polynomial, 2> lane; // one per dimension; none for scalars
  llvm::SmallVector<Fold, 1> folds{};

  bool isUniform() const {
    return llvm::all_of(lane, [](const Polynomial &p) { return p.isZero(); });
  }
};

struct ViewForm {
  tile::MakeViewOp root;
  llvm::SmallVector<Polynomial, 2> position;
};

class LaneForms {
public:
  /// Also inserts trip counters (pure, dead if unused) into loops whose
  /// increments are no multiple of their step.
  explicit LaneForms(tile::KernelOp kernel);

  /// nullopt: not of this form. Every integer scalar has one.
  std::optional<LaneForm> of(mlir::Value value);
  /// Also forms that hold only in some lanes.
  std::optional<LaneForm> withFolds(mlir::Value value);
  std::optional<ViewForm> viewOf(mlir::Value value) const;

  ScalarTable &scalars() { return table; }

private:
  void visit(mlir::Operation *op);
  void visitLoop(mlir::scf::ForOp loop);
  void set(mlir::Value value, std::optional<LaneForm> form);
  std::optional<LaneForm> evaluate(mlir::Operation *op);
  std::optional<LaneForm> folded(mlir::Value offsets, mlir::Value limit,
                                 int64_t more, bool needsSign);
  std::optional<Polynomial> tripCount(mlir::scf::ForOp loop,
                                      llvm::ArrayRef<Polynomial> increments,
                                      int64_t &divisor);

  /// What loops ask that begin at a sum or count by their own numbers.
  struct Facts {
    explicit Facts(tile::KernelOp kernel)
        : hints(kernel), integers(kernel, hints) {}
    Hints hints;
    ExactIntegers integers;
  };
  const Facts &askFacts(); // made when it is first called: few loops do

  tile::KernelOp kernel;
  std::shared_ptr<const Facts> facts;
  ScalarTable table;
  // Each stays a scalar: what is promised of a sum says little of its terms.
  llvm::DenseSet<mlir::Value> assumed;
  llvm::DenseMap<mlir::Value, LaneForm> forms;
  llvm::DenseMap<mlir::Value, ViewForm> views;
};

/// For each dimension of `from`, the dimension of `to` that has its lanes after
/// a reshape, or -1 for a dimension of size one; nullopt if lanes are
/// regrouped.
std::optional<llvm::SmallVector<int64_t>>
unitReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_LANEFORMS_H
