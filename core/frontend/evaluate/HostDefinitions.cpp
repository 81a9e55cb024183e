//===- HostDefinitions.cpp - functions, classes and imports ---------------===//
//
// What   Definitions of host code and what names of other modules stand for.
// Why    See HostStatements.h. Imports are read on first use of their names.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/HostStatements.h"
#include "core/frontend/evaluate/ModuleSource.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value HostStatements::function(const FunctionDef *def) {
  auto object = std::make_shared<FunctionObject>();
  object->name = def->name.str();
  object->def = def;
  object->module = ev.frame().module;
  if (ev.frame().function) {
    object->closure = std::make_shared<Scope>(ev.frame().scope);
  }
  return Value::function(object);
}

/// Innermost first. A decorator that is not ours leaves what it decorates as
/// it is: kernels are often wrapped by loggers and registries.
void HostStatements::applyDecorators(ArrayRef<Expr *> decorators,
                                     const Value &value) {
  for (const Expr *decorator : reverse(decorators)) {
    Value applied = ev.eval(decorator);
    if (applied.is(ValueKind::Builtin) || applied.is(ValueKind::Method)) {
      CallArgs args;
      args.add(value, decorator->loc);
      applied = ev.call(applied, args, decorator->loc);
    }
    if (applied.is(ValueKind::Unknown) && value.is(ValueKind::Function)) {
      value.asFunction()->undecorated = applied.reason();
    }
  }
}

void HostStatements::define(const FunctionDef *def) {
  Value value = function(def);
  ev.bind(def->name, value, def->nameLoc);
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

void HostStatements::importModules(const Import *node) {
  for (const Alias &alias : node->names) {
    StringRef first = alias.name.split('.').first;
    StringRef name = alias.as.empty() ? first : alias.as;
    StringRef wanted = alias.as.empty() ? first : alias.name;
    if (auto builtin = builtinModule(ev.builtins(), wanted)) {
      ev.bind(name, Value::module(builtin), alias.loc);
      continue;
    }
    std::string file =
        ev.modules().findFile(ev.frame().module->path, 0, alias.name);
    if (!file.empty() && (!alias.as.empty() || !alias.name.contains('.'))) {
      ev.bind(name, Value::lazy({file, alias.name.str(), "", alias.loc}),
              alias.loc);
    } else {
      ev.bind(name,
              Value::unknown(alias.loc,
                             "module '" + wanted.str() +
                                 "' is neither built in nor a file beside this "
                                 "one or below an import root"),
              alias.loc);
    }
  }
}

/// `from source import *`; nothing if the source could not be read.
void HostStatements::importAll(const std::shared_ptr<ModuleObject> &source) {
  if (!source) {
    return;
  }
  for (auto &entry : source->members) {
    if (!entry.getKey().starts_with("_")) {
      ev.frame().module->members[entry.getKey()] = entry.getValue();
    }
  }
}

void HostStatements::importNames(const ImportFrom *node) {
  std::shared_ptr<ModuleObject> builtin =
      node->dots ? nullptr : builtinModule(ev.builtins(), node->module);
  std::string file = builtin ? ""
                             : ev.modules().findFile(ev.frame().module->path,
                                                     node->dots, node->module);
  for (const Alias &alias : node->names) {
    StringRef name = alias.as.empty() ? alias.name : alias.as;
    if (alias.name == "*") {
      std::shared_ptr<ModuleObject> source = builtin;
      if (!source && !file.empty()) {
        source = ev.modules().load(file, node->module, alias.loc, ev);
      }
      importAll(source);
      continue;
    }
    if (builtin) {
      Value value = ev.attribute(Value::module(builtin), alias.name, alias.loc);
      if (value.is(ValueKind::Unknown)) {
        value = Value::unknown(alias.loc, value.reason().text);
      }
      ev.bind(name, value, alias.loc);
      continue;
    }
    // `from . import sibling` names a file, not a name of the package; a
    // package needs no file of its own.
    std::string sub = ev.modules().findFile(
        ev.frame().module->path, node->dots,
        node->module.empty() ? alias.name.str()
                             : (node->module + "." + alias.name).str());
    const bool isModule = !sub.empty() && sub != file;
    if (isModule || !file.empty()) {
      ev.bind(name,
              Value::lazy({isModule ? sub : file, node->module.str(),
                           isModule ? "" : alias.name.str(), alias.loc}),
              alias.loc);
      continue;
    }
    ev.bind(name,
            Value::unknown(alias.loc, "module '" + node->module.str() +
                                          "' is neither built in nor a file "
                                          "beside this one or below an import "
                                          "root"),
            alias.loc);
  }
}

static StringRef lastName(const Expr *expr) {
  if (auto *name = dyn_cast_if_present<Name>(expr)) {
    return name->id;
  }
  auto *attribute = dyn_cast_if_present<Attribute>(expr);
  return attribute ? attribute->name : StringRef();
}

void HostStatements::defineClass(const ClassDef *def) {
  auto object = std::make_shared<ClassObject>();
  object->name = def->name.str();
  object->loc = def->loc;
  for (const Stmt *stmt : def->body) {
    if (auto *field = dyn_cast<AnnAssign>(stmt)) {
      if (auto *name = dyn_cast<Name>(field->target)) {
        object->fields.push_back(name->id.str());
        object->defaults.push_back(
            field->value ? std::optional<Value>(ev.eval(field->value))
                         : std::nullopt);
        StringRef type = lastName(field->annotation);
        object->kinds.push_back(type == "constexpr" ? ClassObject::Constexpr
                                : type == "tensor"  ? ClassObject::Tensor
                                                    : ClassObject::Any);
      }
    } else if (auto *method = dyn_cast<FunctionDef>(stmt)) {
      Value function = this->function(method);
      applyDecorators(method->decorators, function);
      object->methods[method->name.str()] = function;
    }
  }
  // NamedTuple classes and aggregates are of use to kernels; other classes mean
  // nothing here.
  bool named = any_of(def->bases, [](const Expr *base) {
    return lastName(base) == "NamedTuple";
  });
  Value value = Value::classOf(object);
  applyDecorators(def->decorators, value);
  if (!named && !object->isAggregate) {
    value = Value::unknown(def->loc, "class '" + def->name.str() +
                                         "' is not understood by the compiler");
  }
  ev.bind(def->name, value, def->loc);
}

} // namespace tz::frontend
