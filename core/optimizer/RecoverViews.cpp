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
// Keeps  which bytes are accessed. Where a block's offset is known to be >= 0
// it
//        stays an offset of a fixed view; else the view's base moves with it
//        and the bound is what is left (R3).
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/analysis/MaskBounds.h"

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
constexpr int64_t kUnknownExtent = std::numeric_limits<int64_t>::max();

/// What makes a view access of a pointer access.
struct Access {
  Value base;
  Polynomial start; // elements from base to the view's origin
  struct Dim {
    Polynomial stride, offset;
    SmallVector<Polynomial, 1> extents; // the smallest counts; none: unknown
    bool checked = false;
  };
  SmallVector<Dim, 2> dims;
  SmallVector<UniformCondition, 1> uniform;
  bool rebased = false; // an offset might be negative, so it is in the base
};

class Recovery {
public:
  explicit Recovery(KernelOp kernel) : hints(kernel), forms(kernel) {}

  bool load(LoadOp op);
  bool store(StoreOp op);
  bool fixView(Operation *op, Value view, MutableOperandRange offsets,
               OpOperand &viewOperand);
  std::string why;
  bool rebased = false;

private:
  std::optional<Access> analyse(Value pointer, Value mask);
  void chooseOffset(Access &access, unsigned d, const LaneForm &pointer,
                    const Polynomial *upper);
  bool isLoopVarying(const Term &term);
  Value emitView(OpBuilder &builder, Location loc, const Access &access,
                 ViewType type);
  Value emitCondition(OpBuilder &builder, Location loc,
                      ArrayRef<UniformCondition> all);
  SmallVector<Value> emitOffsets(OpBuilder &builder, Location loc,
                                 const Access &access);
  SmallVector<bool> checks(const Access &access);

  Hints hints;
  LaneForms forms;
};
} // namespace

bool Recovery::isLoopVarying(const Term &term) {
  return llvm::any_of(term.scalars, [&](unsigned scalar) {
    Value value = forms.scalars().value(scalar);
    return isa<LoopLikeOpInterface>(value.getParentRegion()->getParentOp());
  });
}

/// Decides which part of the start is an offset of dimension `d`: what the
/// bound names as the block's start, else whole multiples of the stride.
void Recovery::chooseOffset(Access &access, unsigned d, const LaneForm &pointer,
                            const Polynomial *upper) {
  Access::Dim &dim = access.dims[d];
  if (dim.stride.getTerms().size() != 1) {
    return;
  }
  const Term &stride = dim.stride.getTerms().front();
  Polynomial offset, start = access.start;
  auto take = [&](const Term &term) { // term * stride leaves the start
    auto moved = Polynomial::mul(Polynomial::of(term), dim.stride);
    auto rest = moved ? Polynomial::add(start, *moved, -1) : std::nullopt;
    auto sum = Polynomial::add(offset, Polynomial::of(term));
    if (rest && sum) {
      start = *rest;
      offset = *sum;
    }
  };
  if (upper) {
    // index < upper = limit - offset
    for (const Term &term : upper->getTerms()) {
      if (term.coefficient == std::numeric_limits<int64_t>::min()) {
        continue;
      }
      Term negated{term.scalars, -term.coefficient};
      auto moved = Polynomial::mul(Polynomial::of(negated), dim.stride);
      if (moved && !moved->isZero() &&
          start.coefficientOf(moved->getTerms()[0].scalars) ==
              moved->getTerms()[0].coefficient) {
        take(negated);
      }
    }
  } else {
    Polynomial whole = start;
    for (const Term &term : whole.getTerms()) {
      auto quotient = divide(term, stride);
      bool belongsElsewhere = false;
      for (const Access::Dim &other : access.dims) {
        belongsElsewhere |=
            &other != &dim && other.stride.getTerms().size() == 1 &&
            !other.stride.getTerms()[0].scalars.empty() &&
            divide(term, other.stride.getTerms()[0]).has_value();
      }
      if (quotient && (!stride.scalars.empty() ||
                       (isLoopVarying(term) && !belongsElsewhere))) {
        take(*quotient);
      }
    }
  }
  if (offset.isZero()) {
    return;
  }
  if (!forms.scalars().range(offset, hints).nonNegative()) {
    access.rebased |= upper != nullptr;
    return;
  }
  dim.offset = offset;
  access.start = start;
}

std::optional<Access> Recovery::analyse(Value pointer, Value mask) {
  std::optional<LaneForm> form = forms.of(pointer);
  if (!form || !form->base) {
    why = "the pointers are not one base plus strides times indices (%, //, "
          "loaded offsets, or a loop that does not add the same every turn)";
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = shapeOf(pointer.getType());
  MaskBounds bounds;
  bounds.upper.resize(shape.size());
  bounds.lower.resize(shape.size());
  if (mask) {
    auto read = readMask(mask, forms, hints, why);
    if (!read) {
      return std::nullopt;
    }
    bounds = std::move(*read);
  }

  Access access{form->base, form->start, {}, bounds.uniform, false};
  for (auto [size, lane] : llvm::zip(shape, form->lane)) {
    access.dims.push_back({size == 1 ? Polynomial(1) : lane, {}, {}, false});
  }
  for (auto [d, size] : llvm::enumerate(shape)) {
    Access::Dim &dim = access.dims[d];
    auto holds = [&](const Polynomial &atLeastZero) {
      return forms.scalars().range(atLeastZero, hints).nonNegative();
    };
    llvm::erase_if(bounds.upper[d], [&](const Polynomial &upper) {
      auto rest = Polynomial::add(upper, Polynomial(size), -1);
      return rest && holds(*rest);
    });
    llvm::erase_if(bounds.lower[d], [&](const Polynomial &lower) {
      auto rest = Polynomial::add({}, lower, -1);
      return rest && holds(*rest);
    });
    ArrayRef<Polynomial> uppers = bounds.upper[d], lowers = bounds.lower[d];
    dim.checked = !uppers.empty() || !lowers.empty();
    if (lowers.size() > 1) {
      why = "two lower bounds on one dimension";
      return std::nullopt;
    }
    if (lowers.size() == 1) {
      // index >= lower: the view begins at coordinate `lower` before the block.
      auto offset = Polynomial::add({}, lowers[0], -1);
      auto moved = offset ? Polynomial::mul(*offset, dim.stride) : std::nullopt;
      auto start =
          moved ? Polynomial::add(access.start, *moved, -1) : std::nullopt;
      if (!start) {
        why = "an offset is too large an expression";
        return std::nullopt;
      }
      dim.offset = *offset;
      access.start = *start;
    } else if (uppers.size() < 2) {
      chooseOffset(access, d, *form, uppers.empty() ? nullptr : &uppers[0]);
    }
    for (const Polynomial &upper : uppers) {
      auto extent = Polynomial::add(upper, dim.offset);
      if (!extent) {
        why = "a bound is too large an expression";
        return std::nullopt;
      }
      dim.extents.push_back(*extent);
    }
  }
  rebased |= access.rebased;
  return access;
}

Value Recovery::emitCondition(OpBuilder &builder, Location loc,
                              ArrayRef<UniformCondition> all) {
  Value both;
  for (const UniformCondition &condition : all) {
    Value one = condition.flag;
    if (!one) {
      one = arith::CmpIOp::create(
          builder, loc,
          condition.isEquality ? arith::CmpIPredicate::eq
                               : arith::CmpIPredicate::slt,
          forms.scalars().emit(builder, loc, condition.value),
          forms.scalars().emit(builder, loc, {}));
    }
    both = both ? arith::AndIOp::create(builder, loc, both, one) : one;
  }
  return both;
}

Value Recovery::emitView(OpBuilder &builder, Location loc, const Access &access,
                         ViewType type) {
  ScalarTable &scalars = forms.scalars();
  Value base = access.base;
  if (!access.start.isZero()) {
    base = AddPtrOp::create(builder, loc, base,
                            scalars.emit(builder, loc, access.start));
  }
  SmallVector<Value> shape, strides;
  for (const Access::Dim &dim : access.dims) {
    Value extent;
    for (const Polynomial &p : dim.extents) {
      Value one = scalars.emit(builder, loc, p);
      extent = extent
                   ? MinSIOp::create(builder, loc, one.getType(), extent, one)
                   : one;
    }
    shape.push_back(extent ? extent
                           : scalars.emit(builder, loc, kUnknownExtent));
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
                                         const Access &access) {
  SmallVector<Value> offsets;
  for (const Access::Dim &dim : access.dims) {
    offsets.push_back(forms.scalars().emit(builder, loc, dim.offset));
  }
  return offsets;
}

SmallVector<bool> Recovery::checks(const Access &access) {
  SmallVector<bool> checked;
  for (const Access::Dim &dim : access.dims) {
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

bool Recovery::load(LoadOp op) {
  auto access = analyse(op.getPointer(), op.getMask());
  if (!access) {
    return false;
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
  Value view = emitView(builder, loc, *access, type);
  Value result = LoadViewOp::create(
      builder, loc, tile, view, emitOffsets(builder, loc, *access), other,
      checked, op.getGroup(), op.getCache(), op.getEvict());
  if (otherTile) {
    result =
        arith::SelectOp::create(builder, loc, op.getMask(), result, otherTile);
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return true;
}

bool Recovery::store(StoreOp op) {
  auto access = analyse(op.getPointer(), op.getMask());
  if (!access) {
    return false;
  }
  for (auto [size, dim] :
       llvm::zip(shapeOf(op.getPointer().getType()), access->dims)) {
    if (size > 1 && dim.stride.isZero()) {
      why = "several lanes store to one address";
      return false;
    }
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  auto type =
      ViewType::get(op.getContext(), tile.getShape(), tile.getElementType());
  Value view = emitView(builder, loc, *access, type);
  StoreViewOp::create(builder, loc, view, op.getValue(),
                      emitOffsets(builder, loc, *access), checks(*access),
                      op.getGroup(), op.getCache(), op.getEvict());
  op.erase();
  return true;
}

/// A view that was moved, perhaps by a loop, becomes its make_view with the
/// position among the offsets.
bool Recovery::fixView(Operation *op, Value view, MutableOperandRange offsets,
                       OpOperand &viewOperand) {
  auto form = forms.viewOf(view);
  if (!form) {
    why =
        "its view comes out of a branch or a loop that does not move it by the "
        "same amounts every turn";
    return false;
  }
  if (form->root.getResult() == view) {
    return false;
  }
  OpBuilder builder(op);
  SmallVector<Value> sums;
  for (auto [position, offset] :
       llvm::zip_equal(form->position, OperandRange(offsets))) {
    auto own = forms.of(offset);
    auto sum = own ? Polynomial::add(position, own->start) : std::nullopt;
    if (!sum) {
      why = "its position is too large an expression";
      return false;
    }
    sums.push_back(forms.scalars().emit(builder, op->getLoc(), *sum));
  }
  viewOperand.set(form->root);
  offsets.assign(sums);
  return true;
}

namespace {
struct RecoverViews : tz::optimizer::impl::RecoverViewsBase<RecoverViews> {
  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp, LoadViewOp, StoreViewOp>(op)) {
        accesses.push_back(op);
      }
    });
    if (accesses.empty()) {
      return;
    }
    Recovery recovery(getOperation());
    for (Operation *op : accesses) {
      recover(recovery, op);
    }
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
    recovery.rebased = false;
    if (load ? recovery.load(load) : recovery.store(store)) {
      ++(load ? recoveredLoads : recoveredStores);
      if (recovery.rebased) {
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
             "offsets in every turn";
    }
  }
};
} // namespace
