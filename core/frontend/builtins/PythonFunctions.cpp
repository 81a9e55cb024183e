//===- PythonFunctions.cpp - Python's own functions -----------------------===//
//
// What   len, range, min, isinstance ..., the math module, methods of strings,
//        lists and dictionaries.
// Why    Kernels use a few of them on compile-time values; the rest serves the
//        host code that computes configurations.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

static Value makeRange(BuiltinCall &call, RangeObject::Kind kind) {
  RangeObject range;
  range.kind = kind;
  bool one = call[1].isNone();
  range.start = one ? Value::integer(0) : call[0];
  range.stop = one ? call[0] : call[1];
  range.step = call[2].isNone() ? Value::integer(1) : call[2];
  for (const Value *part : {&range.start, &range.stop, &range.step}) {
    if (part->is(ValueKind::Unknown)) {
      return *part;
    }
    if (!part->isIntegral() && !part->isTile()) {
      return call.error(call.builtin.name + " needs integers, found " +
                        describe(*part));
    }
  }
  for (size_t i = 3; i < call.values.size(); ++i) {
    if (call.given(i) && !call[i].isNone()) {
      if (call[i].is(ValueKind::Unknown)) {
        return call[i];
      }
      if (!call[i].is(ValueKind::Bool) && !call.integer(i)) {
        return Value();
      }
      range.hints.emplace_back(call.name(i).str(), call[i]);
    }
  }
  return Value::range(std::move(range));
}

/// The numbers of a call like min(a, b, ...) or min(sequence).
static ArrayRef<Value> listed(BuiltinCall &call) {
  ArrayRef<Value> items = call[0].items();
  return items.size() == 1 && items[0].isSequence() ? items[0].items() : items;
}

static Value extremum(BuiltinCall &call, bool largest) {
  ArrayRef<Value> items = listed(call);
  if (items.empty()) {
    return call.error(call.builtin.name + " needs at least one value");
  }
  Value best = items[0];
  for (const Value &item : items.drop_front()) {
    if (best.isTile() || item.isTile()) {
      auto language = call.evaluator.builtins().module("triton.language");
      auto it = language->members.find(largest ? "maximum" : "minimum");
      CallArgs args;
      args.add(best, call.loc);
      args.add(item, call.loc);
      best = call.evaluator.call(it->second.value, args, call.loc);
      continue;
    }
    Value less =
        call.evaluator.compare(ast::CompareOp::Lt, largest ? best : item,
                               largest ? item : best, call.loc);
    std::optional<bool> decided = truth(less);
    if (!decided) {
      return less;
    }
    best = *decided ? item : best;
  }
  return best;
}

/// Whether `value` is an instance of what `type` names.
static std::optional<bool> isInstance(const Value &value, const Value &type) {
  WorkBudget::Level level;
  if (!level) {
    return std::nullopt;
  }
  if (type.isSequence()) {
    bool any = false;
    for (const Value &item : type.items()) {
      std::optional<bool> one = isInstance(value, item);
      if (!one) {
        return std::nullopt;
      }
      any |= *one;
    }
    return any;
  }
  if (type.is(ValueKind::Class)) {
    return value.is(ValueKind::Record) &&
           value.sequence().className == type.asClass().name;
  }
  if (!type.is(ValueKind::Builtin)) {
    return std::nullopt;
  }
  StringRef name = type.asBuiltin()->name;
  if (name == "int") {
    return value.isIntegral();
  }
  if (name == "tl.constexpr") {
    return !value.isTile();
  }
  if (name == "tl.tensor") {
    return value.isTile() && !value.asTile().type.isDescriptor;
  }
  if (name == "tl.tensor_descriptor") {
    return value.isTile() && value.asTile().type.isDescriptor;
  }
  if (name == "tl.tuple") {
    name = "tuple";
  }
  if (name == "tl.dtype") {
    return value.is(ValueKind::Type);
  }
  if (name == "tl.pointer_type" || name == "tl.block_type") {
    return value.is(ValueKind::Type) &&
           (name == "tl.block_type"
                ? !value.asType().isScalar()
                : value.asType().isScalar() && value.asType().isPtr);
  }
  return name == typeName(value);
}

static Value convertToInt(BuiltinCall &call) {
  const Value &value = call[0];
  if (value.isIntegral()) {
    return Value::integer(value.asInt());
  }
  if (value.is(ValueKind::Float) && std::abs(value.asFloat()) < 0x1p100) {
    return Value::integer(PyInt(value.asFloat()));
  }
  int64_t number;
  if (value.is(ValueKind::String) &&
      !StringRef(value.asString()).trim().getAsInteger(10, number)) {
    return Value::integer(number);
  }
  return value.is(ValueKind::Unknown)
             ? value
             : call.error(describe(value) + " cannot be made an int" +
                          (value.isTile() ? "; use x.to(tl.int32)" : ""));
}

static Value convertToFloat(BuiltinCall &call) {
  const Value &value = call[0];
  if (value.isNumber()) {
    return Value::number(value.asFloat());
  }
  if (value.is(ValueKind::String)) {
    std::string text = StringRef(value.asString()).trim().lower();
    char *end = nullptr;
    double number = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') {
      return Value::number(number);
    }
  }
  return value.is(ValueKind::Unknown)
             ? value
             : call.error(describe(value) + " cannot be made a float" +
                          (value.isTile() ? "; use x.to(tl.float32)" : ""));
}

static Value enumerated(BuiltinCall &call, bool zipped) {
  std::vector<Value> result;
  if (!zipped) {
    if (!call[0].isSequence()) {
      return Value::unknown(call.loc, "enumerate of an unknown sequence");
    }
    for (auto [index, item] : enumerate(call[0].items())) {
      result.push_back(Value::tuple({Value::integer(index), item}));
    }
    return Value::list(std::move(result));
  }
  size_t size = SIZE_MAX;
  for (const Value &list : call[0].items()) {
    if (!list.isSequence()) {
      return Value::unknown(call.loc, "zip of an unknown sequence");
    }
    size = std::min(size, list.items().size());
  }
  for (size_t i = 0; size != SIZE_MAX && i < size; ++i) {
    std::vector<Value> row;
    for (const Value &list : call[0].items()) {
      row.push_back(list.items()[i]);
    }
    result.push_back(Value::tuple(std::move(row)));
  }
  return Value::list(std::move(result));
}

static Value copied(BuiltinCall &call, bool asList) {
  std::vector<Value> items;
  const Value &source = call[0];
  if (source.isSequence()) {
    items = source.items().vec();
  } else if (source.is(ValueKind::Dict)) {
    for (auto &entry : source.dictionary().entries) {
      items.push_back(entry.first);
    }
  } else if (source.is(ValueKind::Range)) {
    const RangeObject &r = source.asRange();
    if (!r.start.isIntegral() || !r.stop.isIntegral() || !r.step.isIntegral() ||
        r.step.asInt() == 0) {
      return call.error("range is not known at compile time");
    }
    PyInt step = r.step.asInt();
    for (PyInt i = r.start.asInt();
         step > 0 ? i < r.stop.asInt() : i > r.stop.asInt(); i += step) {
      if (items.size() >= call.evaluator.limits().sequenceLength) {
        return call.error("sequence is longer than " +
                          Twine(call.evaluator.limits().sequenceLength) +
                          " elements (limit of sequence length)");
      }
      items.push_back(Value::integer(i));
    }
  } else if (!source.isNone()) {
    return call.error(describe(source) + " is not a sequence" +
                      (source.isTile() ? "; use tl.sum(x, axis) to add its "
                                         "elements, tl.max for the largest"
                                       : ""));
  }
  return asList ? Value::list(std::move(items))
                : Value::tuple(std::move(items));
}

static void bindFunctions(Registry &r) {
  auto add = [&](StringRef name, StringRef signature, BuiltinFn run) {
    r.addHost("builtins", name, signature, std::move(run));
  };
  // Kernels may give tl.range's hints to range as well.
  const std::string hints =
      "num_stages=None, loop_unroll_factor=None, "
      "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, "
      "disable_licm=False";
  add("range", "start, stop=None, step=None, *, " + hints,
      [](BuiltinCall &call) { return makeRange(call, RangeObject::Plain); });
  r.addHost(
      "triton.language", "range", "arg1, arg2=None, step=None, " + hints,
      [](BuiltinCall &call) { return makeRange(call, RangeObject::Hinted); });
  // The condition of a while loop, in which it is evaluated.
  r.addHost("triton.language", "condition", "arg, disable_licm=False",
            [](BuiltinCall &call) {
              if (call.evaluator.inHost()) {
                return call[0]; // of a loop of the module
              }
              mlir::OpBuilder &b = call.evaluator.builder();
              mlir::Operation *loop = b.getInsertionBlock()->getParentOp();
              if (isa<mlir::scf::WhileOp>(loop) &&
                  call[1].is(ValueKind::Bool) && call[1].asBool()) {
                loop->setAttr("tile.disable_licm", b.getUnitAttr());
              }
              return call[0];
            });
  r.addHost(
      "triton.language", "static_range", "arg1, arg2=None, step=None",
      [](BuiltinCall &call) { return makeRange(call, RangeObject::Static); });
  add("len", "obj", [](BuiltinCall &call) {
    const Value &value = call[0];
    if (value.isSequence()) {
      return Value::integer(value.items().size());
    }
    if (value.is(ValueKind::String)) {
      return Value::integer(value.asString().size());
    }
    if (value.is(ValueKind::Dict)) {
      return Value::integer(value.dictionary().entries.size());
    }
    return call.error(describe(value) + " has no length" +
                      (value.isTile() ? "; its sizes are in x.shape" : ""));
  });
  add("min", "*args", [](BuiltinCall &call) { return extremum(call, false); });
  add("max", "*args", [](BuiltinCall &call) { return extremum(call, true); });
  add("int", "x=0", convertToInt);
  add("float", "x=0.0", convertToFloat);
  add("bool", "x=False", [](BuiltinCall &call) {
    std::optional<bool> value = call.boolean(0);
    return value ? Value::boolean(*value) : Value();
  });
  add("str", "x=''",
      [](BuiltinCall &call) { return Value::string(str(call[0])); });
  add("list", "x=None", [](BuiltinCall &call) { return copied(call, true); });
  add("tuple", "x=None", [](BuiltinCall &call) { return copied(call, false); });
  add("dict", "x=None", [](BuiltinCall &call) {
    Value result = Value::dict();
    if (call[0].is(ValueKind::Dict)) {
      result.dictionary() = call[0].dictionary();
    }
    return result;
  });
  add("abs", "x", [](BuiltinCall &call) {
    const Value &x = call[0];
    if (x.isTile()) {
      auto it = call.evaluator.builtins()
                    .module("triton.language")
                    ->members.find("abs");
      CallArgs args;
      args.add(x, call.loc);
      return call.evaluator.call(it->second.value, args, call.loc);
    }
    if (x.is(ValueKind::Float)) {
      return Value::number(std::abs(x.asFloat()));
    }
    return x.isIntegral()
               ? Value::integer(x.asInt() < 0 ? -x.asInt() : x.asInt())
               : call.error("abs needs a number");
  });
  add("sum", "x", [](BuiltinCall &call) {
    Value total = Value::integer(0);
    Value list = copied(call, true);
    if (!list.is(ValueKind::List)) {
      return list;
    }
    for (const Value &item : list.items()) {
      total = call.evaluator.binary(Tok::Plus, total, item, call.loc);
    }
    return total;
  });
  add("enumerate", "x",
      [](BuiltinCall &call) { return enumerated(call, false); });
  add("zip", "*x", [](BuiltinCall &call) { return enumerated(call, true); });
  add("isinstance", "obj, type", [](BuiltinCall &call) {
    std::optional<bool> result = isInstance(call[0], call[1]);
    return result ? Value::boolean(*result)
                  : call.error(1, describe(call[1]) + " is not a type that is "
                                                      "known here");
  });
  add("getattr", "obj, name, *default", [](BuiltinCall &call) {
    std::optional<std::string> name = call.string(1);
    if (!name) {
      return Value();
    }
    const Value &obj = call[0];
    if (!call[2].items().empty() && obj.is(ValueKind::Record) &&
        !obj.sequence().find(*name)) {
      return call[2].items()[0];
    }
    if (!call[2].items().empty() && obj.is(ValueKind::Module) &&
        !obj.asModule()->members.count(*name)) {
      return call[2].items()[0];
    }
    return call.evaluator.attribute(obj, *name, call.loc);
  });
  add("hasattr", "obj, name", [](BuiltinCall &call) {
    std::optional<std::string> name = call.string(1);
    if (!name) {
      return Value();
    }
    const Value &obj = call[0];
    if (obj.is(ValueKind::Record)) {
      return Value::boolean(obj.sequence().find(*name) != nullptr);
    }
    if (obj.is(ValueKind::Module)) {
      auto module = obj.asModule();
      return Value::boolean(
          module->members.count(*name) ||
          call.evaluator.builtins().module(module->name + "." + *name));
    }
    return Value::boolean(call.evaluator.hasAttribute(obj, *name));
  });
  add("print", "*args", [](BuiltinCall &call) {
    if (call.evaluator.inHost()) {
      return Value::none();
    }
    auto language = call.evaluator.builtins().module("triton.language");
    auto it = language->members.find("device_print");
    CallArgs args;
    bool text =
        !call[0].items().empty() && call[0].items()[0].is(ValueKind::String);
    if (!text) {
      args.add(Value::string(""), call.loc);
    }
    for (const Value &value : call[0].items()) {
      args.add(value, call.at(0));
    }
    return call.evaluator.call(it->second.value, args, call.loc);
  });
  // Host code only mentions these; their values are not needed by kernels.
  add("type", "obj", [](BuiltinCall &call) {
    return Value::unknown(call.loc, "type() is not evaluated");
  });
}

/// "; use tl.sqrt for run-time values", if the language has that function.
static std::string forTiles(const BuiltinCall &call, StringRef name) {
  auto &members = call.evaluator.builtins().module("triton.language")->members;
  return call[0].isTile() && members.count(name)
             ? "; use tl." + name.str() + " for run-time values"
             : "";
}

/// Where Python raises: a finite number has no finite result.
static Value finite(BuiltinCall &call, double result, bool isExpected) {
  return std::isfinite(result) || !isExpected
             ? Value::number(result)
             : call.error(call.builtin.name + " gives no finite number here");
}

static void bindMath(Registry &r) {
  r.set("math", "pi", Value::number(M_PI));
  r.set("math", "e", Value::number(M_E));
  r.set("math", "inf", Value::number(INFINITY));
  r.set("math", "nan", Value::number(NAN));
  auto unary = [&](StringRef name, double (*fn)(double)) {
    r.addHost("math", name, "x", [fn, name](BuiltinCall &call) {
      return call[0].isNumber()
                 ? finite(call, fn(call[0].asFloat()),
                          std::isfinite(call[0].asFloat()))
                 : call.error(0, call.builtin.name +
                                     " needs a number known at compile time, "
                                     "found " +
                                     describe(call[0]) + forTiles(call, name));
    });
  };
  unary("sqrt", [](double x) { return std::sqrt(x); });
  unary("exp", [](double x) { return std::exp(x); });
  unary("log2", [](double x) { return std::log2(x); });
  unary("log10", [](double x) { return std::log10(x); });
  unary("sin", [](double x) { return std::sin(x); });
  unary("cos", [](double x) { return std::cos(x); });
  unary("fabs", [](double x) { return std::fabs(x); });
  r.addHost("math", "log", "x, base=None", [](BuiltinCall &call) {
    if (!call[0].isNumber() || !(call[1].isNone() || call[1].isNumber())) {
      return call.error("math.log needs numbers known at compile time" +
                        forTiles(call, "log"));
    }
    const bool isPlain = call[1].isNone();
    const double value = std::log(call[0].asFloat());
    return finite(call, isPlain ? value : value / std::log(call[1].asFloat()),
                  std::isfinite(call[0].asFloat()) &&
                      (isPlain || std::isfinite(call[1].asFloat())));
  });
  r.addHost("math", "pow", "x, y", [](BuiltinCall &call) {
    if (!call[0].isNumber() || !call[1].isNumber()) {
      return call.error("math.pow needs numbers known at compile time");
    }
    const double x = call[0].asFloat(), y = call[1].asFloat();
    return finite(call, std::pow(x, y), std::isfinite(x) && std::isfinite(y));
  });
  auto rounding = [&](StringRef name, double (*fn)(double)) {
    r.addHost("math", name, "x", [fn, name](BuiltinCall &call) {
      double value = call[0].isNumber() ? fn(call[0].asFloat()) : NAN;
      return std::abs(value) < 0x1p100
                 ? Value::integer(PyInt(value))
                 : call.error(call.builtin.name +
                              " needs a finite number known at compile time" +
                              forTiles(call, name));
    });
  };
  rounding("ceil", [](double x) { return std::ceil(x); });
  rounding("floor", [](double x) { return std::floor(x); });
  rounding("trunc", [](double x) { return std::trunc(x); });
}

static void bindMethods(Registry &r) {
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

/// Versions are compared: (3, 6) is less than (3, 10), and equal to (3, 6, 0).
static Value parseVersion(BuiltinCall &call) {
  if (!call[0].is(ValueKind::String)) {
    return call[0].is(ValueKind::Record)
               ? call[0]
               : call.error("a version is written as a text");
  }
  auto fields = std::make_shared<SequenceObject>();
  fields->className = "Version";
  fields->names = {"major", "minor", "micro"};
  StringRef rest = call[0].asString();
  for (size_t i = 0; i < fields->names.size(); ++i) {
    StringRef digits = rest.take_while(isDigit);
    unsigned number = 0;
    if (digits.getAsInteger(10, number) && i == 0) {
      return call.error("no version: " + repr(call[0]));
    }
    fields->items.push_back(Value::integer(number));
    rest = rest.drop_front(digits.size());
    rest = rest.consume_front(".") ? rest : StringRef();
  }
  return Value::record(std::move(fields));
}

static void bindVersions(Registry &r) {
  r.addHost("packaging.version", "Version", "version", parseVersion);
  r.addHost("packaging.version", "parse", "version", parseVersion);
  r.makeModule("packaging");
}

/// os.environ.get(name, default), os.getenv(name, default).
static Value readEnvironment(BuiltinCall &call) {
  if (!call[0].is(ValueKind::String)) {
    return call.error(0, "a variable's name is a string");
  }
  auto value = call.evaluator.modules().environment(call[0].asString());
  return value ? Value::string(*value) : call[1];
}

static void bindEnvironment(Registry &r) {
  const char *parameters = "key, default=None";
  r.addHost("os", "getenv", parameters, readEnvironment);
  r.addHost("os.environ", "get", parameters, readEnvironment);
  r.makeModule("os")->isPartial = true;
  r.makeModule("os.environ")->isPartial = true;
}

void bindPython(Registry &registry) {
  bindFunctions(registry);
  bindMath(registry);
  bindMethods(registry);
  bindVersions(registry);
  bindEnvironment(registry);
}

} // namespace tz::frontend
