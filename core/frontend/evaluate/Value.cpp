//===- Value.cpp - Python objects: making, comparing, printing ------------===//
//
// What   Constructors and accessors of Value, equality, truth, repr.
// Why    These are Python's own rules and know nothing of tiles or kernels.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Value.h"

#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

void Value::release(std::shared_ptr<void> object) {
  static thread_local std::vector<std::shared_ptr<void>> *pending = nullptr;
  if (pending) {
    pending->push_back(std::move(object));
    return;
  }
  std::vector<std::shared_ptr<void>> queue;
  pending = &queue;
  object.reset();
  while (!queue.empty()) {
    std::shared_ptr<void> next = std::move(queue.back());
    queue.pop_back();
    next.reset();
  }
  pending = nullptr;
}

std::string toString(PyInt value) {
  if (value == 0) {
    return "0";
  }
  bool negative = value < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(value) : value;
  std::string digits;
  for (; rest; rest /= 10) {
    digits += char('0' + int(rest % 10));
  }
  if (negative) {
    digits += '-';
  }
  return {digits.rbegin(), digits.rend()};
}

Value Value::boolean(bool value) {
  Value result(ValueKind::Bool);
  result.scalar.integer = value;
  return result;
}
Value Value::integer(PyInt value) {
  Value result(ValueKind::Int);
  result.scalar.integer = value;
  return result;
}
Value Value::number(double value) {
  Value result(ValueKind::Float);
  result.scalar.number = value;
  return result;
}
Value Value::string(std::string value) {
  WorkBudget::charge(value.size() / 64);
  return {ValueKind::String, std::make_shared<std::string>(std::move(value))};
}
Value Value::type(TileType type) {
  return {ValueKind::Type, std::make_shared<TileType>(std::move(type))};
}
Value Value::type(DType scalar) {
  TileType result;
  result.elem = scalar;
  return type(std::move(result));
}
Value Value::tile(TileValue value) {
  return {ValueKind::Tile, std::make_shared<TileValue>(std::move(value))};
}
Value Value::tuple(std::vector<Value> items) {
  WorkBudget::charge(items.size());
  auto object = std::make_shared<SequenceObject>();
  object->items = std::move(items);
  return {ValueKind::Tuple, std::move(object)};
}
Value Value::integers(ArrayRef<int64_t> items) {
  std::vector<Value> values;
  for (int64_t item : items) {
    values.push_back(integer(item));
  }
  return tuple(std::move(values));
}
Value Value::list(std::vector<Value> items) {
  WorkBudget::charge(items.size());
  auto object = std::make_shared<SequenceObject>();
  object->items = std::move(items);
  return {ValueKind::List, std::move(object)};
}
Value Value::dict() {
  return {ValueKind::Dict, std::make_shared<DictObject>()};
}
Value Value::slice(Value lower, Value upper, Value step) {
  return {ValueKind::Slice,
          std::make_shared<SliceObject>(SliceObject{
              std::move(lower), std::move(upper), std::move(step)})};
}
Value Value::range(RangeObject range) {
  return {ValueKind::Range, std::make_shared<RangeObject>(std::move(range))};
}
Value Value::record(std::shared_ptr<SequenceObject> fields) {
  return {ValueKind::Record, std::move(fields)};
}
Value Value::classOf(std::shared_ptr<ClassObject> object) {
  return {ValueKind::Class, std::move(object)};
}
Value Value::function(std::shared_ptr<FunctionObject> function) {
  return {ValueKind::Function, std::move(function)};
}
Value Value::builtin(const Builtin *builtin) {
  // Built-in functions live as long as the program: nothing to own.
  return {ValueKind::Builtin,
          std::shared_ptr<void>(const_cast<tz::frontend::Builtin *>(builtin),
                                [](void *) {})};
}
Value Value::method(Value self, const tz::frontend::Builtin *builtin) {
  auto object = std::make_shared<MethodObject>();
  object->self = std::move(self);
  object->builtin = builtin;
  return {ValueKind::Method, std::move(object)};
}
Value Value::method(Value self, std::shared_ptr<FunctionObject> function) {
  auto object = std::make_shared<MethodObject>();
  object->self = std::move(self);
  object->function = std::move(function);
  return {ValueKind::Method, std::move(object)};
}
Value Value::module(std::shared_ptr<ModuleObject> module) {
  return {ValueKind::Module, std::move(module)};
}
Value Value::unknown(SourceLoc loc, std::string reason) {
  return {ValueKind::Unknown, std::make_shared<ReasonObject>(
                                  ReasonObject{loc, std::move(reason), {}})};
}
Value Value::unset(std::vector<Note> origins, std::string reason) {
  return {ValueKind::Unset, std::make_shared<ReasonObject>(ReasonObject{
                                origins.empty() ? SourceLoc() : origins[0].loc,
                                std::move(reason), std::move(origins)})};
}
Value Value::lazy(LazyObject lazy) {
  return {ValueKind::Lazy, std::make_shared<LazyObject>(std::move(lazy))};
}

const std::string &Value::asString() const { return payload<std::string>(); }
const TileType &Value::asType() const { return payload<TileType>(); }
const TileValue &Value::asTile() const { return payload<TileValue>(); }
ArrayRef<Value> Value::items() const { return payload<SequenceObject>().items; }
SequenceObject &Value::sequence() const { return payload<SequenceObject>(); }
DictObject &Value::dictionary() const { return payload<DictObject>(); }
const SliceObject &Value::asSlice() const { return payload<SliceObject>(); }
const RangeObject &Value::asRange() const { return payload<RangeObject>(); }
const ClassObject &Value::asClass() const { return payload<ClassObject>(); }
std::shared_ptr<FunctionObject> Value::asFunction() const {
  return std::static_pointer_cast<FunctionObject>(object);
}
std::shared_ptr<ClassObject> Value::sharedClass() const {
  return std::static_pointer_cast<ClassObject>(object);
}
const tz::frontend::Builtin *Value::asBuiltin() const {
  return static_cast<const tz::frontend::Builtin *>(object.get());
}
const MethodObject &Value::asMethod() const { return payload<MethodObject>(); }
std::shared_ptr<ModuleObject> Value::asModule() const {
  return std::static_pointer_cast<ModuleObject>(object);
}
const ReasonObject &Value::reason() const { return payload<ReasonObject>(); }
const LazyObject &Value::asLazy() const { return payload<LazyObject>(); }

const Value *SequenceObject::find(StringRef name) const {
  for (auto [field, value] : zip(names, items)) {
    if (field == name) {
      return &value;
    }
  }
  return nullptr;
}

Value *DictObject::find(const Value &key) {
  if (WorkBudget::isSpent()) {
    return nullptr;
  }
  for (auto &[entry, value] : entries) {
    if (equal(entry, key)) {
      return &value;
    }
  }
  return nullptr;
}

void DictObject::set(const Value &key, Value value) {
  if (Value *old = find(key)) {
    *old = std::move(value);
  } else {
    entries.emplace_back(key, std::move(value));
  }
}

std::optional<bool> truth(const Value &value) {
  switch (value.kind()) {
  case ValueKind::None:
    return false;
  case ValueKind::Bool:
  case ValueKind::Int:
    return value.asInt() != 0;
  case ValueKind::Float:
    return value.asFloat() != 0;
  case ValueKind::String:
    return !value.asString().empty();
  case ValueKind::Tuple:
  case ValueKind::List:
    return !value.items().empty();
  case ValueKind::Dict:
    return !value.dictionary().entries.empty();
  case ValueKind::Record:
  case ValueKind::Ellipsis:
  case ValueKind::Type:
  case ValueKind::Class:
  case ValueKind::Function:
  case ValueKind::Builtin:
  case ValueKind::Method:
  case ValueKind::Module:
    return true;
  default:
    return std::nullopt;
  }
}

bool equal(const Value &a, const Value &b) {
  WorkBudget::Level level;
  if (!level) {
    return false;
  }
  if (a.isNumber() && b.isNumber()) {
    if (a.isIntegral() && b.isIntegral()) {
      return a.asInt() == b.asInt();
    }
    return a.asFloat() == b.asFloat();
  }
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
  case ValueKind::None:
  case ValueKind::Ellipsis:
    return true;
  case ValueKind::String:
    return a.asString() == b.asString();
  case ValueKind::Type:
    return a.asType() == b.asType();
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Record:
    return a.items().size() == b.items().size() &&
           all_of(zip(a.items(), b.items()), [](auto pair) {
             return equal(std::get<0>(pair), std::get<1>(pair));
           });
  case ValueKind::Function:
    return a.asFunction() == b.asFunction();
  case ValueKind::Builtin:
    return a.asBuiltin() == b.asBuiltin();
  case ValueKind::Module:
    return a.asModule() == b.asModule();
  default:
    return false;
  }
}

bool identical(const Value &a, const Value &b) {
  WorkBudget::Level level;
  if (!level) {
    return false;
  }
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
  case ValueKind::Tile:
    return a.asTile().value == b.asTile().value &&
           a.asTile().type == b.asTile().type;
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Record:
    return a.items().size() == b.items().size() &&
           all_of(zip(a.items(), b.items()), [](auto pair) {
             return identical(std::get<0>(pair), std::get<1>(pair));
           });
  case ValueKind::Dict:
  case ValueKind::Class:
  case ValueKind::Method:
  case ValueKind::Slice:
  case ValueKind::Range:
    return false;
  case ValueKind::Error:
  case ValueKind::Unknown:
  case ValueKind::Unset:
    return true;
  case ValueKind::Float:
    // NaN is not equal to itself, and 0.0 equals -0.0: compare the bits.
    return bit_cast<uint64_t>(a.asFloat()) == bit_cast<uint64_t>(b.asFloat());
  default:
    return equal(a, b);
  }
}

static std::string floatRepr(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  // The shortest form that reads back as the same number.
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) {
      break;
    }
  }
  std::string text = buffer;
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return text;
}

static void join(ArrayRef<Value> items, ArrayRef<std::string> names,
                 std::string &out) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) {
      out += ", ";
    }
    if (i < names.size()) {
      out += names[i] + "=";
    }
    out += repr(items[i]);
  }
}

std::string repr(const Value &value) {
  std::string text;
  WorkBudget::Level level;
  if (!level) {
    return "...";
  }
  switch (value.kind()) {
  case ValueKind::String: {
    // Python prefers single quotes.
    StringRef content = value.asString();
    char quote = content.contains('\'') && !content.contains('"') ? '"' : '\'';
    text = quote;
    for (char c : content) {
      if (c == quote || c == '\\') {
        text += '\\';
      }
      text += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
    }
    text += quote;
    return text;
  }
  case ValueKind::None:
    return "None";
  case ValueKind::Bool:
    return value.asBool() ? "True" : "False";
  case ValueKind::Int:
    return toString(value.asInt());
  case ValueKind::Float:
    return floatRepr(value.asFloat());
  case ValueKind::Ellipsis:
    return "Ellipsis";
  case ValueKind::Type:
    return value.asType().str();
  case ValueKind::Tuple:
    text = "(";
    join(value.items(), {}, text);
    return text + (value.items().size() == 1 ? ",)" : ")");
  case ValueKind::List:
    text = "[";
    join(value.items(), {}, text);
    return text + "]";
  case ValueKind::Record:
    text = value.sequence().className + "(";
    join(value.items(), value.sequence().names, text);
    return text + ")";
  case ValueKind::Dict:
    text = "{";
    for (auto &[key, entry] : value.dictionary().entries) {
      text += (text.size() > 1 ? ", " : "") + repr(key) + ": " + repr(entry);
    }
    return text + "}";
  default:
    return describe(value);
  }
}

std::string str(const Value &value) {
  return value.is(ValueKind::String) ? value.asString() : repr(value);
}

StringRef typeName(const Value &value) {
  switch (value.kind()) {
  case ValueKind::None:
    return "None";
  case ValueKind::Bool:
    return "bool";
  case ValueKind::Int:
    return "int";
  case ValueKind::Float:
    return "float";
  case ValueKind::String:
    return "str";
  case ValueKind::Ellipsis:
    return "ellipsis";
  case ValueKind::Type:
    return "dtype";
  case ValueKind::Tuple:
    return "tuple";
  case ValueKind::List:
    return "list";
  case ValueKind::Dict:
    return "dict";
  case ValueKind::Slice:
    return "slice";
  case ValueKind::Range:
    return "range";
  case ValueKind::Record:
    return "named tuple";
  case ValueKind::Class:
    return "class";
  case ValueKind::Function:
  case ValueKind::Builtin:
    return "function";
  case ValueKind::Method:
    return "method";
  case ValueKind::Module:
    return "module";
  case ValueKind::Tile:
    return "tensor";
  default:
    return "unknown";
  }
}

std::string describe(const Value &value) {
  switch (value.kind()) {
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::Type:
    return (typeName(value) + " " + repr(value)).str();
  case ValueKind::Tuple:
    return "tuple of " + std::to_string(value.items().size()) + " values";
  case ValueKind::List:
    return "list of " + std::to_string(value.items().size()) + " values";
  case ValueKind::Record:
    return value.sequence().className;
  case ValueKind::Function:
    return "function '" + value.asFunction()->name + "'";
  case ValueKind::Class:
    return "class '" + value.asClass().name + "'";
  case ValueKind::Module:
    return "module '" + value.asModule()->name + "'";
  case ValueKind::Tile: {
    const TileType &type = value.asTile().type;
    return (type.shape.empty() ? "run-time scalar " : "tile ") + type.str();
  }
  default:
    return typeName(value).str();
  }
}

std::optional<std::vector<Value>> itemsOf(const Value &iterable, size_t most) {
  if (iterable.isSequence()) {
    WorkBudget::charge(iterable.items().size());
    return iterable.items().vec();
  }
  std::vector<Value> items;
  if (iterable.is(ValueKind::Dict)) {
    for (auto &entry : iterable.dictionary().entries) {
      items.push_back(entry.first);
    }
    return items;
  }
  if (iterable.is(ValueKind::String)) {
    for (char c : iterable.asString()) {
      items.push_back(Value::string(std::string(1, c)));
    }
    return items;
  }
  if (!iterable.is(ValueKind::Range)) {
    return std::nullopt;
  }
  const RangeObject &range = iterable.asRange();
  if (!range.start.isIntegral() || !range.stop.isIntegral() ||
      !range.step.isIntegral() || range.step.asInt() == 0) {
    return std::nullopt;
  }
  PyInt step = range.step.asInt();
  for (PyInt i = range.start.asInt();
       step > 0 ? i < range.stop.asInt() : i > range.stop.asInt(); i += step) {
    if (items.size() >= most) {
      return std::nullopt;
    }
    items.push_back(Value::integer(i));
  }
  return items;
}

} // namespace tz::frontend
