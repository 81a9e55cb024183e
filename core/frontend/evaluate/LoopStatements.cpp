//===- LoopStatements.cpp - for and while ---------------------------------===//
//
// What   Loops that run to their end; what a loop carries.
// Why    See LoopStatements.h; loops that are left early: LoopExits.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/LoopStatements.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/FlatValues.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/TileOperators.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

/// Whether any part of the value is a tile.
static bool hasTiles(const Value &value) {
  WorkBudget::Level level;
  if (!level) {
    return false;
  }
  return value.isTile() ||
         (value.isSequence() && any_of(value.items(), hasTiles));
}

std::vector<LoopStatements::Carried>
LoopStatements::carriedNames(ArrayRef<StringRef> assigned,
                             SmallVectorImpl<mlir::Value> &flat) {
  std::vector<Carried> carried;
  for (StringRef name : assigned) {
    auto it = ev.frame().scope.find(name);
    if (it == ev.frame().scope.end() || it->second.value.is(ValueKind::Unset)) {
      continue; // local to the loop, perhaps of an earlier one too
    }
    if (it->second.value.isFolded) { // a variable again from here on
      it->second.value = ev.sanitize(it->second.value, it->second.loc);
    }
    Carried item{name, it->second, unsigned(flat.size()), 0};
    flatten(item.before.value, flat);
    item.count = flat.size() - item.begin;
    carried.push_back(std::move(item));
  }
  return carried;
}

void LoopStatements::bindCarried(ArrayRef<Carried> carried,
                                 mlir::ValueRange values) {
  for (const Carried &item : carried) {
    mlir::ValueRange part = values.slice(item.begin, item.count);
    ev.frame().scope[item.name].value = rebuild(item.before.value, part);
  }
}

/// The values at the end of the body; false after an error.
bool LoopStatements::collectCarried(ArrayRef<Carried> carried,
                                    SmallVectorImpl<mlir::Value> &flat,
                                    SourceLoc loopLoc) {
  bool valid = true;
  for (const Carried &item : carried) {
    const Binding &now = ev.frame().scope[item.name];
    if (now.value.isError() || item.before.value.isError()) {
      valid = false;
    } else if (sameShape(now.value, item.before.value)) {
      flatten(now.value, flat);
    } else if (now.value.is(ValueKind::Unset)) {
      auto error = ev.diagnostics().error(now.loc, "loop-carried variable '" +
                                                       item.name + "' " +
                                                       now.value.reason().text);
      for (const Note &origin : now.value.reason().origins) {
        error.note(origin.loc, origin.message);
      }
      valid = false;
    } else if (!hasTiles(item.before.value) &&
               !item.before.value.isSequence()) {
      ev.diagnostics()
          .error(now.loc, "'" + item.name + "' is " +
                              describe(item.before.value) +
                              " at compile time and is reassigned in a "
                              "run-time loop")
          .note(item.before.loc, "its compile-time value is set here; leave "
                                 "out tl.constexpr to make it a variable");
      valid = false;
    } else {
      ev.diagnostics()
          .error(now.loc, "loop-carried variable '" + item.name +
                              "' changes type: " + describe(item.before.value) +
                              " before the loop, " + describe(now.value) +
                              " after one iteration; give it the later type "
                              "before the loop")
          .note(item.before.loc,
                "its type before the loop is " + describe(item.before.value));
      valid = false;
    }
  }
  return valid;
}

/// After the loop: carried names hold its results, names first set inside it
/// may never have been set.
void LoopStatements::leaveLoop(const Scope &before, ArrayRef<Carried> carried,
                               mlir::ValueRange results) {
  Scope inside = std::move(ev.frame().scope);
  ev.frame().scope = before;
  for (auto &[name, binding] : inside) {
    if (!before.count(name)) {
      ev.frame().scope[name] = Binding{
          binding.value.isError()
              ? Value()
              : Value::unset({{binding.loc, "it is set here"}},
                             "is first set inside a run-time loop, which may "
                             "not run at all; set it before the loop"),
          binding.loc};
    }
  }
  for (const Carried &item : carried) {
    Binding binding = inside[item.name];
    if (!results.empty() || item.count == 0) {
      mlir::ValueRange part =
          results.slice(item.count ? item.begin : 0, item.count);
      binding.value = rebuild(item.before.value, part);
    } else {
      binding.value = Value();
    }
    binding.loc = item.before.loc;
    ev.frame().scope[item.name] = binding;
  }
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

Flow LoopStatements::giveUp(Block body, SourceLoc loc) {
  for (StringRef name : assignedNames(body)) {
    ev.bind(name, Value(), loc);
  }
  return Flow();
}

Flow LoopStatements::runFor(const For *node, Continuation following) {
  if (!node->orElse.empty()) {
    refuseElse(node->loc);
  }
  Value iterable = ev.eval(node->iterable);
  if (iterable.isError()) {
    return giveUp(node->body, node->loc);
  }
  if (!iterable.is(ValueKind::Range)) {
    ev.fail(
        node->iterable->loc,
        "a kernel's 'for' runs over range, tl.range or tl.static_range, not "
        "over " +
            describe(iterable));
    return giveUp(node->body, node->loc);
  }
  const RangeObject &range = iterable.asRange();
  if (range.kind != RangeObject::Static) {
    return afterLoop(runtimeFor(node, range), node->loc, following);
  }
  std::optional<std::vector<Value>> items = staticItems(node, range);
  if (!items) {
    return giveUp(node->body, node->loc);
  }
  if (!mayLeave(node->body)) {
    return staticFor(node, *items, nullptr);
  }
  if (mayLeave(node) && !leavesLoop(node->body)) {
    return staticFor(node, *items, following);
  }
  return afterLoop(unrolledFor(node, *items), node->loc, following);
}

std::optional<std::vector<Value>>
LoopStatements::staticItems(const For *node, const RangeObject &range) {
  SourceLoc loc = node->iterable->loc;
  for (const Value *part : {&range.start, &range.stop, &range.step}) {
    if (part->isTile() || !part->isIntegral()) {
      ev.fail(loc, "bounds of tl.static_range must be integers "
                   "known at compile time, found " +
                       describe(*part));
      return std::nullopt;
    }
  }
  PyInt start = range.start.asInt(), stop = range.stop.asInt();
  PyInt step = range.step.asInt();
  if (step == 0) {
    ev.fail(loc, "step of a loop is zero");
    return std::nullopt;
  }
  std::vector<Value> items;
  for (PyInt i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (!ev.bounds().unrolledIteration(loc)) {
      return std::nullopt;
    }
    items.push_back(Value::integer(i));
  }
  return items;
}

Flow LoopStatements::staticFor(const For *node, ArrayRef<Value> items,
                               Continuation rest) {
  if (!rest) {
    for (const Value &item : items) {
      if (ev.bounds().isStopped()) {
        break;
      }
      ev.assign(node->target, item, node->target->loc, true);
      statements.block(node->body, nullptr);
    }
    return Flow();
  }
  // An iteration may return at run time: the following ones are its rest.
  if (items.empty()) {
    return rest();
  }
  ev.assign(node->target, items.front(), node->target->loc, true);
  auto next = [&]() -> Flow {
    return staticFor(node, items.drop_front(), rest);
  };
  return statements.block(node->body, next);
}

Flow LoopStatements::runtimeFor(const For *node, const RangeObject &range) {
  if (!isa<Name>(node->target)) {
    ev.fail(node->target->loc, "the loop variable of a range must be one name");
    return giveUp(node->body, node->loc);
  }
  std::optional<LoopBounds> counted = loopBoundsOf(node, range);
  if (!counted) {
    return giveUp(node->body, node->loc);
  }
  EvaluationBounds::Level level = ev.bounds().region(node->loc);
  if (!level) {
    return giveUp(node->body, node->loc);
  }
  if (containsBreak(node->body) || containsReturn(node->body)) {
    return leftLoop(node, *counted);
  }
  countedLoop(node, range, *counted);
  return Flow();
}

std::optional<LoopStatements::LoopBounds>
LoopStatements::loopBoundsOf(const For *node, const RangeObject &range) {
  Value start = range.start, stop = range.stop, step = range.step;
  LoopBounds counted;
  if (step.isIntegral()) {
    if (step.asInt() == 0) {
      ev.fail(node->iterable->loc, "step of a loop is zero");
      return std::nullopt;
    }
    counted.isNegative = step.asInt() < 0;
    if (counted.isNegative) {
      step = Value::integer(-step.asInt());
      std::swap(start, stop);
    }
  }
  auto values = tileLoopBounds(ev, start, stop, step, node->iterable->loc);
  if (!values) {
    return std::nullopt;
  }
  std::tie(counted.lower, counted.upper, counted.step) =
      std::tuple((*values)[0], (*values)[1], (*values)[2]);
  return counted;
}

/// Binds the loop variable for a counter that runs from lower to upper.
void LoopStatements::bindIndex(const For *node, const LoopBounds &counted,
                               mlir::Value counter) {
  Value index = Value::tile({counter, counted.lower.type});
  if (counted.isNegative) {
    // Runs upwards from stop; i = start - (i' - stop).
    Value last = Value::tile(counted.upper);
    Value first = Value::tile(counted.lower);
    index = ev.binary(Tok::Plus, ev.binary(Tok::Minus, last, index, node->loc),
                      first, node->loc);
  }
  StringRef target = cast<Name>(node->target)->id;
  ev.notes().name(target, index, node->target->loc);
  ev.frame().scope[target] = Binding{index, node->target->loc};
}

std::vector<StringRef>
LoopStatements::assignedInLoop(const For *node, const LoopBounds &counted) {
  std::vector<StringRef> assigned = assignedNames(node->body);
  StringRef target = cast<Name>(node->target)->id;
  llvm::erase(assigned, target);
  if (!isReadBehindLoops(target)) {
    return assigned;
  }
  Binding &binding = ev.frame().scope[target];
  const Value first =
      Value::tile(counted.isNegative ? counted.upper : counted.lower);
  if (binding.value.is(ValueKind::Unset)) {
    return assigned; // if the loop does not run, it is as before: an error
  }
  if (binding.value.isError()) {
    // Never set: if the loop does not run, what it would begin with.
    binding = Binding{first, node->target->loc};
  }
  Value before = ev.sanitize(binding.value, binding.loc);
  if (!sameShape(before, first)) {
    Note origin{binding.loc, "it is " + describe(binding.value) +
                                 " before the loop, from here"};
    binding.value = Value::unset(
        {origin}, "is " + describe(first) +
                      " as the variable of a run-time loop, and of another "
                      "type before it; give the two one type");
    return assigned;
  }
  binding.value = before;
  assigned.push_back(target);
  return assigned;
}

void LoopStatements::countedLoop(const For *node, const RangeObject &range,
                                 const LoopBounds &counted) {
  SourceLoc loc = node->loc;
  SmallVector<mlir::Value> inits;
  std::vector<Carried> carried =
      carriedNames(assignedInLoop(node, counted), inits);
  Scope before = ev.frame().scope;
  mlir::Location at = ev.location(loc);
  auto loop = scf::ForOp::create(
      ev.builder(), at, counted.lower.value, counted.upper.value,
      counted.step.value, inits, /*bodyBuilder=*/nullptr,
      /*unsignedCmp=*/!isSigned(counted.lower.type.elem));
  for (auto &[name, value] : range.hints) {
    if (value.is(ValueKind::Bool)) {
      if (value.asBool()) {
        loop->setAttr("tile." + name, ev.builder().getUnitAttr());
      }
    } else if (value.is(ValueKind::Int)) {
      loop->setAttr("tile." + name,
                    ev.builder().getI32IntegerAttr(
                        int32_t(std::min<PyInt>(value.asInt(), 1 << 20))));
    }
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  mlir::Block *body = loop.getBody();
  // Without results the builder has already put a terminator.
  if (!body->empty()) {
    body->back().erase();
  }
  ev.builder().setInsertionPointToEnd(body);
  bindCarried(carried, loop.getRegionIterArgs());
  bindIndex(node, counted, loop.getInductionVar());
  runBody(node->body);

  SmallVector<mlir::Value> yields;
  bool valid = collectCarried(carried, yields, loc);
  if (!valid) {
    yields.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
  }
  scf::YieldOp::create(ev.builder(), at, yields);
  leaveLoop(before, carried,
            valid ? mlir::ValueRange(loop.getResults()) : mlir::ValueRange());
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// The condition as a run-time value; null if it is false at compile time or
/// after an error. `isLeft`: the loop may end otherwise.
mlir::Value LoopStatements::conditionHolds(const While *node, bool isLeft) {
  Value condition = ev.eval(node->condition);
  if (condition.isError()) {
    return mlir::Value();
  }
  if (condition.isTile()) {
    Value flag = tileCondition(ev, condition, node->condition->loc, "while");
    return flag.isError() ? mlir::Value() : flag.asTile().value;
  }
  std::optional<bool> decided = truth(condition);
  if (decided && !*decided) {
    return mlir::Value();
  }
  if (decided && isLeft) {
    return branches.hasEnded({Flow::Break, {}}, Flow::Break, node->loc);
  }
  ev.fail(node->condition->loc,
          decided ? "the condition of 'while' holds at compile time (" +
                        describe(condition) +
                        ") and nothing leaves the loop: use a run-time value, "
                        "or break"
                  : "condition of 'while' is neither known at compile time nor "
                    "a run-time scalar: " +
                        describe(condition));
  return mlir::Value();
}

/// The same in the loop's first region. `live`: whether it is asked.
mlir::Value LoopStatements::whileCondition(const While *node,
                                           mlir::Value live) {
  if (!live) {
    return conditionHolds(node, false);
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  RuntimeBranches::Branch asked = branches.open(node->loc, live);
  TileType boolean;
  boolean.elem = DType::I1;
  auto closeArm = [&](mlir::Value holds, RuntimeBranches::Arm &arm) {
    ev.frame().scope[RuntimeBranches::ValueName] = {
        Value::tile({holds, boolean}), node->loc};
    branches.closeArm(arm, asked);
  };
  mlir::Value holds = conditionHolds(node, true);
  if (!holds) {
    return mlir::Value();
  }
  closeArm(holds, asked.whenTrue);
  ev.builder().setInsertionPoint(asked.draft.elseYield());
  closeArm(branches.hasEnded(Flow(), {}, node->loc), asked.whenFalse);
  return branches.closeWithValue(asked).asTile().value;
}

/// What the condition sets is known in the body, if it was set before the loop.
void LoopStatements::forgetOfCondition(const While *node, const Scope &before) {
  for (StringRef name : assignedNames(node->condition)) {
    auto known = before.find(name);
    if (known == before.end() || known->second.value.is(ValueKind::Unset)) {
      Note origin{node->condition->loc, "it is set here"};
      ev.frame().scope[name] = Binding{
          Value::unset({origin}, "is first set in the condition of a run-time "
                                 "'while'; set it before the loop"),
          node->condition->loc};
    }
  }
}

Flow LoopStatements::runWhile(const While *node, Continuation following) {
  return afterLoop(runtimeWhile(node), node->loc, following);
}

/// The names that the condition and the body assign.
std::vector<StringRef> LoopStatements::assignedInLoop(const While *node) {
  std::vector<StringRef> assigned = assignedNames(node->condition);
  for (StringRef name : assignedNames(node->body)) {
    if (!is_contained(assigned, name)) {
      assigned.push_back(name);
    }
  }
  return assigned;
}

Flow LoopStatements::runtimeWhile(const While *node) {
  SourceLoc loc = node->loc;
  if (!node->orElse.empty()) {
    refuseElse(loc);
  }
  EvaluationBounds::Level level = ev.bounds().region(loc);
  if (!level) {
    return Flow();
  }
  const bool isLeft = containsBreak(node->body) || containsReturn(node->body);
  mlir::Location at = ev.location(loc);
  SmallVector<mlir::Value> inits;
  if (isLeft) { // whether it goes on
    inits.push_back(branches.hasEnded({Flow::Break, {}}, Flow::Break, loc));
  }
  std::vector<Carried> carried = carriedNames(assignedInLoop(node), inits);
  Scope before = ev.frame().scope;
  mlir::TypeRange types = mlir::ValueRange(inits).getTypes();
  auto loop = scf::WhileOp::create(ev.builder(), at, types, inits);
  mlir::OpBuilder::InsertionGuard guard(ev.builder());
  SmallVector<mlir::Location> locs(inits.size(), at);

  mlir::Block *test =
      ev.builder().createBlock(&loop.getBefore(), {}, types, locs);
  bindCarried(carried, test->getArguments());
  const size_t errors = ev.diagnostics().errorCount();
  mlir::Value holds =
      whileCondition(node, isLeft ? test->getArgument(0) : mlir::Value());
  if (!holds) {
    ev.frame().scope = before;
    if (ev.diagnostics().errorCount() != errors || ev.bounds().isStopped()) {
      // Keep the IR whole; nothing of it is used after an error.
      giveUp(node->body, loc);
    }
    loop.erase();
    return Flow();
  }
  SmallVector<mlir::Value> passed;
  if (isLeft) {
    passed.push_back(test->getArgument(0));
  }
  if (!collectCarried(carried, passed, loc)) {
    passed.assign(test->args_begin(), test->args_end());
  }
  scf::ConditionOp::create(ev.builder(), at, holds, passed);

  mlir::Block *body =
      ev.builder().createBlock(&loop.getAfter(), {}, types, locs);
  ev.frame().scope = before;
  bindCarried(carried, body->getArguments());
  forgetOfCondition(node, before);
  Flow flow = runBody(node->body);
  SmallVector<mlir::Value> yields;
  if (isLeft) {
    yields.push_back(goesOn(flow, loc));
  }
  return closeWhile(loop, flow, yields, before, carried, loc);
}

} // namespace tz::frontend
