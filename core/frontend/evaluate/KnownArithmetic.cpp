//===- KnownArithmetic.cpp - Python arithmetic on known values ------------===//
//
// What   See KnownArithmetic.h.
// Why    See KnownArithmetic.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/KnownArithmetic.h"

#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

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

Value integerBinary(Evaluator &ev, Tok op, PyInt a, PyInt b, SourceLoc loc) {
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
    return ev.fail(loc, "operator " + tokenName(op) +
                            " is not supported on integers");
  }
  if (overflow) {
    return ev.fail(loc, "result has more than 127 bits (limit of compile-time "
                        "integers)");
  }
  return Value::integer(result);
}

Value floatBinary(Evaluator &ev, Tok op, double a, double b, SourceLoc loc) {
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
    return ev.fail(loc,
                   "operator " + tokenName(op) + " is not supported on floats");
  }
}

std::optional<Value> sequenceBinary(Evaluator &ev, Tok op, const Value &lhs,
                                    const Value &rhs, SourceLoc loc) {
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

} // namespace tz::frontend
