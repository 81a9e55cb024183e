//===- Hints.h - ranges and divisibility of integers ------------*- C++ -*-===//
//
// What   For every integer and pointer of a kernel (scalar or tile: all lanes)
//        a range of its signed value and a divisor of it.
// Why    Views, peeling and vector widths rest on "this offset is not negative"
//        and "that stride is a multiple of 8"; one analysis answers for all.
//
// Sources: arange, program ids, loop bounds, constants, tile.divisibility of
// arguments, tile.hint, and tile.assume of values of its own block.
// Ranges respect wrapping (R3): a sum that may leave its type has no range.
// A division or remainder by zero gives some value (P7); for a dividend that is
// not negative it is taken to be one inside the range given here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_ANALYSIS_HINTS_H
#define TERRAZZO_ANALYSIS_HINTS_H

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <limits>

namespace tz::analysis {

/// Closed range of signed values.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  bool operator==(const Interval &) const = default;
  bool nonNegative() const { return low >= 0; }
  /// The smallest range that holds both.
  Interval join(Interval other) const;
  /// What is in both; `this` where nothing is (unreachable code).
  Interval meet(Interval other) const;
  /// Interval arithmetic; an end that leaves int64 becomes unbounded.
  Interval operator+(Interval other) const;
  Interval operator-(Interval other) const;
  Interval operator*(Interval other) const;
};

struct Hint {
  Interval range;
  int64_t divisibility = 1; // zero: the value is zero
};

/// What tile.assume ops say, in program order, the parts of a conjunction one
/// by one. An assumption in a loop or a branch speaks of values of its own
/// block alone: where these exist, the block runs. One of values from outside
/// may never be reached, and is left out.
llvm::SmallVector<mlir::arith::CmpIOp>
assumedComparisons(tile::KernelOp kernel);

class Hints {
public:
  explicit Hints(tile::KernelOp kernel);

  /// What is known of `value`; everything unknown for other types.
  Hint of(mlir::Value value) const;
  Interval range(mlir::Value value) const { return of(value).range; }
  int64_t divisibility(mlir::Value value) const {
    return of(value).divisibility;
  }
  /// Whether signed comparisons of the loop's counter and bounds give what the
  /// loop itself compares: it compares signed, or neither bound is above the
  /// largest signed number.
  bool countsSigned(mlir::scf::ForOp loop) const;

private:
  void assume(mlir::arith::CmpIOp compare);
  void visit(mlir::Operation *op);
  void visitCarried(mlir::scf::ForOp loop);
  void set(mlir::Value value, Hint hint);

  llvm::DenseMap<mlir::Value, Hint> known;
  llvm::DenseMap<mlir::Value, Interval> assumed;
};

/// The range of every value of an integer type.
Interval rangeOfType(mlir::Type type);

} // namespace tz::analysis

#endif // TERRAZZO_ANALYSIS_HINTS_H
