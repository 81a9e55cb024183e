//===- Status.h - what went wrong, as a value -----------------------------===//
//
// What   Status (a TZ_E_* code, one sentence, optional key/value payload) and
//        Result<T>, which is a T or a Status.
// Why    No exception leaves the runtime, and a message that crosses the C
//        interfaces must be the same text that the tools print.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_STATUS_H
#define TERRAZZO_RUNTIME_LOADER_STATUS_H

#include <terrazzo/plugin.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tz::runtime {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(int32_t code, std::string message)
      : codeValue(code), text(std::move(message)) {}

  static Status success() { return {}; }
  bool ok() const { return codeValue == TZ_E_OK; }
  int32_t code() const { return codeValue; }
  const std::string &message() const { return text; }

  /// Facts for programs: ("file", "a.json"), ("line", "12").
  Status &with(std::string key, std::string value) {
    facts.emplace_back(std::move(key), std::move(value));
    return *this;
  }
  const std::vector<std::pair<std::string, std::string>> &payload() const {
    return facts;
  }
  /// May the same call succeed later, with nothing changed by anybody?
  bool isTransient() const;
  /// Of that key, or null.
  const std::string *fact(std::string_view key) const;
  /// Puts "where: " before the message.
  Status in(std::string_view where) &&;

private:
  int32_t codeValue = TZ_E_OK;
  std::string text;
  std::vector<std::pair<std::string, std::string>> facts;
};

/// "TZ_E_NOT_FOUND" and so on; unknown codes give "TZ_E_UNKNOWN".
const char *codeName(int32_t code);

/// Takes over `error` (may be NULL = success) and releases it. `who` names the
/// plugin, for the message.
Status takeError(tz_error *error, std::string_view who);

template <typename T>
class [[nodiscard]] Result {
public:
  Result(T v) : held(std::move(v)) {}
  Result(Status s) : failure(std::move(s)) {}
  bool ok() const { return held.has_value(); }
  explicit operator bool() const { return ok(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  const Status &status() const { return failure; }
  Status takeStatus() { return std::move(failure); }

private:
  std::optional<T> held;
  Status failure;
};

inline std::string_view view(tz_str s) {
  return s.data ? std::string_view(s.data, s.size) : std::string_view();
}
inline tz_str str(std::string_view s) { return tz_str{s.data(), s.size()}; }

} // namespace tz::runtime

#endif
