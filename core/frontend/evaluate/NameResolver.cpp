//===- NameResolver.cpp - what a name stands for --------------------------===//
//
// What   See NameResolver.h.
// Why    See NameResolver.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/NameResolver.h"

#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/Suggestions.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

Value NameResolver::resolve(Value value, SourceLoc loc) {
  if (!value.is(ValueKind::Lazy)) {
    return value;
  }
  const LazyObject &lazy = value.asLazy();
  std::shared_ptr<ModuleObject> module =
      ev.modules().load(lazy.path, lazy.module, lazy.loc, ev);
  if (!module) {
    return Value();
  }
  if (lazy.name.empty()) {
    return Value::module(module);
  }
  auto it = module->members.find(lazy.name);
  if (it == module->members.end()) {
    SmallVector<StringRef> names;
    for (auto &entry : module->members) {
      names.push_back(entry.getKey());
    }
    return ev.fail(lazy.loc, "module '" + lazy.module + "' has no name '" +
                                 lazy.name + "'" +
                                 didYouMean(lazy.name, names));
  }
  return resolve(it->second.value, loc);
}

/// How a name that is not defined may have been meant.
static std::string whereDefined(StringRef name, const Registry &registry,
                                const FunctionObject *function,
                                ArrayRef<StringRef> names) {
  if (function && function->def &&
      is_contained(assignedNames(function->def->body), name)) {
    return " yet: it is set only further down";
  }
  if (name == "tl" || name == "triton") {
    return name == "tl" ? "; write `import triton.language as tl`"
                        : "; write `import triton`";
  }
  auto &language = registry.module("triton.language")->members;
  if (language.count(name)) {
    return "; did you mean 'tl." + name.str() + "'?";
  }
  std::string meant = writtenHere(name);
  if (meant.empty()) {
    meant = didYouMean(name, names);
  }
  if (meant.empty()) {
    SmallVector<StringRef> others;
    for (auto &entry : language) {
      others.push_back(entry.getKey());
    }
    StringRef near = nearestName(name, others);
    meant = near.empty() ? "" : "; did you mean 'tl." + near.str() + "'?";
  }
  return meant;
}

NameResolver::Found NameResolver::findName(StringRef name, SourceLoc loc) {
  Evaluator::Frame &f = ev.frame();
  if (auto it = f.scope.find(name); it != f.scope.end()) {
    return {&it->second, false};
  }
  if (f.closure) {
    if (auto it = f.closure->find(name); it != f.closure->end()) {
      return {&it->second, false};
    }
  }
  // Held here: what asking runs may move the frames.
  std::shared_ptr<ModuleObject> module = f.module;
  if (auto it = module->members.find(name); it != module->members.end()) {
    return {&it->second, true};
  }
  return {ev.modules().ask(*module, name, loc, ev), true};
}

/// Python's own names are last; the error suggests one of all.
Value NameResolver::pythonName(StringRef name, SourceLoc loc) {
  const auto &python = ev.builtins().python();
  if (auto it = python.find(name); it != python.end()) {
    return it->second.value;
  }
  SmallVector<StringRef> names;
  for (auto &entry : ev.frame().scope) {
    names.push_back(entry.first);
  }
  for (auto &entry : ev.frame().module->members) {
    names.push_back(entry.getKey());
  }
  for (auto &entry : python) {
    names.push_back(entry.getKey());
  }
  return ev.fail(loc, "name '" + name + "' is not defined" +
                          whereDefined(name, ev.builtins(),
                                       ev.frame().function.get(), names));
}

/// A name that is set on some paths only.
Value NameResolver::unsetName(StringRef name, const Value &value,
                              SourceLoc loc) {
  if (ev.inHost()) {
    return Value::unknown(loc, "'" + name.str() + "' may be unset");
  }
  if (!ev.bounds().isStopped()) {
    auto error =
        ev.diagnostics().error(loc, "'" + name + "' " + value.reason().text);
    for (const Note &origin : value.reason().origins) {
      error.note(origin.loc, origin.message);
    }
  }
  return Value();
}

Value NameResolver::lookup(StringRef name, SourceLoc loc) {
  auto [binding, isGlobal] = findName(name, loc);
  if (!binding) {
    return pythonName(name, loc);
  }
  const bool isImported = binding->value.is(ValueKind::Lazy);
  Value value = resolve(binding->value, loc);
  SourceLoc defined = binding->loc;
  if (value.is(ValueKind::Unset)) {
    return unsetName(name, value, loc);
  }
  if (ev.inHost()) {
    return value;
  }
  if (value.is(ValueKind::Unknown)) {
    ReasonObject reason = value.reason();
    if (!ev.bounds().isStopped()) {
      ev.diagnostics()
          .error(loc, "'" + name +
                          "' has no value that is known at compile "
                          "time")
          .note(reason.loc, reason.text);
    }
    return Value();
  }
  // Kernels read globals that cannot change behind the compiler's back.
  bool plainData = value.isNumber() || value.is(ValueKind::String) ||
                   value.is(ValueKind::Tuple) || value.is(ValueKind::List) ||
                   value.is(ValueKind::Dict);
  if (isGlobal && plainData && !value.isConstexpr && !isImported) {
    auto error = ev.diagnostics().error(
        loc,
        "global '" + name +
            "' is not a constexpr: a kernel may read it only if it is "
            "marked `" +
            (ev.frame().module->scope ? ""
                                      : name + ": tl.constexpr = ...` or `") +
            name + " = tl.constexpr(...)`");
    if (defined.isValid()) {
      error.note(defined, "defined here");
    }
    return Value();
  }
  return value;
}

} // namespace tz::frontend
