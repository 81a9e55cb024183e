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

/// All values of i64 and u64.
__extension__ using Wide = __int128;

class Evaluation : ExpressionCursor {
public:
  Evaluation(std::string_view text, const NameLookup &lookup)
      : ExpressionCursor(text), lookup(lookup) {}

  /// Within the bounds.
  Result<Wide> run(Wide least, Wide most) {
    Wide value = disjunction();
    wantEnd();
    if (failure.ok() && (value < least || value > most)) {
      overflow(0);
    }
    return failure.ok() ? Result<Wide>(value) : Result<Wide>(failure);
  }
  bool isTruth = false; // the value that was last computed is True or False

private:
  Wide fail(size_t where, const std::string &message) {
    refuse(where, message);
    return 0;
  }
  Wide overflow(size_t where) {
    return fail(where, "the value does not fit in 64 bits");
  }
  /// A sum, difference, quotient or negation of two values that fit.
  Wide fitted(size_t where, Wide value) {
    return value < INT64_MIN || value > Wide(UINT64_MAX) ? overflow(where)
                                                         : value;
  }

  /// `or` and `and` give an operand, as in Python. Both are evaluated.
  Wide disjunction() {
    Wide value = conjunction();
    while (failure.ok() && take("or")) {
      const bool wasTruth = isTruth;
      const Wide right = conjunction();
      isTruth = value ? wasTruth : isTruth;
      value = value ? value : right;
    }
    return value;
  }

  Wide conjunction() {
    Wide value = negation();
    while (failure.ok() && take("and")) {
      const bool wasTruth = isTruth;
      const Wide right = negation();
      isTruth = value ? isTruth : wasTruth;
      value = value ? right : value;
    }
    return value;
  }

  Wide negation() {
    bool isNegated = false, isAny = false;
    while (take("not")) {
      isNegated = !isNegated;
      isAny = true;
    }
    const Wide value = comparison();
    if (!isAny) {
      return value;
    }
    isTruth = true;
    return (value != 0) != isNegated;
  }

  /// Chains as in Python: a < b < c.
  Wide comparison() {
    Wide left = sum();
    bool holds = true, isAny = false;
    while (failure.ok()) {
      using Test = bool (*)(Wide, Wide);
      static constexpr std::pair<std::string_view, Test> tests[] = {
          {"==", [](Wide a, Wide b) { return a == b; }},
          {"!=", [](Wide a, Wide b) { return a != b; }},
          {"<=", [](Wide a, Wide b) { return a <= b; }},
          {">=", [](Wide a, Wide b) { return a >= b; }},
          {"<", [](Wide a, Wide b) { return a < b; }},
          {">", [](Wide a, Wide b) { return a > b; }}};
      auto test =
          std::find_if(std::begin(tests), std::end(tests),
                       [this](const auto &one) { return take(one.first); });
      if (test == std::end(tests)) {
        break;
      }
      const Wide right = sum();
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

  Wide sum() {
    Wide value = product();
    for (; failure.ok(); isTruth = false) {
      size_t where = at;
      if (take("+")) {
        value = fitted(where, value + product());
      } else if (take("-")) {
        value = fitted(where, value - product());
      } else {
        break;
      }
    }
    return value;
  }

  /// Python's floor division and its remainder.
  Wide divide(size_t where, Wide a, Wide b, bool remainder) {
    if (b == 0) {
      return fail(where, "division by zero");
    }
    Wide quotient = a / b, rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
      --quotient;
      rest += b;
    }
    return fitted(where, remainder ? rest : quotient);
  }

  Wide product() {
    Wide value = unary();
    for (; failure.ok(); isTruth = false) {
      size_t where = at;
      if (take("**")) {
        return fail(where, "'**' is not supported here");
      }
      if (take("*")) {
        Wide right = unary();
        if (__builtin_mul_overflow(value, right, &value)) {
          return overflow(where);
        }
        value = fitted(where, value);
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

  Wide unary() {
    if (++depth > MaxDepth) {
      return fail(at, "nested too deeply");
    }
    Wide value = 0;
    size_t where = at;
    if (take("-")) {
      value = fitted(where, -unary());
      isTruth = false;
    } else {
      value = primary();
    }
    --depth;
    return value;
  }

  Wide primary() {
    skipBlanks();
    isTruth = false;
    size_t start = at;
    if (at == text.size()) {
      return fail(at, "a number or a name is missing");
    }
    if (take("(")) {
      Wide value = disjunction();
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
      return value ? Wide(*value) : fail(start, value.status().message());
    }
    refuseCharacter(at);
    return 0;
  }

  Wide number() {
    size_t start = at;
    int base = 10;
    if (text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X") {
      base = 16;
      at += 2;
    }
    Wide value = 0;
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
      value = value * base + digit;
      if (value > Wide(UINT64_MAX)) {
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

  Wide call(size_t where, std::string_view name) {
    const std::vector<Wide> args = arguments([this] { return disjunction(); });
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
      Wide quotient = divide(where, args[0], args[1], false);
      Wide rest = failure.ok() ? divide(where, args[0], args[1], true) : 0;
      return quotient + (rest != 0);
    }
    if (name == "next_power_of_2") {
      if (!wants(1)) {
        return 0;
      }
      if (args[0] > (Wide(1) << 62)) {
        return overflow(where);
      }
      Wide power = 1;
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
      return args[0] < 0 ? -args[0] : args[0];
    }
    return fail(where, "no function '" + std::string(name) +
                           "'; there are cdiv, next_power_of_2, min, max, abs");
  }

  const NameLookup &lookup;
};

} // namespace

Result<ExpressionValue> evaluateValue(std::string_view text,
                                      const NameLookup &lookup) {
  Evaluation evaluation(text, lookup);
  Result<Wide> value = evaluation.run(INT64_MIN, INT64_MAX);
  if (!value) {
    return value.takeStatus();
  }
  return ExpressionValue{int64_t(*value), evaluation.isTruth};
}

Result<int64_t> evaluate(std::string_view text, const NameLookup &lookup) {
  Result<Wide> value = Evaluation(text, lookup).run(INT64_MIN, INT64_MAX);
  return value ? Result<int64_t>(int64_t(*value))
               : Result<int64_t>(value.takeStatus());
}

Result<uint64_t> evaluateUnsigned(std::string_view text,
                                  const NameLookup &lookup) {
  Result<Wide> value = Evaluation(text, lookup).run(INT64_MIN, UINT64_MAX);
  if (value && *value < 0) {
    return Status(TZ_E_OUT_OF_RANGE,
                  std::to_string(int64_t(*value)) + " does not fit in u64");
  }
  return value ? Result<uint64_t>(uint64_t(*value))
               : Result<uint64_t>(value.takeStatus());
}

} // namespace tz::tool
