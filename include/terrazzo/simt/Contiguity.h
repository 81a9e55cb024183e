//===- Contiguity.h - runs of consecutive and of equal lanes --------------===//
//
// What   For each integer, mask and pointer tile, per dimension: how many lanes
//        beside each other hold consecutive values, how many hold equal ones,
//        and of what the first of a run is a multiple.
// Why    From these come the width of an access and the order of the lanes.
//
// Runs are aligned: a contiguity of 8 says that lanes 0-7, 8-15 ... are runs.
// All numbers are powers of two. Pointers count in bytes for divisibility and
// in elements for contiguity.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_CONTIGUITY_H
#define TERRAZZO_SIMT_CONTIGUITY_H

#include "terrazzo/analysis/Hints.h"
#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tz::analysis {
class ExactIntegers;
} // namespace tz::analysis

namespace tz::simt {

struct DimRuns {
  int64_t contiguity = 1, constancy = 1;
  int64_t divisibility = 1; // of the first lane of each contiguous run
  bool operator==(const DimRuns &) const = default;
};

/// One entry per dimension; a scalar has one that counts for all.
using Runs = llvm::SmallVector<DimRuns, 4>;

class Contiguity {
public:
  explicit Contiguity(tile::KernelOp kernel);

  /// Ones where nothing is known.
  Runs of(mlir::Value value) const;
  const analysis::Hints &hints() const { return scalars; }

private:
  void visit(mlir::Operation *op);
  void visitRegions(mlir::Operation *op);
  Runs evaluate(mlir::Operation *op, mlir::Type type) const;
  Runs dividendOf(mlir::Operation *op) const;
  void set(mlir::Value value, Runs runs);

  analysis::Hints scalars;
  const analysis::ExactIntegers *exact = nullptr; // while the kernel is walked
  llvm::DenseMap<mlir::Value, Runs> known;
  bool changed = false;
};

} // namespace tz::simt

#endif // TERRAZZO_SIMT_CONTIGUITY_H
