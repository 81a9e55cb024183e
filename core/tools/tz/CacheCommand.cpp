//===- CacheCommand.cpp - tz cache ----------------------------------------===//
//
// What   Where the compile cache is, how much it holds and of what, and making
//        it smaller.
// Why    A person who doubts a result must be able to look and to start afresh.
//===----------------------------------------------------------------------===//
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"
#include "runtime/cache/Cache.h"

#include <CLI/CLI.hpp>
#include <cmath>

namespace tz::tool {

using runtime::Cache;

namespace {
struct CacheCommand {
  size_t limit = 0;      // list: 0 is all
  uint64_t size = 0;     // prune
  double unusedDays = 0; // prune; 0: however long
};
} // namespace

static std::string sizeText(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB"};
  auto value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) {
    value /= 1024;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

static std::string entriesText(size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

/// "12 s", "3 h", "40 d" since then.
static std::string ageText(std::chrono::system_clock::time_point then) {
  using namespace std::chrono;
  auto age = duration_cast<seconds>(system_clock::now() - then).count();
  age = std::max<decltype(age)>(age, 0);
  return age < 120         ? std::to_string(age) + " s"
         : age < 7200      ? std::to_string(age / 60) + " min"
         : age < 2 * 86400 ? std::to_string(age / 3600) + " h"
                           : std::to_string(age / 86400) + " d";
}

/// Runs `body` on the cache that there is; none is an error, and so is what
/// `body` answers.
static int withCache(const std::function<runtime::Status(Cache &)> &body) {
  if (Cache::defaultFolder().empty()) {
    return reportError("there is no cache folder",
                       "set TERRAZZO_CACHE_DIR to a folder (it is 'off' or "
                       "HOME is not set)");
  }
  Cache cache;
  runtime::Status problem = body(cache);
  return problem.ok() ? 0
                      : reportError(problem.message(),
                                    "the cache folder must be a folder that "
                                    "you can read and write");
}

static int stat() {
  if (Cache::defaultFolder().empty()) {
    std::puts("cache: off");
    return 0;
  }
  return withCache([](Cache &cache) {
    Cache::Statistics now = cache.statistics();
    std::printf("%s: %s, %s of %s\n", cache.folder().c_str(),
                entriesText(now.entries).c_str(), sizeText(now.bytes).c_str(),
                sizeText(cache.maxBytes()).c_str());
    return now.problem;
  });
}

static int list(size_t limit) {
  return withCache([limit](Cache &cache) {
    const Cache::Listing listing = cache.list();
    const std::vector<Cache::Line> &lines = listing.lines;
    size_t shown = limit ? std::min(limit, lines.size()) : lines.size();
    for (size_t i = 0; i < shown; ++i) {
      const Cache::Line &line = lines[i];
      std::printf("%.12s %10s %8s  %s\n", line.name.c_str(),
                  sizeText(line.bytes).c_str(), ageText(line.used).c_str(),
                  line.label.c_str());
    }
    if (shown < lines.size()) {
      std::printf("and %s more\n", entriesText(lines.size() - shown).c_str());
    }
    return listing.problem;
  });
}

static runtime::Status showRemoved(const Cache &cache,
                                   const Cache::Removed &removed) {
  std::printf("removed %s (%s) from %s\n", entriesText(removed.entries).c_str(),
              sizeText(removed.bytes).c_str(), cache.folder().c_str());
  return removed.problem;
}

static int prune(const CacheCommand &o, bool hasSize) {
  return withCache([&](Cache &cache) {
    auto unused = o.unusedDays > 0
                      ? std::chrono::seconds(std::llround(o.unusedDays * 86400))
                      : std::chrono::seconds::max();
    uint64_t size = hasSize ? o.size : cache.maxBytes();
    return showRemoved(cache, cache.prune(size, unused));
  });
}

void addCacheCommand(CLI::App &app, int &status) {
  CLI::App *command =
      app.add_subcommand("cache", "Show or empty the compile cache");
  command->footer(
      "Examples\n"
      "  tz cache                            how much is kept, and where\n"
      "  tz cache list --limit 20            what was used last\n"
      "  tz cache prune --unused-days 30     what nobody has used for a month\n"
      "  tz cache prune --size 500MiB        the longest unused, down to that\n"
      "  tz cache clear                      every entry\n"
      "  cd \"$(tz cache path)\"               the folder, for scripts\n"
      "TERRAZZO_CACHE_DIR names another folder, 'off' is none;\n"
      "TERRAZZO_CACHE_BYTES limits its size (2 GiB).");
  command->require_subcommand(0, 1);
  auto o = std::make_shared<CacheCommand>();
  command->add_subcommand("stat", "Folder, number of entries, size (default)");
  CLI::App *listing = command->add_subcommand(
      "list", "Entries, last used first: name, size, age, what it is");
  listing->add_option("--limit", o->limit, "Show so many")
      ->check(CLI::PositiveNumber);
  CLI::App *pruning = command->add_subcommand(
      "prune", "Remove what is old or too much, and left-over files");
  CLI::Option *size =
      pruning
          ->add_option("--size", o->size,
                       "Keep at most so many bytes (500MiB, 2GiB; default: "
                       "the cache's limit)")
          ->transform(CLI::AsSizeValue(false));
  pruning
      ->add_option("--unused-days", o->unusedDays,
                   "Remove what nobody has used for so many days")
      ->check(CLI::PositiveNumber);
  command->add_subcommand("clear", "Remove every entry");
  command->add_subcommand("path", "Print the folder");
  command->callback([=, &status] {
    auto chosen = command->get_subcommands();
    std::string what = chosen.empty() ? "stat" : chosen[0]->get_name();
    if (what == "stat") {
      status = stat();
    } else if (what == "list") {
      status = list(o->limit);
    } else if (what == "prune") {
      status = prune(*o, size->count() != 0);
    } else if (what == "path") {
      status = withCache([](Cache &cache) {
        std::puts(cache.folder().c_str());
        return runtime::Status();
      });
    } else {
      status = withCache(
          [](Cache &cache) { return showRemoved(cache, cache.clear()); });
    }
  });
}

} // namespace tz::tool
