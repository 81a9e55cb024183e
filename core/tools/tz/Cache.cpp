//===- Cache.cpp - tz cache -----------------------------------------------===//
//
// What   Where the compile cache is, how much it holds, and emptying it.
// Why    A person who doubts a result must be able to look and to start afresh.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"

#include "core/tools/tz/Commands.h"
#include "core/tools/tz/Terminal.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

static int showCache(const std::string &what) {
  std::string folder = runtime::Cache::defaultFolder();
  if (folder.empty()) {
    if (what == "path") {
      return reportError("there is no cache folder",
                         "set TERRAZZO_CACHE_DIR to a folder (it is 'off' or "
                         "HOME is not set)");
    }
    std::puts("cache: off");
    return 0;
  }
  if (what == "path") {
    std::puts(folder.c_str());
    return 0;
  }
  runtime::Cache cache;
  if (what == "clear") {
    size_t removed = cache.clear();
    std::printf("removed %zu %s from %s\n", removed,
                removed == 1 ? "entry" : "entries", folder.c_str());
    return 0;
  }
  runtime::Cache::Statistics now = cache.statistics();
  std::printf("%s: %llu entries, %.1f MiB\n", folder.c_str(),
              static_cast<unsigned long long>(now.entries),
              double(now.bytes) / (1 << 20));
  return 0;
}

void addCacheCommand(CLI::App &app, int &status) {
  CLI::App *command =
      app.add_subcommand("cache", "Show or empty the compile cache");
  command->footer("Examples\n"
                  "  tz cache          how much is kept, and where\n"
                  "  tz cache path     the folder alone, for scripts\n"
                  "  tz cache clear    remove every entry\n"
                  "TERRAZZO_CACHE_DIR names another folder, 'off' is none;\n"
                  "TERRAZZO_CACHE_BYTES limits its size.");
  auto what = std::make_shared<std::string>("size");
  command->add_option("what", *what, "path, size or clear")
      ->check(CLI::IsMember({"path", "size", "clear"}));
  command->callback([what, &status] { status = showCache(*what); });
}

} // namespace tz::tool
