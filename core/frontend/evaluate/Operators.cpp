//===- Operators.cpp - binary and unary operators -------------------------===//
//
// What   Finds who computes an operator: a record's method, the tile
//        operations, or Python's own rules where both sides are known.
// Why    See Operators.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Operators.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/KnownArithmetic.h"
#include "core/frontend/evaluate/TileOperators.h"

using namespace llvm;

namespace tz::frontend {

Value Operators::unknownOperand(const Value &operand, SourceLoc loc) {
  const StringRef begin = "operand is not known at compile time";
  const std::string &why = operand.reason().text;
  return Value::unknown(loc, why.empty() ? begin.str()
                             : StringRef(why).starts_with(begin)
                                 ? why
                                 : begin.str() + ": " + why);
}

std::optional<Value> Operators::byRecord(Tok op, const Value &lhs,
                                         const Value &rhs, SourceLoc loc) {
  static const std::map<Tok, const char *> names = {
      {Tok::Plus, "add"},
      {Tok::Minus, "sub"},
      {Tok::Star, "mul"},
      {Tok::Slash, "truediv"},
      {Tok::SlashSlash, "floordiv"},
      {Tok::Percent, "mod"},
      {Tok::StarStar, "pow"},
      {Tok::Amp, "and"},
      {Tok::Pipe, "or"},
      {Tok::Caret, "xor"},
      {Tok::ShiftLeft, "lshift"},
      {Tok::ShiftRight, "rshift"}};
  auto name = names.find(op);
  if (name == names.end()) {
    return std::nullopt;
  }
  std::string stem = name->second;
  if (auto result = ev.callSpecial("__" + stem + "__", lhs, {rhs}, loc)) {
    return result;
  }
  return ev.callSpecial("__r" + stem + "__", rhs, {lhs}, loc);
}

Value Operators::binary(Tok op, const Value &lhs, const Value &rhs,
                        SourceLoc loc) {
  if (lhs.isError() || rhs.isError()) {
    return Value();
  }
  if (lhs.is(ValueKind::Unknown) || rhs.is(ValueKind::Unknown)) {
    return unknownOperand(lhs.is(ValueKind::Unknown) ? lhs : rhs, loc);
  }
  if (auto special = byRecord(op, lhs, rhs, loc)) {
    return *special;
  }
  if (lhs.isTile() || rhs.isTile()) {
    const Value &other = lhs.isTile() ? rhs : lhs;
    if (other.isTile() || other.isNumber()) {
      return ev.countOperation(loc) ? tileBinary(ev, op, lhs, rhs, loc)
                                    : Value();
    }
  } else if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isIntegral() && rhs.isIntegral()) {
      bool logical = lhs.is(ValueKind::Bool) && rhs.is(ValueKind::Bool) &&
                     (op == Tok::Amp || op == Tok::Pipe || op == Tok::Caret);
      Value result = integerBinary(ev, op, lhs.asInt(), rhs.asInt(), loc);
      return logical && result.is(ValueKind::Int)
                 ? Value::boolean(result.asInt() != 0)
                 : result;
    }
    return floatBinary(ev, op, lhs.asFloat(), rhs.asFloat(), loc);
  } else if (op == Tok::Percent && lhs.is(ValueKind::String)) {
    return ev.fail(loc, "'%' formatting is not supported; use an f-string");
  } else if (auto result = sequenceBinary(ev, op, lhs, rhs, loc)) {
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
  return ev.fail(loc, "operator " + tokenName(op) +
                          " is not supported between " + describe(lhs) +
                          " and " + describe(rhs));
}

Value Operators::unary(Tok op, const Value &operand, SourceLoc loc) {
  if (operand.isError() || operand.is(ValueKind::Unknown)) {
    return operand;
  }
  if (operand.isTile()) {
    return ev.countOperation(loc) ? tileUnary(ev, op, operand, loc) : Value();
  }
  StringRef special = op == Tok::Minus   ? "__neg__"
                      : op == Tok::Plus  ? "__pos__"
                      : op == Tok::Tilde ? "__invert__"
                                         : "__not__";
  if (auto result = ev.callSpecial(special, operand, {}, loc)) {
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
      return integerBinary(ev, Tok::Minus, 0, value, loc);
    case Tok::Tilde:
      return Value::integer(~value);
    default:
      break;
    }
  } else if (operand.is(ValueKind::Float) && op != Tok::Tilde) {
    return Value::number(op == Tok::Minus ? -operand.asFloat()
                                          : operand.asFloat());
  }
  return ev.fail(loc, "operator " + tokenName(op) + " is not supported on " +
                          describe(operand));
}

} // namespace tz::frontend
