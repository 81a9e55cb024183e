//===- RemoveConversions.cpp - simt-remove-conversions --------------------===//
//
// What   Replaces a conversion by computing its source again in the wanted
//        layout, or loading it again, where that is cheap. What nothing else
//        uses is computed there instead.
// Why    A conversion goes through shuffles or shared memory with a barrier; an
//        index, a mask or a broadcast scalar costs a few instructions, and
//        a row of scales comes from the cache.
// Example (test/simt/remove-conversions.mlir; lines with simt.convert, tile.addptr, tile.load, tile.store)
//   before
//     ...
//     %from = tile.addptr %base, %down : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
//     %v = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
//     ...
//     %to = tile.addptr %target, %across : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
//     tile.store %to, %v : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
//   after
//     ...
//     %17 = tile.addptr %8, %16 : tensor<32x32x!tile.ptr<f32>, #layout5>, tensor<32x32xi32, #layout5>
//     %18 = tile.load %17 : tensor<32x32x!tile.ptr<f32>, #layout5> -> tensor<32x32xf32, #layout5>
//     ...
//     %20 = tile.addptr %19, %7 : tensor<32x32x!tile.ptr<f32>, #layout4>, tensor<32x32xi32, #layout4>
//     %21 = simt.convert %18 : tensor<32x32xf32, #layout5> -> tensor<32x32xf32, #layout4>
//     tile.store %20, %21 : tensor<32x32x!tile.ptr<f32>, #layout4>, tensor<32x32xf32, #layout4>
// Needs  simt-assign-layouts.
// Keeps  accesses to memory, and the layouts that they have. A load is repeated
//        where it stands, if the kernel does not write there.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_REMOVECONVERSIONS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Ops that may be cloned for one conversion, and two more for each op that is
/// moved; more cost more than the conversion.
constexpr unsigned MostClones = 16;

SmallVector<int64_t> inverse(ArrayRef<int64_t> order) {
  SmallVector<int64_t> result(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    result[dim] = i;
  }
  return result;
}

/// A load along one dimension (a row, a column), a few elements for each
/// thread, of what the kernel only reads.
bool isRow(Operation *op, const Layout &layout) {
  constexpr int64_t most = 16;
  auto pointers = dyn_cast<tile::LoadOp>(op);
  return ((pointers && !pointers.getIsVolatile()) ||
          isa<tile::LoadViewOp>(op)) &&
         llvm::count_if(layout.shape(), [](int64_t n) { return n > 1; }) <= 1 &&
         layout.size(Axis::Register) <= most &&
         !isWrittenIn(op->getParentOfType<tile::KernelOp>(), op);
}

/// Computes each element of its result from those beside it.
bool isElementwise(Operation *op) {
  return (op->hasTrait<OpTrait::Elementwise>() || isa<arith::SelectOp>(op)) &&
         isPure(op) && op->getNumResults() == 1;
}

/// Arithmetic that nothing else uses is done in another layout instead, not
/// again; it may be dear, if no thread has more of it then.
bool canMove(Operation *op, const Layout &layout) {
  return isElementwise(op) &&
         layout.size(Axis::Register) <=
             layoutOf(op->getResult(0)).size(Axis::Register);
}

/// The layouts that the tile operands of `op` need for a result in `layout`;
/// none if it cannot be computed so, or not cheaply.
std::optional<SmallVector<Layout, 3>>
operandLayouts(Operation *op, const Layout &layout, bool isMoved) {
  SmallVector<Layout, 3> wanted;
  // Shared memory is read in any layout.
  if (isa<tile::SplatOp, tile::RangeOp, ReadOp>(op)) {
    return wanted;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<SplatElementsAttr>(constant.getValue())) {
      return wanted;
    }
    return std::nullopt;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    wanted.push_back(
        layout.beforeBroadcast(tile::shapeOf(broadcast.getSource().getType())));
    return wanted;
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    std::optional<Layout> source =
        layout.reshaped(tile::shapeOf(reshape.getSource().getType()));
    if (!source) {
      return std::nullopt;
    }
    wanted.push_back(*source);
    return wanted;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    wanted.push_back(layout.permuted(inverse(transpose.getOrder())));
    return wanted;
  }
  if (isRow(op, layout)) {
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType())) {
        wanted.push_back(layout);
      }
    }
    return wanted;
  }
  // Integer arithmetic and what it is made of; float math is not cheap.
  bool isCheap =
      isElementwise(op) &&
      !isa<tile::MathOp, tile::PowOp, tile::DivFOp, tile::RemFOp, tile::DivSIOp,
           tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(op);
  if (!isCheap && !(isMoved && canMove(op, layout))) {
    return std::nullopt;
  }
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      wanted.push_back(layout);
    }
  }
  return wanted;
}

class Recomputer {
public:
  explicit Recomputer(ConvertOp convert) : convert(convert) {}

  /// Can the source be computed in the result's layout with few ops, moving
  /// nothing, or only what is smaller?
  bool isWorthIt() {
    int64_t moved = 0;
    return plan(convert.getSource(), layoutOf(convert.getResult()), true,
                moved) &&
           clones <= MostClones + 2 * own &&
           moved * 2 <= layoutOf(convert.getSource()).size(Axis::Register);
  }

  Value build() {
    OpBuilder builder(convert);
    return build(builder, convert.getSource(), layoutOf(convert.getResult()),
                 true);
  }

private:
  /// Is the op beside the conversion, and for it alone?
  bool isItsOwn(Operation *op) {
    return op->getBlock() == convert->getBlock() && op->hasOneUse();
  }

  /// `isOwn`: nothing but the conversion needs the value. `moved`: registers
  /// that are converted after all.
  bool plan(Value value, const Layout &layout, bool isOwn, int64_t &moved) {
    if (layoutOf(value) == layout) {
      return true;
    }
    Operation *op = value.getDefiningOp();
    isOwn = isOwn && op && isItsOwn(op);
    if (auto other = dyn_cast_if_present<ConvertOp>(op)) {
      return plan(other.getSource(), layout, isOwn, moved);
    }
    std::optional<SmallVector<Layout, 3>> operands;
    if (op) {
      operands = operandLayouts(op, layout, isOwn);
    }
    if (!operands) {
      // A row of a broadcast is worth moving, a whole tile is not.
      moved += layoutOf(value).size(Axis::Register);
      return value != convert.getSource();
    }
    ++(isOwn ? own : clones);
    if (clones > MostClones + 2 * own) {
      return false;
    }
    unsigned next = 0;
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType()) &&
          !plan(operand, (*operands)[next++], isOwn, moved)) {
        return false;
      }
    }
    return true;
  }

  Value build(OpBuilder &builder, Value value, const Layout &layout,
              bool isOwn) {
    if (layoutOf(value) == layout) {
      return value;
    }
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    Operation *op = value.getDefiningOp();
    isOwn = isOwn && op && isItsOwn(op);
    if (auto other = dyn_cast_if_present<ConvertOp>(op)) {
      return build(builder, other.getSource(), layout, isOwn);
    }
    std::optional<SmallVector<Layout, 3>> operands;
    if (op) {
      operands = operandLayouts(op, layout, isOwn);
    }
    OpBuilder::InsertionGuard guard(builder);
    if (!operands) {
      // What a loop does not change is moved before it.
      if (value.getParentBlock() != convert->getBlock()) {
        builder.setInsertionPointAfterValue(value);
      }
      return ConvertOp::create(builder, value.getLoc(), type, value);
    }
    if (!isPure(op)) {
      builder.setInsertionPoint(op); // a load
    }
    SmallVector<Value> values;
    unsigned next = 0;
    for (Value operand : op->getOperands()) {
      bool isTile = isa<RankedTensorType>(operand.getType());
      values.push_back(isTile
                           ? build(builder, operand, (*operands)[next++], isOwn)
                           : operand);
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(values);
    copy->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      constant.setValueAttr(splat.resizeSplat(type));
    }
    return copy->getResult(0);
  }

  ConvertOp convert;
  unsigned clones = 0, own = 0; // ops that are made again, or moved
};

struct RemoveConversions
    : tz::simt::impl::RemoveConversionsBase<RemoveConversions> {
  void runOnOperation() override {
    SmallVector<ConvertOp> all;
    getOperation().walk([&](ConvertOp convert) { all.push_back(convert); });
    for (ConvertOp convert : all) {
      Recomputer recomputer(convert);
      if (!recomputer.isWorthIt()) {
        ++kept;
        continue;
      }
      ++recomputed;
      convert.getResult().replaceAllUsesWith(recomputer.build());
      convert.erase();
    }
    removeDead(getOperation());
  }

  /// What only a conversion used.
  static void removeDead(tile::KernelOp kernel) {
    SmallVector<Operation *> all;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
    for (Operation *op : llvm::reverse(all)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
      }
    }
  }
};

} // namespace
