//===- MergeAtomics.cpp - tile-merge-atomics ------------------------------===//
//
// What   Integer additions of one number by many lanes to few addresses become
//        a histogram of the lanes and one addition per address.
// Why    Atomics on one address wait for each other in the memory of the whole
//        device; lanes of one program are counted where only they are.
// Example (test/optimizer/merge-atomics.mlir)
//   before
//     %zero = arith.constant dense<0> : tensor<256xi32>
//     %five = arith.constant dense<5> : tensor<256xi32>
//     %one = arith.constant dense<1> : tensor<256xi32>
//     %all = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
//     %at = tile.load %all {group = 1 : i64} : tensor<256x!tile.ptr<i32>> -> tensor<256xi32>
//     %low = arith.cmpi sge, %at, %zero : tensor<256xi32>
//     %high = arith.cmpi slt, %at, %five : tensor<256xi32>
//     %inside = arith.andi %low, %high : tensor<256xi1>
//     %base = tile.splat %counts : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
//     %to = tile.addptr %base, %at : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
//     %old = tile.atomic_rmw add relaxed device %to, %one mask %inside {group = 2 : i64} : tensor<256x!tile.ptr<i32>>, tensor<256xi1> -> tensor<256xi32>, tensor<256xi32>
//   after
//     %cst = arith.constant dense<0> : tensor<8xi32>
//     %cst_0 = arith.constant dense<0> : tensor<256xi32>
//     %cst_1 = arith.constant dense<5> : tensor<256xi32>
//     %0 = tile.splat %arg0 : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
//     %1 = tile.load %0 {group = 1 : i64} : tensor<256x!tile.ptr<i32>> -> tensor<256xi32>
//     %2 = arith.cmpi sge, %1, %cst_0 : tensor<256xi32>
//     %3 = arith.cmpi slt, %1, %cst_1 : tensor<256xi32>
//     %4 = arith.andi %2, %3 : tensor<256xi1>
//     %5 = tile.histogram %1 mask %4 : tensor<256xi32>, tensor<256xi1> -> tensor<8xi32>
//     %6 = arith.cmpi ne, %5, %cst : tensor<8xi32>
//     %7 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
//     %8 = tile.range 0 to 8 : tensor<8xi32>
//     %9 = tile.addptr %7, %8 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
//     %10 = tile.atomic_rmw  add  relaxed  device %9, %5 mask %6 {group = 2 : i64} : tensor<8x!tile.ptr<i32>>, tensor<8xi1> -> tensor<8xi32>, tensor<8xi32>
// Keeps  the values in memory: sums of integers do not depend on order, and
//        nobody asks for what was there before.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::tile;
using analysis::Hints;
using analysis::Interval;

namespace tz::optimizer {
#define GEN_PASS_DEF_MERGEATOMICS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// What a comparison with a constant says of `value` where it is true.
static Interval boundOf(arith::CmpIOp comparison, Value value) {
  arith::CmpIPredicate predicate = comparison.getPredicate();
  Value other = comparison.getRhs();
  if (other == value) {
    other = comparison.getLhs();
    switch (predicate) { // turned round
    case arith::CmpIPredicate::sgt:
      predicate = arith::CmpIPredicate::slt;
      break;
    case arith::CmpIPredicate::sge:
      predicate = arith::CmpIPredicate::sle;
      break;
    case arith::CmpIPredicate::slt:
      predicate = arith::CmpIPredicate::sgt;
      break;
    case arith::CmpIPredicate::sle:
      predicate = arith::CmpIPredicate::sge;
      break;
    default:
      return {};
    }
  } else if (comparison.getLhs() != value) {
    return {};
  }
  APInt constant;
  if (!matchPattern(other, m_ConstantInt(&constant))) {
    return {};
  }
  Interval bound;
  const Interval one{1, 1},
      all{constant.getSExtValue(), constant.getSExtValue()};
  switch (predicate) {
  case arith::CmpIPredicate::sge:
    bound.low = all.low;
    break;
  case arith::CmpIPredicate::sgt:
    bound.low = (all + one).low;
    break;
  case arith::CmpIPredicate::sle:
    bound.high = all.high;
    break;
  case arith::CmpIPredicate::slt:
    bound.high = (all - one).high;
    break;
  case arith::CmpIPredicate::ult:
    if (constant.isNonNegative()) {
      bound = {0, (all - one).high};
    }
    break;
  default:
    break;
  }
  return bound;
}

/// The range of `value` in the lanes that the mask leaves.
static Interval rangeUnder(Value mask, Value value, const Hints &hints) {
  Interval range = hints.range(value);
  SmallVector<Value> conjuncts;
  if (mask) {
    conjuncts.push_back(mask);
  }
  while (!conjuncts.empty()) {
    Value one = conjuncts.pop_back_val();
    if (auto both = one.getDefiningOp<arith::AndIOp>()) {
      conjuncts.append({both.getLhs(), both.getRhs()});
    } else if (auto comparison = one.getDefiningOp<arith::CmpIOp>()) {
      range = range.meet(boundOf(comparison, value));
    }
  }
  return range;
}

namespace {
/// An addition of the same number by each lane.
struct Additions {
  Value base, index, number; // scalar, tile, scalar
  int64_t bins;              // the index is below, a power of two
};

struct MergeAtomics : tz::optimizer::impl::MergeAtomicsBase<MergeAtomics> {
  using Base = tz::optimizer::impl::MergeAtomicsBase<MergeAtomics>;
  using Base::Base;

  void runOnOperation() override {
    SmallVector<AtomicRMWOp> all;
    getOperation().walk([&](AtomicRMWOp op) { all.push_back(op); });
    if (all.empty()) {
      return markAllAnalysesPreserved();
    }
    Hints hints(getOperation());
    for (AtomicRMWOp op : all) {
      if (std::optional<Additions> found = match(op, hints)) {
        merge(op, *found);
        ++merged;
      }
    }
  }

  std::optional<Additions> match(AtomicRMWOp op, const Hints &hints) const;
  static void merge(AtomicRMWOp op, const Additions &additions);
};
} // namespace

std::optional<Additions> MergeAtomics::match(AtomicRMWOp op,
                                             const Hints &hints) const {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (op.getKind() != AtomicKind::add || !op.use_empty() || !type ||
      type.getRank() != 1 ||
      !(type.getElementType().isInteger(32) ||
        type.getElementType().isInteger(64))) {
    return std::nullopt;
  }
  auto pointer = op.getPointer().getDefiningOp<AddPtrOp>();
  auto base =
      pointer ? pointer.getPointer().getDefiningOp<SplatOp>() : SplatOp();
  if (!base) {
    return std::nullopt;
  }
  Additions found{base.getSource(), pointer.getOffset(), {}, 0};
  OpBuilder b(op);
  DenseElementsAttr constant;
  if (auto splat = op.getValue().getDefiningOp<SplatOp>()) {
    found.number = splat.getSource();
  } else if (!matchPattern(op.getValue(), m_Constant(&constant)) ||
             !constant.isSplat()) {
    return std::nullopt;
  }
  const Interval range = rangeUnder(op.getMask(), found.index, hints);
  if (!range.nonNegative() || range.high >= type.getNumElements()) {
    return std::nullopt;
  }
  found.bins = int64_t(llvm::PowerOf2Ceil(uint64_t(range.high) + 1));
  if (found.bins * fewest > type.getNumElements()) {
    return std::nullopt;
  }
  if (!found.number) {
    found.number = arith::ConstantOp::create(
        b, op.getLoc(), constant.getSplatValue<IntegerAttr>());
  }
  return found;
}

void MergeAtomics::merge(AtomicRMWOp op, const Additions &additions) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto tileOf = [&](Type element) {
    return RankedTensorType::get({additions.bins}, element);
  };
  const Type i32 = b.getI32Type(), element = additions.number.getType();
  Value counts =
      HistogramOp::create(b, loc, tileOf(i32), additions.index, op.getMask());
  Value zero = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tileOf(i32), b.getI32IntegerAttr(0)));
  Value isHit =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, counts, zero);
  if (element != i32) {
    counts = arith::ExtUIOp::create(b, loc, tileOf(element), counts);
  }
  if (!matchPattern(additions.number, m_One())) {
    Value number = SplatOp::create(b, loc, tileOf(element), additions.number);
    counts = arith::MulIOp::create(b, loc, counts, number);
  }
  auto pointers = tileOf(additions.base.getType());
  Value bases = SplatOp::create(b, loc, pointers, additions.base);
  Value bins = RangeOp::create(b, loc, tileOf(i32), 0, additions.bins);
  Value at = AddPtrOp::create(b, loc, pointers, bases, bins);
  auto made =
      AtomicRMWOp::create(b, loc, tileOf(element), op.getKind(), at, counts,
                          isHit, op.getSem(), op.getScope(), op.getGroup());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.erase();
}
