//===- DebuggerExpression.cpp - arithmetic over what a kernel holds -------===//
//
// What   See DebuggerExpression.h: a recursive-descent parser that evaluates.
// Why    See DebuggerExpression.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/DebuggerExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

namespace {

bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c & 0x80;
}

/// "[0, 1:3]", ".field" and "#1" at the beginning of a text.
StringRef suffixOf(StringRef text) {
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '[') {
      int depth = 0;
      size_t end = at;
      do {
        depth += (text[end] == '[') - (text[end] == ']');
        ++end;
      } while (depth && end < text.size());
      at = end;
    } else if ((c == '.' && at + 1 < text.size() &&
                (llvm::isAlpha(text[at + 1]) || text[at + 1] == '_')) ||
               c == '#') {
      ++at;
      while (at < text.size() && isNameCharacter(text[at])) {
        ++at;
      }
    } else {
      break;
    }
  }
  return text.take_front(at);
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

std::optional<llvm::SmallVector<int64_t, 4>>
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

class Evaluation {
public:
  Evaluation(StringRef text, DebugLookup lookup) : text(text), lookup(lookup) {}

  Result<DebugValue> run() {
    DebugValue value = disjunction();
    skipBlanks();
    if (failure.ok() && at != text.size()) {
      fail(at, "'" + text.substr(at, 1).str() + "' is not expected here");
    }
    if (!failure.ok()) {
      return failure;
    }
    return value;
  }

private:
  static constexpr int MaxDepth = 64;
  using Integers = std::optional<int64_t> (*)(int64_t, int64_t);
  using Floats = double (*)(double, double);
  struct Operator {
    StringRef token;
    Integers integers;
    Floats floats; // null: of integers alone
    bool givesTruth = false;
  };

  void skipBlanks() {
    while (at < text.size() && llvm::isSpace(text[at])) {
      ++at;
    }
  }
  bool take(StringRef token) {
    skipBlanks();
    if (!text.substr(at).starts_with(token)) {
      return false;
    }
    at += token.size();
    return true;
  }
  bool takeWord(StringRef word) {
    skipBlanks();
    StringRef rest = text.substr(at);
    if (!rest.starts_with(word) ||
        (rest.size() > word.size() && isNameCharacter(rest[word.size()]))) {
      return false;
    }
    at += word.size();
    return true;
  }
  DebugValue fail(size_t where, const std::string &message) {
    if (failure.ok()) {
      failure = Status(TZ_E_INVALID_ARGUMENT,
                       "in '" + text.str() + "', column " +
                           std::to_string(where + 1) + ": " + message);
    }
    return DebugValue();
  }

  DebugValue apply(size_t where, const Operator &op, const DebugValue &a,
                   const DebugValue &b) {
    if (!failure.ok() || a.kind == DebugValue::Any ||
        b.kind == DebugValue::Any) {
      return DebugValue();
    }
    auto shape = commonShape(a.shape, b.shape);
    if (!shape) {
      return fail(where, "the shapes of the two sides do not fit together");
    }
    const bool isFloat =
        a.kind == DebugValue::Float || b.kind == DebugValue::Float;
    if (isFloat && !op.floats) {
      return fail(where, "'" + op.token.str() + "' takes integers");
    }
    DebugValue made;
    made.kind = op.givesTruth ? DebugValue::Boolean
                : isFloat     ? DebugValue::Float
                              : DebugValue::Integer;
    made.shape = *shape;
    const Broadcast left(a.shape, made.shape), right(b.shape, made.shape);
    int64_t count = 1;
    for (int64_t size : made.shape) {
      count *= size;
    }
    for (int64_t lane = 0; lane < count; ++lane) {
      const size_t i = left(lane), j = right(lane);
      if (isFloat) {
        const double value = op.floats(a.asFloat(i), b.asFloat(j));
        if (op.givesTruth) {
          made.integers.push_back(value != 0);
        } else {
          made.floats.push_back(value);
        }
        continue;
      }
      std::optional<int64_t> value = op.integers(a.integers[i], b.integers[j]);
      if (!value) {
        return fail(where, b.integers[j] == 0
                               ? "division by zero"
                               : "the value does not fit in 64 bits");
      }
      made.integers.push_back(*value);
    }
    return made;
  }

  /// Operators of one precedence, from left to right.
  DebugValue chain(llvm::ArrayRef<Operator> operators,
                   DebugValue (Evaluation::*next)()) {
    DebugValue value = (this->*next)();
    while (failure.ok()) {
      skipBlanks();
      const size_t where = at;
      auto op = llvm::find_if(
          operators, [this](const Operator &one) { return take(one.token); });
      if (op == operators.end()) {
        break;
      }
      value = apply(where, *op, value, (this->*next)());
    }
    return value;
  }

  DebugValue disjunction() {
    static constexpr auto either = [](int64_t a, int64_t b) {
      return std::optional<int64_t>(a || b);
    };
    DebugValue value = conjunction();
    while (failure.ok() && takeWord("or")) {
      value = apply(at,
                    {"or", either,
                     [](double a, double b) { return double(a || b); }, true},
                    value, conjunction());
    }
    return value;
  }

  DebugValue conjunction() {
    static constexpr auto both = [](int64_t a, int64_t b) {
      return std::optional<int64_t>(a && b);
    };
    DebugValue value = negation();
    while (failure.ok() && takeWord("and")) {
      value = apply(at,
                    {"and", both,
                     [](double a, double b) { return double(a && b); }, true},
                    value, negation());
    }
    return value;
  }

  DebugValue negation() {
    if (!takeWord("not")) {
      return comparison();
    }
    if (++depth > MaxDepth) {
      return fail(at, "nested too deeply");
    }
    DebugValue value = negation();
    --depth;
    return comparedWithZero(value);
  }

  DebugValue comparedWithZero(const DebugValue &value) {
    return apply(at, comparisons().front(), value, DebugValue::integer(0));
  }

  static llvm::ArrayRef<Operator> comparisons() {
    static const Operator all[] = {
        {"==",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a == b); },
         [](double a, double b) { return double(a == b); }, true},
        {"!=",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a != b); },
         [](double a, double b) { return double(a != b); }, true},
        {"<=",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a <= b); },
         [](double a, double b) { return double(a <= b); }, true},
        {">=",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a >= b); },
         [](double a, double b) { return double(a >= b); }, true},
        {"<",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a < b); },
         [](double a, double b) { return double(a < b); }, true},
        {">",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a > b); },
         [](double a, double b) { return double(a > b); }, true}};
    return all;
  }

  DebugValue comparison() { return chain(comparisons(), &Evaluation::bits); }

  DebugValue bits() {
    static const Operator all[] = {
        {"|",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a | b); },
         nullptr},
        {"^",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a ^ b); },
         nullptr},
        {"&",
         [](int64_t a, int64_t b) { return std::optional<int64_t>(a & b); },
         nullptr}};
    return chain(all, &Evaluation::sum);
  }

  DebugValue sum() {
    static const Operator all[] = {{"+",
                                    [](int64_t a, int64_t b) {
                                      int64_t c;
                                      return __builtin_add_overflow(a, b, &c)
                                                 ? std::nullopt
                                                 : std::optional(c);
                                    },
                                    [](double a, double b) { return a + b; }},
                                   {"-",
                                    [](int64_t a, int64_t b) {
                                      int64_t c;
                                      return __builtin_sub_overflow(a, b, &c)
                                                 ? std::nullopt
                                                 : std::optional(c);
                                    },
                                    [](double a, double b) { return a - b; }}};
    return chain(all, &Evaluation::product);
  }

  /// Python's floor division and its remainder.
  static std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
    if (b == 0 || (a == INT64_MIN && b == -1)) {
      return std::nullopt;
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  static std::optional<int64_t> remainder(int64_t a, int64_t b) {
    if (b == 0) {
      return std::nullopt;
    }
    const int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }

  DebugValue product() {
    static const Operator all[] = {
        {"*",
         [](int64_t a, int64_t b) {
           int64_t c;
           return __builtin_mul_overflow(a, b, &c) ? std::nullopt
                                                   : std::optional(c);
         },
         [](double a, double b) { return a * b; }},
        {"//", floorDivide,
         [](double a, double b) { return std::floor(a / b); }},
        {"%", remainder,
         [](double a, double b) { return a - b * std::floor(a / b); }}};
    DebugValue value = unary();
    while (failure.ok()) {
      skipBlanks();
      const size_t where = at;
      // "/" of integers gives a float, as in Python.
      if (!text.substr(at).starts_with("//") && take("/")) {
        value = quotient(where, value, unary());
        continue;
      }
      auto op = llvm::find_if(
          all, [this](const Operator &one) { return take(one.token); });
      if (op == std::end(all)) {
        break;
      }
      value = apply(where, *op, value, unary());
    }
    return value;
  }

  static DebugValue toFloat(DebugValue value) {
    if (value.kind != DebugValue::Float && value.kind != DebugValue::Any) {
      value.floats.assign(value.integers.begin(), value.integers.end());
      value.integers.clear();
      value.kind = DebugValue::Float;
    }
    return value;
  }

  DebugValue quotient(size_t where, const DebugValue &a, const DebugValue &b) {
    return apply(where,
                 {"/", nullptr, [](double x, double y) { return x / y; }},
                 toFloat(a), toFloat(b));
  }

  DebugValue unary() {
    if (++depth > MaxDepth) {
      return fail(at, "nested too deeply");
    }
    skipBlanks();
    const size_t where = at;
    DebugValue value;
    if (take("-")) {
      static const Operator minus = {"-",
                                     [](int64_t a, int64_t b) {
                                       int64_t c;
                                       return __builtin_sub_overflow(a, b, &c)
                                                  ? std::nullopt
                                                  : std::optional(c);
                                     },
                                     [](double a, double b) { return a - b; }};
      value = unary();
      value =
          value.kind == DebugValue::Float
              ? apply(where,
                      {"-", nullptr, [](double a, double b) { return a * b; }},
                      value, DebugValue::number(-1))
              : apply(where, minus, DebugValue::integer(0), value);
    } else if (take("~")) {
      value = apply(
          where,
          {"~", [](int64_t a, int64_t) { return std::optional<int64_t>(~a); },
           nullptr},
          unary(), DebugValue::integer(0));
    } else {
      value = primary();
    }
    --depth;
    return value;
  }

  DebugValue primary() {
    skipBlanks();
    const size_t start = at;
    if (at == text.size()) {
      return fail(at, "a number or a name is missing");
    }
    if (take("(")) {
      DebugValue value = disjunction();
      if (failure.ok() && !take(")")) {
        return fail(at, "')' is missing");
      }
      return value;
    }
    if (llvm::isDigit(text[at]) || text[at] == '.') {
      return literal();
    }
    if (text[at] == '%') {
      ++at; // of tile IR text
    }
    StringRef name = text.substr(at).take_while(isNameCharacter);
    if (name.empty()) {
      return fail(start,
                  "'" + text.substr(start, 1).str() + "' is not expected here");
    }
    at += name.size();
    if (name == "True" || name == "False") {
      return DebugValue::boolean(name == "True");
    }
    if (take("(")) {
      return call(start, name);
    }
    StringRef suffix = suffixOf(text.substr(at));
    at += suffix.size();
    Result<DebugValue> value = lookup(name, suffix);
    return value ? *value : fail(start, value.status().message());
  }

  DebugValue literal() {
    const size_t start = at;
    StringRef word = text.substr(at).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
    // The sign of an exponent belongs to the number.
    if (word.size() > 1 && llvm::toLower(word.back()) == 'e' &&
        !word.starts_with("0x") && at + word.size() < text.size() &&
        StringRef("+-").contains(text[at + word.size()])) {
      const size_t sign = at + word.size();
      word = text.slice(
          at,
          sign + 1 + text.substr(sign + 1).take_while(llvm::isDigit).size());
    }
    at += word.size();
    std::string digits = word.str();
    llvm::erase(digits, '_');
    int64_t integer = 0;
    if (!StringRef(digits).getAsInteger(0, integer)) {
      return DebugValue::integer(integer);
    }
    double number = 0;
    if (!StringRef(digits).getAsDouble(number)) {
      return DebugValue::number(number);
    }
    return fail(start, "'" + word.str() + "' is no number");
  }

  DebugValue call(size_t where, StringRef name) {
    std::vector<DebugValue> args;
    if (!take(")")) {
      do {
        args.push_back(disjunction());
      } while (failure.ok() && take(","));
      if (failure.ok() && !take(")")) {
        return fail(at, "')' is missing");
      }
    }
    if (!failure.ok()) {
      return DebugValue();
    }
    if (args.size() == 1) {
      if (std::optional<DebugValue> made = reduce(where, name, args[0])) {
        return *made;
      }
      if (std::optional<DebugValue> made = map(name, args[0])) {
        return *made;
      }
    }
    if (args.size() == 2 && (name == "min" || name == "max")) {
      static const Operator least = {
          "min",
          [](int64_t a, int64_t b) { return std::optional(std::min(a, b)); },
          [](double a, double b) { return std::fmin(a, b); }};
      static const Operator largest = {
          "max",
          [](int64_t a, int64_t b) { return std::optional(std::max(a, b)); },
          [](double a, double b) { return std::fmax(a, b); }};
      return apply(where, name == "min" ? least : largest, args[0], args[1]);
    }
    Result<DebugValue> value =
        args.size() == 1 && args[0].kind == DebugValue::Integer &&
                args[0].shape.empty()
            ? lookup(name, "(" + std::to_string(args[0].integers[0]) + ")")
            : Status(TZ_E_NOT_FOUND, "");
    if (value) {
      return *value;
    }
    return fail(where, "no function '" + name.str() + "' of " +
                           std::to_string(args.size()) +
                           (args.size() == 1 ? " value" : " values") +
                           "; there are abs, all, any, exp, isinf, isnan, log, "
                           "max, mean, min, program_id, sqrt, sum");
  }

  /// A scalar from all elements.
  std::optional<DebugValue> reduce(size_t where, StringRef name,
                                   const DebugValue &value) {
    if (!llvm::is_contained({"any", "all", "sum", "mean", "min", "max"},
                            name)) {
      return std::nullopt;
    }
    if (value.kind == DebugValue::Any) {
      return value;
    }
    const size_t count = value.count();
    if (name == "any" || name == "all") {
      size_t holds = 0;
      for (size_t i = 0; i < count; ++i) {
        holds += value.isTrue(i);
      }
      return DebugValue::boolean(name == "any" ? holds : holds == count);
    }
    DebugValue made = value;
    made.shape.clear();
    const bool isFloat = value.kind == DebugValue::Float;
    double total = 0;
    for (size_t i = 0; i < count; ++i) {
      total += value.asFloat(i);
    }
    if (name == "mean" || (name == "sum" && isFloat)) {
      return DebugValue::number(name == "mean" ? total / double(count) : total);
    }
    if (name == "sum") {
      int64_t sum = 0;
      for (int64_t one : value.integers) {
        if (__builtin_add_overflow(sum, one, &sum)) {
          return fail(where, "the sum does not fit in 64 bits");
        }
      }
      return DebugValue::integer(sum);
    }
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      const bool isBetter = name == "min"
                                ? value.asFloat(i) < value.asFloat(best)
                                : value.asFloat(i) > value.asFloat(best);
      best = isBetter ? i : best;
    }
    return isFloat ? DebugValue::number(value.floats[best])
                   : DebugValue::integer(value.integers[best]);
  }

  /// Element by element.
  std::optional<DebugValue> map(StringRef name, const DebugValue &value) {
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
    const bool staysInteger = name == "abs" && value.kind != DebugValue::Float;
    if (value.kind == DebugValue::Any || staysInteger) {
      DebugValue made = value;
      for (int64_t &one : made.integers) {
        one = one == INT64_MIN ? one : std::abs(one);
      }
      return made;
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
    return made;
  }

  StringRef text;
  DebugLookup lookup;
  size_t at = 0;
  int depth = 0;
  Status failure;
};

} // namespace

Result<DebugValue> evaluateDebug(StringRef text, DebugLookup lookup) {
  return Evaluation(text, lookup).run();
}

Status checkDebugExpression(StringRef text) {
  Result<DebugValue> value = Evaluation(text, [](StringRef, StringRef) {
                               return Result<DebugValue>(DebugValue());
                             }).run();
  return value ? Status() : value.takeStatus();
}

bool isPlainName(StringRef text) {
  text = text.trim();
  text.consume_front("%");
  StringRef name = text.take_while(isNameCharacter);
  StringRef rest = text.drop_front(name.size());
  return !name.empty() && !llvm::isDigit(name[0]) && name != "True" &&
         name != "False" && suffixOf(rest).size() == rest.size();
}

} // namespace tz::tool
