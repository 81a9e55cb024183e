//===- DebuggerExpression.cpp - expressions over what a kernel holds ------===//
//
// What   A recursive-descent parser that evaluates as it goes.
// Why    See DebuggerExpression.h.
//===----------------------------------------------------------------------===//
#include "core/debugger/DebuggerExpression.h"

#include "core/arguments/ExpressionCursor.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::tool {

using llvm::StringRef;
using runtime::Result;
using runtime::Status;

/// Behind the bracket that closes the first one.
static size_t endOfBrackets(StringRef text) {
  int depth = 0;
  size_t at = 0;
  do {
    depth += (text[at] == '[') - (text[at] == ']');
    ++at;
  } while (depth && at < text.size());
  return at;
}

/// "[0, 1:3]", ".field" and "#1" at the beginning of a text.
static StringRef suffixOf(StringRef text) {
  size_t at = 0;
  while (at < text.size()) {
    StringRef rest = text.drop_front(at + 1);
    const bool isField = text[at] == '.' && !rest.empty() &&
                         (llvm::isAlpha(rest.front()) || rest.front() == '_');
    if (text[at] == '[') {
      at += endOfBrackets(text.drop_front(at));
    } else if (isField || text[at] == '#') {
      at += 1 + rest.take_while(isNameCharacter).size();
    } else {
      break;
    }
  }
  return text.take_front(at);
}

namespace {

class Evaluation : ExpressionCursor {
public:
  Evaluation(StringRef text, DebugLookup lookup)
      : ExpressionCursor(text), lookup(lookup) {}

  Result<DebugValue> run() {
    DebugValue value = disjunction();
    wantEnd();
    if (!failure.ok()) {
      return failure;
    }
    return value;
  }

private:
  using ExpressionCursor::take;

  DebugValue fail(size_t where, const std::string &message) {
    refuse(where, message);
    return DebugValue();
  }
  DebugValue take(size_t where, Result<DebugValue> value) {
    return value ? std::move(*value) : fail(where, value.status().message());
  }

  /// Operators of one precedence, from left to right; of two that begin alike
  /// the longer one stands first.
  DebugValue chain(llvm::ArrayRef<StringRef> operators,
                   DebugValue (Evaluation::*next)()) {
    DebugValue value = (this->*next)();
    while (failure.ok()) {
      skipBlanks();
      const size_t where = at;
      auto op = llvm::find_if(operators,
                              [this](StringRef token) { return take(token); });
      if (op == operators.end()) {
        break;
      }
      DebugValue right = (this->*next)();
      if (failure.ok()) {
        value = take(where, combine(*op, value, right));
      }
    }
    return value;
  }

  DebugValue disjunction() { return chain({"or"}, &Evaluation::conjunction); }
  DebugValue conjunction() { return chain({"and"}, &Evaluation::negation); }
  DebugValue negation() {
    return prefixed({"not"}, &Evaluation::negation, &Evaluation::comparison);
  }
  /// Chains as in Python: a < b < c.
  DebugValue comparison() {
    static constexpr StringRef operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    DebugValue left = bitOr();
    std::optional<DebugValue> all;
    while (failure.ok()) {
      skipBlanks();
      const size_t where = at;
      const auto *op = llvm::find_if(
          operators, [this](StringRef token) { return take(token); });
      if (op == std::end(operators)) {
        break;
      }
      DebugValue right = bitOr();
      if (!failure.ok()) {
        break;
      }
      DebugValue holds = take(where, combine(*op, left, right));
      all = all ? take(where, combine("and", *all, holds)) : std::move(holds);
      left = std::move(right);
    }
    return all ? std::move(*all) : left;
  }
  DebugValue bitOr() { return chain({"|"}, &Evaluation::bitXor); }
  DebugValue bitXor() { return chain({"^"}, &Evaluation::bitAnd); }
  DebugValue bitAnd() { return chain({"&"}, &Evaluation::sum); }
  DebugValue sum() { return chain({"+", "-"}, &Evaluation::product); }
  DebugValue product() {
    return chain({"*", "//", "/", "%"}, &Evaluation::unary);
  }
  DebugValue unary() {
    return prefixed({"-", "~"}, &Evaluation::unary, &Evaluation::primary);
  }

  DebugValue prefixed(llvm::ArrayRef<StringRef> operators,
                      DebugValue (Evaluation::*same)(),
                      DebugValue (Evaluation::*next)()) {
    if (++depth > MaxDepth) {
      return fail(at, "nested too deeply");
    }
    skipBlanks();
    const size_t where = at;
    auto op = llvm::find_if(operators,
                            [this](StringRef token) { return take(token); });
    DebugValue value = (this->*(op == operators.end() ? next : same))();
    if (op != operators.end() && failure.ok()) {
      value = take(where, negate(*op, value));
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
      return failure.ok() && !take(")") ? fail(at, "')' is missing") : value;
    }
    if (llvm::isDigit(text[at]) || text[at] == '.') {
      return literal();
    }
    at += text[at] == '%'; // of tile IR text
    StringRef name = text.substr(at).take_while(isNameCharacter);
    if (name.empty()) {
      refuseCharacter(start);
      return DebugValue();
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
    return take(start, lookup(name, suffix));
  }

  DebugValue literal() {
    const size_t start = at;
    auto isPart = [](char c) { return isNameCharacter(c) || c == '.'; };
    StringRef word = text.substr(at).take_while(isPart);
    // The sign of an exponent belongs to the number.
    StringRef rest = text.substr(at + word.size());
    if (llvm::toLower(word.back()) == 'e' &&
        !word.starts_with_insensitive("0x") &&
        (rest.starts_with("+") || rest.starts_with("-"))) {
      word = text.substr(at, word.size() + 1 +
                                 rest.drop_front().take_while(isPart).size());
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
    const std::vector<DebugValue> args =
        arguments([this] { return disjunction(); });
    if (!failure.ok()) {
      return DebugValue();
    }
    Result<DebugValue> value = callFunction(name, args);
    if (!value && value.status().code() == TZ_E_NOT_FOUND && args.size() == 1 &&
        args[0].shape.empty() && args[0].kind == DebugValue::Integer) {
      Result<DebugValue> other =
          lookup(name, "(" + std::to_string(args[0].integers[0]) + ")");
      if (other) {
        value = std::move(other);
      }
    }
    return take(where, std::move(value));
  }

  DebugLookup lookup;
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
