//===- IfStatements.cpp - if, early return, conditional expressions -------===//
//
// What   A run-time `if` becomes scf.if whose results are the names that its
//        arms set; so does a run-time conditional expression.
// Why    Control flow stays structured, and what follows an `if` is elaborated
//        once:
//        * an arm leaves, one path falls through (`if c: return`): what
//          follows moves to that path, up to the end of the function or of the
//          loop's body;
//        * an arm leaves, several paths fall through: the scf.if tells whether
//          it left, and a second one on that flag holds what follows.
//        To leave is to return, break or continue.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/TileOperators.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

void Flow::setWays(unsigned ways) {
  mixed = ways;
  kind = Mixed;
  for (Kind one : {Normal, Return, Break, Continue, Fell}) {
    kind = ways == 1U << one ? one : kind;
  }
}

Flow Flow::among(unsigned ways) const {
  Flow flow = *this;
  flow.setWays(this->ways() & ways);
  if (!flow.may(Return)) {
    flow.value = Value();
  }
  return flow;
}

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
const Evaluator::Clauses &Evaluator::clausesOf(const If *node) {
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
    names.insert(from.names[i + 1].begin(), from.names[i + 1].end());
    from.names[i] = names.takeVector();
    from.leaves[i] = from.leaves[i + 1] || mayLeave(body);
    from.ways[i] = std::min(2U, from.ways[i + 1] + waysThrough(body));
  }
  return from;
}

/// The end of what follows an if: of the function, which returns None, or of an
/// arm whose statement holds the rest.
Flow Evaluator::finished(Flow flow) {
  if (flow.kind == Flow::Normal) {
    flow.kind = frame().openArms == 0 ? Flow::Return : Flow::Fell;
    flow.value = Value::none();
  }
  return flow;
}

/// `rest` and block[index..] are what follows the if. If they were run here,
/// the answer is not Normal.
Flow Evaluator::execIf(const If *node, size_t clause, Block block, size_t index,
                       Continuation rest) {
  // Run-time elif chains nest as deep as they are long.
  if (depth >= bounds.evaluationDepth) {
    if (!stopped) {
      sink.error(node->loc, "evaluation is nested more than " +
                                Twine(bounds.evaluationDepth) +
                                " levels deep (limit of evaluation depth)");
    }
    stopped = true;
    return {Flow::Return, Value()};
  }
  ++depth;
  scope_exit restore([&] { --depth; });
  // A known arm. It may contain run-time ifs that leave: then what follows
  // the whole statement goes with it.
  auto known = [&](Block body) -> Flow {
    if (!mayLeave(body)) {
      return execBlock(body, nullptr);
    }
    auto following = [&] { return finished(execFrom(block, index, rest)); };
    return execBlock(body, following);
  };
  for (; clause < node->clauses.size(); ++clause) {
    const IfClause &current = node->clauses[clause];
    if (clause > 0) {
      noteStatement(current.loc);
    }
    Value condition = eval(current.condition);
    auto giveUp = [&] {
      // What the arms would set is unknown: no errors about it later.
      for (StringRef name : clausesOf(node).names[clause]) {
        bind(name, Value(), current.loc);
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
      fail(
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

bool Evaluator::enterRegion(SourceLoc loc) {
  if (regionDepth == bounds.regionDepth) {
    if (!stopped) {
      sink.error(loc, "run-time control flow is nested more than " +
                          Twine(bounds.regionDepth) +
                          " levels deep; each elif and each early return is a "
                          "level (limit of region depth)");
    }
    stopped = true;
    return false;
  }
  ++regionDepth;
  return true;
}

Flow Evaluator::runtimeIf(const If *node, size_t clause, const Value &condition,
                          Block block, size_t index, Continuation rest) {
  const IfClause &current = node->clauses[clause];
  const Clauses &from = clausesOf(node);
  Value flag = tileCondition(*this, condition, current.condition->loc, "if");
  if (flag.isError()) {
    for (StringRef name : from.names[clause]) {
      bind(name, Value(), current.loc);
    }
    return Flow();
  }
  if (!enterRegion(current.loc)) {
    return {Flow::Return, Value()};
  }
  scope_exit leave([&] { --regionDepth; });
  const bool leaves = from.leaves[clause];
  const bool isOpen = leaves && from.ways[clause] > 1;
  auto following = [&] { return finished(execFrom(block, index, rest)); };
  Continuation next =
      leaves && !isOpen ? Continuation(following) : Continuation(nullptr);

  mlir::OpBuilder::InsertionGuard guard(*b);
  Branch branch = openBranch(node->loc, flag.asTile().value);
  frame().openArms += isOpen;
  branch.whenTrue.flow = execBlock(current.body, next);
  closeArm(branch.whenTrue, branch);
  b->setInsertionPoint(branch.draft.elseYield());
  if (clause + 1 == node->clauses.size()) {
    branch.whenFalse.flow = execBlock(node->orElse, next);
  } else if (isOpen) {
    branch.whenFalse.flow = execIf(node, clause + 1, {}, 0, nullptr);
  } else {
    branch.whenFalse.flow = execIf(node, clause + 1, block, index, rest);
    if (leaves && branch.whenFalse.flow.kind == Flow::Normal) {
      branch.whenFalse.flow = following();
    }
  }
  closeArm(branch.whenFalse, branch);
  frame().openArms -= isOpen;
  // With the arms ran what follows, perhaps.
  Flow flow =
      closeBranch(branch, leaves ? changedNames(branch) : from.names[clause]);
  if (flow.kind == Flow::Fell && (isOpen || !leaves)) {
    return Flow(); // nothing of what follows was run
  }
  if (!isOpen || !flow.may(Flow::Fell)) {
    return flow;
  }
  return afterExits(flow, node->loc, following);
}

mlir::Value Evaluator::hasEnded(const Flow &flow, ArrayRef<Flow::Kind> ways,
                                SourceLoc loc) {
  mlir::Value any;
  for (Flow::Kind way : ways) {
    mlir::Value one;
    if (flow.kind == way) {
      one = arith::ConstantOp::create(*b, location(loc), b->getBoolAttr(true));
    } else if (flow.may(way)) {
      one = flow.flags[way];
    }
    any = any && one
              ? mlir::Value(arith::OrIOp::create(*b, location(loc), any, one))
          : one ? one
                : any;
  }
  return any ? any
             : mlir::Value(arith::ConstantOp::create(*b, location(loc),
                                                     b->getBoolAttr(false)));
}

Flow Evaluator::afterExits(const Flow &flow, SourceLoc loc,
                           Continuation following) {
  mlir::Value left = hasEnded(flow, Flow::exits, loc);
  Branch again = openBranch(loc, left);
  again.whenTrue.flow = flow.among(~(1U << Flow::Fell));
  closeArm(again.whenTrue, again);
  b->setInsertionPoint(again.draft.elseYield());
  again.whenFalse.flow = following();
  closeArm(again.whenFalse, again);
  return closeBranch(again, changedNames(again));
}

Value Evaluator::evalConditional(const Conditional *node) {
  Value condition = eval(node->condition);
  if (condition.isError()) {
    return condition;
  }
  if (!condition.isTile()) {
    std::optional<bool> decided = truth(condition);
    if (!decided) {
      return fail(node->condition->loc,
                  "condition is not known at compile time: " +
                      describe(condition));
    }
    return eval(*decided ? node->whenTrue : node->whenFalse);
  }
  Value flag = tileCondition(*this, condition, node->condition->loc, "if");
  if (flag.isError()) {
    return flag;
  }
  if (!enterRegion(node->loc)) {
    return Value();
  }
  scope_exit leave([&] { --regionDepth; });
  mlir::Location at = location(node->loc);
  auto draft = scf::IfOp::create(*b, at, mlir::TypeRange(), flag.asTile().value,
                                 /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(*b);
  b->setInsertionPoint(draft.thenYield());
  Value whenTrue = sanitize(eval(node->whenTrue), node->whenTrue->loc);
  b->setInsertionPoint(draft.elseYield());
  Value whenFalse = sanitize(eval(node->whenFalse), node->whenFalse->loc);
  if (whenTrue.isError() || whenFalse.isError()) {
    return Value();
  }
  if (identical(whenTrue, whenFalse)) {
    return whenTrue;
  }
  if (!sameShape(whenTrue, whenFalse)) {
    return fail(node->loc,
                "the two values of a run-time conditional expression "
                "differ in type: " +
                    describe(whenTrue) + " and " + describe(whenFalse) +
                    "; convert one of the two");
  }
  SmallVector<mlir::Value> thenValues, elseValues;
  flatten(whenTrue, thenValues);
  flatten(whenFalse, elseValues);
  auto final = replaceDraft(draft, thenValues, elseValues);
  mlir::ValueRange results = final.getResults();
  return rebuild(whenTrue, results);
}

} // namespace tz::frontend
