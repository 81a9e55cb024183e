//===- HostStatements.cpp - a file's top level and host functions ---------===//
//
// What   Statements of host code; definitions are in HostDefinitions.cpp.
// Why    See HostStatements.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/HostStatements.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

/// The names that an import binds.
static SmallVector<StringRef, 4> importedNames(const Stmt *stmt) {
  SmallVector<StringRef, 4> names;
  auto *plain = dyn_cast<Import>(stmt);
  for (const Alias &alias :
       plain ? plain->names : cast<ImportFrom>(stmt)->names) {
    StringRef name = plain ? alias.name.split('.').first : alias.name;
    names.push_back(alias.as.empty() ? name : alias.as);
  }
  return names;
}

/// What a name is after an `if` of which either arm may have run: what all
/// arms set it to, leaving out None and ordinary functions, which stand in for
/// things of kernels where there is no compiler.
static Value eitherSetting(ArrayRef<Value> settings, const Value &unknown) {
  auto isStandIn = [](const Value &value) {
    return value.is(ValueKind::None) || (value.is(ValueKind::Function) &&
                                         !value.asFunction()->isForKernels());
  };
  SmallVector<Value, 2> left(make_filter_range(settings, [&](const Value &v) {
    return settings.size() == 1 || !isStandIn(v);
  }));
  // What was not read yet, a name of another file, is only equal to itself.
  const bool agree =
      left.size() == 1 ||
      (!left.empty() && all_of(left, [&](const Value &value) {
        return value.is(left[0].kind()) && identical(value, left[0]);
      }));
  return agree ? left[0] : unknown;
}

/// Either arm of the `if` may run: what they import, define and set is kept
/// where there is no doubt of it. A name that one arm sets and nothing before
/// is no doubt: kernels that read it work in no other case.
void HostStatements::eitherArm(const If *node, SourceLoc loc) {
  const Value unknown = Value::unknown(
      loc, "set under a condition that is not known at compile time");
  llvm::StringMap<Binding> &members = ev.frame().module->members;
  const llvm::StringMap<Binding> before = members;
  llvm::MapVector<StringRef, SmallVector<Value, 2>> settings;
  auto run = [&](Block arm) {
    llvm::MapVector<StringRef, Value> ofArm;
    for (Stmt *stmt : arm) {
      SmallVector<StringRef, 4> names;
      bool isFollowed = true;
      if (isa<Import, ImportFrom>(stmt)) {
        names = importedNames(stmt);
      } else if (auto *function = dyn_cast<FunctionDef>(stmt)) {
        names = {function->name};
      } else {
        append_range(names, assignedNames(Block(stmt)));
        isFollowed =
            isa<Assign, AnnAssign>(stmt) && none_of(names, [&](StringRef name) {
              return before.contains(name);
            });
      }
      if (isFollowed) {
        statement(stmt);
      }
      for (StringRef name : names) {
        auto found = members.find(name);
        ofArm[name] = isFollowed && found != members.end() ? found->second.value
                                                           : unknown;
      }
    }
    for (auto &[name, value] : ofArm) {
      settings[name].push_back(value);
    }
  };
  for (const IfClause &clause : node->clauses) {
    run(clause.body);
  }
  run(node->orElse);
  for (auto &[name, values] : settings) {
    auto earlier = before.find(name);
    if (earlier != before.end() && values.size() <= node->clauses.size()) {
      values.push_back(earlier->second.value);
    }
    ev.bind(name, eitherSetting(values, unknown), loc);
  }
}

Flow HostStatements::block(Block block) {
  for (const Stmt *stmt : block) {
    if (!ev.chargeStep(stmt->loc) || !ev.bounds().hostStep(stmt->loc)) {
      return Flow();
    }
    Flow flow = statement(stmt);
    if (flow.kind != Flow::Normal) {
      return flow;
    }
  }
  return Flow();
}

void HostStatements::annotated(const AnnAssign *node) {
  if (!node->value) {
    return;
  }
  Value value = ev.eval(node->value);
  // `X: tl.constexpr = 3`; strings are annotations too.
  StringRef last;
  if (auto *attr = dyn_cast<Attribute>(node->annotation)) {
    last = attr->name;
  } else if (auto *name = dyn_cast<Name>(node->annotation)) {
    last = name->id;
  } else if (auto *text = dyn_cast<Constant>(node->annotation)) {
    last = text->text.rsplit('.').second;
    last = last.empty() ? text->text : last;
  }
  value.isConstexpr |= last == "constexpr";
  ev.assign(node->target, value, node->value->loc, true);
}

Flow HostStatements::giveUp(Block body, SourceLoc loc, StringRef why,
                            StringRef whySet) {
  if (ev.frame().function) {
    return {Flow::Return, Value::unknown(loc, why.str())};
  }
  for (StringRef name : assignedNames(body)) {
    ev.bind(name, Value::unknown(loc, whySet.str()), loc);
  }
  return Flow();
}

Flow HostStatements::branch(const If *node) {
  for (const IfClause &clause : node->clauses) {
    std::optional<bool> decided = truth(ev.eval(clause.condition));
    if (!decided && !ev.frame().function) {
      eitherArm(node, clause.loc);
      return Flow();
    }
    if (!decided) {
      return giveUp({}, clause.loc,
                    "condition of 'if' is not known at compile time", "");
    }
    if (*decided) {
      return block(clause.body);
    }
  }
  return block(node->orElse);
}

Flow HostStatements::loop(const For *node) {
  std::optional<std::vector<Value>> items =
      itemsOf(ev.eval(node->iterable), ev.limits().sequenceLength);
  if (!items) {
    return giveUp(node->body, node->loc, "loop over an unknown sequence",
                  "set in a loop over an unknown sequence");
  }
  for (Value &item : *items) {
    ev.assign(node->target, item, node->target->loc, true);
    Flow flow = block(node->body);
    if (flow.kind == Flow::Return) {
      return flow;
    }
    if (flow.kind == Flow::Break || ev.bounds().isStopped()) {
      return Flow();
    }
  }
  return block(node->orElse);
}

Flow HostStatements::loop(const While *node) {
  while (!ev.bounds().isStopped()) {
    std::optional<bool> decided = truth(ev.eval(node->condition));
    if (!decided) {
      return giveUp(node->body, node->loc, "loop with an unknown condition",
                    "set in a loop with an unknown condition");
    }
    if (!*decided) {
      return block(node->orElse);
    }
    if (!ev.bounds().hostStep(node->loc)) {
      return Flow();
    }
    Flow flow = block(node->body);
    if (flow.kind == Flow::Return) {
      return flow;
    }
    if (flow.kind == Flow::Break) {
      return Flow();
    }
  }
  return Flow();
}

Flow HostStatements::with(const With *node) {
  for (const WithItem &item : node->items) {
    ev.eval(item.context);
    if (item.target) {
      ev.assign(item.target,
                Value::unknown(node->loc, "set by a 'with' statement"),
                node->loc, true);
    }
  }
  return block(node->body);
}

Flow HostStatements::statement(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Expression:
    ev.eval(cast<ExprStmt>(stmt)->value);
    return Flow();
  case StmtKind::Assign: {
    auto *node = cast<Assign>(stmt);
    Value value = ev.eval(node->value);
    for (const Expr *target : node->targets) {
      ev.assign(target, value, node->value->loc, true);
    }
    return Flow();
  }
  case StmtKind::AugAssign: {
    auto *node = cast<AugAssign>(stmt);
    Value before = ev.eval(node->target);
    Value operand = ev.eval(node->value);
    ev.assign(node->target, ev.binary(node->op, before, operand, node->loc),
              node->loc, true);
    return Flow();
  }
  case StmtKind::AnnAssign:
    annotated(cast<AnnAssign>(stmt));
    return Flow();
  case StmtKind::If:
    return branch(cast<If>(stmt));
  case StmtKind::For:
    return loop(cast<For>(stmt));
  case StmtKind::While:
    return loop(cast<While>(stmt));
  case StmtKind::FunctionDef:
    define(cast<FunctionDef>(stmt));
    return Flow();
  case StmtKind::ClassDef:
    defineClass(cast<ClassDef>(stmt));
    return Flow();
  case StmtKind::Return: {
    auto *node = cast<Return>(stmt);
    return {Flow::Return, node->value ? ev.eval(node->value) : Value::none()};
  }
  case StmtKind::Import:
    importModules(cast<Import>(stmt));
    return Flow();
  case StmtKind::ImportFrom:
    importNames(cast<ImportFrom>(stmt));
    return Flow();
  case StmtKind::Break:
    return {Flow::Break, Value()};
  case StmtKind::Continue:
    return {Flow::Continue, Value()};
  case StmtKind::Try: {
    auto *node = cast<Try>(stmt);
    Flow flow = block(node->body);
    if (flow.kind != Flow::Normal) {
      return flow;
    }
    block(node->orElse);
    return block(node->finally);
  }
  case StmtKind::With:
    return with(cast<With>(stmt));
  case StmtKind::Raise:
    // The function has no value; at module level it is the program's affair.
    return giveUp({}, stmt->loc, "the function raises here", "");
  default:
    return Flow();
  }
}

} // namespace tz::frontend
