//===- DeviceErrors.h - Error objects of the device half ------------------===//
//
// What   Makes tz_error objects that release themselves.
// Why    Every table function answers one; failing to allocate one is itself
//        answered by a static error, never by an exception.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_DEVICEERRORS_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_DEVICEERRORS_H

#include "terrazzo/plugin.h"

#include <string_view>

namespace tz::cpu {

/// Owns: the caller of the table function. Never null.
tz_error *makeError(int32_t code, std::string_view message) noexcept;

/// The program's executor answered this code. `what`: "a copy was ended".
tz_error *makeExecutorError(int32_t code, std::string_view what) noexcept;

/// TZ_E_FAULT with its facts: see plugin.h, section 9.
/// `line` 0: the place is not known, but the instruction's.
tz_error *makeFault(std::string_view message, std::string_view program,
                    int64_t pcOffset, std::string_view file = {},
                    uint32_t line = 0, uint32_t column = 0) noexcept;

inline std::string_view view(tz_str s) {
  return {s.data ? s.data : "", s.data ? s.size : 0};
}

} // namespace tz::cpu

#endif
