//===- TileMutants.cpp - wrong kernels ------------------------------------===//
//
// What   Changes of tile IR before it is lowered.
// Why    What a lowering reads wrongly (an operand, a predicate, an axis, a
//        mask) is the same as reading another kernel rightly.
//
//   swap OP TYPE                 first and second operand change places; the
//                                second and third of a choice
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
//   nanint OP TYPE               results of a NaN are the least integer
//   clamp OP TYPE                infinite results become the largest number
//   overflow OP TYPE             the largest results become NaN
//   via MIDDLE OP TYPE           a conversion rounds twice
//   unfuse OP TYPE               a product is rounded before the sum
//   exchange OP TYPE             the first two results change places
//   cut OP N TYPE                the last element of operand N is zero
//   bump OP N TYPE               integer operand N is one more
//   turn OP N TYPE               square operand N is transposed
//   daz OP TYPE                  denormal operands are zero
//   width OP TYPE                the second operand counts modulo the width
//   unsigned OP N TYPE           i32 operand N is extended by zeros
//   narrow f16|bf16|tf32         f32 products of operands rounded so far
//   acc TYPE                     a product forgets its accumulator
//   order | axis OP FROM TO      of transposes; of what has an axis
//   start OP TYPE                ranges begin one later
//   loop lower|upper|longer|step a loop begins or ends elsewhere, or goes too fast
//   branch | yields | inits      arms, carried values, their beginnings
//   stores                       ... neighbours change places
// TYPE: an element type, or any; of operands for conversions and comparisons.
//===----------------------------------------------------------------------===//
#include "test/mutants/TileMutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::mutants {

void Mutation::swapOperands() {
  for (Operation *op : opsNamed(word(1))) {
    bool hasOther = word(1) == "arith.select" || word(1) == "tile.atomic_cas";
    unsigned first = hasOther ? 1 : 0;
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
  if (auto histogram = dyn_cast<tile::HistogramOp>(op)) {
    return histogram.getMaskMutable();
  }
  if (auto check = dyn_cast<tile::AssertOp>(op)) {
    return check.getMaskMutable();
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
    if (change == "inits") {
      MutableOperandRange inits = op.getInitArgsMutable();
      for (unsigned i = 0; i + 1 < inits.size(); ++i) {
        Value x = inits[i].get(), y = inits[i + 1].get();
        if (x != y && x.getType() == y.getType()) {
          inits[i].set(y);
          inits[i + 1].set(x);
          ++count;
          break;
        }
      }
      continue;
    }
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

void Mutation::axis() {
  for (Operation *op : opsNamed(word(1))) {
    auto axis = op->getAttrOfType<IntegerAttr>("axis");
    if (!axis || axis.getInt() != number(2)) {
      continue;
    }
    if (op->getNumOperands()) { // only where the result keeps its shape
      auto shape =
          cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
      size_t from = size_t(number(2)), to = size_t(number(3));
      if (to >= shape.size() || shape[from] != shape[to]) {
        continue;
      }
    }
    op->setAttr("axis", b.getI32IntegerAttr(number(3)));
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
    axis();
  } else if (change == "start") {
    for (auto op : all<tile::RangeOp>()) {
      op.setStart(op.getStart() + 1);
      op.setEnd(op.getEnd() + 1);
      ++count;
    }
  } else if (change == "drop" || change == "stores") {
    moveStores();
  } else if (change == "loop" || change == "branch" || change == "yields" ||
             change == "inits") {
    control();
  } else if (change == "operand" || change == "lane" || change == "flush" ||
             change == "nan" || change == "ulps" || change == "wrap" ||
             change == "nanint" || change == "clamp" || change == "overflow" ||
             change == "via" || change == "unfuse" || change == "exchange") {
    results();
  } else if (change == "cut" || change == "bump" || change == "turn" ||
             change == "daz" || change == "width" || change == "unsigned") {
    operands();
  } else {
    throw std::invalid_argument("there is no change '" + change + "'");
  }
  return count;
}

unsigned mutate(tile::KernelOp kernel, const Words &line) {
  return Mutation(kernel, line).run();
}

} // namespace tz::mutants
