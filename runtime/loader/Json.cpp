//===- Json.cpp - the text of a manifest as values ------------------------===//
//
// What   See Json.h.
// Why    See Json.h.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tz::runtime {

namespace {

using Json = nlohmann::json;

/// Of one object: each key is compared with all others.
constexpr size_t MaxKeys = 1000;

/// What the library's parser calls, in the order of the text.
struct Builder : nlohmann::json_sax<Json> {
  const int maxDepth;
  JsonValue root;
  std::vector<JsonValue *> open; // a list's last item grows, its others stay
  std::string problem;
  size_t place = 0;

  explicit Builder(int maxDepth) : maxDepth(maxDepth) {}

  /// Where the next value goes.
  JsonValue &add(JsonValue::Kind kind) {
    JsonValue &value = open.empty() ? root : open.back()->items.emplace_back();
    value.kind = kind;
    return value;
  }
  bool enter(JsonValue::Kind kind) {
    if (int(open.size()) >= maxDepth) {
      problem = "nested deeper than " + std::to_string(maxDepth);
      return false;
    }
    open.push_back(&add(kind));
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  bool null() override {
    add(JsonValue::Null);
    return true;
  }
  bool boolean(bool value) override {
    add(JsonValue::Bool).integer = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    add(JsonValue::Integer).integer = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > uint64_t(INT64_MAX)) {
      add(JsonValue::Float);
    } else {
      add(JsonValue::Integer).integer = int64_t(value);
    }
    return true;
  }
  bool number_float(number_float_t, const string_t &) override {
    add(JsonValue::Float);
    return true;
  }
  bool string(string_t &value) override {
    add(JsonValue::String).text = value;
    return true;
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override { return enter(JsonValue::Object); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(JsonValue::Array); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    std::vector<std::string> &keys = open.back()->keys;
    if (keys.size() == MaxKeys) {
      problem = "an object with more than " + std::to_string(MaxKeys) + " keys";
      return false;
    }
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
      problem = "key '" + name + "' appears twice in one object";
      return false;
    }
    keys.push_back(name);
    return true;
  }
  bool parse_error(size_t at, const std::string &token,
                   const nlohmann::detail::exception &) override {
    place = at;
    problem = token.empty() || token.size() > 40
                  ? "syntax error"
                  : "syntax error at '" + token + "'";
    return false;
  }
};

std::string lineOf(std::string_view text, size_t place) {
  size_t end = std::min(place, text.size());
  return std::to_string(
      1 + std::count(text.begin(), text.begin() + ptrdiff_t(end), '\n'));
}

} // namespace

const JsonValue *JsonValue::find(std::string_view key) const {
  auto it = std::find(keys.begin(), keys.end(), key);
  return it == keys.end() ? nullptr : &items[size_t(it - keys.begin())];
}

Result<JsonValue> parseJson(std::string_view text, int maxDepth) {
  Builder builder(maxDepth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  builder.problem +
                      (builder.place ? " in line " + lineOf(text, builder.place)
                                     : std::string()));
  }
  return std::move(builder.root);
}

} // namespace tz::runtime
