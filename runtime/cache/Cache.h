//===- Cache.h - compiled artifacts on disk -------------------------------===//
//
// What   A folder of entries named by the SHA-256 of their key, each with the
//        hash of its content, written by rename, limited in size, shared by
//        processes.
// Why    A second start must not compile. A cache is never needed: what fails
//        here becomes one warning, and the caller compiles.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_CACHE_CACHE_H
#define TERRAZZO_RUNTIME_CACHE_CACHE_H

#include "runtime/cache/Sha256.h"
#include "runtime/loader/Status.h"

#include <chrono>
#include <functional>
#include <memory>

namespace tz::runtime {

struct CacheOptions {
  std::string folder;                    // empty: the rules of defaultFolder()
  uint64_t maxBytes = uint64_t(2) << 30; // TERRAZZO_CACHE_BYTES overrides
  std::function<void(const std::string &)> warn; // empty: stderr
};

/// All functions: any thread, and any number of processes on one folder.
class Cache {
public:
  explicit Cache(CacheOptions options = {});
  ~Cache();

  /// The content stored under `key`, or nothing. A damaged entry is removed and
  /// counts as nothing.
  std::optional<std::string> get(std::string_view key);
  /// False if it could not be stored (the first time with a warning). `label`
  /// tells a person who lists the cache what it is; one line.
  bool put(std::string_view key, std::string_view content,
           std::string_view label = {});
  void remove(std::string_view key);

  struct Removed {
    size_t entries = 0;
    uint64_t bytes = 0;
    Status problem; // why something may be left
  };
  /// Removes every entry. Like all that lists or removes, it goes on after a
  /// problem and tells the first. Only regular files with the name of an entry
  /// are touched, none behind a link.
  Removed clear();
  /// Removes what nobody has used for `unused`, then the longest unused until
  /// at most `maxBytes` are left, and files that writers left behind.
  Removed prune(uint64_t maxBytes,
                std::chrono::seconds unused = std::chrono::seconds::max());

  struct Line {
    std::string name;  // of the file, hexadecimal
    std::string label; // as put; "damaged" if the file is no entry
    uint64_t bytes = 0;
    std::chrono::system_clock::time_point used;
  };
  struct Listing {
    std::vector<Line> lines;
    Status problem; // why there may be more
  };
  /// Last used first. Reads no content.
  Listing list() const;

  struct Statistics {
    uint64_t hits = 0, misses = 0, damaged = 0, stored = 0, evicted = 0;
    uint64_t entries = 0, bytes = 0; // in the folder
    Status problem;                  // why there may be more in the folder
  };
  Statistics statistics() const;
  const std::string &folder() const;
  uint64_t maxBytes() const;

  /// TERRAZZO_CACHE_DIR, else $XDG_CACHE_HOME/terrazzo, else ~/.cache/terrazzo;
  /// empty if none can be had. TERRAZZO_CACHE_DIR="" or "off": no cache.
  static std::string defaultFolder();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tz::runtime

#endif
