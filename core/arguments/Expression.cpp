//===- Expression.cpp - integer expressions of the command line -----------===//
//
// What   A recursive-descent evaluator with a bound on its depth.
// Why    See Expression.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/Expression.h"

#include "core/arguments/ExpressionCursor.h"

namespace tz::tool {

using runtime::Result;
using runtime::Status;

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) {
    text.remove_prefix(1);
  }
  while (!text.empty() &&
         std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string> splitList(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  char quote = 0;
  bool isType = false; // between the < and > of a type
  for (char c : text) {
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' ||
               (c == '<' && part.ends_with("tensordesc"))) {
      isType |= c == '<';
      ++depth;
    } else if (c == ')' || c == ']' || (c == '>' && isType)) {
      isType &= c != '>';
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back(trim(part));
      part.clear();
      continue;
    }
    part += c;
  }
  parts.emplace_back(trim(part));
  return parts;
}

namespace {

class Evaluation : ExpressionCursor {
public:
  Evaluation(std::string_view text, const NameLookup &lookup)
      : ExpressionCursor(text), lookup(lookup) {}

  Result<ExpressionValue> run() {
    int64_t value = disjunction();
    wantEnd();
    if (!failure.ok()) {
      return failure;
    }
    return ExpressionValue{value, isTruth};
  }

private:
  int64_t fail(size_t where, const std::string &message) {
    refuse(where, message);
    return 0;
  }
  int64_t overflow(size_t where) {
    return fail(where, "the value does not fit in 64 bits");
  }

  /// `or` and `and` give an operand, as in Python. Both are evaluated.
  int64_t disjunction() {
    int64_t value = conjunction();
    while (failure.ok() && take("or")) {
      const bool wasTruth = isTruth;
      const int64_t right = conjunction();
      isTruth = value ? wasTruth : isTruth;
      value = value ? value : right;
    }
    return value;
  }

  int64_t conjunction() {
    int64_t value = negation();
    while (failure.ok() && take("and")) {
      const bool wasTruth = isTruth;
      const int64_t right = negation();
      isTruth = value ? isTruth : wasTruth;
      value = value ? right : value;
    }
    return value;
  }

  int64_t negation() {
    bool isNegated = false, isAny = false;
    while (take("not")) {
      isNegated = !isNegated;
      isAny = true;
    }
    const int64_t value = comparison();
    if (!isAny) {
      return value;
    }
    isTruth = true;
    return (value != 0) != isNegated;
  }

  /// Chains as in Python: a < b < c.
  int64_t comparison() {
    int64_t left = sum();
    bool holds = true, isAny = false;
    while (failure.ok()) {
      using Test = bool (*)(int64_t, int64_t);
      static constexpr std::pair<std::string_view, Test> tests[] = {
          {"==", [](int64_t a, int64_t b) { return a == b; }},
          {"!=", [](int64_t a, int64_t b) { return a != b; }},
          {"<=", [](int64_t a, int64_t b) { return a <= b; }},
          {">=", [](int64_t a, int64_t b) { return a >= b; }},
          {"<", [](int64_t a, int64_t b) { return a < b; }},
          {">", [](int64_t a, int64_t b) { return a > b; }}};
      auto test =
          std::find_if(std::begin(tests), std::end(tests),
                       [this](const auto &one) { return take(one.first); });
      if (test == std::end(tests)) {
        break;
      }
      const int64_t right = sum();
      holds &= test->second(left, right);
      left = right;
      isAny = true;
    }
    if (!isAny) {
      return left;
    }
    isTruth = true;
    return holds;
  }

  int64_t sum() {
    int64_t value = product();
    for (; failure.ok(); isTruth = false) {
      size_t where = at;
      if (take("+")) {
        int64_t right = product();
        if (__builtin_add_overflow(value, right, &value)) {
          return overflow(where);
        }
      } else if (take("-")) {
        int64_t right = product();
        if (__builtin_sub_overflow(value, right, &value)) {
          return overflow(where);
        }
      } else {
        break;
      }
    }
    return value;
  }

  /// Python's floor division and its remainder.
  int64_t divide(size_t where, int64_t a, int64_t b, bool remainder) {
    if (b == 0) {
      return fail(where, "division by zero");
    }
    if (a == INT64_MIN && b == -1) {
      return remainder ? 0 : overflow(where);
    }
    int64_t quotient = a / b, rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
      --quotient;
      rest += b;
    }
    return remainder ? rest : quotient;
  }

  int64_t product() {
    int64_t value = unary();
    for (; failure.ok(); isTruth = false) {
      size_t where = at;
      if (take("**")) {
        return fail(where, "'**' is not supported here");
      }
      if (take("*")) {
        int64_t right = unary();
        if (__builtin_mul_overflow(value, right, &value)) {
          return overflow(where);
        }
      } else if (take("//") || take("/")) {
        value = divide(where, value, unary(), false);
      } else if (take("%")) {
        value = divide(where, value, unary(), true);
      } else {
        break;
      }
    }
    return value;
  }

  int64_t unary() {
    if (++depth > MaxDepth) {
      return fail(at, "nested too deeply");
    }
    int64_t value = 0;
    size_t where = at;
    if (take("-")) {
      value = unary();
      isTruth = false;
      if (value == INT64_MIN) {
        overflow(where);
      } else {
        value = -value;
      }
    } else {
      value = primary();
    }
    --depth;
    return value;
  }

  int64_t primary() {
    skipBlanks();
    isTruth = false;
    size_t start = at;
    if (at == text.size()) {
      return fail(at, "a number or a name is missing");
    }
    if (take("(")) {
      int64_t value = disjunction();
      if (failure.ok() && !take(")")) {
        fail(at, "')' is missing");
      }
      return value;
    }
    unsigned char c = static_cast<unsigned char>(text[at]);
    if (std::isdigit(c)) {
      return number();
    }
    if (isNameCharacter(text[at])) {
      const std::string_view name = text.substr(at).take_while(isNameCharacter);
      at += name.size();
      if (take("(")) {
        return call(start, name);
      }
      if (name == "True" || name == "False") {
        isTruth = true;
        return name == "True";
      }
      Result<int64_t> value = lookup(name);
      if (!value && value.status().code() == TZ_E_FAILED_PRECONDITION) {
        failure = failure.ok() ? value.takeStatus() : failure; // says where
        return 0;
      }
      return value ? *value : fail(start, value.status().message());
    }
    refuseCharacter(at);
    return 0;
  }

  int64_t number() {
    size_t start = at;
    int base = 10;
    if (text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X") {
      base = 16;
      at += 2;
    }
    int64_t value = 0;
    size_t digits = 0;
    for (; at < text.size(); ++at) {
      unsigned char c = static_cast<unsigned char>(text[at]);
      if (c == '_') {
        continue;
      }
      int digit = std::isdigit(c)                  ? c - '0'
                  : base == 16 && std::isxdigit(c) ? std::tolower(c) - 'a' + 10
                                                   : -1;
      if (digit < 0) {
        break;
      }
      ++digits;
      if (__builtin_mul_overflow(value, base, &value) ||
          __builtin_add_overflow(value, digit, &value)) {
        return overflow(start);
      }
    }
    if (!digits || (at < text.size() &&
                    (std::isalnum(static_cast<unsigned char>(text[at])) ||
                     text[at] == '.'))) {
      return fail(start, "an integer is wanted here");
    }
    return value;
  }

  int64_t call(size_t where, std::string_view name) {
    const std::vector<int64_t> args =
        arguments([this] { return disjunction(); });
    if (!failure.ok()) {
      return 0;
    }
    auto wants = [&](size_t count) {
      if (args.size() != count) {
        fail(where, std::string(name) + " takes " + std::to_string(count) +
                        (count == 1 ? " value, not " : " values, not ") +
                        std::to_string(args.size()));
        return false;
      }
      return true;
    };
    if (name == "cdiv") {
      if (!wants(2)) {
        return 0;
      }
      // -floor(-a / b), without the overflow of -a.
      int64_t quotient = divide(where, args[0], args[1], false);
      int64_t rest = failure.ok() ? divide(where, args[0], args[1], true) : 0;
      return quotient + (rest != 0);
    }
    if (name == "next_power_of_2") {
      if (!wants(1)) {
        return 0;
      }
      if (args[0] > (int64_t(1) << 62)) {
        return overflow(where);
      }
      int64_t power = 1;
      while (power < args[0]) {
        power *= 2;
      }
      return power;
    }
    if (name == "min" || name == "max") {
      if (args.empty()) {
        return fail(where, std::string(name) + " takes at least one value");
      }
      return name == "min" ? *std::min_element(args.begin(), args.end())
                           : *std::max_element(args.begin(), args.end());
    }
    if (name == "abs") {
      if (!wants(1)) {
        return 0;
      }
      return args[0] == INT64_MIN ? overflow(where) : std::abs(args[0]);
    }
    return fail(where, "no function '" + std::string(name) +
                           "'; there are cdiv, next_power_of_2, min, max, abs");
  }

  const NameLookup &lookup;
  bool isTruth = false; // the value that was last computed is True or False
};

} // namespace

Result<ExpressionValue> evaluateValue(std::string_view text,
                                      const NameLookup &lookup) {
  return Evaluation(text, lookup).run();
}

Result<int64_t> evaluate(std::string_view text, const NameLookup &lookup) {
  Result<ExpressionValue> value = Evaluation(text, lookup).run();
  return value ? Result<int64_t>(value->number)
               : Result<int64_t>(value.takeStatus());
}

} // namespace tz::tool
