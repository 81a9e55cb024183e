//===- Subscripts.cpp - indices, slices and keys --------------------------===//
//
// What   Subscripts of sequences, texts, dictionaries, records and tiles.
// Why    See Members.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/Members.h"
#include "core/frontend/evaluate/ModuleSource.h"

using namespace llvm;

namespace tz::frontend {

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

Value Members::sequenceItem(const Value &base, const Value &index,
                            SourceLoc loc) {
  ArrayRef<Value> items = base.items();
  if (index.is(ValueKind::Slice)) {
    bool valid;
    std::vector<Value> part = sliced(items, index.asSlice(), valid);
    if (!valid) {
      return ev.fail(loc, "slice bounds must be compile-time integers");
    }
    return base.is(ValueKind::List) ? Value::list(std::move(part))
                                    : Value::tuple(std::move(part));
  }
  if (index.isTile()) {
    return ev.fail(loc, "a " + typeName(base) +
                            " is indexed with a run-time value; the index must "
                            "be known at compile time");
  }
  if (std::optional<int64_t> i = position(index, items.size())) {
    return items[*i];
  }
  return ev.fail(loc, index.isIntegral()
                          ? "index " + toString(index.asInt()) +
                                " is outside of a " + typeName(base).str() +
                                " of length " + std::to_string(items.size())
                          : "a " + typeName(base).str() + " has no index " +
                                describe(index));
}

Value Members::subscript(const Value &base, const Value &index, SourceLoc loc) {
  if (base.isError() || index.isError()) {
    return Value();
  }
  if (base.is(ValueKind::Unknown) || index.is(ValueKind::Unknown)) {
    return Value::unknown(loc, "subscript of an unknown value");
  }
  if (auto special = ev.callSpecial("__getitem__", base, {index}, loc)) {
    return *special;
  }
  if (base.isSequence()) {
    return sequenceItem(base, index, loc);
  }
  if (base.is(ValueKind::Dict)) {
    if (Value *entry = base.dictionary().find(index)) {
      return *entry;
    }
    return ev.fail(loc, "dictionary has no key " + repr(index));
  }
  if (base.is(ValueKind::Module) && base.asModule()->name == "os.environ" &&
      index.is(ValueKind::String)) {
    auto value = ev.modules().environment(index.asString());
    return value ? Value::string(*value)
                 : ev.fail(loc, "environment variable " + repr(index) +
                                    " is not set");
  }
  if (base.is(ValueKind::String) && index.isIntegral()) {
    const std::string &text = base.asString();
    if (auto i = position(index, text.size())) {
      return Value::string(text.substr(*i, 1));
    }
    return ev.fail(loc, "index is outside of the string");
  }
  if (base.isTile()) {
    CallArgs args;
    args.add(index, loc);
    if (const Builtin *get =
            ev.builtins().method(ValueKind::Tile, "__getitem__")) {
      return ev.call(Value::method(base, get), args, loc);
    }
  }
  return ev.fail(loc, describe(base) + " cannot be subscripted" +
                          (base.is(ValueKind::Function) && !ev.inHost()
                               ? "; kernel code calls it without a grid: " +
                                     base.asFunction()->name + "(...)"
                               : std::string()));
}

} // namespace tz::frontend
