//===- AggregateFunctions.cpp - tl.aggregate, aggregate_replace -----------===//
//
// What   The decorators that make a class an aggregate and a function one that
//        kernels call, and a copy of an aggregate with other fields.
// Why    See Classes.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/Suggestions.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

static Value markAggregate(BuiltinCall &call) {
  if (call[0].is(ValueKind::Class)) {
    call[0].sharedClass()->isAggregate = true;
  }
  return call[0];
}

/// A copy of the aggregate with some fields changed.
static Value replaceFields(BuiltinCall &call) {
  const Value &old = call[0];
  if (!old.is(ValueKind::Record) || !old.sequence().type ||
      !old.sequence().type->isAggregate) {
    return call.error(0, "aggregate_replace needs an aggregate, found " +
                             describe(old));
  }
  auto fields = std::make_shared<SequenceObject>(old.sequence());
  for (auto &[key, value] : call[1].dictionary().entries) {
    auto field = find(fields->names, key.asString());
    if (field == fields->names.end()) {
      return call.error(
          fields->className + " has no field '" + key.asString() + "'" +
          didYouMean(key.asString(),
                     SmallVector<StringRef>(fields->names.begin(),
                                            fields->names.end())));
    }
    fields->items[size_t(field - fields->names.begin())] = value;
  }
  return call.evaluator.closeAggregate(std::move(fields), call.loc);
}

static Value markExtern(BuiltinCall &call) {
  if (call[0].is(ValueKind::Function)) {
    call[0].asFunction()->isJit = true;
    call[0].asFunction()->isExtern = true;
  }
  return call[0];
}

void bindAggregates(Registry &r) {
  r.addHost("triton", "aggregate", "cls", markAggregate);
  r.addHost("triton.language.core", "_aggregate", "cls", markAggregate);
  r.addHost("triton.language.core", "extern", "fn", markExtern);
  r.add("triton.language", "aggregate_replace", "obj, **changes",
        replaceFields);
}

} // namespace tz::frontend
