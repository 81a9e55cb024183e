//===- Comparisons.cpp - comparisons, `is` and `in` -----------------------===//
//
// What   Finds who compares: a record's method, the tile operations, or
//        Python's own rules where both sides are known.
// Why    See Operators.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/Operators.h"
#include "core/frontend/evaluate/TileOperators.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

using ast::CompareOp;

std::optional<Value> Operators::byRecord(CompareOp op, const Value &lhs,
                                         const Value &rhs, SourceLoc loc) {
  StringRef name, mirrored;
  switch (op) {
  case CompareOp::Eq:
    name = mirrored = "__eq__";
    break;
  case CompareOp::Ne:
    name = mirrored = "__ne__";
    break;
  case CompareOp::Lt:
    name = "__lt__", mirrored = "__gt__";
    break;
  case CompareOp::Le:
    name = "__le__", mirrored = "__ge__";
    break;
  case CompareOp::Gt:
    name = "__gt__", mirrored = "__lt__";
    break;
  case CompareOp::Ge:
    name = "__ge__", mirrored = "__le__";
    break;
  default:
    return std::nullopt;
  }
  if (auto result = ev.callSpecial(name, lhs, {rhs}, loc)) {
    return result;
  }
  return ev.callSpecial(mirrored, rhs, {lhs}, loc);
}

/// -1, 0, 1; empty if the two have no order.
static std::optional<int> order(const Value &a, const Value &b) {
  if (a.isIntegral() && b.isIntegral()) {
    return a.asInt() < b.asInt() ? -1 : a.asInt() > b.asInt();
  }
  if (a.isNumber() && b.isNumber()) {
    double x = a.asFloat(), y = b.asFloat();
    if (std::isnan(x) || std::isnan(y)) {
      return 2; // every ordered comparison is false
    }
    return x < y ? -1 : x > y;
  }
  if (a.is(ValueKind::String) && b.is(ValueKind::String)) {
    int c = a.asString().compare(b.asString());
    return c < 0 ? -1 : c > 0;
  }
  if (a.isSequence() && b.isSequence()) {
    for (auto [x, y] : zip(a.items(), b.items())) {
      if (!equal(x, y)) {
        return order(x, y);
      }
    }
    size_t m = a.items().size(), n = b.items().size();
    return m < n ? -1 : m > n;
  }
  return std::nullopt;
}

static std::optional<bool> contains(const Value &container, const Value &item) {
  if (container.isSequence()) {
    return any_of(container.items(),
                  [&](const Value &v) { return equal(v, item); });
  }
  if (container.is(ValueKind::Dict)) {
    return container.dictionary().find(item) != nullptr;
  }
  if (container.is(ValueKind::String) && item.is(ValueKind::String)) {
    return StringRef(container.asString()).contains(item.asString());
  }
  return std::nullopt;
}

/// A list as the tuple that it is in a kernel.
static Value asTuple(const Value &value) {
  WorkBudget::Level level;
  if (!level || (!value.is(ValueKind::List) && !value.is(ValueKind::Tuple))) {
    return value;
  }
  std::vector<Value> items;
  for (const Value &item : value.items()) {
    items.push_back(asTuple(item));
  }
  return Value::tuple(std::move(items));
}

Value Operators::compare(CompareOp op, const Value &lhs, const Value &rhs,
                         SourceLoc loc) {
  if (!ev.inHost() && (lhs.is(ValueKind::List) || rhs.is(ValueKind::List)) &&
      lhs.isSequence() && rhs.isSequence() && op != CompareOp::Is &&
      op != CompareOp::IsNot) {
    return compare(op, asTuple(lhs), asTuple(rhs), loc);
  }
  if (lhs.isError() || rhs.isError()) {
    return Value();
  }
  if (lhs.is(ValueKind::Unknown) || rhs.is(ValueKind::Unknown)) {
    return unknownOperand(lhs.is(ValueKind::Unknown) ? lhs : rhs, loc);
  }
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    bool same = identical(lhs, rhs);
    return Value::boolean(same == (op == CompareOp::Is));
  }
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    std::optional<bool> found = contains(rhs, lhs);
    if (rhs.is(ValueKind::Module) && rhs.asModule()->name == "os.environ" &&
        lhs.is(ValueKind::String)) {
      found = ev.modules().environment(lhs.asString()).has_value();
    }
    return found ? Value::boolean(*found == (op == CompareOp::In))
                 : ev.fail(loc, "'in' is not supported on " + describe(rhs));
  }
  if (auto special = byRecord(op, lhs, rhs, loc)) {
    return *special;
  }
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (lhs.isTile() || rhs.isTile()) {
    const Value &other = lhs.isTile() ? rhs : lhs;
    if (other.isTile() || other.isNumber()) {
      return ev.countOperation(loc) ? tileCompare(ev, op, lhs, rhs, loc)
                                    : Value();
    }
    if (equality && other.isNone()) {
      return ev.fail(loc, "a run-time value is compared with None; write `is "
                          "None` or `is not None`");
    }
  } else if (equality) {
    return Value::boolean(equal(lhs, rhs) == (op == CompareOp::Eq));
  } else if (std::optional<int> sign = order(lhs, rhs)) {
    switch (op) {
    case CompareOp::Lt:
      return Value::boolean(*sign == -1);
    case CompareOp::Le:
      return Value::boolean(*sign == -1 || *sign == 0);
    case CompareOp::Gt:
      return Value::boolean(*sign == 1);
    default:
      return Value::boolean(*sign == 1 || *sign == 0);
    }
  }
  return ev.fail(loc, "comparison is not supported between " + describe(lhs) +
                          " and " + describe(rhs));
}

} // namespace tz::frontend
