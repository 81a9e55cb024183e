//===- ConstValues.cpp - public constants and evaluator values ------------===//
//
// What   ConstValue's constructors, text forms, and conversions to Value.
// Why    See ConstValues.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/elaborate/ConstValues.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

ConstValue ConstValue::fromBool(bool value) {
  ConstValue result;
  result.kind = Bool;
  result.boolean = value;
  return result;
}
ConstValue ConstValue::fromInt(int64_t value) {
  ConstValue result;
  result.kind = Int;
  result.integer = value;
  return result;
}
ConstValue ConstValue::fromFloat(double value) {
  ConstValue result;
  result.kind = Float;
  result.number = value;
  return result;
}
ConstValue ConstValue::fromString(std::string value) {
  ConstValue result;
  result.kind = String;
  result.text = std::move(value);
  return result;
}
ConstValue ConstValue::fromDType(std::string name) {
  ConstValue result;
  result.kind = DType;
  result.text = std::move(name);
  return result;
}

ConstValue ConstValue::parse(StringRef text) {
  text = text.trim();
  if (text == "None" || text.empty()) {
    return ConstValue();
  }
  if (text == "True" || text == "true") {
    return fromBool(true);
  }
  if (text == "False" || text == "false") {
    return fromBool(false);
  }
  int64_t integer;
  if (!text.getAsInteger(0, integer)) {
    return fromInt(integer);
  }
  double number;
  if (!text.getAsDouble(number)) {
    return fromFloat(number);
  }
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
      text.back() == text[0]) {
    return fromString(text.drop_front().drop_back().str());
  }
  StringRef name = text;
  name.consume_front("tl.");
  if (dtypeFromName(name)) {
    return fromDType(name.str());
  }
  ConstValue result;
  result.kind = Function;
  result.text = text.str();
  return result;
}

std::string ConstValue::str() const {
  switch (kind) {
  case Array: {
    std::string shape;
    for (const ConstValue &item : items) {
      shape += (shape.empty() ? "" : ", ") + item.str();
    }
    return text + "[" + shape + "]";
  }
  case None:
    return "None";
  case Bool:
    return boolean ? "True" : "False";
  case Int:
    return std::to_string(integer);
  case Float:
    return repr(Value::number(number));
  case String:
    return repr(Value::string(text));
  case DType:
  case Function:
  case Expression:
    return text;
  case Tuple: {
    std::string out = "(";
    for (const ConstValue &item : items) {
      out += (out.size() > 1 ? ", " : "") + item.str();
    }
    return out + (items.size() == 1 ? ",)" : ")");
  }
  }
  return "";
}

std::optional<ConstValue> toConstValue(const Value &value) {
  WorkBudget::Level level;
  if (!level) {
    return std::nullopt;
  }
  switch (value.kind()) {
  case ValueKind::None:
    return ConstValue();
  case ValueKind::Bool:
    return ConstValue::fromBool(value.asBool());
  case ValueKind::Int:
    if (value.asInt() == PyInt(int64_t(value.asInt()))) {
      return ConstValue::fromInt(int64_t(value.asInt()));
    }
    return std::nullopt;
  case ValueKind::Float:
    return ConstValue::fromFloat(value.asFloat());
  case ValueKind::String:
    return ConstValue::fromString(value.asString());
  case ValueKind::Type:
    return ConstValue::fromDType(value.asType().str());
  case ValueKind::Function: {
    ConstValue result;
    result.kind = ConstValue::Function;
    result.text = value.asFunction()->name;
    return result;
  }
  case ValueKind::Tuple:
  case ValueKind::List: {
    ConstValue result;
    result.kind = ConstValue::Tuple;
    for (const Value &item : value.items()) {
      auto converted = toConstValue(item);
      if (!converted) {
        return std::nullopt;
      }
      result.items.push_back(std::move(*converted));
    }
    return result;
  }
  default:
    return std::nullopt;
  }
}

/// An array of a launch: a record of dtype, shape and ndim.
static std::optional<Value>
fromArray(const ConstValue &value, ModuleObject &module, Evaluator &evaluator) {
  ConstValue type = ConstValue::fromDType(value.text), shape;
  shape.kind = ConstValue::Tuple;
  shape.items = value.items;
  auto fields = std::make_shared<SequenceObject>();
  fields->className = "tensor";
  fields->isLaunchArray = true;
  fields->names = {"dtype", "shape", "ndim"};
  const ConstValue rank = ConstValue::fromInt(value.items.size());
  for (const ConstValue &item : {type, shape, rank}) {
    auto converted = fromConstValue(item, module, evaluator);
    if (!converted) {
      return std::nullopt;
    }
    fields->items.push_back(std::move(*converted));
  }
  return Value::record(std::move(fields));
}

std::optional<Value> fromConstValue(const ConstValue &value,
                                    ModuleObject &module,
                                    Evaluator &evaluator) {
  switch (value.kind) {
  case ConstValue::None:
    return Value::none();
  case ConstValue::Bool:
    return Value::boolean(value.boolean);
  case ConstValue::Int:
    return Value::integer(value.integer);
  case ConstValue::Float:
    return Value::number(value.number);
  case ConstValue::String:
    return Value::string(value.text);
  case ConstValue::DType:
    if (auto type = argumentType(value.text)) {
      return Value::type(*type);
    }
    return std::nullopt;
  case ConstValue::Function: {
    auto it = module.members.find(value.text);
    return it == module.members.end() ? std::optional<Value>()
                                      : it->second.value;
  }
  case ConstValue::Expression:
    if (Binding *known = evaluator.modules().ask(module, value.text,
                                                 SourceLoc(), evaluator)) {
      return known->value;
    }
    return evaluator.modules().evaluate(value.text, value.text, evaluator);
  case ConstValue::Array:
    return fromArray(value, module, evaluator);
  case ConstValue::Tuple: {
    std::vector<Value> items;
    for (const ConstValue &item : value.items) {
      auto converted = fromConstValue(item, module, evaluator);
      if (!converted) {
        return std::nullopt;
      }
      items.push_back(std::move(*converted));
    }
    return Value::tuple(std::move(items));
  }
  }
  return std::nullopt;
}

std::optional<TileType> argumentType(StringRef text) {
  TileType type;
  text = text.trim();
  if (text.consume_front("*")) {
    type.isPtr = true;
    text.consume_front("const ");
    type.isConstPtr = text.starts_with("k") && dtypeFromName(text.drop_front());
    text = type.isConstPtr ? text.drop_front() : text;
  }
  std::optional<DType> elem = dtypeFromName(text);
  if (!elem) {
    return std::nullopt;
  }
  type.elem = *elem;
  return type;
}

} // namespace tz::frontend
