//===- Versioning.cpp - two copies of a kernel's rest ---------------------===//
//
// What   The condition, the copy and the results of the scf.if.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/Versioning.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

bool optimizer::isAvailable(const Polynomial &p, Operation *point,
                            const ScalarTable &scalars) {
  auto isBefore = [&](unsigned scalar) {
    Value value = scalars.value(scalar);
    Block *block = value.getParentBlock();
    Operation *ancestor = block->findAncestorOpInBlock(*point);
    if (!ancestor) {
      return false; // defined in a region that point is not in
    }
    Operation *def = value.getDefiningOp();
    return !def || def->isBeforeInBlock(ancestor);
  };
  return llvm::all_of(p.getTerms(), [&](const Term &term) {
    return llvm::all_of(term.scalars, isBefore);
  });
}

Value optimizer::emitNonNegative(OpBuilder &builder, Location loc,
                                 ArrayRef<Polynomial> all,
                                 const ScalarTable &scalars) {
  Value both;
  Value zero = all.empty() ? Value() : scalars.emit(builder, loc, {});
  for (const Polynomial &p : all) {
    Value one = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                      scalars.emit(builder, loc, p), zero);
    both = both ? arith::AndIOp::create(builder, loc, both, one) : one;
  }
  return both;
}

optimizer::Rest::Rest(Operation *first)
    : first(first), terminator(first->getBlock()->getTerminator()) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (def && def->getBlock() == first->getBlock() &&
        !def->isBeforeInBlock(first)) {
      results.push_back(&operand);
    }
  }
}

bool optimizer::Rest::yieldsTile() const {
  return llvm::any_of(results, [](OpOperand *operand) {
    return isa<ShapedType>(operand->get().getType());
  });
}

size_t optimizer::Rest::size() const {
  size_t count = 0;
  for (Operation *op = first; op != terminator; op = op->getNextNode()) {
    op->walk([&](Operation *) { ++count; });
  }
  return count;
}

scf::IfOp optimizer::Rest::version(Value condition) {
  IRMapping copies;
  return version(condition, copies);
}

scf::IfOp optimizer::Rest::version(Value condition, IRMapping &copies) {
  OpBuilder builder(first);
  Location loc = first->getLoc();
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (OpOperand *operand : results) {
    values.push_back(operand->get());
    types.push_back(operand->get().getType());
  }
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*withElseRegion=*/true);
  OpBuilder copy = OpBuilder::atBlockBegin(branch.elseBlock());
  for (Operation *op = first; op != terminator; op = op->getNextNode()) {
    copy.clone(*op, copies);
  }
  Block *original = branch.thenBlock();
  original->getOperations().splice(
      original->begin(), first->getBlock()->getOperations(),
      first->getIterator(), terminator->getIterator());
  auto yield = [&](Block *from, ValueRange operands) {
    if (!from->empty() && from->back().hasTrait<OpTrait::IsTerminator>()) {
      from->back().erase(); // the builder made one: there are no results
    }
    auto end = OpBuilder::atBlockEnd(from);
    scf::YieldOp::create(end, loc, operands);
  };
  auto copied = llvm::map_to_vector(
      values, [&](Value value) { return copies.lookupOrDefault(value); });
  yield(original, values);
  yield(branch.elseBlock(), copied);
  for (auto [operand, result] : llvm::zip(results, branch.getResults())) {
    operand->set(result);
  }
  return branch;
}
