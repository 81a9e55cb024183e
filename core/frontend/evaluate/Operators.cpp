//===- Operators.cpp - Python arithmetic on known values ------------------===//
//
// What   Binary, unary and comparison operators: Python's own rules when both
//        sides are known, the tile operations otherwise.
// Why    `//` and `%` round down here and truncate on tiles, integers never
//        wrap here: the two worlds differ on purpose (language rules 5 and 8).
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/TileOperators.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

using ast::CompareOp;

static StringRef operatorText(Tok op) { return tokenName(op); }

/// Floor division and the remainder that goes with it.
static PyInt floorDivide(PyInt a, PyInt b) {
  PyInt q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

static std::optional<PyInt> power(PyInt base, PyInt exponent) {
  PyInt result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) {
      return std::nullopt;
    }
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base)) {
      return std::nullopt;
    }
  }
  return result;
}

static Value integerBinary(Evaluator &ev, Tok op, PyInt a, PyInt b,
                           SourceLoc loc) {
  PyInt result = 0;
  bool overflow = false;
  switch (op) {
  case Tok::Plus:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Tok::Minus:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Tok::Star:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Tok::Slash:
    if (b == 0) {
      return ev.fail(loc, "division by zero");
    }
    return Value::number(double(a) / double(b));
  case Tok::SlashSlash:
  case Tok::Percent:
    if (b == 0) {
      return ev.fail(loc, "division by zero");
    }
    if (b == -1) { // the one quotient that can leave the range
      overflow = __builtin_sub_overflow(PyInt(0), a, &result);
      result = op == Tok::Percent ? 0 : result;
      break;
    }
    result = floorDivide(a, b);
    if (op == Tok::Percent) {
      result = a - result * b;
    }
    break;
  case Tok::StarStar:
    if (b < 0) {
      return a == 0 ? ev.fail(loc, "division by zero")
                    : Value::number(std::pow(double(a), double(b)));
    }
    if (auto value = power(a, b)) {
      result = *value;
    } else {
      overflow = true;
    }
    break;
  case Tok::ShiftLeft:
    if (b < 0) {
      return ev.fail(loc, "negative shift count");
    }
    overflow = a != 0 && b > 126;
    if (!overflow) {
      result = PyInt(static_cast<unsigned __int128>(a) << int(b > 126 ? 0 : b));
      overflow = a != 0 && (result >> int(b)) != a;
    }
    break;
  case Tok::ShiftRight:
    if (b < 0) {
      return ev.fail(loc, "negative shift count");
    }
    result = a >> int(b > 126 ? 127 : b);
    break;
  case Tok::Amp:
    result = a & b;
    break;
  case Tok::Pipe:
    result = a | b;
    break;
  case Tok::Caret:
    result = a ^ b;
    break;
  default:
    return ev.fail(loc, "operator " + operatorText(op) +
                            " is not supported on integers");
  }
  if (overflow) {
    return ev.fail(loc, "result has more than 127 bits (limit of compile-time "
                        "integers)");
  }
  return Value::integer(result);
}

static Value floatBinary(Evaluator &ev, Tok op, double a, double b,
                         SourceLoc loc) {
  switch (op) {
  case Tok::Plus:
    return Value::number(a + b);
  case Tok::Minus:
    return Value::number(a - b);
  case Tok::Star:
    return Value::number(a * b);
  case Tok::Slash:
    return b == 0 ? ev.fail(loc, "division by zero") : Value::number(a / b);
  case Tok::SlashSlash:
    return b == 0 ? ev.fail(loc, "division by zero")
                  : Value::number(std::floor(a / b));
  case Tok::Percent: {
    if (b == 0) {
      return ev.fail(loc, "division by zero");
    }
    double r = std::fmod(a, b);
    return Value::number(r != 0 && (r < 0) != (b < 0) ? r + b : r);
  }
  case Tok::StarStar:
    if (a == 0 && b < 0) {
      return ev.fail(loc, "division by zero");
    }
    if (a < 0 && std::isfinite(b) && b != std::trunc(b)) {
      return ev.fail(loc, "a negative number to a fractional power is complex; "
                          "complex numbers are not supported");
    }
    return Value::number(std::pow(a, b));
  default:
    return ev.fail(loc, "operator " + operatorText(op) +
                            " is not supported on floats");
  }
}

/// Concatenation and repetition.
static std::optional<Value> sequenceBinary(Evaluator &ev, Tok op,
                                           const Value &lhs, const Value &rhs,
                                           SourceLoc loc) {
  size_t limit = ev.limits().sequenceLength;
  auto tooLong = [&] {
    return ev.fail(loc, "sequence is longer than " + Twine(limit) +
                            " elements (limit of sequence length)");
  };
  if (op == Tok::Plus && lhs.is(ValueKind::String) &&
      rhs.is(ValueKind::String)) {
    std::string text = lhs.asString() + rhs.asString();
    return text.size() > limit ? tooLong() : Value::string(std::move(text));
  }
  // In a kernel a list is a tuple, as in Triton: x.shape[:-1] + [32].
  bool bothTuples =
      lhs.isSequence() && rhs.isSequence() &&
      (!ev.inHost() || lhs.is(ValueKind::List) == rhs.is(ValueKind::List));
  auto make = [&](std::vector<Value> items) {
    bool list = lhs.is(ValueKind::List) || rhs.is(ValueKind::List);
    return list ? Value::list(std::move(items))
                : Value::tuple(std::move(items));
  };
  if (op == Tok::Plus && bothTuples) {
    std::vector<Value> items = lhs.items().vec();
    llvm::append_range(items, rhs.items());
    return items.size() > limit ? tooLong() : make(std::move(items));
  }
  if (op != Tok::Star) {
    return std::nullopt;
  }
  const Value &count = lhs.isIntegral() ? lhs : rhs;
  const Value &sequence = lhs.isIntegral() ? rhs : lhs;
  if (!count.isIntegral()) {
    return std::nullopt;
  }
  size_t size = sequence.is(ValueKind::String) ? sequence.asString().size()
                : sequence.isSequence()        ? sequence.items().size()
                                               : 0;
  if (!sequence.is(ValueKind::String) && !sequence.isSequence()) {
    return std::nullopt;
  }
  PyInt n = std::max<PyInt>(0, count.asInt());
  if (size && n > PyInt(limit / size)) {
    return tooLong();
  }
  if (size == 0) {
    return sequence;
  }
  if (sequence.is(ValueKind::String)) {
    std::string text;
    for (PyInt i = 0; i < n; ++i) {
      text += sequence.asString();
    }
    return Value::string(std::move(text));
  }
  std::vector<Value> items;
  for (PyInt i = 0; i < n; ++i) {
    llvm::append_range(items, sequence.items());
  }
  return make(std::move(items));
}

/// Of an operation on a value that is not known: why it is not.
static Value unknownOperand(const Value &operand, SourceLoc loc) {
  const StringRef begin = "operand is not known at compile time";
  const std::string &why = operand.reason().text;
  return Value::unknown(loc, why.empty() ? begin.str()
                             : StringRef(why).starts_with(begin)
                                 ? why
                                 : begin.str() + ": " + why);
}

Value Evaluator::binary(Tok op, const Value &lhs, const Value &rhs,
                        SourceLoc loc) {
  if (lhs.isError() || rhs.isError()) {
    return Value();
  }
  if (lhs.is(ValueKind::Unknown) || rhs.is(ValueKind::Unknown)) {
    return unknownOperand(lhs.is(ValueKind::Unknown) ? lhs : rhs, loc);
  }
  if (auto special = specialBinary(op, lhs, rhs, loc)) {
    return *special;
  }
  if (lhs.isTile() || rhs.isTile()) {
    const Value &other = lhs.isTile() ? rhs : lhs;
    if (other.isTile() || other.isNumber()) {
      return countOperation(loc) ? tileBinary(*this, op, lhs, rhs, loc)
                                 : Value();
    }
  } else if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isIntegral() && rhs.isIntegral()) {
      bool logical = lhs.is(ValueKind::Bool) && rhs.is(ValueKind::Bool) &&
                     (op == Tok::Amp || op == Tok::Pipe || op == Tok::Caret);
      Value result = integerBinary(*this, op, lhs.asInt(), rhs.asInt(), loc);
      return logical && result.is(ValueKind::Int)
                 ? Value::boolean(result.asInt() != 0)
                 : result;
    }
    return floatBinary(*this, op, lhs.asFloat(), rhs.asFloat(), loc);
  } else if (op == Tok::Percent && lhs.is(ValueKind::String)) {
    return fail(loc, "'%' formatting is not supported; use an f-string");
  } else if (auto result = sequenceBinary(*this, op, lhs, rhs, loc)) {
    return *result;
  } else if (op == Tok::Pipe && lhs.is(ValueKind::Dict) &&
             rhs.is(ValueKind::Dict)) {
    Value merged = Value::dict();
    merged.dictionary().entries = lhs.dictionary().entries;
    for (auto &[key, value] : rhs.dictionary().entries) {
      merged.dictionary().set(key, value);
    }
    return merged;
  }
  return fail(loc, "operator " + operatorText(op) +
                       " is not supported between " + describe(lhs) + " and " +
                       describe(rhs));
}

Value Evaluator::unary(Tok op, const Value &operand, SourceLoc loc) {
  if (operand.isError() || operand.is(ValueKind::Unknown)) {
    return operand;
  }
  if (operand.isTile()) {
    return countOperation(loc) ? tileUnary(*this, op, operand, loc) : Value();
  }
  StringRef special = op == Tok::Minus   ? "__neg__"
                      : op == Tok::Plus  ? "__pos__"
                      : op == Tok::Tilde ? "__invert__"
                                         : "__not__";
  if (auto result = callSpecial(special, operand, {}, loc)) {
    return *result;
  }
  if (op == Tok::KwNot) {
    if (auto value = truth(operand)) {
      return Value::boolean(!*value);
    }
  } else if (operand.isIntegral()) {
    PyInt value = operand.asInt();
    switch (op) {
    case Tok::Plus:
      return Value::integer(value);
    case Tok::Minus:
      return integerBinary(*this, Tok::Minus, 0, value, loc);
    case Tok::Tilde:
      return Value::integer(~value);
    default:
      break;
    }
  } else if (operand.is(ValueKind::Float) && op != Tok::Tilde) {
    return Value::number(op == Tok::Minus ? -operand.asFloat()
                                          : operand.asFloat());
  }
  return fail(loc, "operator " + operatorText(op) + " is not supported on " +
                       describe(operand));
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

Value Evaluator::compare(CompareOp op, const Value &lhs, const Value &rhs,
                         SourceLoc loc) {
  if (!inHost() && (lhs.is(ValueKind::List) || rhs.is(ValueKind::List)) &&
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
      found = loader.environment(lhs.asString()).has_value();
    }
    return found ? Value::boolean(*found == (op == CompareOp::In))
                 : fail(loc, "'in' is not supported on " + describe(rhs));
  }
  if (auto special = specialCompare(op, lhs, rhs, loc)) {
    return *special;
  }
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (lhs.isTile() || rhs.isTile()) {
    const Value &other = lhs.isTile() ? rhs : lhs;
    if (other.isTile() || other.isNumber()) {
      return countOperation(loc) ? tileCompare(*this, op, lhs, rhs, loc)
                                 : Value();
    }
    if (equality && other.isNone()) {
      return fail(loc, "a run-time value is compared with None; write `is "
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
  return fail(loc, "comparison is not supported between " + describe(lhs) +
                       " and " + describe(rhs));
}

} // namespace tz::frontend
