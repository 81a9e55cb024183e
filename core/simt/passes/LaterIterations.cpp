//===- LaterIterations.cpp - what a loop computes ahead -------------------===//
//
// What   See LaterIterations.h.
// Why    See LaterIterations.h.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/LaterIterations.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

void LaterIterations::start(IRMapping &map) {
  for (unsigned i : ahead.carried) {
    map.map(loop.getRegionIterArg(i), loop.getInitArgs()[i]);
  }
}

Value LaterIterations::begin(OpBuilder &b, IRMapping &map, Value index,
                             unsigned iterations) {
  const IterationCounter counter(loop, map);
  index = map.lookupOrDefault(index);
  Value exists = hasIteration(b, counter, index, iterations);
  Value later = indexAfter(b, counter, index, iterations);
  if (iterations != 0 && ahead.hasLoads()) {
    later = arith::SelectOp::create(b, loop.getLoc(), exists, later, index);
  }
  map.map(loop.getInductionVar(), later);
  for (Operation *op : inOrder) {
    b.clone(*op, map);
  }
  return exists;
}

void LaterIterations::advance(IRMapping &map) {
  SmallVector<Value> next;
  for (unsigned i : ahead.carried) {
    next.push_back(
        map.lookupOrDefault(loop.getBody()->getTerminator()->getOperand(i)));
  }
  carry(map, next);
}

SmallVector<Value> LaterIterations::carried(const IRMapping &map) {
  SmallVector<Value> values;
  for (unsigned i : ahead.carried) {
    values.push_back(map.lookup(loop.getRegionIterArg(i)));
  }
  return values;
}

void LaterIterations::carry(IRMapping &map, ValueRange values) {
  for (auto [i, value] : llvm::zip_equal(ahead.carried, values)) {
    map.map(loop.getRegionIterArg(i), value);
  }
}

void tz::simt::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
    }
  }
}

scf::IfOp tz::simt::branchIfIterated(scf::ForOp loop) {
  OpBuilder b(loop);
  const bool hasResults = loop.getNumResults() != 0;
  auto branch =
      scf::IfOp::create(b, loop.getLoc(), loop.getResultTypes(),
                        hasIteration(b, loop, loop.getLowerBound(), 0),
                        /*withElseRegion=*/hasResults);
  if (hasResults) {
    OpBuilder none = branch.getElseBodyBuilder();
    scf::YieldOp::create(none, loop.getLoc(), loop.getInitArgs());
  }
  return branch;
}

scf::ForOp tz::simt::emptyLoopLike(OpBuilder &b, scf::ForOp loop,
                                   ValueRange inits) {
  auto made = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits,
                                 nullptr, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty()) {
    made.getBody()->getTerminator()->erase();
  }
  return made;
}
