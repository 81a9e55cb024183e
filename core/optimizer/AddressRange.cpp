//===- AddressRange.cpp - the least and the greatest address --------------===//
//
// What   See AddressRange.h.
// Why    See AddressRange.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/AddressRange.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

//===----------------------------------------------------------------------===//
// Values of a loop
//===----------------------------------------------------------------------===//

bool AddressRange::isOutside(Value value) {
  return !of.loop || of.loop.isDefinedOutsideOfLoop(value);
}

/// Is it the same in all iterations?
bool AddressRange::isIndependent(Value value, unsigned depth) {
  if (isOutside(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  return op && depth < 32 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value x) { return isIndependent(x, depth + 1); });
}

/// An independent value, computed before the loop.
Value AddressRange::hoisted(Value value) {
  if (isOutside(value)) {
    return value;
  }
  if (!copies.contains(value)) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands()) {
      (void)hoisted(operand);
    }
    c.b.clone(*op, copies);
  }
  return copies.lookup(value);
}

Value AddressRange::wide(Value scalar) {
  Type number = c.b.getI64Type();
  if (isa<tile::PtrType>(scalar.getType())) {
    return c.make<tile::PtrToIntOp>(number, scalar);
  }
  return scalar.getType() == number ? scalar
                                    : c.make<arith::ExtSIOp>(number, scalar);
}

//===----------------------------------------------------------------------===//
// Arithmetic of intervals
//===----------------------------------------------------------------------===//

Known AddressRange::add(Known x, Known y) {
  if (!x || !y) {
    return std::nullopt;
  }
  Value low = c.make<arith::AddIOp>(x->low, y->low);
  return Interval{low, x->isPoint() && y->isPoint()
                           ? low
                           : c.make<arith::AddIOp>(x->high, y->high)};
}

Known AddressRange::subtract(Known x, Known y) {
  if (!x || !y) {
    return std::nullopt;
  }
  Value low = c.make<arith::SubIOp>(x->low, y->high);
  return Interval{low, x->isPoint() && y->isPoint()
                           ? low
                           : c.make<arith::SubIOp>(x->high, y->low)};
}

Interval AddressRange::multiply(Interval x, Interval y) {
  if (y.isPoint()) {
    std::swap(x, y);
  }
  Value one = c.make<arith::MulIOp>(x.low, y.low);
  if (x.isPoint() && y.isPoint()) {
    return {one, one};
  }
  Value other = c.make<arith::MulIOp>(x.low, y.high);
  Interval product{c.make<tile::MinSIOp>(one, other),
                   c.make<tile::MaxSIOp>(one, other)};
  return x.isPoint() ? product : hull(product, multiply({x.high, x.high}, y));
}

Interval AddressRange::hull(Interval x, Interval y) {
  return {c.make<tile::MinSIOp>(x.low, y.low),
          c.make<tile::MaxSIOp>(x.high, y.high)};
}

Known AddressRange::fit(Known x, Type type) {
  const unsigned bits = tile::elementType(type).getIntOrFloatBitWidth();
  if (x && bits < 64) {
    hold(c.compare(CmpIPredicate::sge, x->low,
                   c.integer(-(int64_t(1) << (bits - 1)), 64)));
    hold(c.compare(CmpIPredicate::slt, x->high,
                   c.integer(int64_t(1) << (bits - 1), 64)));
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Known AddressRange::range(Value value, const Dims &dims) {
  if (++steps > 400) {
    return std::nullopt;
  }
  Known found = unlimited(value, dims);
  return found ? limited(found, value, dims) : found;
}

Known AddressRange::rangeOfAll(Value value, const Dims &dims) {
  const bool before = takesAll;
  takesAll = true;
  Known found = range(value, dims);
  takesAll = before;
  return found;
}

Known AddressRange::unlimited(Value value, const Dims &dims) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return isOutside(value) ? ofLeaf(value) : ofArgument(argument, dims);
  }
  if (!isa<RankedTensorType>(value.getType()) && isOutside(value)) {
    return ofLeaf(value);
  }
  Operation *op = value.getDefiningOp();
  if (auto moved = movedFrom(op, dims)) {
    return range(moved->first, moved->second);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto all = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    auto one = dyn_cast<IntegerAttr>(constant.getValue());
    if ((!all || !all.isSplat()) && !one) {
      return ofLeaf(value);
    }
    Value number = c.integer(
        (one ? one.getValue() : all.getSplatValue<APInt>()).getSExtValue(), 64);
    return Interval{number, number};
  }
  if (auto numbers = dyn_cast<tile::RangeOp>(op)) {
    return Interval{c.integer(int32_t(numbers.getStart()), 64),
                    c.integer(int32_t(numbers.getEnd()) - 1, 64)};
  }
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    return add(range(sum.getLhs(), dims), range(sum.getRhs(), dims));
  }
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    return subtract(range(difference.getLhs(), dims),
                    range(difference.getRhs(), dims));
  }
  if (auto product = dyn_cast<arith::MulIOp>(op)) {
    return ofProduct(product, dims);
  }
  if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    Value bytes = c.integer(pointeeBytes(value.getType()), 64);
    Known from = range(moved.getPointer(), dims);
    Known by = fit(range(moved.getOffset(), dims), moved.getOffset().getType());
    return by ? add(from, multiply(*by, {bytes, bytes})) : by;
  }
  if (auto extended = dyn_cast<arith::ExtSIOp>(op)) {
    return fit(range(extended.getIn(), dims), extended.getIn().getType());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Known yes = range(select.getTrueValue(), dims);
    Known no = range(select.getFalseValue(), dims);
    return yes && no ? Known(hull(*yes, *no)) : std::nullopt;
  }
  if (isa<tile::MinSIOp, tile::MaxSIOp, tile::DivSIOp, tile::RemSIOp>(op)) {
    Type type = op->getOperand(0).getType();
    Known x = fit(rangeOfAll(op->getOperand(0), dims), type);
    Known y = fit(rangeOfAll(op->getOperand(1), dims), type);
    if (!x || !y) {
      return std::nullopt;
    }
    if (isa<tile::MinSIOp>(op)) {
      return Interval{c.make<tile::MinSIOp>(x->low, y->low),
                      c.make<tile::MinSIOp>(x->high, y->high)};
    }
    if (isa<tile::MaxSIOp>(op)) {
      return Interval{c.make<tile::MaxSIOp>(x->low, y->low),
                      c.make<tile::MaxSIOp>(x->high, y->high)};
    }
    if (!y->isPoint()) {
      return std::nullopt;
    }
    Value zero = c.integer(0, 64), one = c.integer(1, 64);
    hold(c.compare(CmpIPredicate::sgt, y->low, zero));
    if (isa<tile::DivSIOp>(op)) {
      return Interval{c.make<tile::DivSIOp>(x->low, y->low),
                      c.make<tile::DivSIOp>(x->high, y->low)};
    }
    hold(c.compare(CmpIPredicate::sge, x->low, zero));
    return Interval{zero, c.make<tile::MinSIOp>(
                              x->high, c.make<arith::SubIOp>(y->low, one))};
  }
  return isIndependent(value) ? ofLeaf(hoisted(value)) : std::nullopt;
}

/// Of two factors that change with the iterations the product is not linear.
Known AddressRange::ofProduct(arith::MulIOp op, const Dims &dims) {
  const bool isFirstSame = isIndependent(op.getLhs());
  const bool isSecondSame = isIndependent(op.getRhs());
  Known x, y;
  if (isFirstSame == isSecondSame) {
    x = isFirstSame ? range(op.getLhs(), dims) : rangeOfAll(op.getLhs(), dims);
    y = isFirstSame ? range(op.getRhs(), dims) : rangeOfAll(op.getRhs(), dims);
  } else {
    Value same = isFirstSame ? op.getLhs() : op.getRhs();
    Value other = isFirstSame ? op.getRhs() : op.getLhs();
    x = range(same, dims);
    if (x) {
      y = x->isPoint() ? range(other, dims) : rangeOfAll(other, dims);
    }
  }
  return x && y ? Known(multiply(*x, *y)) : std::nullopt;
}

/// A value of which only its elements tell something.
Known AddressRange::ofLeaf(Value value) {
  Type element = tile::elementType(value.getType());
  if (!isa<tile::PtrType>(element) &&
      (!element.isInteger() || element.isInteger(1))) {
    return std::nullopt;
  }
  auto shaped = dyn_cast<RankedTensorType>(value.getType());
  if (!shaped) {
    Value number = wide(value);
    return Interval{number, number};
  }
  // Before a loop they are looked at once; else that is what a check of the
  // elements does as well.
  if (!of.loop) {
    return std::nullopt;
  }
  Value numbers = isa<tile::PtrType>(element) ? addressOf(c, value) : value;
  return Interval{wide(c.leastOf(numbers)), wide(c.greatestOf(numbers))};
}

/// How many iterations there were before.
Interval AddressRange::times() {
  return takesAll && of.kind != Iterations::One
             ? Interval{c.integer(0, 64), of.last}
             : Interval{of.at, of.at};
}

/// `init` and `step` once for each iteration.
Known AddressRange::counted(Known init, Known step) {
  if (!init || !step) {
    return std::nullopt;
  }
  return add(init, multiply(times(), *step));
}

/// What an iteration adds to what the loop carries; the same in each of them.
Known AddressRange::increment(Value next, BlockArgument argument) {
  if (next == argument) {
    Value zero = c.integer(0, 64);
    return Interval{zero, zero};
  }
  Operation *op = next.getDefiningOp();
  if (!op || isOutside(next) || ++steps > 400) {
    return std::nullopt;
  }
  auto amount = [&](Value value) {
    return isIndependent(value)
               ? fit(range(value, std::nullopt), value.getType())
               : std::nullopt;
  };
  if (auto hint = dyn_cast<tile::HintOp>(op)) {
    return increment(hint.getSource(), argument);
  }
  if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    Value bytes = c.integer(pointeeBytes(next.getType()), 64);
    Known by = amount(moved.getOffset());
    return by ? add(increment(moved.getPointer(), argument),
                    multiply(*by, {bytes, bytes}))
              : by;
  }
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    return subtract(increment(difference.getLhs(), argument),
                    amount(difference.getRhs()));
  }
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    const bool isSecond = isIndependent(sum.getLhs());
    return add(increment(isSecond ? sum.getRhs() : sum.getLhs(), argument),
               amount(isSecond ? sum.getLhs() : sum.getRhs()));
  }
  return std::nullopt;
}

Known AddressRange::ofArgument(BlockArgument argument, const Dims &dims) {
  if (argument.getOwner() != of.loop.getBody() ||
      isa<tile::ViewType>(argument.getType())) {
    return std::nullopt;
  }
  scf::ForOp loop = of.loop;
  const unsigned number = argument.getArgNumber();
  if (number == 0) {
    if (!argument.getType().isInteger()) {
      return std::nullopt;
    }
    Value low = wide(loop.getLowerBound()), step = wide(loop.getStep());
    return counted(Interval{low, low}, Interval{step, step});
  }
  Value next = loop.getBody()->getTerminator()->getOperand(number - 1);
  // Lanes of what the loop began with are those of the argument.
  Known step = increment(next, argument);
  return step ? counted(range(loop.getInitArgs()[number - 1], dims), step)
              : step;
}

} // namespace tz::optimizer
