//===- DebugLevel.cpp - how much debug information a job asks for ---------===//
//
// What   See DebugLevel.h.
// Why    See DebugLevel.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/DebugLevel.h"

#include "runtime/loader/Host.h"

#include <algorithm>
#include <filesystem>

namespace tz::driver {

using namespace runtime;

/// The level that the environment asks for.
static Result<int64_t> levelOfEnvironment() {
  std::optional<std::string> text = environment("TERRAZZO_DEBUG_LEVEL");
  if (!text || text->empty()) {
    return int64_t{0};
  }
  if (*text != "0" && *text != "1" && *text != "2") {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "TERRAZZO_DEBUG_LEVEL is '" + *text +
                      "'; it is 0 (no debug information), 1 (line tables) or "
                      "2 (also names of arguments)");
  }
  return int64_t{text->front() - '0'};
}

int64_t debugLevel(const CompileJob &job) {
  for (const KeyValue &option : job.options) {
    if (option.key == "debug_level" && option.kind == TZ_KV_I64) {
      return option.i64;
    }
  }
  return 0;
}

Status settleDebugLevel(CompileJob &job) {
  auto given = std::find_if(
      job.options.begin(), job.options.end(),
      [](const KeyValue &option) { return option.key == "debug_level"; });
  if (given == job.options.end()) {
    Result<int64_t> level = levelOfEnvironment();
    if (!level) {
      return level.takeStatus();
    }
    KeyValue option;
    option.key = "debug_level";
    option.kind = TZ_KV_I64;
    option.i64 = *level;
    given = job.options.insert(given, std::move(option));
  }
  const int64_t level = given->kind == TZ_KV_I64 ? given->i64 : 0;
  if (given->kind == TZ_KV_I64 && level == 0) {
    job.options.erase(given); // the key of a job that does not say it
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
