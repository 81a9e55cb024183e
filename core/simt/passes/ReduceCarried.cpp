//===- ReduceCarried.cpp - simt-reduce-carried ----------------------------===//
//
// What   A tile of integers or bools that a loop carries, combines with a tile
//        in each iteration and gives to a reduction of the same kind: what a
//        thread holds along the axis is reduced before it is combined.
// Why    A thread would carry a value for each of its elements, and reduce them
//        when the loop has ended. Predicates are few on many machines: the rest
//        of them is moved between words in each iteration.
// Example (test/simt/reduce-carried.mlir; lines with scf., arith.andi, arith.addi, reshape, tile.reduce)
//   before
//     ...
//     %found = scf.for %i = %from to %n step %step iter_args(%so_far = %all) -> (tensor<8x1024xi1>) : i32 {
//       ...
//       %both = arith.andi %so_far, %is : tensor<8x1024xi1>
//       scf.yield %both : tensor<8x1024xi1>
//     }
//     %row = tile.reduce(%found) axis 1 : (tensor<8x1024xi1>) -> tensor<8xi1> {
//     ...
//       %r = arith.andi %p, %q : i1
//       ...
//     }
//     ...
//   after
//     ...
//     %1 = tile.reshape %cst_0 : tensor<8x1024xi1, #layout> -> tensor<8x4x32x8xi1, #layout1>
//     %2 = tile.reduce(%1) axis 3 : (tensor<8x4x32x8xi1, #layout1>) -> tensor<8x4x32xi1, #layout2> {
//     ...
//       %9 = arith.andi %arg3, %arg4 : i1
//       ...
//     }
//     %3 = tile.reduce(%2) axis 1 : (tensor<8x4x32xi1, #layout2>) -> tensor<8x32xi1, #layout3> {
//     ...
//       %9 = arith.andi %arg3, %arg4 : i1
//       ...
//     }
//     %4 = scf.for %arg3 = %c0_i32 to %arg2 step %c1024_i32 iter_args(%arg4 = %3) -> (tensor<8x32xi1, #layout3>)  : i32 {
//       ...
//       %12 = tile.reshape %11 : tensor<8x1024xi1, #layout> -> tensor<8x4x32x8xi1, #layout1>
//       %13 = tile.reduce(%12) axis 3 : (tensor<8x4x32x8xi1, #layout1>) -> tensor<8x4x32xi1, #layout2> {
//       ...
//         %16 = arith.andi %arg5, %arg6 : i1
//         ...
//       }
//       %14 = tile.reduce(%13) axis 1 : (tensor<8x4x32xi1, #layout2>) -> tensor<8x32xi1, #layout3> {
//       ...
//         %16 = arith.andi %arg5, %arg6 : i1
//         ...
//       }
//       %15 = arith.andi %arg4, %14 : tensor<8x32xi1, #layout3>
//       scf.yield %15 : tensor<8x32xi1, #layout3>
//     }
//     %5 = tile.reduce(%4) axis 1 : (tensor<8x32xi1, #layout3>) -> tensor<8xi1, #layout4> {
//     ...
//       %9 = arith.andi %arg3, %arg4 : i1
//       ...
//     }
//     ...
// Keeps  the result, bit for bit: such combinations are free to be grouped and
//        ordered in any way.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_REDUCECARRIED
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Is the op's result the same however many of them are grouped and ordered?
bool isFree(Operation *op) {
  if (auto add = dyn_cast<arith::AddIOp>(op)) {
    // A promise about one order says nothing about another.
    return add.getOverflowFlags() == arith::IntegerOverflowFlags::none;
  }
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, tile::MaxSIOp,
             tile::MinSIOp, tile::MaxUIOp, tile::MinUIOp>(op);
}

/// The one op that the reduction's region is made of; null: none such.
Operation *combinationOf(tile::ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSources().size() != 1 ||
      !llvm::hasSingleElement(body.without_terminator())) {
    return nullptr;
  }
  Operation *op = &body.front();
  auto takes = [&](Value argument) {
    return llvm::is_contained(op->getOperands(), argument);
  };
  return isFree(op) && op->getNumOperands() == 2 &&
                 llvm::all_of(body.getArguments(), takes) &&
                 body.getTerminator()->getOperand(0) == op->getResult(0)
             ? op
             : nullptr;
}

/// What a loop carries and combines with a tile, once in each iteration.
struct Carried {
  scf::ForOp loop;
  unsigned index;
  Operation *combination;
  OpOperand *tile; // of the combination
};

/// None unless nothing else reads the loop's result, or what it is made of.
std::optional<Carried> carriedOf(Value value, Operation *like) {
  auto loop = value.getDefiningOp<scf::ForOp>();
  if (!loop || !value.hasOneUse()) {
    return std::nullopt;
  }
  const unsigned index = cast<OpResult>(value).getResultNumber();
  BlockArgument argument = loop.getRegionIterArg(index);
  Operation *op =
      argument.hasOneUse() ? argument.getUses().begin()->getOwner() : nullptr;
  if (!op || op->getName() != like->getName() || !isFree(op) ||
      op->getBlock() != loop.getBody() || !op->hasOneUse() ||
      loop.getYieldedValues()[index] != op->getResult(0)) {
    return std::nullopt;
  }
  OpOperand &other = op->getOpOperand(op->getOperand(0) == argument ? 1 : 0);
  return Carried{loop, index, op, &other};
}

/// A dimension cut into ranges of its index's bits, highest first. Of some the
/// elements differ in nothing but the register.
struct Cut {
  SmallVector<int64_t> extents;
  SmallVector<bool> isOfThread;
  bool any() const { return llvm::is_contained(isOfThread, true); }
};

/// Bits of the index along the dimension that registers alone choose, each by
/// a bit of its own.
uint64_t bitsOfThread(const Layout &layout, unsigned dim) {
  uint64_t alone = 0, elsewhere = 0;
  for (Axis axis : AllAxes) {
    for (const Coordinates &basis : layout.bases(axis)) {
      const bool isAlone =
          axis == Axis::Register && llvm::isPowerOf2_64(basis[dim]) &&
          llvm::count_if(basis, [](int64_t at) { return at != 0; }) == 1 &&
          !(alone & uint64_t(basis[dim]));
      (isAlone ? alone : elsewhere) |= uint64_t(basis[dim]);
    }
  }
  return alone & ~elsewhere;
}

Cut cutOf(const Layout &layout, unsigned dim) {
  Cut cut;
  if (!layout.isLinear()) {
    return cut;
  }
  const uint64_t bits = bitsOfThread(layout, dim);
  for (int64_t bit = layout.atomShape()[dim] / 2; bit > 0; bit /= 2) {
    const bool isOfThread = bits & uint64_t(bit);
    if (cut.isOfThread.empty() || cut.isOfThread.back() != isOfThread) {
      cut.extents.push_back(1);
      cut.isOfThread.push_back(isOfThread);
    }
    cut.extents.back() *= 2;
  }
  // Something stays a tile, if of one element.
  if (!llvm::is_contained(cut.isOfThread, false)) {
    cut.extents.insert(cut.extents.begin(), 1);
    cut.isOfThread.insert(cut.isOfThread.begin(), false);
  }
  return cut;
}

/// Makes small tiles for one reduction.
class Rewriter {
public:
  explicit Rewriter(tile::ReduceOp reduce)
      : reduce(reduce), axis(reduce.getAxis()),
        cut(cutOf(layoutOf(reduce.getSources().front()), axis)) {}

  bool run();

private:
  Value reshaped(OpBuilder &b, Value value, ArrayRef<int64_t> shape);
  Value reducedAlong(OpBuilder &b, Value value, unsigned dim);
  Value ofThreads(OpBuilder &b, Value value);
  void change(Carried &carried);

  tile::ReduceOp reduce;
  const unsigned axis;
  const Cut cut;
};

Value Rewriter::reshaped(OpBuilder &b, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape) {
    return value;
  }
  // Without repeats each shape has a layout.
  return tile::ReshapeOp::create(
      b, reduce.getLoc(),
      withLayout(RankedTensorType::get(shape, type.getElementType()),
                 *layoutOf(value).reshaped(shape)),
      value);
}

Value Rewriter::reducedAlong(OpBuilder &b, Value value, unsigned dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Type made = withLayout(RankedTensorType::get(shape, type.getElementType()),
                         layoutOf(value).withoutDim(dim));
  auto op = tile::ReduceOp::create(b, reduce.getLoc(), TypeRange{made},
                                   ValueRange{value}, dim);
  IRMapping mapping;
  reduce.getCombine().cloneInto(&op.getCombine(), mapping);
  return op.getResult(0);
}

/// The tile with one element where a thread holds several along the axis.
Value Rewriter::ofThreads(OpBuilder &b, Value value) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  int64_t left = 1;
  SmallVector<int64_t> split(shape.begin(), shape.begin() + axis);
  llvm::append_range(split, cut.extents);
  split.append(shape.begin() + axis + 1, shape.end());
  value = reshaped(b, value, split);
  for (size_t i = cut.extents.size(); i-- > 0;) {
    if (cut.isOfThread[i]) {
      value = reducedAlong(b, value, axis + i);
    } else {
      left *= cut.extents[i];
    }
  }
  shape[axis] = left;
  return reshaped(b, value, shape);
}

void Rewriter::change(Carried &carried) {
  OpBuilder inside(carried.combination);
  carried.tile->set(ofThreads(inside, carried.tile->get()));
  const Type type = carried.tile->get().getType();
  carried.combination->getResult(0).setType(type);
  carried.loop.getRegionIterArg(carried.index).setType(type);
  carried.loop.getResult(carried.index).setType(type);
}

bool Rewriter::run() {
  Operation *combination = combinationOf(reduce);
  if (!combination || !cut.any()) {
    return false;
  }
  // A loop that begins with what another one gave is one with it.
  Value value = reduce.getSources().front();
  SmallVector<Carried> loops;
  while (std::optional<Carried> carried = carriedOf(value, combination)) {
    loops.push_back(*carried);
    value = carried->loop.getInitArgs()[carried->index];
  }
  if (loops.empty()) {
    if (value.getDefiningOp<scf::ForOp>()) {
      emitRemark(reduce.getLoc())
          << "a loop carries this tile with all elements of each thread: it is "
             "not combined alone, or not as the reduction does";
    }
    return false;
  }
  for (Carried &carried : loops) {
    change(carried);
  }
  scf::ForOp first = loops.back().loop;
  OpBuilder before(first);
  first.getInitArgsMutable()[loops.back().index].set(ofThreads(before, value));
  return true;
}

struct ReduceCarried : tz::simt::impl::ReduceCarriedBase<ReduceCarried> {
  void runOnOperation() override {
    SmallVector<tile::ReduceOp> reductions;
    getOperation().walk(
        [&](tile::ReduceOp reduce) { reductions.push_back(reduce); });
    size_t all = llvm::count_if(reductions, [](tile::ReduceOp reduce) {
      return Rewriter(reduce).run();
    });
    changed += all;
    if (all == 0) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace

std::unique_ptr<Pass> tz::simt::createReduceCarried() {
  return std::make_unique<ReduceCarried>();
}
