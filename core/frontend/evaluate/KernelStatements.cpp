//===- KernelStatements.cpp - statements of kernel code -------------------===//
//
// What   Blocks, return, assert, and what kernels have not.
// Why    See KernelStatements.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/KernelStatements.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

void KernelStatements::unsupported(const Stmt *stmt) {
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
    ev.bind(function->name, Value(), stmt->loc);
  } else if (auto *object = dyn_cast<ClassDef>(stmt)) {
    ev.bind(object->name, Value(), stmt->loc);
  }
  ev.diagnostics().error(
      stmt->loc, "'" + what + "' is not supported in kernel code" + hint);
}

void KernelStatements::assertion(const Assert *node) {
  Value condition = ev.eval(node->condition);
  if (condition.isError()) {
    return;
  }
  Value message = node->message ? ev.eval(node->message) : Value::string("");
  if (condition.isTile()) {
    auto module = ev.builtins().module("triton.language");
    auto it = module->members.find("device_assert");
    if (it != module->members.end()) {
      CallArgs args;
      args.add(condition, node->condition->loc);
      args.add(message, node->loc);
      ev.call(it->second.value, args, node->loc);
    }
    return;
  }
  std::optional<bool> holds = truth(condition);
  if (!holds) {
    ev.fail(node->condition->loc,
            "condition of assert is neither known now nor a "
            "run-time value: " +
                describe(condition));
  } else if (!*holds) {
    ev.fail(node->loc,
            "assertion failed at compile time" +
                (message.is(ValueKind::String) && !message.asString().empty()
                     ? ": " + message.asString()
                     : std::string()));
  }
}

void KernelStatements::simple(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Expression: {
    // A docstring or a constant is no operation.
    const Expr *value = cast<ExprStmt>(stmt)->value;
    if (!isa<Constant>(value)) {
      ev.eval(value);
    }
    return;
  }
  case StmtKind::Assign: {
    auto *node = cast<Assign>(stmt);
    if (node->targets.size() > 1) {
      ev.diagnostics().error(
          node->loc, "assignment to several targets is not supported in "
                     "kernel code; write one assignment for each");
      for (const Expr *target : node->targets) {
        if (isa<Name>(target)) {
          ev.bind(cast<Name>(target)->id, Value(), node->loc);
        }
      }
      return;
    }
    Value value = ev.eval(node->value);
    ev.assign(node->targets[0], value, node->value->loc);
    return;
  }
  case StmtKind::AugAssign: {
    auto *node = cast<AugAssign>(stmt);
    if (!isa<Name>(node->target)) {
      ev.assign(node->target, Value(), node->loc);
      return;
    }
    Value before = ev.eval(node->target);
    Value operand = ev.eval(node->value);
    ev.assign(node->target, ev.binary(node->op, before, operand, node->loc),
              node->loc);
    return;
  }
  case StmtKind::AnnAssign: {
    auto *node = cast<AnnAssign>(stmt);
    if (!node->value) {
      return; // a bare annotation
    }
    // A run-time value stays one; where a constexpr is needed it is refused.
    ev.assign(node->target, ev.eval(node->value), node->value->loc,
              namesConstexpr(node->annotation));
    return;
  }
  case StmtKind::Assert:
    assertion(cast<Assert>(stmt));
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

Flow KernelStatements::returned(const Return *node) {
  Value value = node->value ? ev.eval(node->value) : Value::none();
  if (!ev.bounds().isInCall() && !value.isNone() && !value.isError()) {
    ev.diagnostics().error(
        node->loc, "a kernel cannot return a value: store it to memory");
    value = Value();
  }
  return {Flow::Return, value};
}

Flow KernelStatements::finished(Flow flow) {
  if (flow.kind == Flow::Normal) {
    flow.kind = ev.frame().openArms == 0 ? Flow::Return : Flow::Fell;
    flow.value = Value::none();
  }
  return flow;
}

Flow KernelStatements::block(Block block, Continuation rest) {
  return from(block, 0, rest);
}

Flow KernelStatements::from(Block block, size_t index, Continuation rest) {
  EvaluationBounds::Level level =
      ev.bounds().evaluation(block.empty() ? SourceLoc() : block.front()->loc);
  if (!level) {
    return {Flow::Return, Value()};
  }
  for (; index < block.size(); ++index) {
    ev.bounds().stopIfFull();
    if (!ev.chargeStep(block[index]->loc)) {
      return {Flow::Return, Value()};
    }
    const Stmt *stmt = block[index];
    ev.notes().statement(stmt->loc);
    auto following = [&] { return finished(from(block, index + 1, rest)); };
    Flow flow;
    switch (stmt->kind) {
    case StmtKind::Return:
      return returned(cast<Return>(stmt));
    case StmtKind::If:
      flow = ifs.run(cast<If>(stmt), 0, block, index + 1, rest);
      break;
    case StmtKind::For:
      flow = loops.runFor(cast<For>(stmt), following);
      break;
    case StmtKind::While:
      flow = loops.runWhile(cast<While>(stmt), following);
      break;
    case StmtKind::With:
      with(cast<With>(stmt));
      break;
    case StmtKind::Break:
    case StmtKind::Continue: {
      const bool breaks = stmt->kind == StmtKind::Break;
      if (ev.frame().loops) {
        return {breaks ? Flow::Break : Flow::Continue, Value()};
      }
      ev.diagnostics().error(stmt->loc, breaks
                                            ? "'break' outside of a loop"
                                            : "'continue' outside of a loop");
      break;
    }
    default:
      simple(stmt);
    }
    if (flow.kind != Flow::Normal) {
      return flow;
    }
  }
  return rest ? rest() : Flow();
}

} // namespace tz::frontend
