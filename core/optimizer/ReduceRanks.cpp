//===- ReduceRanks.cpp - tile-reduce-ranks --------------------------------===//
//
// What   A block of a view that a reshape rids of dimensions of one element is
//        loaded without them, and stored without them: from a view of fewer
//        dimensions whose base is where the block lies in the others.
// Why    Who describes an array of matrices by one descriptor loads
//        `[1, rows, columns]` and reshapes it. What places tiles for a product,
//        or copies them ahead, looks for a matrix that comes from memory.
// Example (test/optimizer/reduce-ranks.mlir)
//   before
//     %zero = arith.constant 0 : i64
//     %one = arith.constant 1 : i64
//     %width = arith.constant 64 : i64
//     %size = arith.muli %rows, %width : i64
//     %view = tile.make_view %w shape[%experts, %rows, %width] strides[%size, %width, %one] : <f16> -> <1x32x64xf16>
//     %block = tile.load_view %view[%e, %row, %zero] checked [true, true, false] {group = 1 : i64} : <1x32x64xf16> -> tensor<1x32x64xf16>
//     %matrix = tile.reshape %block : tensor<1x32x64xf16> -> tensor<32x64xf16>
//     %to = tile.make_view %y shape[%rows, %width] strides[%width, %one] : <f16> -> <32x64xf16>
//     tile.store_view %to[%row, %zero], %matrix checked [true, false] {group = 2 : i64} : <32x64xf16>, tensor<32x64xf16>
//   after
//     %c0_i64 = arith.constant 0 : i64
//     %c1_i64 = arith.constant 1 : i64
//     %c64_i64 = arith.constant 64 : i64
//     %0 = arith.muli %arg3, %c64_i64 : i64
//     %1 = arith.cmpi sge, %arg4, %c0_i64 : i64
//     %2 = arith.cmpi slt, %arg4, %arg2 : i64
//     %3 = arith.andi %1, %2 : i1
//     %4 = tile.maxsi %arg4, %c0_i64 : i64
//     %5 = arith.muli %4, %0 : i64
//     %6 = tile.addptr %arg0, %5 : !tile.ptr<f16>, i64
//     %7 = arith.select %3, %arg5, %arg3 : i64
//     %8 = tile.make_view %6 shape[%arg3, %c64_i64] strides[%c64_i64, %c1_i64] : <f16> -> <32x64xf16>
//     %9 = tile.load_view %8[%7, %c0_i64] checked [true, false] {group = 1 : i64} : <32x64xf16> -> tensor<32x64xf16>
//     %10 = tile.make_view %arg1 shape[%arg3, %c64_i64] strides[%c64_i64, %c1_i64] : <f16> -> <32x64xf16>
//     tile.store_view %10[%arg5, %c0_i64], %9 checked [true, false] {group = 2 : i64} : <32x64xf16>, tensor<32x64xf16>
// Needs  views are made in the kernel, not carried by its loops.
// Keeps  what is outside of the array: where the block lies beyond a dimension
//        that goes, the rest is asked for beyond another one.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tz;
using namespace tz::tile;
using analysis::Hints;
using analysis::Interval;

namespace tz::optimizer {
#define GEN_PASS_DEF_REDUCERANKS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// The dimensions of `more` that are left in `less`; none if they differ in
/// others than those of one element.
static std::optional<SmallVector<unsigned>> keptDims(ArrayRef<int64_t> more,
                                                     ArrayRef<int64_t> less) {
  SmallVector<unsigned> kept;
  for (auto [dim, extent] : llvm::enumerate(more)) {
    // As many of one element go as there are too many dimensions.
    const size_t goes = dim - kept.size();
    if (kept.size() < less.size() && less[kept.size()] == extent &&
        (extent != 1 || goes == more.size() - less.size())) {
      kept.push_back(unsigned(dim));
    } else if (extent != 1) {
      return std::nullopt;
    }
  }
  if (kept.empty() || kept.size() != less.size()) {
    return std::nullopt;
  }
  return kept;
}

namespace {

/// A block of a view, and the same with some of its dimensions.
class Block {
public:
  Block(OpBuilder &builder, Operation *access, const Hints &hints)
      : b(builder), loc(access->getLoc()), hints(hints) {}

  /// False if the view comes out of a loop, a branch or a call.
  bool describe(Value view, ValueRange at, ArrayRef<bool> isChecked);
  /// Keeps only these dimensions; `view`, `offsets` and `checked` say the rest.
  void reduce(ArrayRef<unsigned> kept);

  Value view;
  SmallVector<Value> offsets;
  SmallVector<bool> checked;

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  bool isInside(unsigned dim);
  Value inside(unsigned dim);

  OpBuilder &b;
  Location loc;
  const Hints &hints;
  MakeViewOp root;
  SmallVector<Interval> ranges; // of the offsets
};

bool Block::describe(Value from, ValueRange at, ArrayRef<bool> isChecked) {
  offsets.assign(at.begin(), at.end());
  checked.assign(isChecked.begin(), isChecked.end());
  SmallVector<AdvanceViewOp> moves;
  while (auto advance = from.getDefiningOp<AdvanceViewOp>()) {
    moves.push_back(advance);
    from = advance.getView();
  }
  root = from.getDefiningOp<MakeViewOp>();
  if (!root) {
    return false;
  }
  for (Value offset : offsets) {
    ranges.push_back(hints.range(offset));
  }
  for (AdvanceViewOp move : moves) {
    for (auto [offset, range, more] :
         llvm::zip_equal(offsets, ranges, move.getOffsets())) {
      offset = arith::AddIOp::create(b, loc, offset, more);
      range = range + hints.range(more);
    }
  }
  return true;
}

bool Block::isInside(unsigned dim) {
  return !checked[dim] ||
         (ranges[dim].low >= 0 &&
          ranges[dim].high < hints.range(root.getShape()[dim]).low);
}

/// i1: the block's one element along the dimension is in the view.
Value Block::inside(unsigned dim) {
  Value at = offsets[dim], extent = root.getShape()[dim];
  Value natural =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at, constant(0));
  Value below =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, extent);
  return arith::AndIOp::create(b, loc, natural, below);
}

void Block::reduce(ArrayRef<unsigned> kept) {
  Value base = root.getBase(), all;
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    if (llvm::is_contained(kept, dim)) {
      continue;
    }
    Value at = offsets[dim];
    if (!isInside(dim)) {
      Value one = inside(dim);
      all = all ? arith::AndIOp::create(b, loc, all, one) : one;
      // The base stays in the array, and is known not to lie before it.
      at = MaxSIOp::create(b, loc, at, constant(0));
    }
    Value step = arith::MulIOp::create(b, loc, at, root.getStrides()[dim]);
    base = AddPtrOp::create(b, loc, base, step);
  }
  SmallVector<Value> shape, strides, places;
  SmallVector<bool> checks;
  SmallVector<int64_t> block;
  for (unsigned dim : kept) {
    shape.push_back(root.getShape()[dim]);
    strides.push_back(root.getStrides()[dim]);
    places.push_back(offsets[dim]);
    checks.push_back(checked[dim]);
    block.push_back(root.getType().getShape()[dim]);
  }
  if (all) { // nothing, if the block is outside: it begins where the first ends
    places.front() =
        arith::SelectOp::create(b, loc, all, places.front(), shape.front());
    checks.front() = true;
  }
  auto type =
      ViewType::get(b.getContext(), block, root.getType().getElementType());
  view = MakeViewOp::create(b, loc, type, base, shape, strides);
  offsets = places;
  checked = checks;
}

struct ReduceRanks : tz::optimizer::impl::ReduceRanksBase<ReduceRanks> {
  void runOnOperation() override {
    const Hints hints(getOperation());
    SmallVector<ReshapeOp> loads;
    SmallVector<StoreViewOp> stores;
    getOperation().walk([&](Operation *op) {
      if (auto reshape = dyn_cast<ReshapeOp>(op)) {
        loads.push_back(reshape);
      } else if (auto store = dyn_cast<StoreViewOp>(op)) {
        stores.push_back(store);
      }
    });
    bool hasChanged = false;
    for (ReshapeOp reshape : loads) {
      hasChanged |= load(reshape, hints);
    }
    for (StoreViewOp op : stores) {
      hasChanged |= store(op, hints);
    }
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

  bool load(ReshapeOp reshape, const Hints &hints);
  bool store(StoreViewOp store, const Hints &hints);
};

bool ReduceRanks::load(ReshapeOp reshape, const Hints &hints) {
  auto load = reshape.getSource().getDefiningOp<LoadViewOp>();
  auto type = dyn_cast<RankedTensorType>(reshape.getType());
  if (!load || !load->hasOneUse() || !type) {
    return false;
  }
  const auto kept =
      keptDims(load.getView().getType().getShape(), type.getShape());
  OpBuilder builder(load);
  Block block(builder, load, hints);
  if (!kept ||
      !block.describe(load.getView(), load.getOffsets(), load.getChecked())) {
    return false;
  }
  block.reduce(*kept);
  auto made = LoadViewOp::create(
      builder, load.getLoc(), type, block.view, block.offsets, load.getOther(),
      block.checked, load.getGroup(), load.getCache(), load.getEvict());
  reshape.replaceAllUsesWith(made.getResult());
  reshape.erase();
  load.erase();
  ++reduced;
  return true;
}

bool ReduceRanks::store(StoreViewOp store, const Hints &hints) {
  auto reshape = store.getValue().getDefiningOp<ReshapeOp>();
  auto type = reshape
                  ? dyn_cast<RankedTensorType>(reshape.getSource().getType())
                  : RankedTensorType();
  if (!type) {
    return false;
  }
  const auto kept =
      keptDims(store.getView().getType().getShape(), type.getShape());
  OpBuilder builder(store);
  Block block(builder, store, hints);
  if (!kept || !block.describe(store.getView(), store.getOffsets(),
                               store.getChecked())) {
    return false;
  }
  block.reduce(*kept);
  StoreViewOp::create(builder, store.getLoc(), block.view, reshape.getSource(),
                      block.offsets, block.checked, store.getGroup(),
                      store.getCache(), store.getEvict());
  store.erase();
  ++reduced;
  return true;
}

} // namespace
