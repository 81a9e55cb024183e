//===- LoopExits.cpp - break, continue, return in loops -------------------===//
//
// What   Loops whose body may be left before its end.
// Why    See LoopStatements.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/FlatValues.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/LoopStatements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

void LoopStatements::refuseElse(SourceLoc loc) {
  ev.diagnostics().error(
      loc, "'else' of a loop is not supported in kernel code; set a "
           "variable before break and test it behind the loop");
}

bool LoopStatements::isReadBehindLoops(StringRef name) {
  const FunctionDef *function =
      ev.frame().function ? ev.frame().function->def : nullptr;
  if (!function) {
    return false;
  }
  auto [entry, isNew] = behindLoops.try_emplace(function);
  if (isNew) {
    entry->second = readBehindLoops(function->body);
  }
  return entry->second.contains(name);
}

Flow LoopStatements::runBody(Block body) {
  // What an arm around the loop does at its end is no matter of the body.
  const unsigned open = std::exchange(ev.frame().openArms, 0);
  ++ev.frame().loops;
  auto end = []() -> Flow { return {Flow::Continue, Value()}; };
  Flow flow = mayLeave(body) ? statements.block(body, end)
                             : statements.block(body, nullptr);
  --ev.frame().loops;
  ev.frame().openArms = open;
  if (flow.kind == Flow::Normal) {
    flow.kind = Flow::Continue;
  }
  return flow;
}

/// Where a loop was not left by return, what follows it is run.
Flow LoopStatements::loopEnd(const Flow &flow) {
  Flow end = flow;
  const bool returns = flow.may(Flow::Return);
  const bool falls = flow.ways() != 1U << Flow::Return;
  end.setWays(unsigned(returns) << Flow::Return |
              unsigned(falls) << (returns ? Flow::Fell : Flow::Normal));
  return end;
}

Flow LoopStatements::afterLoop(const Flow &flow, SourceLoc loc,
                               Continuation following) {
  if (flow.kind != Flow::Mixed) {
    return flow;
  }
  EvaluationBounds::Level level = ev.bounds().region(loc);
  if (!level) {
    return {Flow::Return, Value()};
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  return branches.afterExits(flow, loc, following);
}

/// The iterations of a static loop, of which each may be the last.
Flow LoopStatements::unrolledFor(const For *node, ArrayRef<Value> items) {
  constexpr unsigned leaving = 1U << Flow::Break | 1U << Flow::Return;
  SourceLoc loc = node->loc;
  Flow ended; // how the iterations so far did
  ended.kind = Flow::Continue;
  auto iteration = [&](const Value &item) {
    ev.assign(node->target, item, node->target->loc, true);
    return runBody(node->body);
  };
  for (const Value &item : items) {
    if (ev.bounds().isStopped() || !ended.may(Flow::Continue)) {
      break;
    }
    if (ended.kind == Flow::Continue) {
      ended = iteration(item);
      continue;
    }
    EvaluationBounds::Level level = ev.bounds().region(loc);
    if (!level) {
      break;
    }
    mlir::OpBuilder::InsertionGuard guard(ev.builder());
    RuntimeBranches::Branch branch = branches.open(
        loc, branches.hasEnded(ended, {Flow::Break, Flow::Return}, loc));
    branch.whenTrue.flow = ended.among(leaving);
    branches.closeArm(branch.whenTrue, branch);
    ev.builder().setInsertionPoint(branch.draft.elseYield());
    branch.whenFalse.flow = iteration(item);
    branches.closeArm(branch.whenFalse, branch);
    ended = branches.close(branch, branches.changedNames(branch));
  }
  return loopEnd(ended);
}

/// Whether a body that ended so is run again.
mlir::Value LoopStatements::goesOn(const Flow &flow, SourceLoc loc) {
  mlir::Value left = branches.hasEnded(flow, {Flow::Break, Flow::Return}, loc);
  mlir::Value yes = branches.hasEnded({Flow::Break, {}}, Flow::Break, loc);
  return arith::XOrIOp::create(ev.builder(), ev.location(loc), left, yes);
}

/// A `for` that break or return may end: an scf.while over its counter.
Flow LoopStatements::leftLoop(const For *node, const LoopBounds &counted) {
  SourceLoc loc = node->loc;
  mlir::Location at = ev.location(loc);
  mlir::Value lower = counted.lower.value, upper = counted.upper.value;
  mlir::Value step = counted.step.value;
  SmallVector<mlir::Value> inits = {
      arith::CmpIOp::create(ev.builder(), at,
                            isSigned(counted.lower.type.elem)
                                ? arith::CmpIPredicate::slt
                                : arith::CmpIPredicate::ult,
                            lower, upper),
      lower};
  std::vector<Carried> carried =
      carriedNames(assignedInLoop(node, counted), inits);
  Scope before = ev.frame().scope;
  mlir::TypeRange types = mlir::ValueRange(inits).getTypes();
  SmallVector<mlir::Location> locs(inits.size(), at);
  auto loop = scf::WhileOp::create(ev.builder(), at, types, inits);
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  mlir::Block *test =
      ev.builder().createBlock(&loop.getBefore(), {}, types, locs);
  scf::ConditionOp::create(ev.builder(), at, test->getArgument(0),
                           test->getArguments());

  mlir::Block *body =
      ev.builder().createBlock(&loop.getAfter(), {}, types, locs);
  mlir::Value counter = body->getArgument(1);
  bindCarried(carried, body->getArguments());
  bindIndex(node, counted, counter);
  Flow flow = runBody(node->body);
  // The distance to the bound is exact in either sign; the next counter may be
  // outside of its type.
  mlir::Value distance =
      arith::SubIOp::create(ev.builder(), at, upper, counter);
  mlir::Value hasNext = arith::CmpIOp::create(
      ev.builder(), at, arith::CmpIPredicate::ugt, distance, step);
  SmallVector<mlir::Value> yields = {
      arith::AndIOp::create(ev.builder(), at, goesOn(flow, loc), hasNext),
      arith::AddIOp::create(ev.builder(), at, counter, step)};
  return closeWhile(loop, flow, yields, before, carried, loc);
}

/// The loop, carrying in addition whether it has returned and what of the
/// returned value it makes; `flow` becomes how the loop ends, with results of
/// the loop. `yields` are its next values.
scf::WhileOp LoopStatements::carryReturned(scf::WhileOp loop, Flow &flow,
                                           SmallVectorImpl<mlir::Value> &yields,
                                           SourceLoc loc) {
  mlir::Location at = ev.location(loc);
  const size_t first = yields.size();
  yields.push_back(branches.hasEnded(flow, Flow::Return, loc));
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  ev.builder().setInsertionPoint(loop);
  SmallVector<mlir::Value> inits(loop.getInits());
  inits.push_back(branches.hasEnded(Flow(), {}, loc));
  // What the loop holds before an iteration returns.
  Value unset = branches.placeholder(flow.value, loop, loc,
                                     RuntimeBranches::ReturnedView);
  SmallVector<mlir::Value> returned, results;
  flatten(flow.value, returned);
  flatten(unset, results);
  if (returned.size() != results.size()) { // after an error
    yields.truncate(first);
    flow = {Flow::Return, Value()};
    return loop;
  }
  for (auto [value, before] : zip_equal(returned, results)) {
    if (value != before) {
      yields.push_back(value);
      inits.push_back(before);
    }
  }
  auto types = mlir::ValueRange(inits).getTypes();
  auto made = scf::WhileOp::create(ev.builder(), at, types, inits);
  made.getBefore().takeBody(loop.getBefore());
  made.getAfter().takeBody(loop.getAfter());
  loop.erase();
  for (size_t i = first; i < inits.size(); ++i) {
    mlir::Value tested =
        made.getBeforeBody()->addArgument(inits[i].getType(), at);
    made.getConditionOp().getArgsMutable().append(tested);
    made.getAfterBody()->addArgument(inits[i].getType(), at);
  }
  mlir::ValueRange carried = made.getResults().drop_front(first);
  flow.setWays(1U << Flow::Return | 1U << Flow::Fell);
  flow.flags[Flow::Return] = carried.front();
  carried = carried.drop_front();
  for (auto [value, result] : zip_equal(returned, results)) {
    if (value != result) {
      result = carried.front();
      carried = carried.drop_front();
    }
  }
  mlir::ValueRange values(results);
  flow.value = rebuild(flow.value, values);
  return made;
}

/// Ends the body of an scf.while, which begins its next values with `yields`.
Flow LoopStatements::closeWhile(scf::WhileOp loop, Flow flow,
                                SmallVectorImpl<mlir::Value> &yields,
                                const Scope &before, ArrayRef<Carried> carried,
                                SourceLoc loc) {
  const bool valid = collectCarried(carried, yields, loc);
  if (!valid) {
    mlir::ValueRange arguments = loop.getAfterBody()->getArguments();
    yields.assign(arguments.begin(), arguments.end());
  }
  mlir::Block *body = loop.getAfterBody();
  if (valid && flow.may(Flow::Return)) {
    loop = carryReturned(loop, flow, yields, loc);
  } else {
    flow = loopEnd(flow.among(~(1U << Flow::Return)));
  }
  ev.builder().setInsertionPointToEnd(body);
  scf::YieldOp::create(ev.builder(), ev.location(loc), yields);
  leaveLoop(before, carried,
            valid ? mlir::ValueRange(loop.getResults()) : mlir::ValueRange());
  return flow;
}

} // namespace tz::frontend
