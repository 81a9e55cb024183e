//===- DeviceErrors.cpp - Error objects of the device half ----------------===//
//
// What   One allocation holds the error and its text.
// Why    See DeviceErrors.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/DeviceErrors.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace tz::cpu {

static void releaseError(tz_error *error) { std::free(error); }

tz_error *makeExecutorError(int32_t code, std::string_view what) noexcept {
  try {
    return makeError(code, std::string(what) +
                               ", since the program's executor refused its "
                               "tasks; what was written stays");
  } catch (...) {
    return makeError(code, "the program's executor refused its tasks");
  }
}

tz_error *makeFault(std::string_view message, std::string_view program,
                    int64_t pcOffset, std::string_view file, uint32_t line,
                    uint32_t column) noexcept {
  struct Facts {
    tz_error error;
    tz_kv list[4];
  };
  void *memory = std::malloc(sizeof(Facts) + message.size() + program.size() +
                             file.size());
  if (!memory) {
    return makeError(TZ_E_FAULT, message);
  }
  auto *facts = static_cast<Facts *>(memory);
  char *text = reinterpret_cast<char *>(facts + 1);
  auto keep = [&](std::string_view what) {
    std::copy(what.begin(), what.end(), text);
    tz_str kept{text, what.size()};
    text += what.size();
    return kept;
  };
  size_t count = 0;
  auto add = [&](std::string_view key, uint32_t kind, int64_t number,
                 std::string_view value) {
    facts->list[count++] = {
        {key.data(), key.size()}, kind, 0, number, 0, keep(value)};
  };
  add("program", TZ_KV_STR, 0, program);
  if (line) {
    add("file", TZ_KV_STR, 0, file);
    add("line", TZ_KV_I64, line, {});
    add("column", TZ_KV_I64, column, {});
  } else {
    add("pc_offset", TZ_KV_I64, pcOffset, {});
  }
  facts->error = tz_error{sizeof(tz_error), TZ_E_FAULT,  0,     0,           0,
                          keep(message),    facts->list, count, releaseError};
  return &facts->error;
}

} // namespace tz::cpu
