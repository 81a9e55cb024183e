//===- PythonFunctions.cpp - Python's own functions -----------------------===//
//
// What   len, range, min, isinstance ... Methods: PythonMethods.cpp; modules:
//        PythonModules.cpp.
// Why    Kernels use a few of them on compile-time values; the rest serves the
//        host code that computes configurations.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

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

/// Calls tl.NAME.
static Value callLanguage(BuiltinCall &call, StringRef name,
                          const CallArgs &args) {
  auto language = call.evaluator.builtins().module("triton.language");
  return call.evaluator.call(language->members.find(name)->second.value, args,
                             call.loc);
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
      CallArgs args;
      args.add(best, call.loc);
      args.add(item, call.loc);
      best = callLanguage(call, largest ? "maximum" : "minimum", args);
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

static Value lengthOf(BuiltinCall &call) {
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
}

static Value absolute(BuiltinCall &call) {
  const Value &x = call[0];
  if (x.isTile()) {
    CallArgs args;
    args.add(x, call.loc);
    return callLanguage(call, "abs", args);
  }
  if (x.is(ValueKind::Float)) {
    return Value::number(std::abs(x.asFloat()));
  }
  return x.isIntegral() ? Value::integer(x.asInt() < 0 ? -x.asInt() : x.asInt())
                        : call.error("abs needs a number");
}

static Value sumOf(BuiltinCall &call) {
  Value total = Value::integer(0);
  Value list = copied(call, true);
  if (!list.is(ValueKind::List)) {
    return list;
  }
  for (const Value &item : list.items()) {
    total = call.evaluator.binary(Tok::Plus, total, item, call.loc);
  }
  return total;
}

static Value attributeOf(BuiltinCall &call) {
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
}

static Value hasAttribute(BuiltinCall &call) {
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
}

static Value printed(BuiltinCall &call) {
  if (call.evaluator.inHost()) {
    return Value::none();
  }
  CallArgs args;
  bool text =
      !call[0].items().empty() && call[0].items()[0].is(ValueKind::String);
  if (!text) {
    args.add(Value::string(""), call.loc);
  }
  for (const Value &value : call[0].items()) {
    args.add(value, call.at(0));
  }
  return callLanguage(call, "device_print", args);
}

static Value copiedDictionary(BuiltinCall &call) {
  Value result = Value::dict();
  if (call[0].is(ValueKind::Dict)) {
    result.dictionary() = call[0].dictionary();
  }
  return result;
}

/// The condition of a while loop, in which it is evaluated.
static Value loopCondition(BuiltinCall &call) {
  if (call.evaluator.inHost()) {
    return call[0]; // of a loop of the module
  }
  mlir::OpBuilder &b = call.evaluator.builder();
  mlir::Operation *loop = b.getInsertionBlock()->getParentOp();
  if (isa<mlir::scf::WhileOp>(loop) && call[1].is(ValueKind::Bool) &&
      call[1].asBool()) {
    loop->setAttr("tile.disable_licm", b.getUnitAttr());
  }
  return call[0];
}

void bindPythonFunctions(Registry &r) {
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
  r.addHost("triton.language", "condition", "arg, disable_licm=False",
            loopCondition);
  r.addHost(
      "triton.language", "static_range", "arg1, arg2=None, step=None",
      [](BuiltinCall &call) { return makeRange(call, RangeObject::Static); });
  add("len", "obj", lengthOf);
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
  add("dict", "x=None", copiedDictionary);
  add("abs", "x", absolute);
  add("sum", "x", sumOf);
  add("enumerate", "x",
      [](BuiltinCall &call) { return enumerated(call, false); });
  add("zip", "*x", [](BuiltinCall &call) { return enumerated(call, true); });
  add("isinstance", "obj, type", [](BuiltinCall &call) {
    std::optional<bool> result = isInstance(call[0], call[1]);
    return result ? Value::boolean(*result)
                  : call.error(1, describe(call[1]) + " is not a type that is "
                                                      "known here");
  });
  add("getattr", "obj, name, *default", attributeOf);
  add("hasattr", "obj, name", hasAttribute);
  add("print", "*args", printed);
  // Host code only mentions these; their values are not needed by kernels.
  add("type", "obj", [](BuiltinCall &call) {
    return Value::unknown(call.loc, "type() is not evaluated");
  });
}

} // namespace tz::frontend
