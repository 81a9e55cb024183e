//===- SanitizeBounds.cpp - accesses beside their arrays ------------------===//
//
// What   The check `bounds` of tile-sanitize: an access is made as it stands if
//        all its elements are in the memory of its arguments; else it is
//        reported, and made without the elements that are not.
// Why    The access of the usual case stays what the author wrote, so that the
//        passes behind see its form. Blocks of views are boxes: their corners
//        say in a few scalars whether they are inside.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerChecks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

namespace {

/// First byte and the one behind the last.
struct Ends {
  Value begin, end;
};

class BoundsCheck {
public:
  BoundsCheck(tile::KernelOp kernel, SanitizerCounts &counts)
      : kernel(kernel), counts(counts) {}

  void checkPointers(Operation *op);
  void checkView(Operation *op);

private:
  /// The arrays of a pointer; without one nothing is checked.
  std::optional<Arrays> known(Operation *op, Value pointer);
  Ends endsOf(BlockArgument array);
  std::string nameOf(const Arrays &arrays);
  /// Are `bytes` bytes at the address in one of the arrays?
  Value isInside(CheckBuilder &c, const Arrays &arrays, Value pointer);
  Value isOffsetInside(CheckBuilder &c, Ends ends, Value base, Value offsets,
                       unsigned bytes);
  Value isInside(CheckBuilder &c, const Arrays &arrays, Value address,
                 unsigned bytes);
  void report(CheckBuilder &c, Operation *op, const Arrays &arrays, Value bad,
              Value address, unsigned bytes);
  /// `op` where `any` is false; else what `otherwise` makes of it.
  void divide(CheckBuilder &c, Operation *op, Value any,
              llvm::function_ref<SmallVector<Value>()> otherwise);
  SmallVector<Value> accessMasked(CheckBuilder &c, Operation *op, Value mask);

  tile::KernelOp kernel;
  SanitizerCounts &counts;
  llvm::DenseMap<BlockArgument, Ends> ends;
};

/// The lanes of a view's block, made only where something is wrong.
struct ViewLanes {
  Value pointers, wanted; // wanted: inside of the view's shape; null: all
};

} // namespace

static StringRef kindOf(Operation *op) {
  return isa<tile::LoadOp, tile::LoadViewOp>(op)     ? "load"
         : isa<tile::StoreOp, tile::StoreViewOp>(op) ? "store"
                                                     : "atomic update";
}

static unsigned bytesOf(Type pointerLike) {
  auto pointer = cast<tile::PtrType>(tile::elementType(pointerLike));
  return tile::storageBytes(pointer.getPointee());
}

static Value addressOf(CheckBuilder &c, Value pointer) {
  return c.make<tile::PtrToIntOp>(
      withElements(pointer.getType(), c.b.getI64Type()), pointer);
}

std::optional<Arrays> BoundsCheck::known(Operation *op, Value pointer) {
  std::optional<Arrays> arrays = arraysOf(pointer);
  if (!arrays) {
    ++counts.unknown;
    emitRemark(op->getLoc())
        << "the address of this " << kindOf(op)
        << " comes from no argument alone, so its bounds are not checked";
  }
  return arrays;
}

Ends BoundsCheck::endsOf(BlockArgument array) {
  auto [at, isNew] = ends.try_emplace(array);
  if (isNew) {
    MLIRContext *context = kernel.getContext();
    Type type = IntegerType::get(context, 64);
    auto add = [&](const char *part) {
      const unsigned number = kernel.getNumArguments();
      const std::string name =
          kernel.getArgName(array.getArgNumber()) + "." + part;
      (void)kernel.insertArgument(
          number, type,
          DictionaryAttr::get(context, {{StringAttr::get(context, "tile.name"),
                                         StringAttr::get(context, name)}}),
          kernel.getLoc());
      return Value(kernel.getArgument(number));
    };
    at->second.begin = add("begin");
    at->second.end = add("end");
  }
  return at->second;
}

std::string BoundsCheck::nameOf(const Arrays &arrays) {
  std::string names;
  for (BlockArgument array : arrays) {
    names += (names.empty() ? "" : "' or '") +
             kernel.getArgName(array.getArgNumber());
  }
  return names;
}

Value BoundsCheck::isInside(CheckBuilder &c, const Arrays &arrays,
                            Value address, unsigned bytes) {
  Value inside;
  for (BlockArgument array : arrays) {
    // The first byte of an element may be in the first `room` bytes.
    auto [begin, end] = endsOf(array);
    Value room = c.make<arith::SubIOp>(c.make<arith::SubIOp>(end, begin),
                                       c.integer(int64_t(bytes) - 1, 64));
    room = c.make<tile::MaxSIOp>(room, c.integer(0, 64));
    Type type = address.getType();
    Value one = c.compare(CmpIPredicate::ult,
                          c.make<arith::SubIOp>(address, c.spread(begin, type)),
                          c.spread(room, type));
    inside = inside ? c.make<arith::OrIOp>(inside, one) : one;
  }
  return inside;
}

/// The same of 32-bit offsets from one address, which takes half of the work:
/// those of elements that are inside are a range of numbers.
Value BoundsCheck::isOffsetInside(CheckBuilder &c, Ends ends, Value base,
                                  Value offsets, unsigned bytes) {
  Type number = c.b.getI64Type();
  Value shift = c.integer(llvm::Log2_32(bytes), 64);
  Value address = c.make<tile::PtrToIntOp>(number, base);
  auto elements = [&](Value length) {
    return c.make<tile::ShrSIOp>(length, shift);
  };
  // No offset below -2^31 + 1 or above 2^31 - 1 is looked for.
  Value least = c.make<tile::MaxSIOp>(
      c.make<arith::SubIOp>(c.integer(0, 64), elements(c.make<arith::SubIOp>(
                                                  address, ends.begin))),
      c.integer(std::numeric_limits<int32_t>::min() + int64_t(1), 64));
  Value behind = c.make<tile::MinSIOp>(
      elements(c.make<arith::SubIOp>(ends.end, address)),
      c.integer(std::numeric_limits<int32_t>::max() + int64_t(1), 64));
  Value count = c.make<tile::MaxSIOp>(c.make<arith::SubIOp>(behind, least),
                                      c.integer(0, 64));
  Type type = offsets.getType();
  auto narrow = [&](Value value) {
    return c.spread(c.make<arith::TruncIOp>(c.b.getI32Type(), value), type);
  };
  return c.compare(CmpIPredicate::ult,
                   c.make<arith::SubIOp>(offsets, narrow(least)),
                   narrow(count));
}

Value BoundsCheck::isInside(CheckBuilder &c, const Arrays &arrays,
                            Value pointer) {
  const unsigned bytes = bytesOf(pointer.getType());
  auto moved = pointer.getDefiningOp<tile::AddPtrOp>();
  auto from = moved ? moved.getPointer().getDefiningOp<tile::SplatOp>()
                    : tile::SplatOp();
  if (from && arrays.size() == 1 &&
      tile::elementType(moved.getOffset().getType()).isInteger(32)) {
    return isOffsetInside(c, endsOf(arrays.front()), from.getSource(),
                          moved.getOffset(), bytes);
  }
  return isInside(c, arrays, addressOf(c, pointer), bytes);
}

void BoundsCheck::report(CheckBuilder &c, Operation *op, const Arrays &arrays,
                         Value bad, Value address, unsigned bytes) {
  // Of several arrays the last one that begins before the address.
  Type type = address.getType();
  auto [begin, end] = endsOf(arrays.front());
  begin = c.spread(begin, type);
  end = c.spread(end, type);
  for (BlockArgument array : arrays.getArrayRef().drop_front()) {
    auto [first, behind] = endsOf(array);
    first = c.spread(first, type);
    Value isNearer = c.make<arith::AndIOp>(
        c.compare(CmpIPredicate::sle, first, address),
        c.make<arith::OrIOp>(c.compare(CmpIPredicate::sgt, first, begin),
                             c.compare(CmpIPredicate::sgt, begin, address)));
    begin = c.make<arith::SelectOp>(isNearer, first, begin);
    end = c.make<arith::SelectOp>(isNearer, c.spread(behind, type), end);
  }
  auto elements = [&](Value length) {
    return c.make<tile::ShrSIOp>(
        length,
        c.spread(c.integer(llvm::Log2_32(bytes), 64), length.getType()));
  };
  Value distance = c.make<arith::SubIOp>(address, begin);
  c.report("bounds", kindOf(op), nameOf(arrays), bad,
           {elements(distance), elements(c.make<arith::SubIOp>(end, begin))});
}

void BoundsCheck::divide(CheckBuilder &c, Operation *op, Value any,
                         llvm::function_ref<SmallVector<Value>()> otherwise) {
  auto branch = scf::IfOp::create(c.b, c.loc, op->getResultTypes(), any,
                                  /*withElseRegion=*/true);
  op->replaceAllUsesWith(branch.getResults());
  auto fill = [&](Block *block, llvm::function_ref<ValueRange()> body) {
    if (block->mightHaveTerminator()) {
      block->getTerminator()->erase();
    }
    c.b.setInsertionPointToEnd(block);
    ValueRange values = body();
    scf::YieldOp::create(c.b, c.loc, values);
  };
  SmallVector<Value> values;
  fill(branch.thenBlock(), [&] {
    values = otherwise();
    return ValueRange(values);
  });
  fill(branch.elseBlock(), [&] {
    op->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
    c.b.setInsertionPointAfter(op);
    return ValueRange(op->getResults());
  });
  c.b.setInsertionPointAfter(branch);
}

/// The access where `mask` is set. An exchange with comparison has no mask: it
/// is left out, and gives 0.
SmallVector<Value> BoundsCheck::accessMasked(CheckBuilder &c, Operation *op,
                                             Value mask) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return {c.make<tile::LoadOp>(load.getType(), load.getPointer(), mask,
                                 load.getOther(), load.getGroup(),
                                 load.getCache(), load.getEvict(),
                                 load.getIsVolatile())};
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    tile::StoreOp::create(c.b, c.loc, store.getPointer(), store.getValue(),
                          mask, store.getGroup(), store.getCache(),
                          store.getEvict());
    return {};
  }
  if (auto update = dyn_cast<tile::AtomicRMWOp>(op)) {
    return {c.make<tile::AtomicRMWOp>(update.getType(), update.getKind(),
                                      update.getPointer(), update.getValue(),
                                      mask, update.getSem(), update.getScope(),
                                      update.getGroup())};
  }
  return {c.zero(op->getResult(0).getType())};
}

void BoundsCheck::checkPointers(Operation *op) {
  Value pointer = op->getOperand(0), mask;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    mask = load.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    mask = store.getMask();
  } else if (auto update = dyn_cast<tile::AtomicRMWOp>(op)) {
    mask = update.getMask();
  }
  std::optional<Arrays> arrays = known(op, pointer);
  if (!arrays) {
    return;
  }
  ++counts.accesses;
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const unsigned bytes = bytesOf(pointer.getType());
  Value inside = isInside(c, *arrays, pointer);
  Value outside = c.make<arith::XOrIOp>(
      inside, c.spread(c.integer(1, 1), inside.getType()));
  Value bad = mask ? c.make<arith::AndIOp>(outside, mask) : outside;
  divide(c, op, c.anyOf(bad), [&] {
    report(c, op, *arrays, bad, addressOf(c, pointer), bytes);
    return accessMasked(c, op,
                        mask ? c.make<arith::AndIOp>(inside, mask) : inside);
  });
}

namespace {
/// A block of a view: coordinates, and what of it is accessed.
class ViewBox {
public:
  ViewBox(CheckBuilder &c, Value view, OperandRange offsets,
          ArrayRef<bool> checked);

  /// Does an accessed element lie outside of [first byte, behind the last)?
  Value leaves(CheckBuilder &c, Ends ends) const;
  ViewLanes lanes(CheckBuilder &c) const;

  Value base;
  unsigned bytes;

private:
  tile::ViewType type;
  ArrayRef<bool> checked;
  SmallVector<Value> at, shape, strides;
};
} // namespace

ViewBox::ViewBox(CheckBuilder &c, Value view, OperandRange offsets,
                 ArrayRef<bool> checked)
    : type(cast<tile::ViewType>(view.getType())), checked(checked) {
  bytes = tile::storageBytes(type.getElementType());
  const auto rank = size_t(type.getRank());
  SmallVector<Type> numbers(rank, c.b.getI64Type());
  auto parts = tile::ViewPartsOp::create(
      c.b, c.loc, tile::PtrType::get(c.b.getContext(), type.getElementType()),
      numbers, numbers, numbers, view);
  base = parts.getBase();
  shape.assign(parts.getShape().begin(), parts.getShape().end());
  strides.assign(parts.getStrides().begin(), parts.getStrides().end());
  for (auto [position, offset] : llvm::zip(parts.getPosition(), offsets)) {
    at.push_back(c.make<arith::AddIOp>(position, offset));
  }
}

Value ViewBox::leaves(CheckBuilder &c, Ends ends) const {
  Value least = c.make<tile::PtrToIntOp>(c.b.getI64Type(), base);
  Value most = least, isEmpty = c.integer(0, 1);
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    Value low = at[d];
    Value high = c.make<arith::AddIOp>(low, c.integer(extent - 1, 64));
    if (checked[d]) {
      low = c.make<tile::MaxSIOp>(low, c.integer(0, 64));
      high = c.make<tile::MinSIOp>(
          high, c.make<arith::SubIOp>(shape[d], c.integer(1, 64)));
      isEmpty = c.make<arith::OrIOp>(isEmpty,
                                     c.compare(CmpIPredicate::slt, high, low));
    }
    Value step = c.make<arith::MulIOp>(strides[d], c.integer(bytes, 64));
    Value one = c.make<arith::MulIOp>(low, step);
    Value other = c.make<arith::MulIOp>(high, step);
    least = c.make<arith::AddIOp>(least, c.make<tile::MinSIOp>(one, other));
    most = c.make<arith::AddIOp>(most, c.make<tile::MaxSIOp>(one, other));
  }
  Value behind = c.make<arith::AddIOp>(most, c.integer(bytes, 64));
  Value outside =
      c.make<arith::OrIOp>(c.compare(CmpIPredicate::slt, least, ends.begin),
                           c.compare(CmpIPredicate::sgt, behind, ends.end));
  return c.make<arith::AndIOp>(outside,
                               c.make<arith::XOrIOp>(isEmpty, c.integer(1, 1)));
}

ViewLanes ViewBox::lanes(CheckBuilder &c) const {
  auto block = type.getTileType();
  Type numbers = withElements(block, c.b.getI64Type());
  Value distance = c.zero(numbers);
  ViewLanes result;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    SmallVector<int64_t> row(size_t(type.getRank()), 1);
    row[d] = extent;
    Value number =
        c.make<tile::RangeOp>(RankedTensorType::get({extent}, c.b.getI32Type()),
                              0u, uint32_t(extent));
    number = c.make<arith::ExtSIOp>(
        RankedTensorType::get({extent}, c.b.getI64Type()), number);
    number = c.make<arith::AddIOp>(number, c.spread(at[d], number.getType()));
    if (row.size() > 1) {
      number = c.make<tile::ReshapeOp>(
          RankedTensorType::get(row, c.b.getI64Type()), number);
      if (number.getType() != numbers) {
        number = c.make<tile::BroadcastOp>(numbers, number);
      }
    }
    if (checked[d]) {
      // Negative coordinates are large unsigned ones.
      Value wanted =
          c.compare(CmpIPredicate::ult, number, c.spread(shape[d], numbers));
      result.wanted =
          result.wanted ? c.make<arith::AndIOp>(result.wanted, wanted) : wanted;
    }
    distance = c.make<arith::AddIOp>(
        distance, c.make<arith::MulIOp>(number, c.spread(strides[d], numbers)));
  }
  Value bases = c.spread(base, block);
  result.pointers = c.make<tile::AddPtrOp>(bases.getType(), bases, distance);
  return result;
}

void BoundsCheck::checkView(Operation *op) {
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto store = dyn_cast<tile::StoreViewOp>(op);
  Value view = op->getOperand(0);
  std::optional<Arrays> arrays = known(op, view);
  if (!arrays) {
    return;
  }
  ++counts.accesses;
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const ViewBox box(c, view, load ? load.getOffsets() : store.getOffsets(),
                    load ? load.getChecked() : store.getChecked());
  Value any;
  for (BlockArgument array : *arrays) {
    Value one = box.leaves(c, endsOf(array));
    any = any ? c.make<arith::AndIOp>(any, one) : one;
  }
  divide(c, op, any, [&]() -> SmallVector<Value> {
    const ViewLanes lanes = box.lanes(c);
    Value address = addressOf(c, lanes.pointers);
    Value inside = isInside(c, *arrays, address, box.bytes);
    Value bad = c.make<arith::XOrIOp>(
        inside, c.spread(c.integer(1, 1), inside.getType()));
    if (lanes.wanted) {
      bad = c.make<arith::AndIOp>(bad, lanes.wanted);
      inside = c.make<arith::AndIOp>(inside, lanes.wanted);
    }
    report(c, op, *arrays, bad, address, box.bytes);
    if (store) {
      tile::StoreOp::create(c.b, c.loc, lanes.pointers, store.getValue(),
                            inside, store.getGroup(), store.getCache(),
                            store.getEvict());
      return {};
    }
    Value other = load.getOther() ? c.spread(load.getOther(), load.getType())
                                  : c.zero(load.getType());
    return {c.make<tile::LoadOp>(load.getType(), lanes.pointers, inside, other,
                                 load.getGroup(), load.getCache(),
                                 load.getEvict(), /*isVolatile=*/false)};
  });
}

void checkBounds(tile::KernelOp kernel, SanitizerCounts &counts) {
  SmallVector<Operation *> pointers, views;
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
            op)) {
      pointers.push_back(op);
    } else if (isa<tile::LoadViewOp, tile::StoreViewOp>(op)) {
      views.push_back(op);
    }
  });
  BoundsCheck check(kernel, counts);
  for (Operation *op : pointers) {
    check.checkPointers(op);
  }
  for (Operation *op : views) {
    check.checkView(op);
  }
}

} // namespace tz::optimizer
