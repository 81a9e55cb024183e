//===- Json.h - the text of a manifest as values ----------------*- C++ -*-===//
//
// What   A tree of values, and the bounded reader that makes it: depth, double
//        keys, syntax.
// Why    The library's own tree takes memory when it is destroyed, and ends the
//        process where there is none.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_JSON_H
#define TERRAZZO_RUNTIME_LOADER_JSON_H

#include "runtime/loader/Status.h"

namespace tz::runtime {

struct JsonValue {
  enum Kind { Null, Bool, Integer, Float, String, Array, Object };
  Kind kind = Null;
  /// Of an Integer. Numbers above 2^63 - 1 are Float.
  int64_t integer = 0;
  std::string text; // of a String
  std::vector<JsonValue> items;
  std::vector<std::string> keys; // of an Object: keys[i] names items[i]

  bool is(Kind one) const { return kind == one; }
  /// Null if it is no object or has no such key.
  const JsonValue *find(std::string_view key) const;
};

/// TZ_E_INVALID_ARGUMENT with the line. Accepts any bytes.
Result<JsonValue> parseJson(std::string_view text, int maxDepth);

} // namespace tz::runtime

#endif
