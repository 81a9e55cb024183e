//===- RecoverViews.cpp - tile-recover-views ------------------------------===//
//
// What   Loads and stores through tiles of pointers become accesses of views:
//        one base, strides, and bounds instead of a pointer and a mask bit a
//        lane.
// Why    A view is what plain loops over vectors, 2-D block loads and bulk
//        copies can all implement; pointers and masks cost registers and hide
//        that neighbours are neighbours.
// Example (test/optimizer/recover-views.mlir)
//   before
//     %block = arith.constant 64 : i32
//     %pid = tile.program_id 0
//     %first = arith.muli %pid, %block : i32
//     %start = tile.splat %first : i32 -> tensor<64xi32>
//     %lane = tile.range 0 to 64 : tensor<64xi32>
//     %at = arith.addi %start, %lane : tensor<64xi32>
//     %limit = tile.splat %n : i32 -> tensor<64xi32>
//     %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
//     %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %v = tile.load %from mask %inside {group = 1 : i64} : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
//     %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
//   after
//     %c0_i64 = arith.constant 0 : i64
//     %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
//     %c64_i64 = arith.constant 64 : i64
//     %c1_i64 = arith.constant 1 : i64
//     %0 = tile.program_id 0
//     %1 = arith.extsi %arg2 : i32 to i64
//     %2 = tile.make_view %arg0 shape[%1] strides[%c1_i64] : <f32> -> <64xf32>
//     %3 = arith.extsi %0 : i32 to i64
//     %4 = arith.muli %3, %c64_i64 : i64
//     %5 = tile.load_view %2[%4] checked [true] {group = 1 : i64} : <64xf32> -> tensor<64xf32>
//     %6 = tile.make_view %arg1 shape[%c9223372036854775807_i64] strides[%c1_i64] : <f32> -> <64xf32>
//     tile.store_view %6[%c0_i64], %5 checked [false] : <64xf32>, tensor<64xf32>
// Needs  HoistInvariants: what a loop adds to a pointer is defined outside it.
// Keeps  which bytes are accessed, but for rows that wrap around and that
//        nobody sees. Where a block's offset is known to be >= 0 it stays an
//        offset of a fixed view; else the view's base moves with it and the
//        bound is what is left (R3).
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/Versioning.h"
#include "core/optimizer/analysis/ViewAccess.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_RECOVERVIEWS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
/// The extent of a dimension in which nothing is checked.
constexpr int64_t UnknownExtent = std::numeric_limits<int64_t>::max();

class Recovery {
public:
  explicit Recovery(KernelOp kernel) : accesses(kernel) {}

  std::optional<ViewAccess> load(LoadOp op);
  std::optional<ViewAccess> store(StoreOp op);
  bool fixView(Operation *op, Value view, MutableOperandRange offsets,
               OpOperand &viewOperand);
  ScalarTable &scalars() { return accesses.forms().scalars(); }

  ViewAccesses accesses;
  std::string why;

private:
  Value emitView(OpBuilder &builder, Location loc, const ViewAccess &access,
                 Value pointer, ViewType type);
  Value emitCondition(OpBuilder &builder, Location loc,
                      ArrayRef<UniformCondition> all);
  SmallVector<Value> emitOffsets(OpBuilder &builder, Location loc,
                                 const ViewAccess &access);
  SmallVector<bool> checks(const ViewAccess &access);
};
} // namespace

Value Recovery::emitCondition(OpBuilder &builder, Location loc,
                              ArrayRef<UniformCondition> all) {
  Value both;
  for (const UniformCondition &condition : all) {
    Value one = condition.flag;
    if (!one) {
      one = arith::CmpIOp::create(builder, loc,
                                  condition.isEquality
                                      ? arith::CmpIPredicate::eq
                                      : arith::CmpIPredicate::slt,
                                  scalars().emit(builder, loc, condition.value),
                                  scalars().emit(builder, loc, {}));
    }
    both = both ? arith::AndIOp::create(builder, loc, both, one) : one;
  }
  return both;
}

/// The pointer that a tile of pointers begins with; null if it is not one.
static Value firstPointer(Value pointer) {
  while (isa<RankedTensorType>(pointer.getType())) {
    Operation *op = pointer.getDefiningOp();
    if (!isa_and_nonnull<AddPtrOp, SplatOp, BroadcastOp, ReshapeOp, TransposeOp,
                         HintOp>(op)) {
      return {};
    }
    pointer = op->getOperand(0);
  }
  return pointer;
}

/// Was `base` moved to it, by a sum of 32 bits in the end? As a formula it
/// would have 64: more instructions, in every thread. What a loop carries is
/// none.
static bool isMovedByNarrow(Value pointer, Value base) {
  auto add = pointer.getDefiningOp<AddPtrOp>();
  const bool isNarrow = add && !matchPattern(add.getOffset(), m_Constant()) &&
                        add.getOffset().getType().isInteger(32);
  while (auto step = pointer.getDefiningOp<AddPtrOp>()) {
    pointer = step.getPointer();
  }
  return isNarrow && pointer == base;
}

Value Recovery::emitView(OpBuilder &builder, Location loc,
                         const ViewAccess &access, Value pointer,
                         ViewType type) {
  ScalarTable &scalars = this->scalars();
  Value base = access.base;
  Polynomial start = access.start;
  Value first = firstPointer(pointer);
  if (first && isMovedByNarrow(first, base)) {
    auto form = accesses.forms().of(first);
    auto rest = form && form->base == base
                    ? Polynomial::add(start, form->start, -1)
                    : std::nullopt;
    if (rest && rest->getTerms().size() < start.getTerms().size()) {
      base = first;
      start = std::move(*rest);
    }
  }
  if (!start.isZero()) {
    base =
        AddPtrOp::create(builder, loc, base, scalars.emit(builder, loc, start));
  }
  SmallVector<Value> shape, strides;
  for (const ViewAccess::Dim &dim : access.dims) {
    Value extent;
    for (const Polynomial &p : dim.extents) {
      Value one = scalars.emit(builder, loc, p);
      extent = extent
                   ? MinSIOp::create(builder, loc, one.getType(), extent, one)
                   : one;
    }
    shape.push_back(extent ? extent
                           : scalars.emit(builder, loc, UnknownExtent));
    strides.push_back(scalars.emit(builder, loc, dim.stride));
  }
  if (Value condition = emitCondition(builder, loc, access.uniform)) {
    // A tile that is off as a whole is one of extent zero.
    shape.front() = arith::SelectOp::create(
        builder, loc, condition, shape.front(), scalars.emit(builder, loc, {}));
  }
  return MakeViewOp::create(builder, loc, type, base, shape, strides);
}

SmallVector<Value> Recovery::emitOffsets(OpBuilder &builder, Location loc,
                                         const ViewAccess &access) {
  SmallVector<Value> offsets;
  for (const ViewAccess::Dim &dim : access.dims) {
    offsets.push_back(scalars().emit(builder, loc, dim.offset));
  }
  return offsets;
}

SmallVector<bool> Recovery::checks(const ViewAccess &access) {
  SmallVector<bool> checked;
  for (const ViewAccess::Dim &dim : access.dims) {
    checked.push_back(dim.checked);
  }
  checked.front() |= !access.uniform.empty();
  return checked;
}

/// The scalar that all lanes of `tile` are; null if they may differ.
static Value splatSource(OpBuilder &builder, Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>()) {
    return splat.getSource();
  }
  SplatElementsAttr constant;
  if (!matchPattern(tile, m_Constant(&constant))) {
    return {};
  }
  return arith::ConstantOp::materialize(
      builder, constant.getSplatValue<Attribute>(), constant.getElementType(),
      tile.getLoc());
}

std::optional<ViewAccess> Recovery::load(LoadOp op) {
  auto access = accesses.read(op, why);
  if (!access) {
    return std::nullopt;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getType());
  auto type =
      ViewType::get(op.getContext(), tile.getShape(), tile.getElementType());
  SmallVector<bool> checked = checks(*access);
  Value other, otherTile;
  if (op.getOther() && llvm::is_contained(checked, true) &&
      !matchPattern(op.getOther(), m_Zero()) &&
      !matchPattern(op.getOther(), m_PosZeroFloat())) {
    other = splatSource(builder, op.getOther());
    otherTile = other ? Value() : op.getOther();
  }
  Value view = emitView(builder, loc, *access, op.getPointer(), type);
  Value result = LoadViewOp::create(
      builder, loc, tile, view, emitOffsets(builder, loc, *access), other,
      checked, op.getGroup(), op.getCache(), op.getEvict());
  if (otherTile) {
    result =
        arith::SelectOp::create(builder, loc, op.getMask(), result, otherTile);
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return access;
}

std::optional<ViewAccess> Recovery::store(StoreOp op) {
  auto access = accesses.read(op, why);
  if (!access) {
    return std::nullopt;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  auto type =
      ViewType::get(op.getContext(), tile.getShape(), tile.getElementType());
  Value view = emitView(builder, loc, *access, op.getPointer(), type);
  StoreViewOp::create(builder, loc, view, op.getValue(),
                      emitOffsets(builder, loc, *access), checks(*access),
                      op.getGroup(), op.getCache(), op.getEvict());
  op.erase();
  return access;
}

/// A view that was moved, perhaps by a loop, becomes its make_view with the
/// position among the offsets.
bool Recovery::fixView(Operation *op, Value view, MutableOperandRange offsets,
                       OpOperand &viewOperand) {
  auto form = accesses.forms().viewOf(view);
  if (!form) {
    why =
        "its view comes out of a branch or a loop that does not move it by the "
        "same amounts every iteration";
    return false;
  }
  if (form->root.getResult() == view) {
    return false;
  }
  OpBuilder builder(op);
  SmallVector<Value> sums;
  for (auto [position, offset] :
       llvm::zip_equal(form->position, OperandRange(offsets))) {
    auto own = accesses.forms().of(offset);
    auto sum = own ? Polynomial::add(position, own->start) : std::nullopt;
    if (!sum) {
      why = "its position is too large an expression";
      return false;
    }
    sums.push_back(scalars().emit(builder, op->getLoc(), *sum));
  }
  viewOperand.set(form->root);
  offsets.assign(sums);
  return true;
}

namespace {
struct RecoverViews : tz::optimizer::impl::RecoverViewsBase<RecoverViews> {
  using Base = tz::optimizer::impl::RecoverViewsBase<RecoverViews>;
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, LoadViewOp, StoreViewOp>(op)) {
        accesses.push_back(op);
      }
    });
    if (accesses.empty()) {
      return markAllAnalysesPreserved();
    }
    Recovery recovery(getOperation());
    versionSigns(recovery, accesses);
    for (Operation *op : accesses) {
      recover(recovery, op);
    }
  }

  /// Where remainders of offsets of unknown sign are in the way of views, asks
  /// for the sign once, before the loops, and goes on with two copies.
  void versionSigns(Recovery &recovery, ArrayRef<Operation *> accesses) {
    SmallVector<Polynomial> signs;
    Operation *first = nullptr;
    for (Operation *op : accesses) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || !isa<RankedTensorType>(load.getPointer().getType())) {
        continue;
      }
      SmallVector<Polynomial> missing = recovery.accesses.missingSigns(load);
      if (missing.empty()) {
        continue;
      }
      if (!first) {
        first = outermost(op);
      }
      Operation *top = first->getBlock()->findAncestorOpInBlock(*op);
      bool there =
          top && llvm::all_of(missing, [&](const Polynomial &p) {
            return tz::optimizer::isAvailable(p, first, recovery.scalars());
          });
      for (Polynomial &p : missing) {
        if (there && !llvm::is_contained(signs, p)) {
          signs.push_back(std::move(p));
        }
      }
    }
    if (signs.empty()) {
      return;
    }
    tz::optimizer::Rest rest(first);
    if (rest.yieldsTile() || rest.size() > limit) {
      return; // the accesses say what would help
    }
    OpBuilder builder(first);
    Value condition = tz::optimizer::emitNonNegative(builder, first->getLoc(),
                                                     signs, recovery.scalars());
    recovery.accesses.assume(rest.version(condition).getThenRegion(), signs);
    ++versionedBlocks;
  }

  /// The loop around `op` that is in no other, or `op` itself.
  static Operation *outermost(Operation *op) {
    Operation *last = op;
    for (Operation *parent = op; !isa<KernelOp>(parent);
         parent = parent->getParentOp()) {
      last = isa<LoopLikeOpInterface>(parent) ? parent : last;
    }
    return last;
  }

  void recover(Recovery &recovery, Operation *op) {
    recovery.why.clear();
    if (auto load = dyn_cast<LoadViewOp>(op)) {
      fix(recovery, op, load.getView(), load.getOffsetsMutable(),
          load.getViewMutable());
      return;
    }
    if (auto store = dyn_cast<StoreViewOp>(op)) {
      fix(recovery, op, store.getView(), store.getOffsetsMutable(),
          store.getViewMutable());
      return;
    }
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    Value pointer = load ? load.getPointer() : store.getPointer();
    if (!isa<RankedTensorType>(pointer.getType()) ||
        (load && load.getIsVolatile())) {
      return; // scalars stay; a volatile load is meant lane by lane
    }
    Location loc = op->getLoc();
    if (auto access = load ? recovery.load(load) : recovery.store(store)) {
      ++(load ? recoveredLoads : recoveredStores);
      foldedLoads += access->folded;
      if (access->rebased) {
        emitRemark(loc) << "view moves with its block: the block's offset is "
                           "not known to be >= 0; tl.assume(offset >= 0) "
                           "would give it a fixed base and full shape";
      }
      return;
    }
    ++declined;
    emitRemark(loc) << (load ? "load" : "store")
                    << " stays an access by pointers: " << recovery.why
                    << "; offsets of the form start + arange and masks of the "
                       "form offsets < limit become views";
  }

  void fix(Recovery &recovery, Operation *op, Value view,
           MutableOperandRange offsets, OpOperand &viewOperand) {
    if (recovery.fixView(op, view, offsets, viewOperand)) {
      ++fixedViews;
    } else if (!recovery.why.empty()) {
      ++declined;
      emitRemark(op->getLoc())
          << "this access keeps a view that moves: " << recovery.why
          << "; make the view once, before the loop, and advance it by the "
             "same "
             "offsets in every iteration";
    }
  }
};
} // namespace
