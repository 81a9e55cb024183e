//===- TileMutants.cpp - wrong kernels ------------------------------------===//
//
// What   Changes of tile IR before it is lowered.
// Why    What a lowering reads wrongly (an operand, a predicate, an axis, a
//        mask) is the same as reading another kernel rightly.
//
//   swap OP TYPE                 first and second operand change places
//   replace OP OTHER TYPE        another op of the same form
//   operand OP N TYPE            the result is operand N
//   predicate FROM TO TYPE       of arith.cmpi and arith.cmpf
//   math FROM TO TYPE            another function
//   atomic FROM TO TYPE          another atomic
//   result new TYPE              atomics give the new value
//   unit OP NAME TYPE            a flag turned over
//   round TYPE                   to nearest becomes toward zero, and back
//   mask OP drop|last|first TYPE no mask; the last or first lane off
//   other drop|one TYPE          of a masked load
//   checked OP D TYPE            no bounds check in dimension D
//   offset OP D BY TYPE          a view's block BY elements further
//   padding zero TYPE            a view's padding is zero
//   drop OP N TYPE               each Nth of them is left out
//   lane OP TYPE                 the result's last element is zero
//   flush OP TYPE                denormal results are zero
//   nan OP TYPE                  NaN results are zero
//   ulps OP N TYPE               results are N units in the last place off
//   wrap OP TYPE                 float to integer by way of i64, then cut
//   narrow f16|bf16              f32 products of operands rounded so far
//   acc TYPE                     a product forgets its accumulator
//   order | axis OP FROM TO      of transposes; of program ids and counts
//   loop lower|upper|longer|step a loop begins or ends elsewhere, or goes too fast
//   branch | yields | stores     arms, carried values, neighbours change places
// TYPE: an element type, or any; of operands for conversions and comparisons.
//===----------------------------------------------------------------------===//
#include "test/mutants/Mutants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <stdexcept>

using namespace mlir;

namespace tz::mutants {

namespace {

std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tile::elementType(type);
  return text;
}

/// The type that a rule asks for: of the first operand if that is a value,
/// else of the result.
bool hasType(Operation *op, const std::string &wanted) {
  if (wanted == "any") {
    return true;
  }
  for (Value result : op->getResults()) {
    if (nameOf(result.getType()) == wanted) {
      return true;
    }
  }
  return op->getNumOperands() && nameOf(op->getOperand(0).getType()) == wanted;
}

class Mutation {
public:
  Mutation(tile::KernelOp kernel, const Words &line)
      : kernel(kernel), line(line), b(kernel.getContext()) {}
  unsigned run();

private:
  const std::string &word(size_t i) const {
    if (i >= line.size()) {
      throw std::invalid_argument("a word is missing after '" + line.back() +
                                  "'");
    }
    return line[i];
  }
  int number(size_t i) const { return std::stoi(word(i)); }
  const std::string &type() const { return line.back(); }
  std::vector<Operation *> opsNamed(const std::string &name) {
    std::vector<Operation *> ops;
    kernel.getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name && hasType(op, type())) {
        ops.push_back(op);
      }
    });
    return ops;
  }
  template <typename Op>
  std::vector<Op> all() {
    std::vector<Op> ops;
    kernel.getOperation()->walk([&](Op op) { ops.push_back(op); });
    return ops;
  }
  /// Whoever uses a result shall use what `change` makes of it.
  void after(Operation *op, llvm::function_ref<Value(Value)> change);
  Value splat(Location at, Type type, TypedAttr element);
  Value zero(Location at, Type type) {
    return splat(at, type, b.getZeroAttr(tile::elementType(type)));
  }
  /// i1 of the shape of `type`: is this the last (first) along the last
  /// dimension? Null for scalars.
  Value isEnd(Location at, Type type, bool isLast);

  void swapOperands();
  void replace();
  void predicate();
  void mask();
  void other();
  void view();
  void results();
  void control();
  void moveStores();
  void narrow();

  tile::KernelOp kernel;
  const Words &line;
  OpBuilder b;
  unsigned count = 0;
};

} // namespace

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

void Mutation::swapOperands() {
  for (Operation *op : opsNamed(word(1))) {
    unsigned first = word(1) == "arith.select" ? 1 : 0;
    if (op->getNumOperands() < first + 2) {
      continue;
    }
    Value a = op->getOperand(first), c = op->getOperand(first + 1);
    if (a != c && a.getType() == c.getType()) {
      op->setOperand(first, c);
      op->setOperand(first + 1, a);
      ++count;
    }
  }
}

void Mutation::replace() {
  for (Operation *op : opsNamed(word(1))) {
    b.setInsertionPoint(op);
    OperationState state(op->getLoc(), word(2), op->getOperands(),
                         op->getResultTypes());
    if (word(2).starts_with("tile.")) {
      state.addAttributes(op->getAttrs());
    }
    Operation *made = b.create(state);
    op->replaceAllUsesWith(made->getResults());
    op->erase();
    ++count;
  }
}

void Mutation::predicate() {
  for (auto op : all<arith::CmpIOp>()) {
    auto from = arith::symbolizeCmpIPredicate(word(1));
    auto to = arith::symbolizeCmpIPredicate(word(2));
    if (from && to && op.getPredicate() == *from &&
        (type() == "any" || nameOf(op.getLhs().getType()) == type())) {
      op.setPredicate(*to);
      ++count;
    }
  }
  for (auto op : all<arith::CmpFOp>()) {
    auto from = arith::symbolizeCmpFPredicate(word(1));
    auto to = arith::symbolizeCmpFPredicate(word(2));
    if (from && to && op.getPredicate() == *from &&
        (type() == "any" || nameOf(op.getLhs().getType()) == type())) {
      op.setPredicate(*to);
      ++count;
    }
  }
}

static MutableOperandRange maskOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return load.getMaskMutable();
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return store.getMaskMutable();
  }
  return cast<tile::AtomicRMWOp>(op).getMaskMutable();
}

void Mutation::mask() {
  for (Operation *op : opsNamed(word(1))) {
    MutableOperandRange mask = maskOf(op);
    if (mask.empty()) {
      continue;
    }
    if (word(2) == "drop") {
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        load.getOtherMutable().clear();
      }
      maskOf(op).clear();
      ++count;
      continue;
    }
    b.setInsertionPoint(op);
    Value old = mask[0].get();
    Value end = isEnd(op->getLoc(), old.getType(), word(2) == "last");
    if (!end) {
      continue;
    }
    Value none = zero(op->getLoc(), old.getType());
    Value cut = arith::SelectOp::create(b, op->getLoc(), end, none, old);
    mask[0].set(cut);
    ++count;
  }
}

void Mutation::other() {
  for (auto op : all<tile::LoadOp>()) {
    if (!op.getMask() || !hasType(op, type())) {
      continue;
    }
    b.setInsertionPoint(op);
    Type t = op.getResult().getType();
    Type element = tile::elementType(t);
    if (word(1) == "drop") {
      if (op.getOther()) {
        op.getOtherMutable().clear();
        ++count;
      }
    } else if (!op.getOther() && isa<IntegerType, FloatType>(element)) {
      TypedAttr one = isa<FloatType>(element)
                          ? TypedAttr(b.getFloatAttr(element, 1.0))
                          : TypedAttr(b.getIntegerAttr(element, 1));
      op.getOtherMutable().assign(splat(op.getLoc(), t, one));
      ++count;
    }
  }
}

/// Offsets and checks of view accesses.
void Mutation::view() {
  if (word(0) == "padding") {
    for (auto op : all<tile::LoadViewOp>()) {
      if (op.getOther() && hasType(op, type())) {
        op.getOtherMutable().clear();
        ++count;
      }
    }
    return;
  }
  size_t d = size_t(number(2));
  for (Operation *op : opsNamed(word(1))) {
    auto checks = op->getAttrOfType<DenseBoolArrayAttr>("checked");
    SmallVector<bool> checked(checks.asArrayRef());
    if (d >= checked.size()) {
      continue;
    }
    if (word(0) == "checked") {
      if (checked[d]) {
        checked[d] = false;
        op->setAttr("checked", b.getDenseBoolArrayAttr(checked));
        ++count;
      }
      continue;
    }
    auto load = dyn_cast<tile::LoadViewOp>(op);
    MutableOperandRange offsets =
        load ? load.getOffsetsMutable()
             : cast<tile::StoreViewOp>(op).getOffsetsMutable();
    b.setInsertionPoint(op);
    Value by = arith::ConstantOp::create(b, op->getLoc(),
                                         b.getI64IntegerAttr(number(3)));
    Value moved = arith::AddIOp::create(b, op->getLoc(), offsets[d].get(), by);
    offsets[d].set(moved);
    ++count;
  }
}

static APFloat leastNormal(FloatType type) {
  return APFloat::getSmallestNormalized(type.getFloatSemantics());
}

/// The result of an op, spoilt.
void Mutation::results() {
  const std::string &change = word(0);
  for (Operation *op : opsNamed(word(1))) {
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
        Type as = bits;
        if (auto tensor = dyn_cast<RankedTensorType>(t)) {
          as = tensor.clone(bits);
        }
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
      Type wide = b.getI64Type();
      if (auto tensor = dyn_cast<RankedTensorType>(t)) {
        wide = tensor.clone(wide);
      }
      b.setInsertionPointAfter(op);
      Value whole = tile::FPToSIOp::create(b, at, wide, op->getOperand(0));
      Value cut = arith::TruncIOp::create(b, at, t, whole);
      op->getResult(0).replaceAllUsesWith(cut);
      ++count;
    }
  }
}

void Mutation::moveStores() {
  if (word(0) == "drop") {
    int turn = 0;
    for (Operation *op : opsNamed(word(1))) {
      if (++turn % number(2) == 0 && op->use_empty()) {
        op->erase();
        ++count;
      }
    }
    return;
  }
  kernel.getOperation()->walk([&](Block *block) {
    std::vector<Operation *> stores;
    for (Operation &op : *block) {
      if (isa<tile::StoreOp, tile::StoreViewOp>(op)) {
        stores.push_back(&op);
      }
    }
    for (size_t i = 0; i + 1 < stores.size(); i += 2) {
      stores[i]->moveAfter(stores[i + 1]);
      ++count;
    }
  });
}

void Mutation::control() {
  const std::string &change = word(0);
  if (change == "branch") {
    for (auto op : all<scf::IfOp>()) {
      b.setInsertionPoint(op);
      Value yes =
          arith::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true));
      Value turned =
          arith::XOrIOp::create(b, op.getLoc(), op.getCondition(), yes);
      op.getConditionMutable().assign(turned);
      ++count;
    }
    return;
  }
  for (auto op : all<scf::ForOp>()) {
    b.setInsertionPoint(op);
    if (change == "yields") {
      Operation *yield = op.getBody()->getTerminator();
      for (unsigned i = 0; i + 1 < yield->getNumOperands(); ++i) {
        Value x = yield->getOperand(i), y = yield->getOperand(i + 1);
        if (x.getType() == y.getType()) {
          yield->setOperand(i, y);
          yield->setOperand(i + 1, x);
          ++count;
          break;
        }
      }
      continue;
    }
    Value one = arith::ConstantOp::create(
        b, op.getLoc(), b.getIntegerAttr(op.getStep().getType(), 1));
    if (word(1) == "lower") {
      Value bound = arith::AddIOp::create(b, op.getLoc(), op.getLowerBound(),
                                          op.getStep());
      op.getLowerBoundMutable().assign(bound);
    } else if (word(1) == "upper") {
      Value bound =
          arith::SubIOp::create(b, op.getLoc(), op.getUpperBound(), one);
      op.getUpperBoundMutable().assign(bound);
    } else if (word(1) == "longer") {
      Value bound =
          arith::AddIOp::create(b, op.getLoc(), op.getUpperBound(), one);
      op.getUpperBoundMutable().assign(bound);
    } else {
      Value step =
          arith::AddIOp::create(b, op.getLoc(), op.getStep(), op.getStep());
      op.getStepMutable().assign(step);
    }
    ++count;
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
    auto through = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      Value cut = tile::TruncFOp::create(b, op.getLoc(), type.clone(small),
                                         value, tile::Rounding::rtne);
      return arith::ExtFOp::create(b, op.getLoc(), type, cut);
    };
    op.getAMutable().assign(through(op.getA()));
    op.getBMutable().assign(through(op.getB()));
    ++count;
  }
}

unsigned Mutation::run() {
  const std::string &change = word(0);
  if (change == "swap") {
    swapOperands();
  } else if (change == "replace") {
    replace();
  } else if (change == "predicate") {
    predicate();
  } else if (change == "math") {
    auto from = tile::symbolizeMathFn(word(1)),
         to = tile::symbolizeMathFn(word(2));
    for (auto op : all<tile::MathOp>()) {
      if (op.getFn() == from && hasType(op, type())) {
        op.setFn(*to);
        ++count;
      }
    }
  } else if (change == "atomic") {
    auto from = tile::symbolizeAtomicKind(word(1)),
         to = tile::symbolizeAtomicKind(word(2));
    for (auto op : all<tile::AtomicRMWOp>()) {
      if (op.getKind() == from && hasType(op, type())) {
        op.setKind(*to);
        ++count;
      }
    }
  } else if (change == "result") {
    for (auto op : all<tile::AtomicRMWOp>()) {
      if (hasType(op, type()) && !op.getResult().use_empty()) {
        op.getResult().replaceAllUsesWith(op.getValue());
        ++count;
      }
    }
  } else if (change == "unit") {
    for (Operation *op : opsNamed(word(1))) {
      if (!op->removeAttr(word(2))) {
        op->setAttr(word(2), b.getUnitAttr());
      }
      ++count;
    }
  } else if (change == "round") {
    for (auto op : all<tile::TruncFOp>()) {
      if (hasType(op, type())) {
        bool isNearest = op.getRounding() == tile::Rounding::rtne;
        op.setRounding(isNearest ? tile::Rounding::rtz : tile::Rounding::rtne);
        ++count;
      }
    }
  } else if (change == "narrow") {
    narrow();
  } else if (change == "acc") {
    for (auto op : all<tile::DotOp>()) {
      if (hasType(op, type())) {
        b.setInsertionPoint(op);
        Value none = zero(op.getLoc(), op.getAcc().getType());
        op.getAccMutable().assign(none);
        ++count;
      }
    }
  } else if (change == "mask") {
    mask();
  } else if (change == "other") {
    other();
  } else if (change == "checked" || change == "offset" || change == "padding") {
    view();
  } else if (change == "order") {
    for (auto op : all<tile::TransposeOp>()) {
      SmallVector<int64_t> order(op.getOrder());
      auto shape = op.getResult().getType().getShape();
      for (size_t i = 0; i + 1 < order.size(); ++i) {
        if (shape[i] == shape[i + 1]) {
          std::swap(order[i], order[i + 1]);
          op.setOrder(order);
          ++count;
          break;
        }
      }
    }
  } else if (change == "axis") {
    for (Operation *op : opsNamed(word(1))) {
      auto axis = op->getAttrOfType<IntegerAttr>("axis");
      if (axis && axis.getInt() == number(2)) {
        op->setAttr("axis", b.getI32IntegerAttr(number(3)));
        ++count;
      }
    }
  } else if (change == "drop" || change == "stores") {
    moveStores();
  } else if (change == "loop" || change == "branch" || change == "yields") {
    control();
  } else if (change == "operand" || change == "lane" || change == "flush" ||
             change == "nan" || change == "ulps" || change == "wrap") {
    results();
  } else {
    throw std::invalid_argument("there is no change '" + change + "'");
  }
  return count;
}

unsigned mutate(tile::KernelOp kernel, const Words &line) {
  return Mutation(kernel, line).run();
}

} // namespace tz::mutants
