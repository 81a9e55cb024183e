//===- Members.cpp - attributes of compile-time values --------------------===//
//
// What   The attributes of modules and records, and what is told where a value
//        has none of the name; those of tiles and types are in
//        TileAttributes.cpp.
// Why    See Members.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Members.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/Suggestions.h"

using namespace llvm;

namespace tz::frontend {

/// A name of a module; nothing if it has none and has told all that it has.
std::optional<Value> Members::ofModule(ModuleObject &module, StringRef name,
                                       SourceLoc loc) {
  if (auto it = module.members.find(name); it != module.members.end()) {
    return ev.resolve(it->second.value, loc);
  }
  if (auto sub = ev.builtins().module(module.name + "." + name.str())) {
    return Value::module(sub);
  }
  if (Binding *known = ev.modules().ask(module, name, loc, ev)) {
    if (known->value.is(ValueKind::Unknown)) {
      return ev.fail(loc, "'" + module.name + "." + name +
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
      ev.builtins().module("triton.language")->members.count(name)) {
    elsewhere = "; did you mean 'tl." + name.str() + "'?";
  }
  return ev.fail(loc, "'" + module.name + "." + name +
                          "' is not known at compile time: it is the host's" +
                          elsewhere);
}

/// A field or method of a record.
std::optional<Value> Members::ofRecord(const Value &base, StringRef name,
                                       SourceLoc loc) {
  const SequenceObject &record = base.sequence();
  if (const Value *field = record.find(name)) {
    return field->is(ValueKind::Unset)
               ? ev.fail(loc, "field '" + name + "' of " + record.className +
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

Value Members::attribute(const Value &base, StringRef name, SourceLoc loc) {
  SmallVector<StringRef> names;
  switch (base.kind()) {
  case ValueKind::Error:
    return base;
  case ValueKind::Unknown:
    return Value::unknown(loc, base.reason().text);
  case ValueKind::Module: {
    std::shared_ptr<ModuleObject> module = base.asModule();
    if (auto value = ofModule(*module, name, loc)) {
      return *value;
    }
    for (auto &entry : module->members) {
      names.push_back(entry.getKey());
    }
    break;
  }
  case ValueKind::Tile:
    if (Value value = ofTile(base, name, loc); !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Type:
    if (Value value = ofType(base, name, loc); !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Record:
    if (auto value = ofRecord(base, name, loc)) {
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
    if (const Builtin *method = ev.builtins().method(base.kind(), name)) {
      return Value::method(base, method);
    }
    for (StringRef method : ev.builtins().methodNames(base.kind())) {
      names.push_back(method);
    }
  }
  std::string hint = writtenHere(name);
  if (name == "append" || name == "extend") {
    hint = "; a sequence does not change in kernel code, make a new one with +";
  }
  return ev.fail(
      loc, describe(base) + " has no " +
               (base.is(ValueKind::Module) ? "name '" : "attribute '") + name +
               "'" + (hint.empty() ? didYouMean(name, names) : hint));
}

} // namespace tz::frontend
