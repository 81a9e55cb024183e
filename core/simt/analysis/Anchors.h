//===- Anchors.h - layouts that accesses and dots ask for -------*- C++ -*-===//
//
// What   A layout for each access to memory, from how its tile lies there, and
//        for each dot what the target's instruction wants.
// Why    These operations know what they want; all other layouts follow from
//        them (Spreading.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_ANCHORS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_ANCHORS_H

#include "core/simt/analysis/LaunchViews.h"

#include "terrazzo/simt/SimtTarget.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tz::simt {

inline bool isTile(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

/// Of a tile.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tile::shapeOf(value.getType());
}

/// Each element of the results comes from the same element of the operands.
bool isElementwise(mlir::Operation *op);

/// The order that takes back this one.
llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> order);

class Anchors {
public:
  Anchors(tile::KernelOp kernel, const SimtTarget &target, unsigned warps);
  /// The target gave an answer that no machine has; it has been reported.
  bool hasFailed() const { return isWrong; }

  /// Loads, stores and atomics of tiles, in the order of the kernel.
  const llvm::MapVector<mlir::Operation *, Layout> &accesses() const {
    return ofAccess;
  }
  const llvm::MapVector<tile::DotOp, DotChoice> &dots() const { return ofDot; }
  /// How a dot's operand goes into its buffer, if it is computed from tiles
  /// whose rows in memory are not the buffer's. Null else, also for what is
  /// loaded and not computed with: the copy decides how that is turned.
  const Transposition *transposition(mlir::OpOperand &operand) const {
    auto found = transpositions.find(&operand);
    return found == transpositions.end() ? nullptr : &found->second;
  }
  /// Row-major, for a tile of which nothing is known.
  Layout plain(llvm::ArrayRef<int64_t> shape) const;

private:
  bool isWrong = false;
  /// The tile that an access reads or writes, and how it lies in memory.
  struct Access {
    mlir::Operation *op;
    mlir::RankedTensorType type;
    llvm::SmallVector<unsigned> order; // fastest first
    int64_t vector;
    /// Where no order is better than another one: the dimensions along which a
    /// load's neighbours probably read the same place.
    llvm::SmallVector<unsigned, 2> equal;
    bool isUndecided = false; // no order is better
  };

  Access describe(mlir::Operation *op, mlir::RankedTensorType type,
                  mlir::Value pointer) const;
  Access describe(mlir::Operation *op, tile::ViewType view,
                  mlir::Value value) const;
  unsigned densest(tile::MakeViewOp make, tile::ViewType view) const;
  void collectAccesses();
  static void followDecided(llvm::MutableArrayRef<Access> all);
  unsigned warpsFor(llvm::ArrayRef<int64_t> shape) const;
  int64_t exchanged(const Layout &layout) const;
  bool repeatsRow(llvm::ArrayRef<int64_t> shape, unsigned dim) const;
  Layout blocked(llvm::ArrayRef<int64_t> shape, int64_t vector,
                 llvm::ArrayRef<unsigned> order) const;
  std::optional<llvm::SmallVector<unsigned, 3>>
  memoryOrder(mlir::Value value, unsigned steps) const;
  bool isMadeBeside(tile::DotOp dot, mlir::Value value) const;
  DotRequest::Operand describeOperand(tile::DotOp dot, mlir::Value value);
  /// The view load that is this operand, if the host can describe its frame.
  tile::LoadViewOp blockLoad(mlir::Value operand);
  void loadInPlace(mlir::Value operand, const DotOperand &where);
  void loadAcross(mlir::Value operand, const DotOperand &where);
  void chooseDots();
  void chooseTransposition(mlir::OpOperand &operand, const DotOperand &where);

  tile::KernelOp kernel;
  const SimtTarget &target;
  const unsigned warps;
  Contiguity runs;
  std::optional<LaunchViews> launch; // where the target has blocks
  /// Shapes of what is reduced or gathered from.
  llvm::DenseSet<llvm::ArrayRef<int64_t>> combinedShapes;
  /// Shape and dimension of each reduction.
  llvm::SmallVector<std::pair<llvm::ArrayRef<int64_t>, unsigned>> reductions;
  /// Shape and dimension of each tile that is a loaded row, repeated.
  llvm::SmallVector<std::pair<llvm::ArrayRef<int64_t>, unsigned>> repeatedRows;
  llvm::MapVector<mlir::Operation *, Layout> ofAccess;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> orderOfAccess;
  llvm::MapVector<tile::DotOp, DotChoice> ofDot;
  llvm::DenseMap<mlir::OpOperand *, Transposition> transpositions;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_ANCHORS_H
