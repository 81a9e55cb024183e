//===- Classes.cpp - classes: named tuples and aggregates -----------------===//
//
// What   Makes and changes the values of classes, and calls the methods that
//        operators mean. Class statements: HostDefinitions.cpp.
// Why    See Classes.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Classes.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/Suggestions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

/// Fields by position and keyword, as a named tuple takes them.
Value Classes::makeRecord(std::shared_ptr<const ClassObject> type,
                          const CallArgs &args, SourceLoc loc) {
  auto fields = std::make_shared<SequenceObject>();
  fields->className = type->name;
  fields->names = type->fields;
  if (type->isAggregate || !type->methods.empty()) {
    fields->type = type;
  }
  std::vector<std::optional<Value>> values = type->defaults;
  values.resize(type->fields.size());
  size_t next = 0;
  for (const auto &arg : args.list) {
    size_t at = next++;
    if (!arg.keyword.empty()) {
      at = find(type->fields, arg.keyword.str()) - type->fields.begin();
    }
    if (at >= values.size()) {
      return ev.fail(arg.loc, arg.keyword.empty()
                                  ? "too many values for " + type->name
                                  : type->name + " has no field '" +
                                        arg.keyword.str() + "'");
    }
    values[at] = arg.value;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) {
      return ev.fail(loc, "field '" + type->fields[i] + "' of " + type->name +
                              " has no value");
    }
    fields->items.push_back(*values[i]);
  }
  return type->isAggregate ? close(std::move(fields), loc)
                           : Value::record(std::move(fields));
}

/// The fields as they are annotated; the value is complete.
Value Classes::close(std::shared_ptr<SequenceObject> fields, SourceLoc loc) {
  const ClassObject &type = *fields->type;
  fields->open = nullptr;
  for (size_t i = 0; i < fields->items.size(); ++i) {
    Value &item = fields->items[i];
    if (item.isError()) {
      return Value();
    }
    if (item.is(ValueKind::Unset)) {
      return ev.fail(loc, "__init__ of " + type.name + " does not set field '" +
                              type.fields[i] + "'");
    }
    if (type.kinds[i] == ClassObject::Constexpr && item.isTile()) {
      return ev.fail(loc,
                     "field '" + type.fields[i] + "' of " + type.name +
                         " is a constexpr and needs a value known at compile "
                         "time, found " +
                         describe(item));
    }
    if (type.kinds[i] == ClassObject::Tensor) {
      item = ev.insideKernel() ? ev.materialise(item, loc) : item;
      if (!item.isTile() && ev.insideKernel()) {
        return ev.fail(loc, "field '" + type.fields[i] + "' of " + type.name +
                                " is a tensor, found " + describe(item));
      }
    }
  }
  return Value::record(std::move(fields));
}

Value Classes::make(const Value &callee, const CallArgs &args, SourceLoc loc) {
  std::shared_ptr<const ClassObject> type = callee.sharedClass();
  auto init = type->methods.find("__init__");
  if (!type->isAggregate || init == type->methods.end() ||
      !init->second.is(ValueKind::Function)) {
    return makeRecord(type, args, loc);
  }
  if (ev.inHost() || !ev.insideKernel()) {
    return Value::unknown(loc, "aggregate " + type->name +
                                   " is made outside of a kernel");
  }
  auto fields = std::make_shared<SequenceObject>();
  fields->className = type->name;
  fields->names = type->fields;
  fields->type = type;
  fields->open = ev.builder().getInsertionBlock();
  for (size_t i = 0; i < type->fields.size(); ++i) {
    fields->items.push_back(type->defaults[i] ? *type->defaults[i]
                                              : Value::unset({}, ""));
  }
  CallArgs withSelf;
  withSelf.add(Value::record(fields), loc);
  withSelf.list.append(args.list.begin(), args.list.end());
  init->second.asFunction()->isJit = true; // however it is decorated
  Value result = ev.call(init->second, withSelf, loc);
  return result.isError() ? result : close(std::move(fields), loc);
}

/// Is the record somewhere in the value? Each part is looked at once.
static bool holds(const Value &value, const SequenceObject *record) {
  SmallVector<const SequenceObject *> work;
  SmallPtrSet<const SequenceObject *, 8> seen;
  auto look = [&](const Value &v) {
    if (v.isSequence() && seen.insert(&v.sequence()).second) {
      work.push_back(&v.sequence());
    }
  };
  look(value);
  while (!work.empty()) {
    const SequenceObject *part = work.pop_back_val();
    if (part == record) {
      return true;
    }
    for (const Value &item : part->items) {
      look(item);
    }
  }
  return false;
}

void Classes::setField(const Attribute *target, const Value &value) {
  Value base = ev.eval(target->base);
  if (base.isError()) {
    return;
  }
  if (!base.is(ValueKind::Record) || !base.sequence().type) {
    ev.fail(target->loc,
            "assignment to an attribute is not supported in kernel code");
    return;
  }
  SequenceObject &fields = base.sequence();
  auto field = find(fields.names, target->name.str());
  if (field == fields.names.end()) {
    ev.fail(target->loc,
            fields.className + " has no field '" + target->name + "'" +
                didYouMean(target->name,
                           SmallVector<StringRef>(fields.names.begin(),
                                                  fields.names.end())));
    return;
  }
  if (!fields.open) {
    ev.fail(target->loc, "fields of an aggregate are set only by its __init__; "
                         "use tl.aggregate_replace");
    return;
  }
  if (fields.open != ev.builder().getInsertionBlock()) {
    ev.fail(target->loc, "__init__ sets field '" + target->name +
                             "' in a run-time branch or loop; set it once, at "
                             "the end");
    return;
  }
  if (holds(value, &fields)) {
    ev.fail(target->loc, "field '" + target->name + "' of " + fields.className +
                             " cannot hold the aggregate itself");
    fields.items[size_t(field - fields.names.begin())] = Value();
    return;
  }
  fields.items[size_t(field - fields.names.begin())] = value;
}

std::optional<Value> Classes::callMethod(StringRef name, const Value &self,
                                         ArrayRef<Value> others,
                                         SourceLoc loc) {
  if (!self.is(ValueKind::Record) || !self.sequence().type) {
    return std::nullopt;
  }
  auto &methods = self.sequence().type->methods;
  auto method = methods.find(name);
  if (method == methods.end()) {
    return std::nullopt;
  }
  CallArgs args;
  args.add(self, loc);
  for (const Value &other : others) {
    args.add(other, loc);
  }
  return ev.call(method->second, args, loc);
}

} // namespace tz::frontend
