//===- EvalLoops.cpp - for and while --------------------------------------===//
//
// What   Run-time loops become scf.for and scf.while that carry the names
//        which the body assigns; static_range loops are unrolled here.
// Why    A name that changes type from one turn to the next has no meaning in
//        structured control flow: that is found here, with both places.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Evaluator.h"
#include "core/frontend/TileOperators.h"
#include "core/frontend/WorkBudget.h"

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
                              " after one turn; give it the later type before "
                              "the loop")
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
                          mlir::ValueRange results, SourceLoc loopLoc) {
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

Flow Evaluator::execFor(const For *node, Block block, size_t index,
                        Continuation rest) {
  if (!node->orElse.empty()) {
    sink.error(node->loc, "'else' of a loop is not supported in kernel code");
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
  const RangeObject &range = iterable.asRange();
  if (range.kind != RangeObject::Static) {
    runtimeFor(node, range);
    return Flow();
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
                     " turns (limit of unrolled iterations)");
      return giveUp();
    }
    items.push_back(Value::integer(i));
  }
  if (!containsReturn(node->body)) {
    return staticFor(node, items, nullptr);
  }
  auto following = [&] { return finished(execFrom(block, index, rest)); };
  return staticFor(node, items, following);
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
  // A turn may return at run time: the following turns are its rest.
  if (items.empty()) {
    return rest();
  }
  assign(node->target, items.front(), node->target->loc, true);
  auto next = [&]() -> Flow {
    return staticFor(node, items.drop_front(), rest);
  };
  return execBlock(node->body, next);
}

void Evaluator::runtimeFor(const For *node, const RangeObject &range) {
  SourceLoc loc = node->loc;
  auto giveUp = [&] {
    for (StringRef name : assignedNames(node->body)) {
      bind(name, Value(), loc);
    }
  };
  if (!isa<Name>(node->target)) {
    fail(node->target->loc, "the loop variable of a range must be one name");
    return giveUp();
  }
  Value start = range.start, stop = range.stop, step = range.step;
  bool negative = false;
  if (step.isIntegral()) {
    if (step.asInt() == 0) {
      fail(node->iterable->loc, "step of a loop is zero");
      return giveUp();
    }
    negative = step.asInt() < 0;
    if (negative) {
      step = Value::integer(-step.asInt());
      std::swap(start, stop);
    }
  }
  auto loopBounds =
      tileLoopBounds(*this, start, stop, step, node->iterable->loc);
  if (!loopBounds || !enterRegion(node->loc)) {
    return giveUp();
  }
  scope_exit leave([&] { --regionDepth; });
  auto &[lower, upper, increment] = *loopBounds;

  std::vector<StringRef> assigned = assignedNames(node->body);
  StringRef target = cast<Name>(node->target)->id;
  llvm::erase(assigned, target);
  SmallVector<mlir::Value> inits;
  std::vector<Carried> carried = carriedNames(assigned, inits);
  Scope before = frame().scope;
  mlir::Location at = location(loc);
  auto loop = scf::ForOp::create(*b, at, lower.value, upper.value,
                                 increment.value, inits);
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
  Value index = Value::tile({loop.getInductionVar(), lower.type});
  if (negative) {
    // Runs upwards from stop; i = start - (i' - stop).
    Value last = Value::tile(upper);
    Value first = Value::tile(lower);
    index = binary(Tok::Plus, binary(Tok::Minus, last, index, loc), first, loc);
  }
  noteName(target, index, node->target->loc);
  frame().scope[target] = Binding{index, node->target->loc};
  ++frame().runtimeLoops;
  execBlock(node->body, nullptr);
  --frame().runtimeLoops;

  SmallVector<mlir::Value> yields;
  bool valid = collectCarried(carried, yields, loc);
  if (!valid) {
    yields.assign(loop.getRegionIterArgs().begin(),
                  loop.getRegionIterArgs().end());
  }
  scf::YieldOp::create(*b, at, yields);
  if (before.count(target)) {
    frame().scope[target] = before.find(target)->second;
  }
  leaveLoop(before, carried,
            valid ? mlir::ValueRange(loop.getResults()) : mlir::ValueRange(),
            loc);
}

void Evaluator::runtimeWhile(const While *node) {
  SourceLoc loc = node->loc;
  if (!node->orElse.empty()) {
    sink.error(loc, "'else' of a loop is not supported in kernel code");
  }
  if (!enterRegion(loc)) {
    return;
  }
  scope_exit leave([&] { --regionDepth; });
  SmallVector<mlir::Value> inits;
  std::vector<Carried> carried = carriedNames(assignedNames(node->body), inits);
  Scope before = frame().scope;
  mlir::Location at = location(loc);
  auto loop =
      scf::WhileOp::create(*b, at, mlir::ValueRange(inits).getTypes(), inits);
  mlir::OpBuilder::InsertionGuard guard(*b);
  SmallVector<mlir::Location> locs(inits.size(), at);
  mlir::TypeRange types = mlir::ValueRange(inits).getTypes();

  mlir::Block *test = b->createBlock(&loop.getBefore(), {}, types, locs);
  bindCarried(carried, test->getArguments());
  Value condition = eval(node->condition);
  Value flag;
  if (condition.isTile()) {
    flag = tileCondition(*this, condition, node->condition->loc, "while");
  } else if (!condition.isError()) {
    fail(node->condition->loc,
         "condition of 'while' is known at compile time (" +
             describe(condition) + "): use a run-time value, or if");
  }
  if (flag.isError()) {
    // Keep the IR whole; nothing of it is used after an error.
    frame().scope = before;
    for (StringRef name : assignedNames(node->body)) {
      bind(name, Value(), loc);
    }
    loop.erase();
    return;
  }
  scf::ConditionOp::create(*b, at, flag.asTile().value, test->getArguments());

  mlir::Block *body = b->createBlock(&loop.getAfter(), {}, types, locs);
  frame().scope = before;
  bindCarried(carried, body->getArguments());
  ++frame().runtimeLoops;
  execBlock(node->body, nullptr);
  --frame().runtimeLoops;
  SmallVector<mlir::Value> yields;
  bool valid = collectCarried(carried, yields, loc);
  if (!valid) {
    yields.assign(body->getArguments().begin(), body->getArguments().end());
  }
  scf::YieldOp::create(*b, at, yields);
  leaveLoop(before, carried,
            valid ? mlir::ValueRange(loop.getResults()) : mlir::ValueRange(),
            loc);
}

} // namespace tz::frontend
