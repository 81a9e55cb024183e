//===- EvalStatements.cpp - kernel statements -----------------------------===//
//
// What   Assignments, if, return, assert of kernel code. A run-time `if`
//        becomes scf.if whose results are the names that its arms set.
// Why    Control flow stays structured. An early return under a run-time
//        condition moves the rest of the function into the arms: the rest is
//        passed down as a continuation, so nothing is cut out afterwards.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Evaluator.h"
#include "core/frontend/TileOperators.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;
namespace scf = mlir::scf;

Value Evaluator::sanitize(const Value &value, SourceLoc loc) {
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
    f.module->members[name] = Binding{std::move(value), loc};
    return;
  }
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
    fail(target->loc, "assignment to a subscript is not supported: tiles are "
                      "values; use tl.where, or tl.store for memory");
    return;
  }
  case ExprKind::Attribute:
    if (!inHost()) {
      fail(target->loc,
           "assignment to an attribute is not supported in kernel code");
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
  case StmtKind::Break:
    what = "break";
    hint = "; loops run to their end, use a condition in the body";
    break;
  case StmtKind::Continue:
    what = "continue";
    hint = "; put the rest of the body into an if";
    break;
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
  case StmtKind::With:
    what = "with";
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
  default:
    what = "this statement";
    break;
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
    auto module = Registry::get().module("triton.language");
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

/// `x: tl.constexpr = ...`
static bool isConstexprAnnotation(Evaluator &ev, const Expr *annotation) {
  if (auto *text = dyn_cast<Constant>(annotation)) {
    return text->constant == ConstantKind::String &&
           StringRef(text->text).ends_with("constexpr");
  }
  if (auto *name = dyn_cast<Name>(annotation)) {
    return name->id == "constexpr";
  }
  auto *attribute = dyn_cast<Attribute>(annotation);
  return attribute && attribute->name == "constexpr";
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
    Value value = eval(node->value);
    bool keep = isConstexprAnnotation(*this, node->annotation);
    if (keep && value.isTile()) {
      sink.error(
          node->value->loc,
          "value of a tl.constexpr must be known at compile time, found " +
              describe(value));
      value = Value();
    }
    assign(node->target, value, node->value->loc, keep);
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
// Blocks, if, return
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
    if (stopped) {
      return {Flow::Return, Value()};
    }
    const Stmt *stmt = block[index];
    switch (stmt->kind) {
    case StmtKind::Return: {
      auto *node = cast<Return>(stmt);
      if (frame().runtimeLoops) {
        sink.error(node->loc, "return inside a run-time loop is not supported");
        return {Flow::Return, Value()};
      }
      return {Flow::Return, node->value ? eval(node->value) : Value::none()};
    }
    case StmtKind::If: {
      Flow flow = execIf(cast<If>(stmt), 0, block, index + 1, rest);
      if (flow.kind == Flow::Return) {
        return flow;
      }
      break;
    }
    case StmtKind::For: {
      Flow flow = execFor(cast<For>(stmt), block, index + 1, rest);
      if (flow.kind == Flow::Return) {
        return flow;
      }
      break;
    }
    case StmtKind::While:
      runtimeWhile(cast<While>(stmt));
      break;
    default:
      execSimple(stmt);
    }
  }
  return rest ? rest() : Flow();
}

/// `rest` and block[index..] are what follows the if. They run here only when
/// an arm may return under a run-time condition; then the answer is Return.
Flow Evaluator::execIf(const If *node, size_t clause, Block block, size_t index,
                       Continuation rest) {
  // Long elif chains nest as deep as they are long.
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
  // A known arm. It may contain run-time ifs that return: then what follows
  // the whole statement goes with it.
  auto known = [&](Block body) -> Flow {
    if (!containsReturn(body)) {
      return execBlock(body, nullptr);
    }
    auto following = [&]() -> Flow {
      Flow flow = execFrom(block, index, rest);
      return {Flow::Return,
              flow.kind == Flow::Return ? flow.value : Value::none()};
    };
    return execBlock(body, following);
  };
  if (clause == node->clauses.size()) {
    return known(node->orElse);
  }
  const IfClause &current = node->clauses[clause];
  Value condition = eval(current.condition);
  auto giveUp = [&] {
    // What the arms would set is unknown: no errors about it later.
    Block arms[] = {current.body, node->orElse};
    for (Block arm : arms) {
      for (StringRef name : assignedNames(arm)) {
        bind(name, Value(), current.loc);
      }
    }
    for (const IfClause &other : node->clauses.drop_front(clause)) {
      for (StringRef name : assignedNames(other.body)) {
        bind(name, Value(), current.loc);
      }
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
    fail(current.condition->loc,
         "condition is neither known at compile time nor a run-time scalar: " +
             describe(condition));
    return giveUp();
  }
  return *decided ? known(current.body)
                  : execIf(node, clause + 1, block, index, rest);
}

Flow Evaluator::runtimeIf(const If *node, size_t clause, const Value &condition,
                          Block block, size_t index, Continuation rest) {
  const IfClause &current = node->clauses[clause];
  Value flag = tileCondition(*this, condition, current.condition->loc, "if");
  if (flag.isError()) {
    for (StringRef name : assignedNames(current.body)) {
      bind(name, Value(), current.loc);
    }
    return Flow();
  }
  bool returns = containsReturn(current.body) || containsReturn(node->orElse);
  for (const IfClause &other : node->clauses.drop_front(clause + 1)) {
    returns |= containsReturn(other.body);
  }
  mlir::Location at = location(node->loc);
  auto draft = scf::IfOp::create(*b, at, mlir::TypeRange(), flag.asTile().value,
                                 /*withElseRegion=*/true);
  Scope before = frame().scope;
  auto following = [&]() -> Flow {
    Flow flow = execFrom(block, index, rest);
    return {Flow::Return,
            flow.kind == Flow::Return ? flow.value : Value::none()};
  };
  Continuation next = returns ? Continuation(following) : Continuation(nullptr);

  mlir::OpBuilder::InsertionGuard guard(*b);
  b->setInsertionPoint(draft.thenYield());
  Flow thenFlow = execBlock(current.body, next);
  Scope thenScope = std::move(frame().scope);
  frame().scope = before;
  b->setInsertionPoint(draft.elseYield());
  Flow elseFlow;
  if (clause + 1 < node->clauses.size()) {
    elseFlow = execIf(node, clause + 1, block, index, rest);
    if (returns && elseFlow.kind != Flow::Return) {
      elseFlow = following();
    }
  } else {
    elseFlow = execBlock(node->orElse, next);
  }
  Scope elseScope = std::move(frame().scope);
  frame().scope = before;

  // What leaves the if: the return value, or the names that both arms set.
  struct Leaving {
    StringRef name;
    Value thenValue, elseValue;
    SourceLoc loc;
  };
  std::vector<Leaving> leaving;
  Flow result;
  if (returns) {
    result.kind = Flow::Return;
    Value a = thenFlow.value, c = elseFlow.value;
    if (a.isError() || c.isError()) {
      return result;
    }
    if (identical(a, c)) {
      result.value = a;
    } else {
      auto inArm = [&](mlir::Operation *yield, const Value &v) {
        mlir::OpBuilder::InsertionGuard armGuard(*b);
        b->setInsertionPoint(yield);
        return sanitize(v, node->loc);
      };
      a = inArm(draft.thenYield(), a);
      c = inArm(draft.elseYield(), c);
      if (!sameShape(a, c)) {
        fail(node->loc, "returned values differ in type: " + describe(a) +
                            " if the condition holds, " + describe(c) +
                            " otherwise");
        return result;
      }
      leaving.push_back({{}, a, c, node->loc});
    }
  } else {
    SmallVector<StringRef> names = [&] {
      SetVector<StringRef, SmallVector<StringRef>, DenseSet<StringRef>> set;
      for (StringRef name : assignedNames(current.body)) {
        set.insert(name);
      }
      for (const IfClause &other : node->clauses.drop_front(clause + 1)) {
        for (StringRef name : assignedNames(other.body)) {
          set.insert(name);
        }
      }
      for (StringRef name : assignedNames(node->orElse)) {
        set.insert(name);
      }
      return set.takeVector();
    }();
    for (StringRef name : names) {
      auto thenIt = thenScope.find(name);
      auto elseIt = elseScope.find(name);
      if (thenIt == thenScope.end() && elseIt == elseScope.end()) {
        continue;
      }
      auto unset = [&](SourceLoc where, std::string reason) {
        frame().scope[name] =
            Binding{Value::unset(where, std::move(reason)), where};
      };
      if (thenIt == thenScope.end() || elseIt == elseScope.end()) {
        bool inThen = thenIt != thenScope.end();
        unset(inThen ? thenIt->second.loc : elseIt->second.loc,
              "is set only on one path of a run-time if, it has no value when "
              "the condition is " +
                  std::string(inThen ? "false" : "true"));
        continue;
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
        unset(a.loc.line == c.loc.line ? a.loc : c.loc,
              "has different types on the two paths of a run-time if: " +
                  describe(a.value) + " if the condition holds (line " +
                  std::to_string(a.loc.line) + "), " + describe(c.value) +
                  " otherwise (line " + std::to_string(c.loc.line) + ")");
      }
    }
  }
  if (leaving.empty()) {
    return result;
  }

  SmallVector<mlir::Value> thenValues, elseValues;
  for (const Leaving &item : leaving) {
    flatten(item.thenValue, thenValues);
    flatten(item.elseValue, elseValues);
  }
  b->setInsertionPoint(draft);
  auto final = scf::IfOp::create(
      *b, at, mlir::ValueRange(thenValues).getTypes(), flag.asTile().value,
      /*withElseRegion=*/true);
  final.getThenRegion().takeBody(draft.getThenRegion());
  final.getElseRegion().takeBody(draft.getElseRegion());
  final.thenYield()->setOperands(thenValues);
  final.elseYield()->setOperands(elseValues);
  draft.erase();
  mlir::ValueRange results = final.getResults();
  for (const Leaving &item : leaving) {
    Value merged = rebuild(item.thenValue, results);
    if (item.name.empty()) {
      result.value = merged;
    } else {
      frame().scope[item.name] = Binding{merged, item.loc};
    }
  }
  // The guard returns to behind the draft's place: after the new op.
  return result;
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
  Value flag =
      tileCondition(*this, condition, node->condition->loc, "conditional");
  if (flag.isError()) {
    return flag;
  }
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
                    describe(whenTrue) + " and " + describe(whenFalse));
  }
  SmallVector<mlir::Value> thenValues, elseValues;
  flatten(whenTrue, thenValues);
  flatten(whenFalse, elseValues);
  b->setInsertionPoint(draft);
  auto final = scf::IfOp::create(
      *b, at, mlir::ValueRange(thenValues).getTypes(), flag.asTile().value,
      /*withElseRegion=*/true);
  final.getThenRegion().takeBody(draft.getThenRegion());
  final.getElseRegion().takeBody(draft.getElseRegion());
  final.thenYield()->setOperands(thenValues);
  final.elseYield()->setOperands(elseValues);
  draft.erase();
  mlir::ValueRange results = final.getResults();
  return rebuild(whenTrue, results);
}

} // namespace tz::frontend
