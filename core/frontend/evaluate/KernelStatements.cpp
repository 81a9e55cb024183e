//===- KernelStatements.cpp - kernel statements ---------------------------===//
//
// What   Assignments, return, assert of kernel code; blocks of statements
//        (if: IfStatements.cpp, loops: LoopStatements.cpp).
// Why    What follows a statement is passed down as a continuation, so that an
//        early return cuts nothing out afterwards.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value Evaluator::sanitize(const Value &value, SourceLoc loc) {
  WorkBudget::Level level;
  if (!level) {
    return Value();
  }
  if (value.isNumber()) {
    return materialise(value, loc);
  }
  if (value.is(ValueKind::Tuple) || value.is(ValueKind::List)) {
    std::vector<Value> items;
    for (const Value &item : value.items()) {
      items.push_back(sanitize(item, loc));
    }
    return Value::tuple(std::move(items));
  }
  if (value.is(ValueKind::Record) && value.sequence().type &&
      value.sequence().type->isAggregate) {
    return value; // its class says what its fields are
  }
  if (value.is(ValueKind::Record)) {
    auto fields = std::make_shared<SequenceObject>(value.sequence());
    for (Value &item : fields->items) {
      item = sanitize(item, loc);
    }
    return Value::record(std::move(fields));
  }
  return value;
}

void Evaluator::bind(StringRef name, Value value, SourceLoc loc) {
  Frame &f = frame();
  if (!f.function && f.isHost) {
    if (!f.module->given.contains(name)) {
      f.module->members[name] = Binding{std::move(value), loc};
    }
    return;
  }
  noteName(name, value, loc);
  f.scope[name] = Binding{std::move(value), loc};
}

void Evaluator::assign(const Expr *target, const Value &value, SourceLoc loc,
                       bool keepConstexpr) {
  switch (target->kind) {
  case ExprKind::Name:
    bind(cast<Name>(target)->id,
         keepConstexpr || inHost() ? value : sanitize(value, loc), target->loc);
    return;
  case ExprKind::Tuple:
  case ExprKind::List: {
    ArrayRef<Expr *> targets = isa<Tuple>(target)
                                   ? cast<Tuple>(target)->elements
                                   : cast<List>(target)->elements;
    bool known = value.isSequence();
    size_t star = find_if(targets, [](Expr *e) { return isa<Starred>(e); }) -
                  targets.begin();
    if (inHost() && known && star < targets.size() &&
        value.items().size() + 1 >= targets.size()) {
      size_t extra = value.items().size() + 1 - targets.size();
      for (size_t i = 0; i < targets.size(); ++i) {
        if (i == star) {
          assign(cast<Starred>(targets[i])->value,
                 Value::list(value.items().slice(i, extra).vec()), loc, true);
        } else {
          assign(targets[i], value.items()[i < star ? i : i + extra - 1], loc,
                 keepConstexpr);
        }
      }
      return;
    }
    if (known && star == targets.size() &&
        value.items().size() == targets.size()) {
      for (auto [t, v] : zip(targets, value.items())) {
        assign(t, v, loc, keepConstexpr);
      }
      return;
    }
    if (!value.isError() && !inHost()) {
      if (star != targets.size()) {
        fail(targets[star]->loc, "starred targets are not supported in kernel "
                                 "code");
      } else if (known) {
        fail(target->loc, "cannot unpack " + Twine(value.items().size()) +
                              " values into " + Twine(targets.size()) +
                              " names");
      } else {
        fail(target->loc, "cannot unpack " + describe(value) + " into " +
                              Twine(targets.size()) + " names");
      }
    }
    Value each = inHost()
                     ? Value::unknown(loc, "unpacked from an unknown value")
                     : Value();
    for (const Expr *t : targets) {
      assign(t, each, loc, true);
    }
    return;
  }
  case ExprKind::Starred:
    assign(cast<Starred>(target)->value, value, loc, keepConstexpr);
    return;
  case ExprKind::Subscript: {
    if (inHost()) {
      auto *node = cast<Subscript>(target);
      Value base = eval(node->base);
      Value index = eval(node->index);
      if (base.is(ValueKind::Dict)) {
        base.dictionary().set(index, value);
      } else if (base.is(ValueKind::List) && index.isIntegral() &&
                 index.asInt() >= 0 &&
                 index.asInt() < PyInt(base.items().size())) {
        base.sequence().items[size_t(index.asInt())] = value;
      }
      return;
    }
    Value base = eval(cast<Subscript>(target)->base);
    const bool isPointer = base.isTile() && base.asTile().type.isPtr;
    if (!base.isError()) {
      fail(target->loc,
           isPointer ? "memory is not written by a subscript; use "
                       "tl.store(pointer + offset, value)"
                     : "assignment to a subscript is not supported: tiles and "
                       "sequences are values; use tl.where for a tile");
    }
    return;
  }
  case ExprKind::Attribute:
    if (!inHost()) {
      assignAttribute(cast<Attribute>(target), value);
    }
    return;
  default:
    fail(target->loc, "cannot assign to this");
  }
}

void Evaluator::unsupported(const Stmt *stmt) {
  StringRef what;
  StringRef hint;
  switch (stmt->kind) {
  case StmtKind::FunctionDef:
    what = "nested def";
    hint = "; define the jit function at module level";
    break;
  case StmtKind::ClassDef:
    what = "class";
    break;
  case StmtKind::Raise:
    what = "raise";
    hint = "; use tl.device_assert or tl.static_assert";
    break;
  case StmtKind::Try:
    what = "try";
    break;
  case StmtKind::Scope:
    what = cast<ScopeStmt>(stmt)->isGlobal ? "global" : "nonlocal";
    break;
  case StmtKind::Delete:
    what = "del";
    break;
  case StmtKind::Import:
  case StmtKind::ImportFrom:
    what = "import";
    hint = "; import at module level";
    break;
  case StmtKind::Opaque:
    what = cast<Opaque>(stmt)->word;
    hint = what == "match" ? "; use if and elif" : "";
    break;
  default:
    what = "this statement";
    break;
  }
  // No further errors about names that it would have set.
  if (auto *function = dyn_cast<FunctionDef>(stmt)) {
    bind(function->name, Value(), stmt->loc);
  } else if (auto *object = dyn_cast<ClassDef>(stmt)) {
    bind(object->name, Value(), stmt->loc);
  }
  sink.error(stmt->loc,
             "'" + what + "' is not supported in kernel code" + hint);
}

void Evaluator::execAssert(const Assert *node) {
  Value condition = eval(node->condition);
  if (condition.isError()) {
    return;
  }
  Value message = node->message ? eval(node->message) : Value::string("");
  if (condition.isTile()) {
    auto module = registry.module("triton.language");
    auto it = module->members.find("device_assert");
    if (it != module->members.end()) {
      CallArgs args;
      args.add(condition, node->condition->loc);
      args.add(message, node->loc);
      call(it->second.value, args, node->loc);
    }
    return;
  }
  std::optional<bool> holds = truth(condition);
  if (!holds) {
    fail(node->condition->loc, "condition of assert is neither known now nor a "
                               "run-time value: " +
                                   describe(condition));
  } else if (!*holds) {
    fail(node->loc,
         "assertion failed at compile time" +
             (message.is(ValueKind::String) && !message.asString().empty()
                  ? ": " + message.asString()
                  : std::string()));
  }
}

void Evaluator::execSimple(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Expression: {
    // A docstring or a constant is no operation.
    const Expr *value = cast<ExprStmt>(stmt)->value;
    if (!isa<Constant>(value)) {
      eval(value);
    }
    return;
  }
  case StmtKind::Assign: {
    auto *node = cast<Assign>(stmt);
    if (node->targets.size() > 1) {
      sink.error(node->loc, "assignment to several targets is not supported in "
                            "kernel code; write one assignment for each");
      for (const Expr *target : node->targets) {
        if (isa<Name>(target)) {
          bind(cast<Name>(target)->id, Value(), node->loc);
        }
      }
      return;
    }
    Value value = eval(node->value);
    assign(node->targets[0], value, node->value->loc);
    return;
  }
  case StmtKind::AugAssign: {
    auto *node = cast<AugAssign>(stmt);
    if (!isa<Name>(node->target)) {
      assign(node->target, Value(), node->loc);
      return;
    }
    Value before = eval(node->target);
    Value operand = eval(node->value);
    assign(node->target, binary(node->op, before, operand, node->loc),
           node->loc);
    return;
  }
  case StmtKind::AnnAssign: {
    auto *node = cast<AnnAssign>(stmt);
    if (!node->value) {
      return; // a bare annotation
    }
    // A run-time value stays one; where a constexpr is needed it is refused.
    assign(node->target, eval(node->value), node->value->loc,
           namesConstexpr(node->annotation));
    return;
  }
  case StmtKind::Assert:
    execAssert(cast<Assert>(stmt));
    return;
  case StmtKind::Pass:
    return;
  default:
    unsupported(stmt);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Blocks, return
//===----------------------------------------------------------------------===//

Flow Evaluator::execBlock(Block block, Continuation rest) {
  return execFrom(block, 0, rest);
}

Flow Evaluator::execFrom(Block block, size_t index, Continuation rest) {
  if (depth >= bounds.evaluationDepth && !stopped) {
    stopped = true;
    sink.error(block.empty() ? SourceLoc() : block.front()->loc,
               "evaluation is nested more than " +
                   Twine(bounds.evaluationDepth) +
                   " levels deep (limit of evaluation depth)");
  }
  ++depth;
  scope_exit restore([&] { --depth; });
  for (; index < block.size(); ++index) {
    stopped |= sink.isFull();
    if (stopped || !chargeStep(block[index]->loc)) {
      return {Flow::Return, Value()};
    }
    const Stmt *stmt = block[index];
    noteStatement(stmt->loc);
    switch (stmt->kind) {
    case StmtKind::Return: {
      auto *node = cast<Return>(stmt);
      Value value = node->value ? eval(node->value) : Value::none();
      if (inlining == 0 && !value.isNone() && !value.isError()) {
        sink.error(node->loc,
                   "a kernel cannot return a value: store it to memory");
        value = Value();
      }
      return {Flow::Return, value};
    }
    case StmtKind::If: {
      Flow flow = execIf(cast<If>(stmt), 0, block, index + 1, rest);
      if (flow.kind != Flow::Normal) {
        return flow;
      }
      break;
    }
    case StmtKind::For: {
      Flow flow = execFor(cast<For>(stmt), block, index + 1, rest);
      if (flow.kind != Flow::Normal) {
        return flow;
      }
      break;
    }
    case StmtKind::With:
      execWith(cast<With>(stmt));
      break;
    case StmtKind::While: {
      auto *node = cast<While>(stmt);
      auto following = [&] {
        return finished(execFrom(block, index + 1, rest));
      };
      Flow flow = afterLoop(runtimeWhile(node), node->loc, following);
      if (flow.kind != Flow::Normal) {
        return flow;
      }
      break;
    }
    case StmtKind::Break:
    case StmtKind::Continue: {
      const bool breaks = stmt->kind == StmtKind::Break;
      if (frame().loops) {
        return {breaks ? Flow::Break : Flow::Continue, Value()};
      }
      sink.error(stmt->loc, breaks ? "'break' outside of a loop"
                                   : "'continue' outside of a loop");
      break;
    }
    default:
      execSimple(stmt);
    }
  }
  return rest ? rest() : Flow();
}

} // namespace tz::frontend
