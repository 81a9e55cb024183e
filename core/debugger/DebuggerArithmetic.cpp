//===- DebuggerArithmetic.cpp - operators and functions over tiles --------===//
//
// What   See DebuggerArithmetic.h.
// Why    See DebuggerArithmetic.h.
//===----------------------------------------------------------------------===//
#include "core/debugger/DebuggerArithmetic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <optional>

namespace tz::tool {

using llvm::StringRef;
using runtime::Result;
using runtime::Status;

DebugValue DebugValue::integer(int64_t value) {
  DebugValue made;
  made.kind = Integer;
  made.integers = {value};
  return made;
}

DebugValue DebugValue::boolean(bool value) {
  DebugValue made = integer(value);
  made.kind = Boolean;
  return made;
}

DebugValue DebugValue::number(double value) {
  DebugValue made;
  made.kind = Float;
  made.floats = {value};
  return made;
}

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

namespace {

enum class Op {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Remainder,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  BitOr,
  BitXor,
  BitAnd,
  Min,
  Max,
};

Op operatorOf(StringRef token) {
  return llvm::StringSwitch<Op>(token)
      .Case("+", Op::Add)
      .Case("-", Op::Subtract)
      .Case("*", Op::Multiply)
      .Case("/", Op::Divide)
      .Case("//", Op::FloorDivide)
      .Case("%", Op::Remainder)
      .Case("==", Op::Equal)
      .Case("!=", Op::NotEqual)
      .Case("<", Op::Less)
      .Case("<=", Op::LessEqual)
      .Case(">", Op::Greater)
      .Case(">=", Op::GreaterEqual)
      .Case("and", Op::And)
      .Case("or", Op::Or)
      .Case("|", Op::BitOr)
      .Case("^", Op::BitXor)
      .Case("&", Op::BitAnd)
      .Case("min", Op::Min)
      .Default(Op::Max);
}

bool givesTruth(Op op) { return op >= Op::Equal && op <= Op::Or; }
bool isOfBits(Op op) { return op >= Op::BitOr && op <= Op::BitAnd; }

/// Nothing: the value does not fit, or the divisor is zero.
std::optional<int64_t> divideIntegers(Op op, int64_t a, int64_t b) {
  if (b == 0 || (op == Op::FloorDivide && a == INT64_MIN && b == -1)) {
    return std::nullopt;
  }
  const int64_t rest = b == -1 ? 0 : a % b;
  const bool isBelow = rest != 0 && (rest < 0) != (b < 0);
  if (op == Op::Remainder) {
    return isBelow ? rest + b : rest;
  }
  return a / b - isBelow;
}

/// Of comparisons alone.
template <typename T>
bool holds(Op op, T a, T b) {
  switch (op) {
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

std::optional<int64_t> combineIntegers(Op op, int64_t a, int64_t b) {
  int64_t made = 0;
  switch (op) {
  case Op::Add:
    return __builtin_add_overflow(a, b, &made) ? std::nullopt
                                               : std::optional(made);
  case Op::Subtract:
    return __builtin_sub_overflow(a, b, &made) ? std::nullopt
                                               : std::optional(made);
  case Op::Multiply:
    return __builtin_mul_overflow(a, b, &made) ? std::nullopt
                                               : std::optional(made);
  case Op::Divide: // of floats alone
  case Op::FloorDivide:
  case Op::Remainder:
    return divideIntegers(op, a, b);
  case Op::Equal:
  case Op::NotEqual:
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual:
    return holds(op, a, b);
  case Op::And:
    return a && b;
  case Op::Or:
    return a || b;
  case Op::BitOr:
    return a | b;
  case Op::BitXor:
    return a ^ b;
  case Op::BitAnd:
    return a & b;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  }
  return std::nullopt;
}

double combineFloats(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return a / b;
  case Op::FloorDivide:
    return std::floor(a / b);
  case Op::Remainder:
    return a - b * std::floor(a / b);
  case Op::Equal:
  case Op::NotEqual:
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual:
    return holds(op, a, b);
  case Op::And:
    return a != 0 && b != 0;
  case Op::Or:
    return a != 0 || b != 0;
  case Op::Min:
    return std::fmin(a, b);
  case Op::Max:
    return std::fmax(a, b);
  case Op::BitOr: // of integers alone
  case Op::BitXor:
  case Op::BitAnd:
    break;
  }
  return 0;
}

/// Where an element of a result comes from, when shapes are broadcast.
class Broadcast {
public:
  Broadcast(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to)
      : to(to), steps(to.size(), 0) {
    int64_t step = 1;
    for (size_t d = from.size(); d-- > 0;) {
      steps[to.size() - from.size() + d] = from[d] == 1 ? 0 : step;
      step *= from[d];
    }
  }
  size_t operator()(int64_t lane) const {
    int64_t source = 0;
    for (size_t d = to.size(); d-- > 0;) {
      source += lane % to[d] * steps[d];
      lane /= to[d];
    }
    return size_t(source);
  }

private:
  llvm::ArrayRef<int64_t> to;
  llvm::SmallVector<int64_t, 4> steps;
};

} // namespace

static std::optional<llvm::SmallVector<int64_t, 4>>
commonShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t, 4> shape(std::max(a.size(), b.size()), 1);
  for (llvm::ArrayRef<int64_t> one : {a, b}) {
    for (size_t d = 0; d < one.size(); ++d) {
      int64_t &to = shape[shape.size() - one.size() + d];
      if (to != 1 && one[d] != 1 && to != one[d]) {
        return std::nullopt;
      }
      to = to == 1 ? one[d] : to;
    }
  }
  return shape;
}

static DebugValue toFloat(DebugValue value) {
  if (value.kind != DebugValue::Float && value.kind != DebugValue::Any) {
    value.floats.assign(value.integers.begin(), value.integers.end());
    value.integers.clear();
    value.kind = DebugValue::Float;
  }
  return value;
}

static bool isFloat(const DebugValue &value) {
  return value.kind == DebugValue::Float;
}

/// Sides of one kind, all of whose lanes are combined.
static Status combineLanes(Op op, const DebugValue &a, const DebugValue &b,
                           DebugValue &to) {
  const Broadcast left(a.shape, to.shape), right(b.shape, to.shape);
  int64_t count = 1;
  for (int64_t size : to.shape) {
    count *= size;
  }
  for (int64_t lane = 0; lane < count; ++lane) {
    const size_t i = left(lane), j = right(lane);
    if (isFloat(a) || isFloat(b)) {
      const double value = combineFloats(op, a.asFloat(i), b.asFloat(j));
      givesTruth(op) ? to.integers.push_back(value != 0)
                     : to.floats.push_back(value);
      continue;
    }
    std::optional<int64_t> value =
        combineIntegers(op, a.integers[i], b.integers[j]);
    if (!value) {
      const bool divides = op == Op::FloorDivide || op == Op::Remainder;
      return invalid(divides && b.integers[j] == 0
                         ? "division by zero"
                         : "the value does not fit in 64 bits");
    }
    to.integers.push_back(*value);
  }
  return Status();
}

Result<DebugValue> combine(StringRef token, const DebugValue &a,
                           const DebugValue &b) {
  if (a.kind == DebugValue::Any || b.kind == DebugValue::Any) {
    return DebugValue();
  }
  const Op op = operatorOf(token);
  if (op == Op::Divide && !(isFloat(a) && isFloat(b))) {
    return combine(token, toFloat(a), toFloat(b)); // as in Python
  }
  auto shape = commonShape(a.shape, b.shape);
  if (!shape) {
    return invalid("the shapes of the two sides do not fit together");
  }
  if (isOfBits(op) && (isFloat(a) || isFloat(b))) {
    return invalid("'" + token.str() + "' takes integers");
  }
  const bool areTruths = a.kind == DebugValue::Boolean &&
                         b.kind == DebugValue::Boolean && isOfBits(op);
  DebugValue made;
  made.kind = givesTruth(op) || areTruths ? DebugValue::Boolean
              : isFloat(a) || isFloat(b)  ? DebugValue::Float
                                          : DebugValue::Integer;
  made.shape = *shape;
  Status s = combineLanes(op, a, b, made);
  return s.ok() ? Result<DebugValue>(std::move(made)) : s;
}

Result<DebugValue> negate(StringRef op, const DebugValue &a) {
  if (op == "not") {
    return combine("==", a, DebugValue::integer(0));
  }
  if (op == "-") {
    // Not 0 - a, which makes +0 of +0.
    return isFloat(a) ? combine("*", a, DebugValue::number(-1))
                      : combine("-", DebugValue::integer(0), a);
  }
  return combine("^", a,
                 a.kind == DebugValue::Boolean ? DebugValue::boolean(true)
                                               : DebugValue::integer(-1));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The smallest or largest element; NaN is passed over.
static Result<DebugValue> extreme(StringRef name, const DebugValue &value) {
  DebugValue best = isFloat(value) ? DebugValue::number(value.floats[0])
                                   : DebugValue::integer(value.integers[0]);
  for (size_t i = 1; i < value.count(); ++i) {
    Result<DebugValue> next =
        combine(name, best,
                isFloat(value) ? DebugValue::number(value.floats[i])
                               : DebugValue::integer(value.integers[i]));
    if (!next) {
      return next;
    }
    best = std::move(*next);
  }
  return best;
}

static Result<DebugValue> sumOf(const DebugValue &value) {
  double total = 0;
  for (double one : value.floats) {
    total += one;
  }
  int64_t sum = 0;
  for (int64_t one : value.integers) {
    if (__builtin_add_overflow(sum, one, &sum)) {
      return invalid("the sum does not fit in 64 bits");
    }
  }
  return isFloat(value) ? DebugValue::number(total) : DebugValue::integer(sum);
}

/// A scalar from all elements, if the function is such a one.
static std::optional<Result<DebugValue>> reduce(StringRef name,
                                                const DebugValue &value) {
  if (!llvm::is_contained({"any", "all", "sum", "mean", "min", "max"}, name)) {
    return std::nullopt;
  }
  if (value.kind == DebugValue::Any || value.count() == 0) {
    return Result<DebugValue>(DebugValue());
  }
  if (name == "min" || name == "max") {
    return extreme(name, value);
  }
  if (name == "sum") {
    return sumOf(value);
  }
  double total = 0;
  size_t holds = 0;
  for (size_t i = 0; i < value.count(); ++i) {
    total += value.asFloat(i);
    holds += value.isTrue(i);
  }
  return Result<DebugValue>(
      name == "mean"  ? DebugValue::number(total / double(value.count()))
      : name == "any" ? DebugValue::boolean(holds != 0)
                      : DebugValue::boolean(holds == value.count()));
}

/// Element by element, if the function is such a one.
static std::optional<Result<DebugValue>> map(StringRef name,
                                             const DebugValue &value) {
  using Function = double (*)(double);
  static const std::pair<StringRef, Function> functions[] = {
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"isnan", [](double x) { return double(std::isnan(x)); }},
      {"isinf", [](double x) { return double(std::isinf(x)); }},
      {"abs", [](double x) { return std::abs(x); }}};
  auto function = llvm::find_if(
      functions, [&](const auto &one) { return one.first == name; });
  if (function == std::end(functions)) {
    return std::nullopt;
  }
  if (value.kind == DebugValue::Any) {
    return Result<DebugValue>(DebugValue());
  }
  if (name == "abs" && !isFloat(value)) {
    Result<DebugValue> negative = negate("-", value);
    return negative ? combine("max", value, *negative) : negative;
  }
  DebugValue made = toFloat(value);
  for (double &one : made.floats) {
    one = function->second(one);
  }
  if (name.starts_with("is")) {
    made.kind = DebugValue::Boolean;
    made.integers.assign(made.floats.begin(), made.floats.end());
    made.floats.clear();
  }
  return Result<DebugValue>(std::move(made));
}

Result<DebugValue> callFunction(StringRef name,
                                llvm::ArrayRef<DebugValue> args) {
  if (args.size() == 1) {
    if (std::optional<Result<DebugValue>> made = reduce(name, args[0])) {
      return std::move(*made);
    }
    if (std::optional<Result<DebugValue>> made = map(name, args[0])) {
      return std::move(*made);
    }
  }
  if (args.size() == 2 && (name == "min" || name == "max")) {
    return combine(name, args[0], args[1]);
  }
  return Status(TZ_E_NOT_FOUND,
                "no function '" + name.str() + "' of " +
                    std::to_string(args.size()) +
                    (args.size() == 1 ? " value" : " values") +
                    "; there are abs, all, any, exp, isinf, isnan, log, max, "
                    "mean, min, program_id, sqrt, sum");
}

} // namespace tz::tool
