//===- AddressRange.h - the least and the greatest address ------*- C++ -*-===//
//
// What   Interval arithmetic in 64 bits over what an address is made of: sums,
//        products, ranges, what loops count, and what a mask says of them.
// Why    Addresses are sums of rows and columns, so a few scalars give the
//        corners. What is linear in a loop's iterations has its extremes in the
//        first and the last of them; what is not counts with all its values.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ADDRESSRANGE_H
#define TERRAZZO_OPTIMIZER_ADDRESSRANGE_H

#include "core/optimizer/SanitizerArrays.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tz::optimizer {

/// All numbers from `low` to `high`, i64.
struct Interval {
  mlir::Value low, high;
  bool isPoint() const { return low == high; }
};
using Known = std::optional<Interval>;

/// Which dimension of the accessed tile a value's dimensions are; -1: of size
/// one. Nothing: that is not known.
using Dims = std::optional<llvm::SmallVector<int>>;

/// What the mask says: `value` is below (or above) `bound` by `distance`.
struct Limit {
  mlir::Value value;
  Dims dims;
  mlir::Value bound;
  bool isUpper;
  int64_t distance;
};

/// Of which iterations an interval is. Numbers of iterations, i64.
struct Iterations {
  enum Kind {
    Linear, ///< of `at`; what is not linear, of all from 0 to `last`
    One,    ///< of `at`, where the mask is known
    All,    ///< of all from 0 to `last`
  };
  mlir::scf::ForOp loop; ///< null: the builder stands at the access
  mlir::Value at, last;
  Kind kind;
};

/// What `op`, which only moves elements, takes them from, and where to.
std::optional<std::pair<mlir::Value, Dims>> movedFrom(mlir::Operation *op,
                                                      const Dims &dims);

/// The addresses of one access, in one iteration of a loop or where it stands.
class AddressRange {
public:
  AddressRange(CheckBuilder &c, mlir::Operation *access, const Iterations &of)
      : c(c), access(access), of(of), takesAll(of.kind == Iterations::All) {}
  mlir::Value isInside(Ends ends);

private:
  struct View {
    Interval base;
    llvm::SmallVector<Interval> shape, strides, position;
  };

  bool isOutside(mlir::Value value);
  bool isIndependent(mlir::Value value, unsigned depth = 0);
  mlir::Value hoisted(mlir::Value value);
  mlir::Value wide(mlir::Value scalar);

  Known add(Known x, Known y);
  Known subtract(Known x, Known y);
  Interval multiply(Interval x, Interval y);
  Interval hull(Interval x, Interval y);
  void hold(mlir::Value condition) {
    sane = sane ? c.make<mlir::arith::AndIOp>(sane, condition) : condition;
  }
  /// Its values are those of the type: nothing wrapped.
  Known fit(Known x, mlir::Type type);

  Known range(mlir::Value value, const Dims &dims);
  Known unlimited(mlir::Value value, const Dims &dims);
  Known ofLeaf(mlir::Value value);
  Known ofArgument(mlir::BlockArgument argument, const Dims &dims);
  Known ofProduct(mlir::arith::MulIOp op, const Dims &dims);
  /// The range of a value in every iteration, for what is not linear.
  Known rangeOfAll(mlir::Value value, const Dims &dims);
  Known increment(mlir::Value next, mlir::BlockArgument argument);
  Interval times();
  Known counted(Known init, Known step);
  Known limited(Known x, mlir::Value value, const Dims &dims);

  void readLimits(mlir::Value mask, const Dims &dims);
  void addLimit(mlir::Value value, mlir::Value bound, const Dims &dims,
                bool isUpper, int64_t distance);
  std::optional<View> view(mlir::Value value);
  std::optional<View> advanced(std::optional<View> from, tile::AdvanceViewOp op,
                               bool isCounted);
  Known ofView();

  CheckBuilder &c;
  mlir::Operation *access;
  Iterations of;
  llvm::SmallVector<Limit> limits;
  mlir::IRMapping copies; ///< of what does not change with the iterations
  mlir::Value sane;       ///< what was assumed; null: nothing
  mlir::Value empty;      ///< nothing is accessed; null: that is not known
  bool takesAll;
  bool ignoresLimits = false;
  unsigned steps = 0;
};

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_ADDRESSRANGE_H
