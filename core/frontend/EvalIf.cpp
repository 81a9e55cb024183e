//===- EvalIf.cpp - if, early return, conditional expressions -------------===//
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
#include "core/frontend/Evaluator.h"
#include "core/frontend/TileOperators.h"

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

/// The names that an arm has set, sorted.
std::vector<StringRef> Evaluator::changedNames(const Branch &branch) {
  std::vector<StringRef> names;
  for (const Arm *arm : {&branch.whenTrue, &branch.whenFalse}) {
    for (auto &[name, binding] : arm->scope) {
      auto before = branch.before.find(name);
      if (before == branch.before.end() ||
          !identical(before->second.value, binding.value)) {
        names.push_back(name);
      }
    }
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

Evaluator::Branch Evaluator::openBranch(SourceLoc loc, mlir::Value flag) {
  auto draft = scf::IfOp::create(*b, location(loc), mlir::TypeRange(), flag,
                                 /*withElseRegion=*/true);
  Branch branch;
  branch.loc = loc;
  branch.draft = draft;
  branch.before = frame().scope;
  b->setInsertionPoint(draft.thenYield());
  return branch;
}

void Evaluator::closeArm(Arm &arm, Branch &branch) {
  if (arm.flow.kind == Flow::Normal) {
    arm.flow.kind = Flow::Fell;
  }
  arm.scope = std::move(frame().scope);
  frame().scope = branch.before;
}

/// A value of the same type that nothing reads: it stands where a path through
/// `around` gives none. What is made before `around` stands for itself.
/// `unmakable`: the error for types without constants.
Value Evaluator::placeholder(const Value &like, mlir::Operation *around,
                             SourceLoc loc, StringRef unmakable) {
  SmallVector<mlir::Value> tiles;
  flatten(like, tiles);
  for (mlir::Value &tile : tiles) {
    mlir::Type type = tile.getType();
    mlir::Location at = location(loc);
    const bool isPointer = isa<tile::PtrType>(tile::elementType(type));
    if (!around->isAncestor(tile.getParentBlock()->getParentOp())) {
      continue;
    }
    if (isa<tile::ViewType>(type)) {
      return fail(loc, unmakable.str());
    }
    if (isPointer) {
      type = isa<mlir::RankedTensorType>(type)
                 ? mlir::Type(mlir::RankedTensorType::get(tile::shapeOf(type),
                                                          b->getI64Type()))
                 : mlir::Type(b->getI64Type());
    }
    mlir::Type pointers = tile.getType();
    tile = arith::ConstantOp::create(
        *b, at, cast<mlir::TypedAttr>(b->getZeroAttr(type)));
    if (isPointer) {
      tile = tile::IntToPtrOp::create(*b, at, pointers, tile);
    }
  }
  mlir::ValueRange values(tiles);
  return rebuild(like, values);
}

/// The values of a name, or of what is returned, at the end of both arms.
struct Evaluator::Leaving {
  StringRef name;
  Value whenTrue, whenFalse;
  SourceLoc loc;
};

/// What is returned; false after an error.
bool Evaluator::mergeReturned(Branch &branch, SmallVectorImpl<Leaving> &leaving,
                              Flow &result) {
  auto returns = [](const Arm &arm) { return arm.flow.may(Flow::Return); };
  auto in = [&](mlir::Operation *yield, auto make) {
    mlir::OpBuilder::InsertionGuard guard(*b);
    b->setInsertionPoint(yield);
    return make();
  };
  Value a = branch.whenTrue.flow.value, c = branch.whenFalse.flow.value;
  if ((returns(branch.whenTrue) && a.isError()) ||
      (returns(branch.whenFalse) && c.isError())) {
    result = {Flow::Return, Value()};
    return false;
  }
  if (!returns(branch.whenTrue)) {
    a = in(branch.draft.thenYield(), [&] {
      return placeholder(c, branch.draft, branch.loc, ReturnedView);
    });
  } else if (!returns(branch.whenFalse)) {
    c = in(branch.draft.elseYield(), [&] {
      return placeholder(a, branch.draft, branch.loc, ReturnedView);
    });
  }
  if (identical(a, c)) {
    result.value = a;
    return true;
  }
  a = in(branch.draft.thenYield(), [&] { return sanitize(a, branch.loc); });
  c = in(branch.draft.elseYield(), [&] { return sanitize(c, branch.loc); });
  if (a.isError() || c.isError()) {
    result = {Flow::Return, Value()};
    return false;
  }
  if (!sameShape(a, c)) {
    fail(branch.loc, "returned values differ in type: " + describe(a) +
                         " on one path, " + describe(c) +
                         " on another; return one type on every path");
    result = {Flow::Return, Value()};
    return false;
  }
  leaving.push_back({{}, a, c, branch.loc});
  return true;
}

/// A name after both arms: bound at once, or put into `leaving`.
void Evaluator::mergeName(StringRef name, Branch &branch,
                          SmallVectorImpl<Leaving> &leaving) {
  auto thenIt = branch.whenTrue.scope.find(name);
  auto elseIt = branch.whenFalse.scope.find(name);
  const bool noThen = thenIt == branch.whenTrue.scope.end();
  const bool noElse = elseIt == branch.whenFalse.scope.end();
  auto unset = [&](std::vector<Note> origins, std::string reason) {
    SourceLoc where = origins.back().loc;
    frame().scope[name] =
        Binding{Value::unset(std::move(origins), std::move(reason)), where};
  };
  // Where one arm has returned, the other alone says what the name is.
  const bool thenGone = branch.whenTrue.flow.kind == Flow::Return;
  const bool elseGone = branch.whenFalse.flow.kind == Flow::Return;
  if (thenGone || elseGone) {
    if (thenGone ? noElse : noThen) {
      frame().scope.erase(name);
      return;
    }
    Binding live = thenGone ? elseIt->second : thenIt->second;
    auto before = branch.before.find(name);
    SmallVector<mlir::Value> tiles;
    flatten(live.value, tiles);
    if (tiles.empty() || (before != branch.before.end() &&
                          identical(before->second.value, live.value))) {
      frame().scope[name] = live;
      return;
    }
    mlir::OpBuilder::InsertionGuard guard(*b);
    b->setInsertionPoint(thenGone ? branch.draft.thenYield()
                                  : branch.draft.elseYield());
    Value none = before != branch.before.end() &&
                         sameShape(before->second.value, live.value)
                     ? before->second.value
                     : placeholder(live.value, branch.draft, live.loc,
                                   "a block pointer or descriptor that is set "
                                   "on one path of a run-time if beside a "
                                   "return cannot be used after it; set it "
                                   "before the if");
    if (none.isError()) {
      frame().scope[name] = Binding{Value(), live.loc};
      return;
    }
    leaving.push_back({name, thenGone ? none : live.value,
                       thenGone ? live.value : none, live.loc});
    return;
  }
  if (noThen && noElse) {
    return;
  }
  if (noThen || noElse) {
    unset(
        {{noThen ? elseIt->second.loc : thenIt->second.loc, "it is set here"}},
        "is set only on one path of a run-time if, it has no value when "
        "the condition is " +
            std::string(noThen ? "true" : "false") +
            "; set it before the if or on both paths");
    return;
  }
  const Binding &a = thenIt->second, &c = elseIt->second;
  if (a.value.isError() || c.value.isError()) {
    frame().scope[name] = Binding{Value(), a.loc};
  } else if (identical(a.value, c.value)) {
    frame().scope[name] = a;
  } else if (a.value.is(ValueKind::Unset) || c.value.is(ValueKind::Unset)) {
    frame().scope[name] = a.value.is(ValueKind::Unset) ? a : c;
  } else if (sameShape(a.value, c.value)) {
    leaving.push_back({name, a.value, c.value, a.loc});
  } else {
    unset({{a.loc, "it is " + describe(a.value) + " from here"},
           {c.loc, "it is " + describe(c.value) + " from here"}},
          "has different types on the two paths of a run-time if: " +
              describe(a.value) + " if the condition holds, " +
              describe(c.value) + " otherwise; give it one type on both paths");
  }
}

/// Gives the scf.if its results: what is returned, how it ended, and `names`.
Flow Evaluator::closeBranch(Branch &branch, ArrayRef<StringRef> names) {
  const Flow &a = branch.whenTrue.flow, &c = branch.whenFalse.flow;
  Flow result;
  result.setWays(a.ways() | c.ways());
  SmallVector<Leaving, 4> leaving;
  if (result.may(Flow::Return) && !mergeReturned(branch, leaving, result)) {
    return result;
  }
  if (result.kind != Flow::Return) {
    for (StringRef name : names) {
      mergeName(name, branch, leaving);
    }
  }
  // Of each tile that leaves: its value, or null for the next result.
  SmallVector<mlir::Value> merged, whenFalse, thenValues, elseValues;
  for (const Leaving &item : leaving) {
    flatten(item.whenTrue, merged);
    flatten(item.whenFalse, whenFalse);
  }
  for (auto [tile, other] : zip_equal(merged, whenFalse)) {
    if (tile != other) {
      thenValues.push_back(std::exchange(tile, nullptr));
      elseValues.push_back(other);
    }
  }
  SmallVector<Flow::Kind, 3> flagged;
  for (Flow::Kind way : Flow::exits) {
    if (result.kind == Flow::Mixed && result.may(way)) {
      flagged.push_back(way);
      b->setInsertionPoint(branch.draft.thenYield());
      thenValues.push_back(hasEnded(a, way, branch.loc));
      b->setInsertionPoint(branch.draft.elseYield());
      elseValues.push_back(hasEnded(c, way, branch.loc));
    }
  }
  b->setInsertionPointAfter(branch.draft);
  mlir::ValueRange results;
  if (!thenValues.empty()) {
    results = replaceDraft(branch.draft, thenValues, elseValues).getResults();
  }
  for (mlir::Value &tile : merged) {
    if (!tile) {
      tile = results.front();
      results = results.drop_front();
    }
  }
  mlir::ValueRange tiles(merged);
  for (const Leaving &item : leaving) {
    Value left = rebuild(item.whenTrue, tiles);
    if (item.name.empty()) {
      result.value = left;
    } else {
      frame().scope[item.name] = Binding{left, item.loc};
    }
  }
  for (Flow::Kind way : flagged) {
    result.flags[way] = results.front();
    results = results.drop_front();
  }
  return result;
}

/// The draft with results; the builder stands behind it.
scf::IfOp Evaluator::replaceDraft(scf::IfOp draft,
                                  ArrayRef<mlir::Value> thenValues,
                                  ArrayRef<mlir::Value> elseValues) {
  b->setInsertionPoint(draft);
  auto final = scf::IfOp::create(*b, draft.getLoc(),
                                 mlir::ValueRange(thenValues).getTypes(),
                                 draft.getCondition(), /*withElseRegion=*/true);
  final.getThenRegion().takeBody(draft.getThenRegion());
  final.getElseRegion().takeBody(draft.getElseRegion());
  final.thenYield()->setOperands(thenValues);
  final.elseYield()->setOperands(elseValues);
  draft.erase();
  b->setInsertionPointAfter(final);
  return final;
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
