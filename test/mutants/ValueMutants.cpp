//===- ValueMutants.cpp - wrong values ------------------------------------===//
//
// What   Results and operands of tile ops, spoilt.
// Why    See TileMutants.cpp, which lists the changes.
//===----------------------------------------------------------------------===//
#include "test/mutants/TileMutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

namespace tz::mutants {

std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tile::elementType(type);
  return text;
}

bool hasType(Operation *op, const std::string &wanted) {
  if (wanted == "any") {
    return true;
  }
  for (Value result : op->getResults()) {
    if (nameOf(result.getType()) == wanted) {
      return true;
    }
  }
  bool isStore = isa<tile::StoreOp, tile::StoreViewOp>(op);
  return op->getNumOperands() &&
         nameOf(op->getOperand(isStore ? 1 : 0).getType()) == wanted;
}

void Mutation::after(Operation *op, llvm::function_ref<Value(Value)> change) {
  b.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  Operation *last = &*std::prev(b.getInsertionPoint());
  Value changed = change(result);
  if (!changed) {
    return;
  }
  // All but what was just made.
  llvm::SmallPtrSet<Operation *, 8> fresh;
  for (auto it = std::next(last->getIterator()); it != b.getInsertionPoint();
       ++it) {
    fresh.insert(&*it);
  }
  result.replaceAllUsesExcept(changed, fresh);
  ++count;
}

Value Mutation::splat(Location at, Type type, TypedAttr element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return arith::ConstantOp::create(b, at,
                                     SplatElementsAttr::get(tensor, element));
  }
  return arith::ConstantOp::create(b, at, element);
}

Value Mutation::isEnd(Location at, Type type, bool isLast) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0) {
    return {};
  }
  int64_t extent = tensor.getShape().back();
  auto flat = RankedTensorType::get({extent}, b.getI32Type());
  Value lanes = tile::RangeOp::create(b, at, flat, 0, int32_t(extent));
  Value end =
      splat(at, flat, b.getI32IntegerAttr(isLast ? int32_t(extent - 1) : 0));
  Value bits =
      arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, lanes, end);
  if (tensor.getRank() == 1) {
    return bits;
  }
  SmallVector<int64_t> row(tensor.getRank(), 1);
  row.back() = extent;
  bits = tile::ReshapeOp::create(
      b, at, RankedTensorType::get(row, b.getI1Type()), bits);
  return tile::BroadcastOp::create(
      b, at, RankedTensorType::get(tensor.getShape(), b.getI1Type()), bits);
}

static APFloat leastNormal(FloatType type) {
  return APFloat::getSmallestNormalized(type.getFloatSemantics());
}

/// A type of `type`'s shape.
static Type shapedLike(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : element;
}

/// The result of an op, spoilt.
void Mutation::results() {
  const std::string &change = word(0);
  for (Operation *op : opsNamed(word(change == "via" ? 2 : 1))) {
    if (op->getNumResults() == 0) {
      continue;
    }
    Location at = op->getLoc();
    Type t = op->getResult(0).getType();
    Type element = tile::elementType(t);
    auto real = dyn_cast<FloatType>(element);
    if (change == "operand") {
      Value operand = op->getOperand(unsigned(number(2)));
      if (operand.getType() == t) {
        op->getResult(0).replaceAllUsesWith(operand);
        ++count;
      }
    } else if (change == "lane" && isa<FloatType, IntegerType>(element)) {
      after(op, [&](Value value) -> Value {
        Value end = isEnd(at, t, true);
        return end ? Value(arith::SelectOp::create(b, at, end, zero(at, t),
                                                   value))
                   : Value();
      });
    } else if (change == "flush" && real) {
      after(op, [&](Value value) -> Value {
        Value size = tile::MathOp::create(b, at, t, tile::MathFn::abs, value);
        Value least = splat(at, t, b.getFloatAttr(real, leastNormal(real)));
        Value small = arith::CmpFOp::create(b, at, arith::CmpFPredicate::OLT,
                                            size, least);
        return arith::SelectOp::create(b, at, small, zero(at, t), value);
      });
    } else if (change == "nan" && real) {
      after(op, [&](Value value) -> Value {
        Value bad = arith::CmpFOp::create(b, at, arith::CmpFPredicate::UNO,
                                          value, value);
        return arith::SelectOp::create(b, at, bad, zero(at, t), value);
      });
    } else if (change == "ulps" && real) {
      after(op, [&](Value value) -> Value {
        Type bits = b.getIntegerType(real.getWidth());
        Type as = shapedLike(t, bits);
        Value whole = tile::BitcastOp::create(b, at, as, value);
        Value by = splat(at, as, b.getIntegerAttr(bits, number(2)));
        Value sum = arith::AddIOp::create(b, at, whole, by);
        return tile::BitcastOp::create(b, at, t, sum);
      });
    } else if (change == "wrap") {
      unsigned width = element.getIntOrFloatBitWidth();
      if (width >= 64) {
        continue;
      }
      Type wide = shapedLike(t, b.getI64Type());
      b.setInsertionPointAfter(op);
      Value whole = tile::FPToSIOp::create(b, at, wide, op->getOperand(0));
      Value cut = arith::TruncIOp::create(b, at, t, whole);
      op->getResult(0).replaceAllUsesWith(cut);
      ++count;
    } else if (change == "nanint" && isa<IntegerType>(element)) {
      after(op, [&](Value value) -> Value {
        Value source = op->getOperand(0);
        Value isNan = arith::CmpFOp::create(b, at, arith::CmpFPredicate::UNO,
                                            source, source);
        unsigned width = element.getIntOrFloatBitWidth();
        Value least = splat(
            at, t, b.getIntegerAttr(element, APInt::getSignedMinValue(width)));
        return arith::SelectOp::create(b, at, isNan, least, value);
      });
    } else if (change == "clamp" && real) {
      after(op, [&](Value value) -> Value {
        APFloat largest = APFloat::getLargest(real.getFloatSemantics());
        Value top = splat(at, t, b.getFloatAttr(real, largest));
        Value cut = tile::MinFOp::create(b, at, value, top, true);
        largest.changeSign();
        Value bottom = splat(at, t, b.getFloatAttr(real, largest));
        return tile::MaxFOp::create(b, at, cut, bottom, true);
      });
    } else if (change == "overflow" && real) {
      after(op, [&](Value value) -> Value {
        Type wide = shapedLike(t, b.getF32Type());
        Value size =
            tile::MathOp::create(b, at, wide, tile::MathFn::abs,
                                 arith::ExtFOp::create(b, at, wide, value));
        double largest =
            APFloat::getLargest(real.getFloatSemantics()).convertToDouble();
        Value isTop = arith::CmpFOp::create(
            b, at, arith::CmpFPredicate::OEQ, size,
            splat(at, wide, b.getF32FloatAttr(float(largest))));
        Value nan = splat(
            at, t,
            b.getFloatAttr(real, APFloat::getNaN(real.getFloatSemantics())));
        return arith::SelectOp::create(b, at, isTop, nan, value);
      });
    } else if (change == "via" && real) {
      twice(op, word(1) == "f32"   ? Type(b.getF32Type())
                : word(1) == "f64" ? Type(b.getF64Type())
                                   : Type(b.getF16Type()));
    } else if (change == "unfuse" && real) {
      after(op, [&](Value) -> Value {
        Value product =
            arith::MulFOp::create(b, at, op->getOperand(0), op->getOperand(1));
        return arith::AddFOp::create(b, at, product, op->getOperand(2));
      });
    } else if (change == "exchange" && op->getNumResults() > 1 &&
               op->getResult(1).getType() == t) {
      Value x = op->getResult(0), y = op->getResult(1);
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : x.getUses()) {
        uses.push_back(&use);
      }
      y.replaceAllUsesWith(x);
      for (OpOperand *use : uses) {
        use->set(y);
      }
      ++count;
    }
  }
}

/// A conversion by way of `middle`, which lies between its types.
void Mutation::twice(Operation *op, Type middle) {
  Value source = op->getOperand(0);
  Type to = op->getResult(0).getType();
  Type from = tile::elementType(source.getType());
  unsigned width = middle.getIntOrFloatBitWidth();
  if (tile::elementType(to).getIntOrFloatBitWidth() >= width ||
      (isa<FloatType>(from) && from.getIntOrFloatBitWidth() <= width)) {
    return;
  }
  b.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName().getStringRef(), source,
                       shapedLike(to, middle));
  if (isa<tile::TruncFOp>(op)) {
    state.addAttributes(op->getAttrs());
  }
  Value between = b.create(state)->getResult(0);
  Value changed = tile::TruncFOp::create(b, op->getLoc(), to, between,
                                         tile::Rounding::rtne);
  op->getResult(0).replaceAllUsesWith(changed);
  ++count;
}

/// The operands of an op, spoilt.
void Mutation::operands() {
  const std::string &change = word(0);
  for (Operation *op : opsNamed(word(1))) {
    Location at = op->getLoc();
    unsigned n = change == "daz" ? 0 : change == "width" ? 1 : number(2);
    if (n >= op->getNumOperands()) {
      continue;
    }
    b.setInsertionPoint(op);
    Value old = op->getOperand(n), spoilt;
    Type t = old.getType();
    Type element = tile::elementType(t);
    auto tensor = dyn_cast<RankedTensorType>(t);
    if (change == "cut" && isa<FloatType, IntegerType>(element)) {
      if (Value end = isEnd(at, t, true)) {
        spoilt = arith::SelectOp::create(b, at, end, zero(at, t), old);
      }
    } else if (change == "bump" && isa<IntegerType>(element)) {
      Value one = splat(at, t, b.getIntegerAttr(element, 1));
      spoilt = arith::AddIOp::create(b, at, old, one);
    } else if (change == "turn" && tensor && tensor.getRank() >= 2) {
      ArrayRef<int64_t> shape = tensor.getShape();
      if (shape.back() == shape[shape.size() - 2]) {
        SmallVector<int64_t> order(shape.size());
        std::iota(order.begin(), order.end(), 0);
        std::swap(order.back(), order[order.size() - 2]);
        spoilt = tile::TransposeOp::create(b, at, t, old, order);
      }
    } else if (change == "width" && isa<IntegerType>(element)) {
      Value last =
          splat(at, t,
                b.getIntegerAttr(element, element.getIntOrFloatBitWidth() - 1));
      spoilt = arith::AndIOp::create(b, at, old, last);
    } else if (change == "unsigned" && element.isInteger(32)) {
      spoilt =
          arith::ExtUIOp::create(b, at, shapedLike(t, b.getI64Type()), old);
    } else if (auto real = dyn_cast<FloatType>(element);
               change == "daz" && real) {
      for (OpOperand &operand : op->getOpOperands()) {
        if (operand.get().getType() == t) {
          Value value = operand.get();
          Value size = tile::MathOp::create(b, at, t, tile::MathFn::abs, value);
          Value least = splat(at, t, b.getFloatAttr(real, leastNormal(real)));
          Value small = arith::CmpFOp::create(b, at, arith::CmpFPredicate::OLT,
                                              size, least);
          operand.set(
              arith::SelectOp::create(b, at, small, zero(at, t), value));
        }
      }
      ++count;
    }
    if (spoilt) {
      op->setOperand(n, spoilt);
      ++count;
    }
  }
}

/// Products of f32 by way of a narrower type, whatever was asked for.
void Mutation::narrow() {
  Type small = word(1) == "f16" ? Type(b.getF16Type()) : Type(b.getBF16Type());
  for (auto op : all<tile::DotOp>()) {
    if (nameOf(op.getA().getType()) != "f32") {
      continue;
    }
    b.setInsertionPoint(op);
    Location at = op.getLoc();
    auto through = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      if (word(1) == "tf32") {
        auto bits = type.clone(b.getI32Type());
        Value whole = tile::BitcastOp::create(b, at, bits, value);
        Value kept = splat(at, bits, b.getI32IntegerAttr(-1 << 13));
        Value cut = arith::AndIOp::create(b, at, whole, kept);
        return tile::BitcastOp::create(b, at, type, cut);
      }
      Value cut = tile::TruncFOp::create(b, at, type.clone(small), value,
                                         tile::Rounding::rtne);
      return arith::ExtFOp::create(b, at, type, cut);
    };
    op.getAMutable().assign(through(op.getA()));
    op.getBMutable().assign(through(op.getB()));
    ++count;
  }
}

} // namespace tz::mutants
