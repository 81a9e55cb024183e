//===- DebugLevel.cpp - how much debug information a job asks for ---------===//
//
// What   See DebugLevel.h.
// Why    See DebugLevel.h.
//===----------------------------------------------------------------------===//
#include "core/driver/DebugLevel.h"

#include "runtime/loader/Host.h"

#include <algorithm>
#include <filesystem>

namespace tz::driver {

using namespace runtime;

static constexpr int64_t highest = 2;

static Status outOfRange(const std::string &where, const std::string &found) {
  return Status(TZ_E_INVALID_ARGUMENT,
                where + " is '" + found +
                    "'; it is 0 (no debug information), 1 (line tables) or 2 "
                    "(also names of arguments)");
}

Status settleDebugLevel(CompileJob &job) {
  auto given = std::find_if(
      job.options.begin(), job.options.end(),
      [](const KeyValue &option) { return option.key == "debug_level"; });
  int64_t level = 0;
  if (given != job.options.end()) {
    level = given->i64;
    if (given->kind != TZ_KV_I64 || level < 0 || level > highest) {
      return outOfRange("option 'debug_level'", given->kind == TZ_KV_STR
                                                    ? given->str
                                                    : std::to_string(level));
    }
    if (level == 0) {
      job.options.erase(given); // the key is that of a job that is silent
    }
  } else if (std::optional<std::string> text =
                 environment("TERRAZZO_DEBUG_LEVEL");
             text && !text->empty()) {
    if (text->size() != 1 || text->front() < '0' ||
        text->front() > '0' + highest) {
      return outOfRange("TERRAZZO_DEBUG_LEVEL", *text);
    }
    level = text->front() - '0';
    if (level > 0) {
      KeyValue option;
      option.key = "debug_level";
      option.kind = TZ_KV_I64;
      option.i64 = level;
      job.options.push_back(std::move(option));
    }
  }
  namespace fs = std::filesystem;
  std::error_code failed;
  if (level > 0 && fs::exists(job.source.path, failed)) {
    fs::path path = fs::absolute(job.source.path, failed);
    if (!failed) {
      job.source.path = path.lexically_normal().string();
    }
  }
  return Status();
}

} // namespace tz::driver
