//===- SanitizerRanges.cpp - does an access stay inside? ------------------===//
//
// What   See SanitizerRanges.h.
// Why    See SanitizerRanges.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerRanges.h"

#include "core/optimizer/AddressRange.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

Value AddressRange::isInside(Ends ends) {
  Known address;
  unsigned bytes;
  if (auto type = dyn_cast<tile::ViewType>(access->getOperand(0).getType())) {
    bytes = tile::storageBytes(type.getElementType());
    address = ofView();
  } else {
    Value pointer = access->getOperand(0);
    bytes = pointeeBytes(pointer.getType());
    SmallVector<int> dims;
    if (auto shaped = dyn_cast<RankedTensorType>(pointer.getType())) {
      for (auto [d, extent] : llvm::enumerate(shaped.getShape())) {
        dims.push_back(extent == 1 ? -1 : int(d));
      }
    }
    readLimits(lanesOf(c, access).wanted, dims);
    address = range(pointer, dims);
  }
  if (!address) {
    return nullptr;
  }
  Value behind = c.make<arith::AddIOp>(address->high, c.integer(bytes, 64));
  Value inside = c.make<arith::AndIOp>(
      c.compare(CmpIPredicate::sge, address->low, ends.begin),
      c.compare(CmpIPredicate::sle, behind, ends.end));
  inside = empty ? c.make<arith::OrIOp>(inside, empty) : inside;
  return sane ? c.make<arith::AndIOp>(inside, sane) : inside;
}

/// What `make` gives, or nothing and no op of it.
static Value whole(CheckBuilder &c, llvm::function_ref<Value()> make) {
  Block *block = c.b.getInsertionBlock();
  Block::iterator end = c.b.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  if (Value made = make()) {
    return made;
  }
  auto isFirst = [&] {
    return before ? &*std::prev(end) == before : end == block->begin();
  };
  while (!isFirst()) {
    std::prev(end)->erase();
  }
  return nullptr;
}

Value staysInside(CheckBuilder &c, Operation *access, Ends ends) {
  return whole(c, [&] {
    return AddressRange(c, access, {nullptr, nullptr, nullptr, Iterations::One})
        .isInside(ends);
  });
}

/// How often the loop runs.
static Value iterationsOf(CheckBuilder &c, scf::ForOp loop) {
  auto wide = [&](Value v) {
    return v.getType().isInteger(64)
               ? v
               : c.make<arith::ExtSIOp>(c.b.getI64Type(), v);
  };
  Value step = wide(loop.getStep());
  Value span = c.make<arith::SubIOp>(wide(loop.getUpperBound()),
                                     wide(loop.getLowerBound()));
  span = c.make<arith::AddIOp>(span,
                               c.make<arith::SubIOp>(step, c.integer(1, 64)));
  return c.make<tile::DivSIOp>(span, step);
}

/// The iteration that has so many behind it, or the first.
static Value iterationBefore(CheckBuilder &c, Value count, int64_t behind) {
  return c.make<tile::MaxSIOp>(
      c.make<arith::SubIOp>(count, c.integer(behind + 1, 64)),
      c.integer(0, 64));
}

Value staysInsideAtOnce(CheckBuilder &c, Operation *access, Ends ends,
                        scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isInteger()) {
    return nullptr;
  }
  return whole(c, [&] {
    Value last = iterationBefore(c, iterationsOf(c, loop), 0);
    return AddressRange(c, access, {loop, last, last, Iterations::All})
        .isInside(ends);
  });
}

Value staysInsideInEach(CheckBuilder &c, Operation *access, Ends ends,
                        scf::ForOp loop) {
  return whole(c, [&]() -> Value {
    // The mask of the last iteration is known in it alone; in those before
    // only what it says in all of them.
    Value count = iterationsOf(c, loop);
    Value last = iterationBefore(c, count, 0);
    Value before = iterationBefore(c, count, 1);
    auto inside = [&](Value at, Value end, Iterations::Kind kind) {
      return AddressRange(c, access, {loop, at, end, kind}).isInside(ends);
    };
    Value isLast = inside(last, last, Iterations::One);
    Value isFirst = inside(c.integer(0, 64), before, Iterations::Linear);
    Value isBefore = inside(before, before, Iterations::Linear);
    if (!isLast || !isFirst || !isBefore) {
      return nullptr;
    }
    Value others = c.make<arith::OrIOp>(
        c.make<arith::AndIOp>(isFirst, isBefore),
        c.compare(CmpIPredicate::slt, count, c.integer(2, 64)));
    return c.make<arith::AndIOp>(isLast, others);
  });
}

} // namespace tz::optimizer
