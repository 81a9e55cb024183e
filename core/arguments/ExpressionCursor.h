//===- ExpressionCursor.h - a place in the text of an expression ----------===//
//
// What   Tokens, the first error with its column, and the arguments of a call.
// Why    Expressions of the command line and of the debugger are different
//        languages with the same text around them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_EXPRESSIONCURSOR_H
#define TERRAZZO_CORE_ARGUMENTS_EXPRESSIONCURSOR_H

#include "runtime/loader/Status.h"

#include "llvm/ADT/StringExtras.h"

#include <vector>

namespace tz::tool {

inline bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c & 0x80;
}

/// The base of a recursive-descent parser that evaluates as it goes.
class ExpressionCursor {
protected:
  static constexpr int MaxDepth = 64;

  explicit ExpressionCursor(llvm::StringRef text) : text(text) {}

  void skipBlanks() {
    while (at < text.size() && llvm::isSpace(text[at])) {
      ++at;
    }
  }
  /// A token; of letters it must be a whole word.
  bool take(llvm::StringRef token) {
    skipBlanks();
    llvm::StringRef rest = text.substr(at);
    if (!rest.consume_front(token) ||
        (isNameCharacter(token.back()) && !rest.empty() &&
         isNameCharacter(rest.front()))) {
      return false;
    }
    at += token.size();
    return true;
  }
  /// The first error counts.
  void refuse(size_t where, const std::string &message) {
    if (failure.ok()) {
      failure = runtime::Status(TZ_E_INVALID_ARGUMENT,
                                "in '" + text.str() + "', column " +
                                    std::to_string(where + 1) + ": " + message);
    }
  }
  void refuseCharacter(size_t where) {
    refuse(where, "'" + text.substr(where, 1).str() + "' is not expected here");
  }
  void wantEnd() {
    skipBlanks();
    if (failure.ok() && at != text.size()) {
      refuseCharacter(at);
    }
  }
  /// Behind the '(' of a call. Of use if there is no failure.
  template <typename Parse>
  auto arguments(Parse parse) {
    std::vector<decltype(parse())> args;
    if (take(")")) {
      return args;
    }
    do {
      args.push_back(parse());
    } while (failure.ok() && take(","));
    if (failure.ok() && !take(")")) {
      refuse(at, "')' is missing");
    }
    return args;
  }

  llvm::StringRef text;
  size_t at = 0;
  int depth = 0;
  runtime::Status failure;
};

} // namespace tz::tool

#endif
