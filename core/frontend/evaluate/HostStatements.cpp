//===- HostStatements.cpp - a file's top level and host functions ---------===//
//
// What   Runs ordinary Python as far as kernels can depend on it: constants,
//        imports, definitions, decorators, functions that make configurations.
// Why    Host code is not the compiler's to judge: what it does not understand
//        becomes an Unknown with its reason, and is an error only if a kernel
//        uses it.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

void Evaluator::runModule(std::shared_ptr<ModuleObject> module) {
  Frame top;
  top.module = module;
  top.isHost = true;
  SourceLoc start{module->tree->file.get(), 1, 1, 0};
  module->members["__name__"] = Binding{Value::string(module->name), start};
  module->members["__file__"] = Binding{Value::string(module->path), start};
  frames.push_back(std::move(top));
  hostBlock(module->tree->body);
  frames.pop_back();
}

/// Names that a block would have set, when it could not be followed.
void Evaluator::hostForget(Block block, SourceLoc loc, StringRef why) {
  for (StringRef name : assignedNames(block)) {
    bind(name, Value::unknown(loc, why.str()), loc);
  }
}

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
void Evaluator::hostEitherArm(const If *node, SourceLoc loc) {
  const Value unknown = Value::unknown(
      loc, "set under a condition that is not known at compile time");
  llvm::StringMap<Binding> &members = frame().module->members;
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
        hostStatement(stmt);
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
    bind(name, eitherSetting(values, unknown), loc);
  }
}

Flow Evaluator::hostBlock(Block block) {
  for (const Stmt *stmt : block) {
    if (stopped || !chargeStep(stmt->loc)) {
      return Flow();
    }
    if (++steps > bounds.hostSteps) {
      stopped = true;
      sink.error(stmt->loc, "module-level code runs more than " +
                                Twine(bounds.hostSteps) +
                                " statements (limit of host steps)");
      return Flow();
    }
    Flow flow = hostStatement(stmt);
    if (flow.kind != Flow::Normal) {
      return flow;
    }
  }
  return Flow();
}

std::vector<Value> Evaluator::hostIterate(const Value &iterable, bool &known) {
  known = true;
  if (iterable.isSequence()) {
    WorkBudget::charge(iterable.items().size());
    return iterable.items().vec();
  }
  std::vector<Value> items;
  if (iterable.is(ValueKind::Dict)) {
    for (auto &entry : iterable.dictionary().entries) {
      items.push_back(entry.first);
    }
    return items;
  }
  if (iterable.is(ValueKind::String)) {
    for (char c : iterable.asString()) {
      items.push_back(Value::string(std::string(1, c)));
    }
    return items;
  }
  if (iterable.is(ValueKind::Range)) {
    const RangeObject &range = iterable.asRange();
    if (range.start.isIntegral() && range.stop.isIntegral() &&
        range.step.isIntegral() && range.step.asInt() != 0) {
      PyInt step = range.step.asInt();
      for (PyInt i = range.start.asInt();
           step > 0 ? i < range.stop.asInt() : i > range.stop.asInt();
           i += step) {
        if (items.size() >= bounds.sequenceLength) {
          known = false;
          return {};
        }
        items.push_back(Value::integer(i));
      }
      return items;
    }
  }
  known = false;
  return {};
}

Flow Evaluator::hostStatement(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Expression:
    eval(cast<ExprStmt>(stmt)->value);
    return Flow();
  case StmtKind::Assign: {
    auto *node = cast<Assign>(stmt);
    Value value = eval(node->value);
    for (const Expr *target : node->targets) {
      assign(target, value, node->value->loc, true);
    }
    return Flow();
  }
  case StmtKind::AugAssign: {
    auto *node = cast<AugAssign>(stmt);
    Value result =
        binary(node->op, eval(node->target), eval(node->value), node->loc);
    assign(node->target, result, node->loc, true);
    return Flow();
  }
  case StmtKind::AnnAssign: {
    auto *node = cast<AnnAssign>(stmt);
    if (!node->value) {
      return Flow();
    }
    Value value = eval(node->value);
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
    assign(node->target, value, node->value->loc, true);
    return Flow();
  }
  case StmtKind::If: {
    auto *node = cast<If>(stmt);
    for (const IfClause &clause : node->clauses) {
      Value condition = eval(clause.condition);
      std::optional<bool> decided = truth(condition);
      if (!decided) {
        if (frame().function) {
          return {Flow::Return,
                  Value::unknown(clause.loc, "condition of 'if' is not known "
                                             "at compile time")};
        }
        hostEitherArm(node, clause.loc);
        return Flow();
      }
      if (*decided) {
        return hostBlock(clause.body);
      }
    }
    return hostBlock(node->orElse);
  }
  case StmtKind::For: {
    auto *node = cast<For>(stmt);
    bool known;
    std::vector<Value> items = hostIterate(eval(node->iterable), known);
    if (!known) {
      if (frame().function) {
        return {Flow::Return,
                Value::unknown(node->loc, "loop over an unknown sequence")};
      }
      hostForget(node->body, node->loc,
                 "set in a loop over an unknown sequence");
      return Flow();
    }
    for (Value &item : items) {
      assign(node->target, item, node->target->loc, true);
      Flow flow = hostBlock(node->body);
      if (flow.kind == Flow::Return) {
        return flow;
      }
      if (flow.kind == Flow::Break || stopped) {
        return Flow();
      }
    }
    return hostBlock(node->orElse);
  }
  case StmtKind::While: {
    auto *node = cast<While>(stmt);
    while (!stopped) {
      std::optional<bool> decided = truth(eval(node->condition));
      if (!decided) {
        if (frame().function) {
          return {Flow::Return,
                  Value::unknown(node->loc, "loop with an unknown condition")};
        }
        hostForget(node->body, node->loc,
                   "set in a loop with an unknown "
                   "condition");
        return Flow();
      }
      if (!*decided) {
        return hostBlock(node->orElse);
      }
      if (++steps > bounds.hostSteps) {
        stopped = true;
        sink.error(node->loc, "module-level code runs more than " +
                                  Twine(bounds.hostSteps) +
                                  " statements (limit of host steps)");
        return Flow();
      }
      Flow flow = hostBlock(node->body);
      if (flow.kind == Flow::Return) {
        return flow;
      }
      if (flow.kind == Flow::Break) {
        return Flow();
      }
    }
    return Flow();
  }
  case StmtKind::FunctionDef:
    hostDefine(cast<FunctionDef>(stmt));
    return Flow();
  case StmtKind::ClassDef:
    hostClass(cast<ClassDef>(stmt));
    return Flow();
  case StmtKind::Return: {
    auto *node = cast<Return>(stmt);
    return {Flow::Return, node->value ? eval(node->value) : Value::none()};
  }
  case StmtKind::Import:
    hostImport(cast<Import>(stmt));
    return Flow();
  case StmtKind::ImportFrom:
    hostImportFrom(cast<ImportFrom>(stmt));
    return Flow();
  case StmtKind::Break:
    return {Flow::Break, Value()};
  case StmtKind::Continue:
    return {Flow::Continue, Value()};
  case StmtKind::Try: {
    auto *node = cast<Try>(stmt);
    Flow flow = hostBlock(node->body);
    if (flow.kind != Flow::Normal) {
      return flow;
    }
    hostBlock(node->orElse);
    return hostBlock(node->finally);
  }
  case StmtKind::With: {
    auto *node = cast<With>(stmt);
    for (const WithItem &item : node->items) {
      Value value = eval(item.context);
      if (item.target) {
        assign(item.target,
               Value::unknown(node->loc, "set by a 'with' statement"),
               node->loc, true);
      }
    }
    return hostBlock(node->body);
  }
  case StmtKind::Raise:
    // The function has no value; at module level it is the program's affair.
    return frame().function
               ? Flow{Flow::Return,
                      Value::unknown(stmt->loc, "the function raises here")}
               : Flow();
  default:
    return Flow();
  }
}

Value Evaluator::hostFunction(const FunctionDef *def) {
  auto function = std::make_shared<FunctionObject>();
  function->name = def->name.str();
  function->def = def;
  function->module = frame().module;
  if (frame().function) {
    function->closure = std::make_shared<Scope>(frame().scope);
  }
  return Value::function(function);
}

/// Innermost first. A decorator that is not ours leaves what it decorates as
/// it is: kernels are often wrapped by loggers and registries.
void Evaluator::applyDecorators(ArrayRef<Expr *> decorators,
                                const Value &value) {
  for (const Expr *decorator : reverse(decorators)) {
    Value applied = eval(decorator);
    if (applied.is(ValueKind::Builtin) || applied.is(ValueKind::Method)) {
      CallArgs args;
      args.add(value, decorator->loc);
      applied = call(applied, args, decorator->loc);
    }
    if (applied.is(ValueKind::Unknown) && value.is(ValueKind::Function)) {
      value.asFunction()->undecorated = applied.reason();
    }
  }
}

void Evaluator::hostDefine(const FunctionDef *def) {
  Value value = hostFunction(def);
  bind(def->name, value, def->nameLoc);
  applyDecorators(def->decorators, value);
}

/// The built-in module of a dotted name; our own package is the same language.
static std::shared_ptr<ModuleObject> builtinModule(const Registry &registry,
                                                   StringRef dotted) {
  std::string name = dotted.str();
  StringRef rest = dotted;
  if (rest.consume_front("terrazzo.triton") || rest.consume_front("terrazzo")) {
    if (rest.empty() || rest.starts_with(".")) {
      name = "triton" + rest.str();
    }
  }
  return registry.module(name);
}

void Evaluator::hostImport(const Import *node) {
  for (const Alias &alias : node->names) {
    StringRef first = alias.name.split('.').first;
    StringRef name = alias.as.empty() ? first : alias.as;
    StringRef wanted = alias.as.empty() ? first : alias.name;
    if (auto builtin = builtinModule(registry, wanted)) {
      bind(name, Value::module(builtin), alias.loc);
      continue;
    }
    std::string file = loader.findFile(frame().module->path, 0, alias.name);
    if (!file.empty() && (!alias.as.empty() || !alias.name.contains('.'))) {
      bind(name, Value::lazy({file, alias.name.str(), "", alias.loc}),
           alias.loc);
    } else {
      bind(name,
           Value::unknown(alias.loc,
                          "module '" + wanted.str() +
                              "' is neither built in nor a file beside this "
                              "one or below an import root"),
           alias.loc);
    }
  }
}

void Evaluator::hostImportFrom(const ImportFrom *node) {
  std::shared_ptr<ModuleObject> builtin =
      node->dots ? nullptr : builtinModule(registry, node->module);
  std::string file =
      builtin ? ""
              : loader.findFile(frame().module->path, node->dots, node->module);
  for (const Alias &alias : node->names) {
    StringRef name = alias.as.empty() ? alias.name : alias.as;
    if (alias.name == "*") {
      std::shared_ptr<ModuleObject> source = builtin;
      if (!source && !file.empty()) {
        source = loader.load(file, node->module, alias.loc, *this);
      }
      if (source) {
        for (auto &entry : source->members) {
          if (!entry.getKey().starts_with("_")) {
            frame().module->members[entry.getKey()] = entry.getValue();
          }
        }
      }
      continue;
    }
    if (builtin) {
      Value value = attribute(Value::module(builtin), alias.name, alias.loc);
      if (value.is(ValueKind::Unknown)) {
        value = Value::unknown(alias.loc, value.reason().text);
      }
      bind(name, value, alias.loc);
      continue;
    }
    // `from . import sibling` names a file, not a name of the package; a
    // package needs no file of its own.
    std::string sub = loader.findFile(
        frame().module->path, node->dots,
        node->module.empty() ? alias.name.str()
                             : (node->module + "." + alias.name).str());
    const bool isModule = !sub.empty() && sub != file;
    if (isModule || !file.empty()) {
      bind(name,
           Value::lazy({isModule ? sub : file, node->module.str(),
                        isModule ? "" : alias.name.str(), alias.loc}),
           alias.loc);
      continue;
    }
    bind(name,
         Value::unknown(alias.loc, "module '" + node->module.str() +
                                       "' is neither built in nor a file "
                                       "beside this one or below an import "
                                       "root"),
         alias.loc);
  }
}

} // namespace tz::frontend
