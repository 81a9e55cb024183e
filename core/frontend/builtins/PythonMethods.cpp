//===- PythonMethods.cpp - methods of Python's values ---------------------===//
//
// What   Methods of lists, dictionaries and strings.
// Why    See PythonFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

static void bindLists(Registry &r) {
  r.addMethod(ValueKind::List, "append", "x", [](BuiltinCall &call) {
    if (!call.evaluator.inHost()) {
      return call.error("a list cannot change in kernel code; make a new one "
                        "with `+`");
    }
    if (call[0].items().size() < call.evaluator.limits().sequenceLength) {
      call[0].sequence().items.push_back(call[1]);
    }
    return Value::none();
  });
  r.addMethod(ValueKind::List, "extend", "x", [](BuiltinCall &call) {
    size_t limit = call.evaluator.limits().sequenceLength;
    if (!call.evaluator.inHost() || !call[1].isSequence()) {
      return call.error("a list can only be extended by a list in host code");
    }
    std::vector<Value> more = call[1].items().vec();
    if (call[0].items().size() + more.size() <= limit) {
      append_range(call[0].sequence().items, more);
    }
    return Value::none();
  });
}

static void bindDictionaries(Registry &r) {
  r.addMethod(ValueKind::Dict, "get", "key, default=None",
              [](BuiltinCall &call) {
                Value *entry = call[0].dictionary().find(call[1]);
                return entry ? *entry : call[2];
              });
  auto listing = [&](StringRef name, auto make) {
    r.addMethod(ValueKind::Dict, name, "", [make](BuiltinCall &call) {
      std::vector<Value> items;
      for (auto &entry : call[0].dictionary().entries) {
        items.push_back(make(entry));
      }
      return Value::list(std::move(items));
    });
  };
  listing("items", [](auto &e) { return Value::tuple({e.first, e.second}); });
  listing("keys", [](auto &e) { return e.first; });
  listing("values", [](auto &e) { return e.second; });
  r.addMethod(ValueKind::Dict, "copy", "", [](BuiltinCall &call) {
    Value result = Value::dict();
    result.dictionary() = call[0].dictionary();
    return result;
  });
  r.addMethod(ValueKind::Dict, "update", "other", [](BuiltinCall &call) {
    if (call[1].is(ValueKind::Dict)) {
      for (auto &[key, value] : call[1].dictionary().entries) {
        call[0].dictionary().set(key, value);
      }
    }
    return Value::none();
  });
}

static void bindStrings(Registry &r) {
  auto test = [&](StringRef name, bool (*fn)(StringRef, StringRef)) {
    r.addMethod(ValueKind::String, name, "text", [fn](BuiltinCall &call) {
      return call[1].is(ValueKind::String)
                 ? Value::boolean(fn(call[0].asString(), call[1].asString()))
                 : call.error(1, "a string is needed");
    });
  };
  test("startswith", [](StringRef s, StringRef t) { return s.starts_with(t); });
  test("endswith", [](StringRef s, StringRef t) { return s.ends_with(t); });
  r.addMethod(ValueKind::String, "lower", "", [](BuiltinCall &call) {
    return Value::string(StringRef(call[0].asString()).lower());
  });
  r.addMethod(ValueKind::String, "upper", "", [](BuiltinCall &call) {
    return Value::string(StringRef(call[0].asString()).upper());
  });
}

void bindPythonMethods(Registry &registry) {
  bindLists(registry);
  bindDictionaries(registry);
  bindStrings(registry);
}

} // namespace tz::frontend
