//===- NameLookup.cpp - names, attributes, subscripts ---------------------===//
//
// What   What a name stands for: of the function, the enclosing ones, the
//        module, Python; attributes and subscripts of compile-time values.
// Why    A kernel may read few of its module's names, and what it may not has a
//        message that says how to make it readable. Modules that a name comes
//        from are read here, when it is first used.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/Suggestions.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Value Evaluator::resolve(Value value, SourceLoc loc) {
  if (!value.is(ValueKind::Lazy)) {
    return value;
  }
  const LazyObject &lazy = value.asLazy();
  std::shared_ptr<ModuleObject> module =
      loader.load(lazy.path, lazy.module, lazy.loc, *this);
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
    return fail(lazy.loc, "module '" + lazy.module + "' has no name '" +
                              lazy.name + "'" + didYouMean(lazy.name, names));
  }
  return resolve(it->second.value, loc);
}

Value Evaluator::evalName(const Name *node) {
  return lookup(node->id, node->loc);
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

Evaluator::Found Evaluator::findName(StringRef name, SourceLoc loc) {
  Frame &f = frame();
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
  return {loader.ask(*module, name, loc, *this), true};
}

/// Python's own names are last; the error suggests one of all.
Value Evaluator::pythonName(StringRef name, SourceLoc loc) {
  const auto &python = registry.python();
  if (auto it = python.find(name); it != python.end()) {
    return it->second.value;
  }
  SmallVector<StringRef> names;
  for (auto &entry : frame().scope) {
    names.push_back(entry.first);
  }
  for (auto &entry : frame().module->members) {
    names.push_back(entry.getKey());
  }
  for (auto &entry : python) {
    names.push_back(entry.getKey());
  }
  return fail(loc,
              "name '" + name + "' is not defined" +
                  whereDefined(name, registry, frame().function.get(), names));
}

/// A name that is set on some paths only.
Value Evaluator::unsetName(StringRef name, const Value &value, SourceLoc loc) {
  if (inHost()) {
    return Value::unknown(loc, "'" + name.str() + "' may be unset");
  }
  if (!allowed.isStopped()) {
    auto error = sink.error(loc, "'" + name + "' " + value.reason().text);
    for (const Note &origin : value.reason().origins) {
      error.note(origin.loc, origin.message);
    }
  }
  return Value();
}

Value Evaluator::lookup(StringRef name, SourceLoc loc) {
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
  if (inHost()) {
    return value;
  }
  if (value.is(ValueKind::Unknown)) {
    ReasonObject reason = value.reason();
    if (!allowed.isStopped()) {
      sink.error(loc, "'" + name +
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
    auto error = sink.error(
        loc,
        "global '" + name +
            "' is not a constexpr: a kernel may read it only if it is "
            "marked `" +
            (frame().module->scope ? "" : name + ": tl.constexpr = ...` or `") +
            name + " = tl.constexpr(...)`");
    if (defined.isValid()) {
      error.note(defined, "defined here");
    }
    return Value();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Attributes and subscripts
//===----------------------------------------------------------------------===//

/// A name of a module; nothing if it has none and has told all that it has.
std::optional<Value> Evaluator::moduleName(ModuleObject &module, StringRef name,
                                           SourceLoc loc) {
  if (auto it = module.members.find(name); it != module.members.end()) {
    return resolve(it->second.value, loc);
  }
  if (auto sub = registry.module(module.name + "." + name.str())) {
    return Value::module(sub);
  }
  if (Binding *known = loader.ask(module, name, loc, *this)) {
    if (known->value.is(ValueKind::Unknown)) {
      return fail(loc, "'" + module.name + "." + name +
                           "' is not known at compile time: " +
                           known->value.reason().text);
    }
    return known->value;
  }
  if (!module.isPartial) {
    return std::nullopt;
  }
  std::string elsewhere = writtenHere(name);
  if (elsewhere.empty() &&
      registry.module("triton.language")->members.count(name)) {
    elsewhere = "; did you mean 'tl." + name.str() + "'?";
  }
  return fail(loc, "'" + module.name + "." + name +
                       "' is not known at compile time: it is the host's" +
                       elsewhere);
}

/// A field or method of a record.
std::optional<Value> Evaluator::recordAttribute(const Value &base,
                                                StringRef name, SourceLoc loc) {
  const SequenceObject &record = base.sequence();
  if (const Value *field = record.find(name)) {
    return field->is(ValueKind::Unset)
               ? fail(loc, "field '" + name + "' of " + record.className +
                               " is not set yet")
               : *field;
  }
  if (record.type) {
    auto method = record.type->methods.find(name);
    if (method != record.type->methods.end() &&
        method->second.is(ValueKind::Function)) {
      return Value::method(base, method->second.asFunction());
    }
  }
  return std::nullopt;
}

Value Evaluator::attribute(const Value &base, StringRef name, SourceLoc loc) {
  SmallVector<StringRef> names;
  switch (base.kind()) {
  case ValueKind::Error:
    return base;
  case ValueKind::Unknown:
    return Value::unknown(loc, base.reason().text);
  case ValueKind::Module: {
    std::shared_ptr<ModuleObject> module = base.asModule();
    if (auto value = moduleName(*module, name, loc)) {
      return *value;
    }
    for (auto &entry : module->members) {
      names.push_back(entry.getKey());
    }
    break;
  }
  case ValueKind::Tile:
    if (Value value = tileAttribute(base, name, loc);
        !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Type:
    if (Value value = typeAttribute(base, name, loc);
        !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Record:
    if (auto value = recordAttribute(base, name, loc)) {
      return *value;
    }
    for (const std::string &field : base.sequence().names) {
      names.push_back(field);
    }
    break;
  case ValueKind::Int:
  case ValueKind::Bool:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::Tuple:
    // constexpr(x).value is x.
    if (name == "value") {
      return base;
    }
    break;
  case ValueKind::Function:
    if (name == "__name__") {
      return Value::string(base.asFunction()->name);
    }
    if (name == "fn") {
      return base;
    }
    break;
  default:
    break;
  }
  // Of records only the arrays of a launch have methods of the language.
  if (!base.is(ValueKind::Record) || base.sequence().isLaunchArray) {
    if (const Builtin *method = registry.method(base.kind(), name)) {
      return Value::method(base, method);
    }
    for (StringRef method : registry.methodNames(base.kind())) {
      names.push_back(method);
    }
  }
  std::string hint = writtenHere(name);
  if (name == "append" || name == "extend") {
    hint = "; a sequence does not change in kernel code, make a new one with +";
  }
  return fail(loc, describe(base) + " has no " +
                       (base.is(ValueKind::Module) ? "name '" : "attribute '") +
                       name + "'" +
                       (hint.empty() ? didYouMean(name, names) : hint));
}

/// A Python index or slice bound within a sequence of `size`.
static std::optional<int64_t> position(const Value &index, int64_t size) {
  if (!index.isIntegral()) {
    return std::nullopt;
  }
  PyInt i = index.asInt();
  if (i < 0) {
    i += size;
  }
  return i < 0 || i >= size ? std::nullopt : std::optional<int64_t>(i);
}

static std::vector<Value> sliced(ArrayRef<Value> items, const SliceObject &s,
                                 bool &valid) {
  int64_t size = items.size();
  PyInt step = s.step.isNone() ? PyInt(1) : s.step.asInt();
  auto known = [](const Value &v) { return v.isNone() || v.isIntegral(); };
  valid = known(s.lower) && known(s.upper) && known(s.step) && step != 0;
  if (!valid) {
    return {};
  }
  auto bound = [&](const Value &v, PyInt none) {
    if (v.isNone()) {
      return none;
    }
    PyInt i = v.asInt() < 0 ? v.asInt() + size : v.asInt();
    PyInt low = step > 0 ? 0 : -1;
    PyInt high = step > 0 ? size : size - 1;
    return std::min(std::max(i, low), high);
  };
  PyInt begin = bound(s.lower, step > 0 ? 0 : size - 1);
  PyInt end = bound(s.upper, step > 0 ? size : -1);
  std::vector<Value> result;
  for (PyInt i = begin; step > 0 ? i < end : i > end; i += step) {
    result.push_back(items[int64_t(i)]);
  }
  return result;
}

Value Evaluator::evalSubscript(const Subscript *node) {
  Value base = eval(node->base);
  Value index = eval(node->index);
  // fn[grid](...) stands in host code around kernels.
  return subscript(base, index, node->index->loc);
}

Value Evaluator::sequenceItem(const Value &base, const Value &index,
                              SourceLoc loc) {
  ArrayRef<Value> items = base.items();
  if (index.is(ValueKind::Slice)) {
    bool valid;
    std::vector<Value> part = sliced(items, index.asSlice(), valid);
    if (!valid) {
      return fail(loc, "slice bounds must be compile-time integers");
    }
    return base.is(ValueKind::List) ? Value::list(std::move(part))
                                    : Value::tuple(std::move(part));
  }
  if (index.isTile()) {
    return fail(loc, "a " + typeName(base) +
                         " is indexed with a run-time value; the index must "
                         "be known at compile time");
  }
  if (std::optional<int64_t> i = position(index, items.size())) {
    return items[*i];
  }
  return fail(loc, index.isIntegral()
                       ? "index " + toString(index.asInt()) +
                             " is outside of a " + typeName(base).str() +
                             " of length " + std::to_string(items.size())
                       : "a " + typeName(base).str() + " has no index " +
                             describe(index));
}

Value Evaluator::subscript(const Value &base, const Value &index,
                           SourceLoc loc) {
  if (base.isError() || index.isError()) {
    return Value();
  }
  if (base.is(ValueKind::Unknown) || index.is(ValueKind::Unknown)) {
    return Value::unknown(loc, "subscript of an unknown value");
  }
  if (auto special = callSpecial("__getitem__", base, {index}, loc)) {
    return *special;
  }
  if (base.isSequence()) {
    return sequenceItem(base, index, loc);
  }
  if (base.is(ValueKind::Dict)) {
    if (Value *entry = base.dictionary().find(index)) {
      return *entry;
    }
    return fail(loc, "dictionary has no key " + repr(index));
  }
  if (base.is(ValueKind::Module) && base.asModule()->name == "os.environ" &&
      index.is(ValueKind::String)) {
    auto value = loader.environment(index.asString());
    return value ? Value::string(*value)
                 : fail(loc,
                        "environment variable " + repr(index) + " is not set");
  }
  if (base.is(ValueKind::String) && index.isIntegral()) {
    const std::string &text = base.asString();
    if (auto i = position(index, text.size())) {
      return Value::string(text.substr(*i, 1));
    }
    return fail(loc, "index is outside of the string");
  }
  if (base.isTile()) {
    CallArgs args;
    args.add(index, loc);
    if (const Builtin *get = registry.method(ValueKind::Tile, "__getitem__")) {
      return call(Value::method(base, get), args, loc);
    }
  }
  return fail(loc, describe(base) + " cannot be subscripted" +
                       (base.is(ValueKind::Function) && !inHost()
                            ? "; kernel code calls it without a grid: " +
                                  base.asFunction()->name + "(...)"
                            : std::string()));
}

} // namespace tz::frontend
