//===- DeviceErrors.h - Error objects of the device half ------------------===//
//
// What   The SDK's tz_error objects by their names, and those with facts.
// Why    Every table function answers one; failing to allocate one is itself
//        answered by a static error, never by an exception.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_DEVICEERRORS_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_DEVICEERRORS_H

#include "terrazzo/plugin/Error.h"

namespace tz::cpu {

using plugin::guarded;
using plugin::makeError;
using plugin::view;

/// The program's executor answered this code. `what`: "a copy was ended".
tz_error *makeExecutorError(int32_t code, std::string_view what) noexcept;

/// TZ_E_FAULT with its facts: see plugin.h, section 9.
/// `line` 0: the place is not known, but the instruction's.
tz_error *makeFault(std::string_view message, std::string_view program,
                    int64_t pcOffset, std::string_view file = {},
                    uint32_t line = 0, uint32_t column = 0) noexcept;

} // namespace tz::cpu

#endif
