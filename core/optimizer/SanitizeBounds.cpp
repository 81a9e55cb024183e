//===- SanitizeBounds.cpp - accesses beside their arrays ------------------===//
//
// What   The check `bounds` of tile-sanitize: an access is made as it stands if
//        all its elements are in the memory of its arguments; else it is
//        reported, and made without the elements that are not.
// Why    The access of the usual case stays what the author wrote, so that the
//        passes behind see its form. Where its corners can be computed, they say
//        in a few scalars whether it is inside; elements are looked at where
//        they are not. A loop is asked for as a whole, before it runs: in a
//        branch its loads could not be made ahead of their use.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerRanges.h"

#include <limits>

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

namespace {

struct CheckedAccess {
  Operation *op;
  Arrays arrays;
};

class BoundsCheck {
public:
  explicit BoundsCheck(ArrayArguments &arguments) : arguments(arguments) {}

  /// A copy of the loop for the case that all of its accesses whose range is
  /// known stay inside. They leave `accesses`; those of the other copy come.
  void versionLoop(scf::ForOp loop, SmallVectorImpl<CheckedAccess> &accesses);
  void check(const CheckedAccess &access) {
    if (isa<tile::LoadViewOp, tile::StoreViewOp>(access.op)) {
      checkView(access.op, access.arrays);
    } else {
      checkPointers(access.op, access.arrays);
    }
  }

private:
  Value askEach(OpBuilder &builder, Value inside, ArrayRef<CheckedAccess> asked,
                scf::ForOp loop);
  void checkPointers(Operation *op, const Arrays &arrays);
  void checkView(Operation *op, const Arrays &arrays);
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

  ArrayArguments &arguments;
};

} // namespace

std::string BoundsCheck::nameOf(const Arrays &arrays) {
  std::string names;
  for (BlockArgument array : arrays) {
    names += (names.empty() ? "" : "' or '") + arguments.nameOf(array);
  }
  return names;
}

Value BoundsCheck::isInside(CheckBuilder &c, const Arrays &arrays,
                            Value address, unsigned bytes) {
  Value inside;
  for (BlockArgument array : arrays) {
    // The first byte of an element may be in the first `room` bytes.
    auto [begin, end] = arguments.endsOf(array);
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
  const unsigned bytes = pointeeBytes(pointer.getType());
  auto moved = pointer.getDefiningOp<tile::AddPtrOp>();
  auto from = moved ? moved.getPointer().getDefiningOp<tile::SplatOp>()
                    : tile::SplatOp();
  if (from && arrays.size() == 1 &&
      tile::elementType(moved.getOffset().getType()).isInteger(32)) {
    return isOffsetInside(c, arguments.endsOf(arrays.front()), from.getSource(),
                          moved.getOffset(), bytes);
  }
  return isInside(c, arrays, addressOf(c, pointer), bytes);
}

void BoundsCheck::report(CheckBuilder &c, Operation *op, const Arrays &arrays,
                         Value bad, Value address, unsigned bytes) {
  // Of several arrays the last one that begins before the address.
  Type type = address.getType();
  auto [begin, end] = arguments.endsOf(arrays.front());
  begin = c.spread(begin, type);
  end = c.spread(end, type);
  for (BlockArgument array : arrays.getArrayRef().drop_front()) {
    auto [first, behind] = arguments.endsOf(array);
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
  c.report("bounds", accessName(op), nameOf(arrays), bad,
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

void BoundsCheck::checkPointers(Operation *op, const Arrays &arrays) {
  Value pointer = op->getOperand(0);
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const unsigned bytes = pointeeBytes(pointer.getType());
  Value mask = lanesOf(c, op).wanted;
  const bool isTile = isa<RankedTensorType>(pointer.getType());
  Value corners = isTile && arrays.size() == 1
                      ? staysInside(c, op, arguments.endsOf(arrays.front()))
                      : Value();
  Value inside, bad;
  auto look = [&] {
    inside = isInside(c, arrays, pointer);
    Value outside = c.make<arith::XOrIOp>(
        inside, c.spread(c.integer(1, 1), inside.getType()));
    bad = mask ? c.make<arith::AndIOp>(outside, mask) : outside;
    return c.anyOf(bad);
  };
  auto accessInside = [&] {
    return accessMasked(c, op,
                        mask ? c.make<arith::AndIOp>(inside, mask) : inside);
  };
  if (!corners) {
    divide(c, op, look(), [&] {
      report(c, op, arrays, bad, addressOf(c, pointer), bytes);
      return accessInside();
    });
    return;
  }
  divide(c, op, c.make<arith::XOrIOp>(corners, c.integer(1, 1)), [&] {
    auto tells = scf::IfOp::create(c.b, c.loc, look(), false);
    {
      OpBuilder::InsertionGuard guard(c.b);
      c.b.setInsertionPointToStart(tells.thenBlock());
      report(c, op, arrays, bad, addressOf(c, pointer), bytes);
    }
    return accessInside();
  });
}

void BoundsCheck::checkView(Operation *op, const Arrays &arrays) {
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto store = dyn_cast<tile::StoreViewOp>(op);
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const ViewBox box(c, op);
  Value any;
  for (BlockArgument array : arrays) {
    Value one = box.leaves(c, arguments.endsOf(array));
    any = any ? c.make<arith::AndIOp>(any, one) : one;
  }
  divide(c, op, any, [&]() -> SmallVector<Value> {
    const AccessLanes lanes = box.lanes(c);
    Value address = addressOf(c, lanes.pointers);
    Value inside = isInside(c, arrays, address, box.bytes);
    Value bad = c.make<arith::XOrIOp>(
        inside, c.spread(c.integer(1, 1), inside.getType()));
    if (lanes.wanted) {
      bad = c.make<arith::AndIOp>(bad, lanes.wanted);
      inside = c.make<arith::AndIOp>(inside, lanes.wanted);
    }
    report(c, op, arrays, bad, address, box.bytes);
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

/// `inside`, or else what a closer look at the iterations says.
Value BoundsCheck::askEach(OpBuilder &builder, Value inside,
                           ArrayRef<CheckedAccess> asked, scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      scf::IfOp::create(builder, loop.getLoc(), builder.getI1Type(), inside,
                        /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loop.getLoc(), inside);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value each;
  for (const CheckedAccess &access : asked) {
    CheckBuilder c(builder, access.op->getLoc());
    Value one = staysInsideInEach(
        c, access.op, arguments.endsOf(access.arrays.front()), loop);
    one = one ? one : c.integer(0, 1);
    each = each ? c.make<arith::AndIOp>(each, one) : one;
  }
  scf::YieldOp::create(builder, loop.getLoc(), each);
  return branch.getResult(0);
}

void BoundsCheck::versionLoop(scf::ForOp loop,
                              SmallVectorImpl<CheckedAccess> &accesses) {
  OpBuilder builder(loop);
  Value inside;
  SmallVector<CheckedAccess> others, asked;
  SmallVector<Operation *> all;
  for (const CheckedAccess &access : accesses) {
    if (!loop->isProperAncestor(access.op)) {
      others.push_back(access);
      continue;
    }
    all.push_back(access.op);
    CheckBuilder c(builder, access.op->getLoc());
    Value one =
        access.arrays.size() == 1
            ? staysInsideAtOnce(c, access.op,
                                arguments.endsOf(access.arrays.front()), loop)
            : Value();
    if (one) {
      inside = inside ? c.make<arith::AndIOp>(inside, one) : one;
      asked.push_back(access);
    } else {
      others.push_back(access);
    }
  }
  if (!inside) {
    return;
  }
  inside = askEach(builder, inside, asked, loop);
  // In the copy every access is looked at.
  IRMapping copies;
  divideLoop(loop, inside, copies);
  for (const CheckedAccess &access : accesses) {
    if (llvm::is_contained(all, access.op)) {
      others.push_back({copies.lookup(access.op), access.arrays});
    }
  }
  accesses = std::move(others);
}

void checkBounds(ArrayArguments &arguments, ArrayRef<Operation *> accesses,
                 SanitizerCounts &counts) {
  BoundsCheck check(arguments);
  SmallVector<CheckedAccess> known;
  llvm::SetVector<Operation *> loops;
  for (Operation *op : accesses) {
    std::optional<Arrays> arrays = knownArrays(op, "bounds", counts);
    if (!arrays) {
      continue;
    }
    ++counts.accesses;
    known.push_back({op, *arrays});
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    auto counted = loop ? dyn_cast<scf::ForOp>(loop.getOperation()) : nullptr;
    if (counted && isInnermost(counted)) {
      loops.insert(counted);
    }
  }
  for (Operation *loop : loops) {
    check.versionLoop(cast<scf::ForOp>(loop), known);
  }
  for (const CheckedAccess &access : known) {
    check.check(access);
  }
}

} // namespace tz::optimizer
