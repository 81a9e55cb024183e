//===- DropMasks.cpp - tile-drop-masks ------------------------------------===//
//
// What   Takes a bound out of a select's mask, if no store shows the lanes
//        beyond it.
// Why    Rows past the end of an array cost a compare and a select in every
//        iteration of a loop, and are masked off once more when they are
//        stored. Where the hardware checks bounds, nothing else of the mask is
//        left.
// Example (test/optimizer/drop-masks.mlir)
//   before
//     %zero = arith.constant dense<0.0> : tensor<64xf32>
//     %lane = tile.range 0 to 64 : tensor<64xi32>
//     %limit = tile.splat %n : i32 -> tensor<64xi32>
//     %inside = arith.cmpi slt, %lane, %limit : tensor<64xi32>
//     %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %from = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//     %w = arith.mulf %v, %v : tensor<64xf32>
//     %full = arith.select %inside, %w, %zero : tensor<64xi1>, tensor<64xf32>
//     %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.store %to, %full mask %inside : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
//   after
//     %0 = tile.range 0 to 64 : tensor<64xi32>
//     %1 = tile.splat %arg2 : i32 -> tensor<64xi32>
//     %2 = arith.cmpi slt, %0, %1 : tensor<64xi32>
//     %3 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %4 = tile.addptr %3, %0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %5 = tile.load %4 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//     %6 = arith.mulf %5, %5 : tensor<64xf32>
//     %7 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %8 = tile.addptr %7, %0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.store %8, %6 mask %2 : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
// Needs  pointers and masks as their author wrote them: that address arithmetic
//        does not overflow (P26) is known of what reaches an address.
// Keeps  every value that is stored, reduced over or asked for otherwise.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/analysis/FoldedLanes.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;
using Predicate = arith::CmpIPredicate;

namespace tz::optimizer {
#define GEN_PASS_DEF_DROPMASKS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// Ops of one mask that are looked at.
static constexpr unsigned LargestMask = 32;

namespace {
struct DropMasks : tz::optimizer::impl::DropMasksBase<DropMasks> {
  using Base = tz::optimizer::impl::DropMasksBase<DropMasks>;
  using Base::Base;

  void runOnOperation() override;

private:
  Value withoutBounds(OpBuilder &builder, Value mask, ArrayRef<int64_t> dims);
  std::optional<Fold> foldOf(arith::CmpIOp comparison, ArrayRef<int64_t> dims);

  LaneForms *forms;
  FoldedLanes *lanes;
  arith::SelectOp select;
  unsigned budget;
};
} // namespace

/// The lanes of the select in which `comparison`, an offset below a limit, is
/// false; `dims` says which dimension of the select each of its own is, or -1.
std::optional<Fold> DropMasks::foldOf(arith::CmpIOp comparison,
                                      ArrayRef<int64_t> dims) {
  const Predicate predicate = comparison.getPredicate();
  const bool swapped =
      predicate == Predicate::sgt || predicate == Predicate::sge;
  const bool strict =
      predicate == Predicate::slt || predicate == Predicate::sgt;
  if (!swapped && !strict && predicate != Predicate::sle) {
    return std::nullopt;
  }
  Value offsets = swapped ? comparison.getRhs() : comparison.getLhs();
  Value limit = swapped ? comparison.getLhs() : comparison.getRhs();
  auto offsetForm = forms->of(offsets), limitForm = forms->of(limit);
  if (!offsetForm || !limitForm || !limitForm->isUniform()) {
    return std::nullopt;
  }
  int64_t varying = -1;
  for (auto [i, lane] : llvm::enumerate(offsetForm->lane)) {
    if (lane.isZero()) {
      continue;
    }
    if (varying >= 0 || lane.constant() != 1) {
      return std::nullopt;
    }
    varying = i;
  }
  auto end = Polynomial::add(limitForm->start, Polynomial(strict ? 0 : 1));
  if (varying < 0 || dims[varying] < 0 || !end) {
    return std::nullopt;
  }
  return Fold{offsets, limit, unsigned(dims[varying]), offsetForm->start, *end};
}

/// `mask` without the bounds whose other side nobody sees, itself if there are
/// none; null if nothing is left.
Value DropMasks::withoutBounds(OpBuilder &builder, Value mask,
                               ArrayRef<int64_t> dims) {
  Operation *op = mask.getDefiningOp();
  if (!op || budget == 0) {
    return mask;
  }
  --budget;
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    auto fold = foldOf(comparison, dims);
    std::string why;
    if (!fold || !lanes->areUnseen(select, *fold, why)) {
      return mask;
    }
    ++droppedBounds;
    return {};
  }
  if (auto both = dyn_cast<arith::AndIOp>(op)) {
    Value left = withoutBounds(builder, both.getLhs(), dims);
    Value right = withoutBounds(builder, both.getRhs(), dims);
    if (!left || !right) {
      return left ? left : right;
    }
    return left == both.getLhs() && right == both.getRhs()
               ? mask
               : Value(
                     arith::AndIOp::create(builder, op->getLoc(), left, right));
  }
  // Which dimension of the select each one of the source is.
  SmallVector<int64_t> from;
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [size, dim] :
         llvm::zip(shapeOf(broadcast.getSource().getType()), dims)) {
      from.push_back(size == 1 ? -1 : dim);
    }
  } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    auto map = unitReshape(shapeOf(reshape.getSource().getType()),
                           shapeOf(reshape.getType()));
    if (!map) {
      return mask;
    }
    for (int64_t to : *map) {
      from.push_back(to < 0 ? -1 : dims[to]);
    }
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    from.resize(dims.size());
    for (auto [to, at] : llvm::enumerate(transpose.getOrder())) {
      from[at] = dims[to];
    }
  } else {
    return mask;
  }
  Value source = withoutBounds(builder, op->getOperand(0), from);
  if (!source || source == op->getOperand(0)) {
    return source ? mask : Value();
  }
  Operation *copy = builder.clone(*op);
  copy->setOperand(0, source);
  return copy->getResult(0);
}

void DropMasks::runOnOperation() {
  SmallVector<arith::SelectOp> selects;
  getOperation().walk([&](arith::SelectOp op) {
    if (isa<RankedTensorType>(op.getCondition().getType())) {
      selects.push_back(op);
    }
  });
  if (selects.empty()) {
    return markAllAnalysesPreserved();
  }
  const Hints hints(getOperation());
  LaneForms allForms(getOperation());
  FoldedLanes allLanes(getOperation(), allForms, hints);
  forms = &allForms;
  lanes = &allLanes;
  for (arith::SelectOp op : selects) {
    select = op;
    budget = LargestMask;
    SmallVector<int64_t> dims(shapeOf(op.getType()).size());
    std::iota(dims.begin(), dims.end(), 0);
    OpBuilder builder(op);
    Value mask = withoutBounds(builder, op.getCondition(), dims);
    if (!mask) {
      op.replaceAllUsesWith(op.getTrueValue());
      op.erase();
    } else {
      op.getConditionMutable().assign(mask);
    }
  }
}
