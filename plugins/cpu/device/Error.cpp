//===- Error.cpp - Error objects of the device half -----------------------===//
//
// What   One allocation holds the error and its text.
// Why    See Error.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/Error.h"

#include <cstdlib>
#include <cstring>

namespace tz::cpu {

static void releaseError(tz_error *error) { std::free(error); }

tz_error *makeError(int32_t code, std::string_view message) noexcept {
  static constexpr std::string_view noMemory = "out of memory";
  static tz_error outOfMemory = {sizeof(tz_error),
                                 TZ_E_OUT_OF_MEMORY,
                                 0,
                                 TZ_ERR_STATIC,
                                 0,
                                 {noMemory.data(), noMemory.size()},
                                 nullptr,
                                 0,
                                 nullptr};
  void *memory = std::malloc(sizeof(tz_error) + message.size());
  if (!memory) {
    return &outOfMemory;
  }
  auto *error = static_cast<tz_error *>(memory);
  char *text = reinterpret_cast<char *>(error + 1);
  std::memcpy(text, message.data(), message.size());
  *error = tz_error{sizeof(tz_error),       code,    0, 0,           0,
                    {text, message.size()}, nullptr, 0, releaseError};
  return error;
}

} // namespace tz::cpu
