//===- IfStatements.cpp - if, early return, conditional values ------------===//
//
// What   Which clause runs, or an scf.if of those that may.
// Why    See IfStatements.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/IfStatements.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/FlatValues.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/TileOperators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

/// How many paths lead through to the end of a block, if run-time conditions
/// decide: 0, 1, or 2 for several.
static unsigned waysThrough(Block block) {
  unsigned ways = 1;
  for (const Stmt *stmt : block) {
    if (stmt->kind == StmtKind::Return || stmt->kind == StmtKind::Break ||
        stmt->kind == StmtKind::Continue) {
      return 0;
    }
    if (!mayLeave(stmt)) {
      continue;
    }
    unsigned through = 2; // a loop that returns
    if (auto *node = dyn_cast<If>(stmt)) {
      through = waysThrough(node->orElse);
      for (const IfClause &clause : node->clauses) {
        through += waysThrough(clause.body);
      }
    }
    ways = std::min(2U, ways * through);
  }
  return ways;
}

/// What holds for the clauses of an if from each one on; made once per if, so
/// that a chain of elif costs its length.
const IfStatements::Clauses &IfStatements::clausesOf(const If *node) {
  auto [entry, isNew] = clauses.try_emplace(node);
  if (!isNew) {
    return *entry->second;
  }
  entry->second = std::make_unique<Clauses>();
  Clauses &from = *entry->second;
  const size_t count = node->clauses.size();
  from.names.resize(count + 1);
  from.leaves.resize(count + 1);
  from.ways.resize(count + 1);
  from.names[count] = assignedNames(node->orElse);
  from.leaves[count] = mayLeave(node->orElse);
  from.ways[count] = waysThrough(node->orElse);
  for (size_t i = count; i-- > 0;) {
    Block body = node->clauses[i].body;
    SetVector<StringRef, std::vector<StringRef>, DenseSet<StringRef>> names;
    for (StringRef name : assignedNames(body)) {
      names.insert(name);
    }
    if (i + 1 < count) { // what runs in the else arm
      for (StringRef name : assignedNames(node->clauses[i + 1].condition)) {
        names.insert(name);
      }
    }
    names.insert(from.names[i + 1].begin(), from.names[i + 1].end());
    from.names[i] = names.takeVector();
    from.leaves[i] = from.leaves[i + 1] || mayLeave(body);
    from.ways[i] = std::min(2U, from.ways[i + 1] + waysThrough(body));
  }
  return from;
}

Flow IfStatements::run(const If *node, size_t clause, Block block, size_t index,
                       Continuation rest) {
  // Run-time elif chains nest as deep as they are long.
  EvaluationBounds::Level level = ev.bounds().evaluation(node->loc);
  if (!level) {
    return {Flow::Return, Value()};
  }
  // A known arm. It may contain run-time ifs that leave: then what follows
  // the whole statement goes with it.
  auto known = [&](Block body) -> Flow {
    if (!mayLeave(body)) {
      return statements.block(body, nullptr);
    }
    auto following = [&] {
      return statements.finished(statements.from(block, index, rest));
    };
    return statements.block(body, following);
  };
  for (; clause < node->clauses.size(); ++clause) {
    const IfClause &current = node->clauses[clause];
    if (clause > 0) {
      ev.notes().statement(current.loc);
    }
    Value condition = ev.eval(current.condition);
    auto giveUp = [&] {
      // What the arms would set is unknown: no errors about it later.
      for (StringRef name : clausesOf(node).names[clause]) {
        ev.bind(name, Value(), current.loc);
      }
      return Flow();
    };
    if (condition.isError()) {
      return giveUp();
    }
    if (condition.isTile()) {
      return runtimeIf(node, clause, condition, block, index, rest);
    }
    std::optional<bool> decided = truth(condition);
    if (!decided) {
      ev.fail(
          current.condition->loc,
          "condition is neither known at compile time nor a run-time scalar: " +
              describe(condition));
      return giveUp();
    }
    if (*decided) {
      return known(current.body);
    }
  }
  return known(node->orElse);
}

Flow IfStatements::runtimeIf(const If *node, size_t clause,
                             const Value &condition, Block block, size_t index,
                             Continuation rest) {
  const IfClause &current = node->clauses[clause];
  const Clauses &from = clausesOf(node);
  Value flag = tileCondition(ev, condition, current.condition->loc, "if");
  if (flag.isError()) {
    for (StringRef name : from.names[clause]) {
      ev.bind(name, Value(), current.loc);
    }
    return Flow();
  }
  EvaluationBounds::Level level = ev.bounds().region(current.loc);
  if (!level) {
    return {Flow::Return, Value()};
  }
  const bool leaves = from.leaves[clause];
  const bool isOpen = leaves && from.ways[clause] > 1;
  auto following = [&] {
    return statements.finished(statements.from(block, index, rest));
  };
  Continuation next =
      leaves && !isOpen ? Continuation(following) : Continuation(nullptr);

  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  RuntimeBranches::Branch branch =
      branches.open(node->loc, flag.asTile().value);
  ev.frame().openArms += isOpen;
  branch.whenTrue.flow = statements.block(current.body, next);
  branches.closeArm(branch.whenTrue, branch);
  ev.builder().setInsertionPoint(branch.draft.elseYield());
  if (clause + 1 == node->clauses.size()) {
    branch.whenFalse.flow = statements.block(node->orElse, next);
  } else if (isOpen) {
    branch.whenFalse.flow = run(node, clause + 1, {}, 0, nullptr);
  } else {
    branch.whenFalse.flow = run(node, clause + 1, block, index, rest);
    if (leaves && branch.whenFalse.flow.kind == Flow::Normal) {
      branch.whenFalse.flow = following();
    }
  }
  branches.closeArm(branch.whenFalse, branch);
  ev.frame().openArms -= isOpen;
  // With the arms ran what follows, perhaps.
  Flow flow = branches.close(branch, leaves ? branches.changedNames(branch)
                                            : from.names[clause]);
  if (flow.kind == Flow::Fell && (isOpen || !leaves)) {
    return Flow(); // nothing of what follows was run
  }
  if (!isOpen || !flow.may(Flow::Fell)) {
    return flow;
  }
  return branches.afterExits(flow, node->loc, following);
}

Value IfStatements::conditional(const Conditional *node) {
  Value condition = ev.eval(node->condition);
  if (condition.isError()) {
    return condition;
  }
  if (!condition.isTile()) {
    std::optional<bool> decided = truth(condition);
    if (!decided) {
      return ev.fail(node->condition->loc,
                     "condition is not known at compile time: " +
                         describe(condition));
    }
    return ev.eval(*decided ? node->whenTrue : node->whenFalse);
  }
  Value flag = tileCondition(ev, condition, node->condition->loc, "if");
  if (flag.isError()) {
    return flag;
  }
  EvaluationBounds::Level level = ev.bounds().region(node->loc);
  if (!level) {
    return Value();
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  RuntimeBranches::Branch branch =
      branches.open(node->loc, flag.asTile().value);
  auto arm = [&](const Expr *expression, RuntimeBranches::Arm &to) {
    Value value = ev.sanitize(ev.eval(expression), expression->loc);
    ev.frame().scope[RuntimeBranches::ValueName] = {value, node->loc};
    branches.closeArm(to, branch);
    return value;
  };
  Value whenTrue = arm(node->whenTrue, branch.whenTrue);
  ev.builder().setInsertionPoint(branch.draft.elseYield());
  Value whenFalse = arm(node->whenFalse, branch.whenFalse);
  const bool failed = whenTrue.isError() || whenFalse.isError();
  if (failed || !sameShape(whenTrue, whenFalse)) {
    for (StringRef name : assignedNames(node)) {
      ev.bind(name, Value(), node->loc);
    }
    return failed
               ? Value()
               : ev.fail(node->loc, "the two values of a run-time conditional "
                                    "expression differ in type: " +
                                        describe(whenTrue) + " and " +
                                        describe(whenFalse) +
                                        "; convert one of the two");
  }
  return branches.closeWithValue(branch);
}

} // namespace tz::frontend
