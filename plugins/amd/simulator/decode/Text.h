//===- Text.h - messages from pieces --------------------------------------===//
//
// What   text("lane {} at 0x{:x}", 3, 255): each pair of braces takes the next
//        argument; x is hexadecimal, 08x with eight digits.
// Why    The standard library that is shipped with has no std::format.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_TEXT_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_TEXT_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace tz::amd::sim {

template <typename T>
std::string piece(std::string_view form, const T &value) {
  if constexpr (std::is_integral_v<T>) {
    if (form.ends_with('x')) {
      char digits[20];
      std::snprintf(digits, sizeof(digits), form == "08x" ? "%08llx" : "%llx",
                    static_cast<unsigned long long>(value));
      return digits;
    }
    return std::to_string(value);
  } else {
    return std::string(value);
  }
}

template <typename... Arguments>
std::string text(std::string_view format, const Arguments &...arguments) {
  std::string out;
  auto next = [&](const auto &argument) {
    const size_t open = format.find('{');
    const size_t close = format.find('}', open);
    if (close == format.npos) {
      return;
    }
    out += format.substr(0, open);
    std::string_view form = format.substr(open + 1, close - open - 1);
    if (form.starts_with(':')) {
      form.remove_prefix(1);
    }
    out += piece(form, argument);
    format.remove_prefix(close + 1);
  };
  (next(arguments), ...);
  out += format;
  return out;
}

} // namespace tz::amd::sim

#endif
