//===- LoopStatements.cpp - for and while ---------------------------------===//
//
// What   Run-time loops become scf.for and scf.while that carry the names
//        which the body assigns; static_range loops are unrolled here. Loops
//        that are left early, by break or return: LoopExits.cpp.
// Why    A name that changes type from one iteration to the next has no meaning
//        in structured control flow: that is found here, with both places.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/TileOperators.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

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

std::vector<Evaluator::Carried>
Evaluator::carriedNames(ArrayRef<StringRef> assigned,
                        SmallVectorImpl<mlir::Value> &flat) {
  std::vector<Carried> carried;
  for (StringRef name : assigned) {
    auto it = frame().scope.find(name);
    if (it == frame().scope.end() || it->second.value.is(ValueKind::Unset)) {
      continue; // local to the loop, perhaps of an earlier one too
    }
    if (it->second.foldedArgument) {
      // An argument that was 1: a variable again from here on.
      it->second.value = sanitize(it->second.value, it->second.loc);
      it->second.foldedArgument = false;
    }
    Carried item{name, it->second, unsigned(flat.size()), 0};
    flatten(item.before.value, flat);
    item.count = flat.size() - item.begin;
    carried.push_back(std::move(item));
  }
  return carried;
}

void Evaluator::bindCarried(ArrayRef<Carried> carried,
                            mlir::ValueRange values) {
  for (const Carried &item : carried) {
    mlir::ValueRange part = values.slice(item.begin, item.count);
    frame().scope[item.name].value = rebuild(item.before.value, part);
  }
}

/// The values at the end of the body; false after an error.
bool Evaluator::collectCarried(ArrayRef<Carried> carried,
                               SmallVectorImpl<mlir::Value> &flat,
                               SourceLoc loopLoc) {
  bool valid = true;
  for (const Carried &item : carried) {
    const Binding &now = frame().scope[item.name];
    if (now.value.isError() || item.before.value.isError()) {
      valid = false;
    } else if (sameShape(now.value, item.before.value)) {
      flatten(now.value, flat);
    } else if (now.value.is(ValueKind::Unset)) {
      auto error = sink.error(now.loc, "loop-carried variable '" + item.name +
                                           "' " + now.value.reason().text);
      for (const Note &origin : now.value.reason().origins) {
        error.note(origin.loc, origin.message);
      }
      valid = false;
    } else if (!hasTiles(item.before.value) &&
               !item.before.value.isSequence()) {
      sink.error(now.loc, "'" + item.name + "' is " +
                              describe(item.before.value) +
                              " at compile time and is reassigned in a "
                              "run-time loop")
          .note(item.before.loc, "its compile-time value is set here; leave "
                                 "out tl.constexpr to make it a variable");
      valid = false;
    } else {
      sink.error(now.loc, "loop-carried variable '" + item.name +
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
void Evaluator::leaveLoop(const Scope &before, ArrayRef<Carried> carried,
                          mlir::ValueRange results) {
  Scope inside = std::move(frame().scope);
  frame().scope = before;
  for (auto &[name, binding] : inside) {
    if (!before.count(name)) {
      frame().scope[name] = Binding{
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
    frame().scope[item.name] = binding;
  }
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

Flow Evaluator::execFor(const For *node, Block block, size_t index,
                        Continuation rest) {
  if (!node->orElse.empty()) {
    refuseElse(node->loc);
  }
  Value iterable = eval(node->iterable);
  auto giveUp = [&] {
    for (StringRef name : assignedNames(node->body)) {
      bind(name, Value(), node->loc);
    }
    return Flow();
  };
  if (iterable.isError()) {
    return giveUp();
  }
  if (!iterable.is(ValueKind::Range)) {
    fail(node->iterable->loc,
         "a kernel's 'for' runs over range, tl.range or tl.static_range, not "
         "over " +
             describe(iterable));
    return giveUp();
  }
  auto following = [&] { return finished(execFrom(block, index, rest)); };
  const RangeObject &range = iterable.asRange();
  if (range.kind != RangeObject::Static) {
    return afterLoop(runtimeFor(node, range), node->loc, following);
  }
  const Value *parts[] = {&range.start, &range.stop, &range.step};
  for (const Value *part : parts) {
    if (part->isTile() || !part->isIntegral()) {
      fail(node->iterable->loc, "bounds of tl.static_range must be integers "
                                "known at compile time, found " +
                                    describe(*part));
      return giveUp();
    }
  }
  PyInt start = range.start.asInt(), stop = range.stop.asInt();
  PyInt step = range.step.asInt();
  if (step == 0) {
    fail(node->iterable->loc, "step of a loop is zero");
    return giveUp();
  }
  std::vector<Value> items;
  for (PyInt i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (++iterations > bounds.unrolledIterations) {
      stopped = true;
      sink.error(node->iterable->loc,
                 "static loops run more than " +
                     Twine(bounds.unrolledIterations) +
                     " iterations (limit of unrolled iterations)");
      return giveUp();
    }
    items.push_back(Value::integer(i));
  }
  if (!mayLeave(node->body)) {
    return staticFor(node, items, nullptr);
  }
  if (mayLeave(node) && !leavesLoop(node->body)) {
    return staticFor(node, items, following);
  }
  return afterLoop(unrolledFor(node, items), node->loc, following);
}

Flow Evaluator::staticFor(const For *node, ArrayRef<Value> items,
                          Continuation rest) {
  if (!rest) {
    for (const Value &item : items) {
      if (stopped) {
        break;
      }
      assign(node->target, item, node->target->loc, true);
      execBlock(node->body, nullptr);
    }
    return Flow();
  }
  // An iteration may return at run time: the following ones are its rest.
  if (items.empty()) {
    return rest();
  }
  assign(node->target, items.front(), node->target->loc, true);
  auto next = [&]() -> Flow {
    return staticFor(node, items.drop_front(), rest);
  };
  return execBlock(node->body, next);
}

Flow Evaluator::runtimeFor(const For *node, const RangeObject &range) {
  SourceLoc loc = node->loc;
  auto giveUp = [&] {
    for (StringRef name : assignedNames(node->body)) {
      bind(name, Value(), loc);
    }
    return Flow();
  };
  if (!isa<Name>(node->target)) {
    fail(node->target->loc, "the loop variable of a range must be one name");
    return giveUp();
  }
  std::optional<LoopBounds> counted = loopBoundsOf(node, range);
  if (!counted || !enterRegion(node->loc)) {
    return giveUp();
  }
  scope_exit leave([&] { --regionDepth; });
  if (containsBreak(node->body) || containsReturn(node->body)) {
    return leftLoop(node, *counted);
  }
  countedLoop(node, range, *counted);
  return Flow();
}

std::optional<Evaluator::LoopBounds>
Evaluator::loopBoundsOf(const For *node, const RangeObject &range) {
  Value start = range.start, stop = range.stop, step = range.step;
  LoopBounds counted;
  if (step.isIntegral()) {
    if (step.asInt() == 0) {
      fail(node->iterable->loc, "step of a loop is zero");
      return std::nullopt;
    }
    counted.isNegative = step.asInt() < 0;
    if (counted.isNegative) {
      step = Value::integer(-step.asInt());
      std::swap(start, stop);
    }
  }
  auto values = tileLoopBounds(*this, start, stop, step, node->iterable->loc);
  if (!values) {
    return std::nullopt;
  }
  std::tie(counted.lower, counted.upper, counted.step) =
      std::tuple((*values)[0], (*values)[1], (*values)[2]);
  return counted;
}

/// Binds the loop variable for a counter that runs from lower to upper.
void Evaluator::bindIndex(const For *node, const LoopBounds &counted,
                          mlir::Value counter) {
  Value index = Value::tile({counter, counted.lower.type});
  if (counted.isNegative) {
    // Runs upwards from stop; i = start - (i' - stop).
    Value last = Value::tile(counted.upper);
    Value first = Value::tile(counted.lower);
    index = binary(Tok::Plus, binary(Tok::Minus, last, index, node->loc), first,
                   node->loc);
  }
  StringRef target = cast<Name>(node->target)->id;
  noteName(target, index, node->target->loc);
  frame().scope[target] = Binding{index, node->target->loc};
}

std::vector<StringRef> Evaluator::assignedInLoop(const For *node,
                                                 const LoopBounds &counted) {
  std::vector<StringRef> assigned = assignedNames(node->body);
  StringRef target = cast<Name>(node->target)->id;
  llvm::erase(assigned, target);
  if (!isReadBehindLoops(target)) {
    return assigned;
  }
  Binding &binding = frame().scope[target];
  const Value first =
      Value::tile(counted.isNegative ? counted.upper : counted.lower);
  if (binding.value.isError() || binding.value.is(ValueKind::Unset)) {
    // If the loop does not run, what it would begin with.
    binding = Binding{first, node->target->loc};
  }
  Value before = sanitize(binding.value, binding.loc);
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
  binding.foldedArgument = false;
  assigned.push_back(target);
  return assigned;
}

void Evaluator::countedLoop(const For *node, const RangeObject &range,
                            const LoopBounds &counted) {
  SourceLoc loc = node->loc;
  SmallVector<mlir::Value> inits;
  std::vector<Carried> carried =
      carriedNames(assignedInLoop(node, counted), inits);
  Scope before = frame().scope;
  mlir::Location at = location(loc);
  auto loop =
      scf::ForOp::create(*b, at, counted.lower.value, counted.upper.value,
                         counted.step.value, inits, /*bodyBuilder=*/nullptr,
                         /*unsignedCmp=*/!isSigned(counted.lower.type.elem));
  for (auto &[name, value] : range.hints) {
    if (value.is(ValueKind::Bool)) {
      if (value.asBool()) {
        loop->setAttr("tile." + name, b->getUnitAttr());
      }
    } else if (value.is(ValueKind::Int)) {
      loop->setAttr("tile." + name,
                    b->getI32IntegerAttr(
                        int32_t(std::min<PyInt>(value.asInt(), 1 << 20))));
    }
  }
  mlir::OpBuilder::InsertionGuard guard(*b);
  mlir::Block *body = loop.getBody();
  // Without results the builder has already put a terminator.
  if (!body->empty()) {
    body->back().erase();
  }
  b->setInsertionPointToEnd(body);
  bindCarried(carried, loop.getRegionIterArgs());
  bindIndex(node, counted, loop.getInductionVar());
  execBody(node->body);

  SmallVector<mlir::Value> yields;
  bool valid = collectCarried(carried, yields, loc);
  if (!valid) {
    yields.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
  }
  scf::YieldOp::create(*b, at, yields);
  leaveLoop(before, carried,
            valid ? mlir::ValueRange(loop.getResults()) : mlir::ValueRange());
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// The condition as a run-time value in the loop's first region; null if it is
/// false at compile time or after an error. `live`: whether it is asked.
mlir::Value Evaluator::whileCondition(const While *node, mlir::Value live) {
  mlir::Location at = location(node->loc);
  scf::IfOp asked;
  mlir::OpBuilder::InsertionGuard guard(*b);
  if (live) {
    asked = scf::IfOp::create(*b, at, b->getI1Type(), live,
                              /*withElseRegion=*/true);
    b->setInsertionPointToEnd(asked.elseBlock());
    scf::YieldOp::create(*b, at, hasEnded(Flow(), {}, node->loc));
    b->setInsertionPointToEnd(asked.thenBlock());
  }
  Value condition = eval(node->condition);
  if (condition.isError()) {
    return mlir::Value();
  }
  mlir::Value holds;
  if (condition.isTile()) {
    Value flag = tileCondition(*this, condition, node->condition->loc, "while");
    if (flag.isError()) {
      return mlir::Value();
    }
    holds = flag.asTile().value;
  } else if (std::optional<bool> decided = truth(condition);
             decided && !*decided) {
    return mlir::Value();
  } else if (decided && live) {
    holds = hasEnded({Flow::Break, {}}, Flow::Break, node->loc);
  } else {
    fail(node->condition->loc,
         decided ? "the condition of 'while' holds at compile time (" +
                       describe(condition) +
                       ") and nothing leaves the loop: use a run-time value, "
                       "or break"
                 : "condition of 'while' is neither known at compile time nor "
                   "a run-time scalar: " +
                       describe(condition));
    return mlir::Value();
  }
  if (!live) {
    return holds;
  }
  scf::YieldOp::create(*b, at, holds);
  return asked.getResult(0);
}

Flow Evaluator::runtimeWhile(const While *node) {
  SourceLoc loc = node->loc;
  if (!node->orElse.empty()) {
    refuseElse(loc);
  }
  if (!enterRegion(loc)) {
    return Flow();
  }
  scope_exit leave([&] { --regionDepth; });
  const bool isLeft = containsBreak(node->body) || containsReturn(node->body);
  mlir::Location at = location(loc);
  SmallVector<mlir::Value> inits;
  if (isLeft) { // whether it goes on
    inits.push_back(hasEnded({Flow::Break, {}}, Flow::Break, loc));
  }
  std::vector<Carried> carried = carriedNames(assignedNames(node->body), inits);
  Scope before = frame().scope;
  mlir::TypeRange types = mlir::ValueRange(inits).getTypes();
  auto loop = scf::WhileOp::create(*b, at, types, inits);
  mlir::OpBuilder::InsertionGuard guard(*b);
  SmallVector<mlir::Location> locs(inits.size(), at);

  mlir::Block *test = b->createBlock(&loop.getBefore(), {}, types, locs);
  bindCarried(carried, test->getArguments());
  const size_t errors = sink.errorCount();
  mlir::Value holds =
      whileCondition(node, isLeft ? test->getArgument(0) : mlir::Value());
  if (!holds) {
    frame().scope = before;
    if (sink.errorCount() != errors || stopped) {
      // Keep the IR whole; nothing of it is used after an error.
      for (StringRef name : assignedNames(node->body)) {
        bind(name, Value(), loc);
      }
    }
    loop.erase();
    return Flow();
  }
  scf::ConditionOp::create(*b, at, holds, test->getArguments());

  mlir::Block *body = b->createBlock(&loop.getAfter(), {}, types, locs);
  frame().scope = before;
  bindCarried(carried, body->getArguments());
  Flow flow = execBody(node->body);
  SmallVector<mlir::Value> yields;
  if (isLeft) {
    yields.push_back(goesOn(flow, loc));
  }
  return closeWhile(loop, flow, yields, before, carried, loc);
}

} // namespace tz::frontend
