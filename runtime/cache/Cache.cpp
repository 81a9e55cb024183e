//===- Cache.cpp - compiled artifacts on disk -----------------------------===//
//
// What   <folder>/<2 hex>/<62 hex> = mark, key hash, hash of the rest, size of
//        the label, label, content.
//        Written to a temporary file beside and renamed; read with both hashes
//        checked; the modification time, set by a hit, is the order of
//        eviction.
// Why    rename is atomic, so a reader sees a whole entry or none whatever
//        other processes do, and no lock file can be left behind. The folder
//        may be shared: subfolders that are links are not entered, and only
//        regular files of this user or root count.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"

#include "runtime/file/File.h"
#include "runtime/loader/Host.h"

#include <algorithm>
#include <atomic>
#include <dirent.h>
#include <mutex>
#include <unistd.h>

namespace tz::runtime {

namespace {

using std::chrono::system_clock;

constexpr char Mark[8] = {'T', 'Z', 'C', 'A', 'C', 'H', 'E', '2'};
constexpr size_t HeaderSize = 8 + 32 + 32, LabelSize = 1, MaxLabel = 255;
constexpr size_t FolderName = 2, FileName = 62;
constexpr uint64_t MaxEntryBytes = uint64_t(1) << 31;

std::string_view asText(const Sha256 &hash) {
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

struct Entry {
  std::string folder, file; // names, not paths
  uint64_t bytes;
  system_clock::time_point used;

  bool isTemporary() const { return file.size() > FileName; }
};

bool isHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Ours by name: the folder may be one that the user keeps other things in.
bool isEntryName(std::string_view name) {
  return name.size() >= FileName && isHex(name.substr(0, FileName)) &&
         (name.size() == FileName || name.substr(FileName, 5) == ".tmp.");
}

/// A folder that is being listed.
class Listed {
public:
  /// On success it owns what `folder` held.
  explicit Listed(Descriptor &folder) : stream(fdopendir(folder.get())) {
    if (stream) {
      (void)folder.release();
    }
  }
  ~Listed() {
    if (stream) {
      closedir(stream);
    }
  }
  Listed(const Listed &) = delete;

  explicit operator bool() const { return stream != nullptr; }
  int get() const { return dirfd(stream); }
  /// The next name; null at the end or after an error, which errno tells.
  const char *next() {
    errno = 0;
    const dirent *entry = readdir(stream);
    return entry ? entry->d_name : nullptr;
  }

private:
  DIR *stream;
};

constexpr int OpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// A subfolder; one that is a link is none of ours.
Descriptor openSubfolder(const std::string &folder, std::string_view name) {
  return Descriptor(open((folder + "/").append(name).c_str(),
                         OpenFolder | O_NOFOLLOW | O_NONBLOCK));
}

/// Absent, or something else than a folder.
bool isNone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/// What lies in a cache folder, as far as it can be read.
struct Scan {
  std::vector<Entry> entries; // and temporary files that were left over
  Status problem;

  explicit Scan(const std::string &folder) {
    Descriptor top(open(folder.c_str(), OpenFolder));
    if (!top) {
      // A folder that is not there yet is an empty cache.
      if (errno != ENOENT) {
        fail(folder, errno);
      }
      return;
    }
    Listed list(top);
    if (!list) {
      fail(folder, errno);
      return;
    }
    while (const char *name = list.next()) {
      if (std::string_view(name).size() == FolderName && isHex(name)) {
        addSubfolder(folder, name);
      }
    }
    if (errno) {
      fail(folder, errno);
    }
  }

private:
  void fail(const std::string &path, int error) {
    if (problem.ok()) {
      problem = Status(TZ_E_UNAVAILABLE,
                       path + ": cannot be read: " + describeError(error));
    }
  }

  void addSubfolder(const std::string &folder, const std::string &name) {
    Descriptor opened = openSubfolder(folder, name);
    if (!opened) {
      if (!isNone(errno)) {
        fail(folder + "/" + name, errno);
      }
      return;
    }
    Listed list(opened);
    if (!list) {
      return fail(folder + "/" + name, errno);
    }
    while (const char *file = list.next()) {
      struct stat facts{};
      if (!isEntryName(file) ||
          fstatat(list.get(), file, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
          !S_ISREG(facts.st_mode)) {
        errno = 0;
        continue;
      }
      auto since = std::chrono::seconds(facts.st_mtim.tv_sec) +
                   std::chrono::nanoseconds(facts.st_mtim.tv_nsec);
      entries.push_back({name, file, uint64_t(facts.st_size),
                         system_clock::time_point(since)});
    }
    if (errno) {
      fail(folder + "/" + name, errno);
    }
  }
};

} // namespace

struct Cache::State {
  std::string folder;
  uint64_t maxBytes = 0;
  std::function<void(const std::string &)> warn;
  std::atomic<bool> warned{false};
  std::atomic<uint64_t> hits{0}, misses{0}, damaged{0}, stored{0}, evicted{0};
  std::atomic<uint64_t> bytesEstimate{0};
  std::once_flag measured;

  void warnOnce(const std::string &what) {
    if (warned.exchange(true)) {
      return;
    }
    std::string text =
        "compile cache '" + folder + "': " + what +
        "; kernels are compiled again in each process (TERRAZZO_CACHE_DIR "
        "chooses another folder, TERRAZZO_CACHE_DIR=off silences this)";
    if (warn) {
      warn(text);
    } else {
      logMessage(1, "", text);
    }
  }
  /// What lies in the folder; not needed as long as nothing is stored.
  void measure() {
    std::call_once(measured, [this] {
      uint64_t total = 0;
      for (const Entry &entry : Scan(folder).entries) {
        total += entry.bytes;
      }
      bytesEstimate += total;
    });
  }
  /// False if it is still there; the reason is then in `removed`.
  bool remove(const Entry &entry, Removed &removed);
  Removed prune(uint64_t goal, system_clock::time_point usedSince);
};

Cache::Cache(CacheOptions options) : state(std::make_unique<State>()) {
  state->folder =
      options.folder.empty() ? defaultFolder() : std::move(options.folder);
  state->maxBytes = options.maxBytes;
  state->warn = std::move(options.warn);
  if (auto limit = environment("TERRAZZO_CACHE_BYTES")) {
    char *end = nullptr;
    unsigned long long value = std::strtoull(limit->c_str(), &end, 10);
    if (end && !*end && value > 0) {
      state->maxBytes = value;
    } else {
      logMessage(1, "", "TERRAZZO_CACHE_BYTES must be a number of bytes");
    }
  }
}

Cache::~Cache() = default;

std::string Cache::defaultFolder() {
  if (auto folder = environment("TERRAZZO_CACHE_DIR")) {
    return *folder == "off" ? std::string() : *folder;
  }
  if (auto base = environment("XDG_CACHE_HOME"); base && !base->empty()) {
    return *base + "/terrazzo";
  }
  if (auto home = environment("HOME"); home && !home->empty()) {
    return *home + "/.cache/terrazzo";
  }
  return {};
}

const std::string &Cache::folder() const { return state->folder; }
uint64_t Cache::maxBytes() const { return state->maxBytes; }

/// The content behind a file's label. Nothing if the file is damaged, or cannot
/// be read now: then errno is not 0.
static std::optional<std::string> readEntry(const OpenFile &file,
                                            const Sha256 &hash) {
  errno = 0;
  const uint64_t size = uint64_t(file.facts.st_size);
  char header[HeaderSize];
  // The header first: a foreign file is not read whole.
  if (size < HeaderSize + LabelSize || size > MaxEntryBytes ||
      !readExactly(file.descriptor.get(), header, HeaderSize) ||
      std::memcmp(header, Mark, sizeof(Mark)) != 0 ||
      std::string_view(header + 8, 32) != asText(hash)) {
    return std::nullopt;
  }
  std::string rest(size - HeaderSize, '\0');
  if (!readExactly(file.descriptor.get(), rest.data(), rest.size()) ||
      std::string_view(header + 40, 32) != asText(sha256(rest))) {
    return std::nullopt;
  }
  const size_t begin = LabelSize + uint8_t(rest[0]);
  return begin <= rest.size() ? std::optional(rest.substr(begin))
                              : std::nullopt;
}

std::optional<std::string> Cache::get(std::string_view key) {
  if (state->folder.empty()) {
    return std::nullopt;
  }
  Sha256 hash = sha256(key);
  const std::string hex = toHex(hash), name = hex.substr(FolderName);
  Descriptor folder = openSubfolder(state->folder, hex.substr(0, FolderName));
  OpenFile file;
  // An entry is code: it must be this user's or root's, and nobody else may
  // have written it.
  if (!folder ||
      openRegularAt(folder.get(), name.c_str(), O_NOFOLLOW, file) != 0 ||
      (file.facts.st_uid != geteuid() && file.facts.st_uid != 0)) {
    ++state->misses;
    return std::nullopt;
  }
  if (file.facts.st_mode & (S_IWGRP | S_IWOTH)) {
    state->warnOnce("others may write its entries, so they are not used");
    ++state->misses;
    return std::nullopt;
  }
  std::optional<std::string> content = readEntry(file, hash);
  if (!content) {
    if (errno == 0) {
      (void)unlinkat(folder.get(), name.c_str(), 0);
      ++state->damaged;
    }
    ++state->misses;
    return std::nullopt;
  }
  // The order of eviction; may fail, read-only.
  (void)futimens(file.descriptor.get(), nullptr);
  ++state->hits;
  return content;
}

bool Cache::put(std::string_view key, std::string_view content,
                std::string_view label) {
  label = label.substr(0, MaxLabel);
  std::string rest(1, char(label.size()));
  rest += label;
  rest += content;
  if (state->folder.empty() || rest.size() > MaxEntryBytes - HeaderSize) {
    return false;
  }
  state->measure();
  const Sha256 hash = sha256(key), whole = sha256(rest);
  const std::string hex = toHex(hash);
  auto fail = [&](int error) {
    state->warnOnce("cannot be written: " + describeError(error));
    return false;
  };
  const std::string subfolder = state->folder + "/" + hex.substr(0, FolderName);
  if (int error = makeFolders(state->folder)) {
    return fail(error);
  }
  if (mkdir(subfolder.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(errno);
  }
  Descriptor folder = openSubfolder(state->folder, hex.substr(0, FolderName));
  if (!folder) {
    return fail(errno);
  }
  const std::string_view parts[] = {
      {Mark, sizeof(Mark)}, asText(hash), asText(whole), rest};
  if (int error = replaceFileAt(folder.get(), hex.substr(FolderName), parts,
                                S_IRUSR | S_IWUSR)) {
    return fail(error);
  }
  ++state->stored;
  state->bytesEstimate += rest.size() + HeaderSize;
  if (state->bytesEstimate > state->maxBytes) {
    // A tenth is freed, so that not every entry after it scans the folder.
    // What cannot be removed is met again at the next entry.
    (void)state->prune(state->maxBytes - state->maxBytes / 10,
                       system_clock::time_point::min());
  }
  return true;
}

bool Cache::State::remove(const Entry &entry, Removed &removed) {
  Descriptor opened = openSubfolder(folder, entry.folder);
  if (opened && unlinkat(opened.get(), entry.file.c_str(), 0) == 0) {
    removed.bytes += entry.bytes;
    removed.entries += !entry.isTemporary();
    return true;
  }
  // Another process may have been quicker.
  if (!isNone(errno) && removed.problem.ok()) {
    removed.problem = Status(
        TZ_E_UNAVAILABLE, folder + "/" + entry.folder + "/" + entry.file +
                              ": cannot be removed: " + describeError(errno));
  }
  return isNone(errno);
}

Cache::Removed Cache::State::prune(uint64_t goal,
                                   system_clock::time_point usedSince) {
  Scan found(folder);
  std::sort(found.entries.begin(), found.entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  uint64_t total = 0;
  for (const Entry &entry : found.entries) {
    total += entry.bytes;
  }
  // A writer that lives is done within an hour.
  auto hourAgo = system_clock::now() - std::chrono::hours(1);
  Removed removed;
  removed.problem = std::move(found.problem);
  for (const Entry &entry : found.entries) {
    if (entry.isTemporary() ? entry.used > hourAgo
                            : total <= goal && entry.used >= usedSince) {
      continue;
    }
    if (remove(entry, removed)) {
      total -= entry.bytes;
    }
  }
  evicted += removed.entries;
  bytesEstimate = total;
  return removed;
}

void Cache::remove(std::string_view key) {
  if (state->folder.empty()) {
    return;
  }
  const std::string hex = toHex(sha256(key));
  if (Descriptor folder =
          openSubfolder(state->folder, hex.substr(0, FolderName))) {
    (void)unlinkat(folder.get(), hex.substr(FolderName).c_str(), 0);
  }
}

Cache::Removed Cache::clear() {
  Removed removed;
  if (state->folder.empty()) {
    return removed;
  }
  Scan found(state->folder);
  removed.problem = std::move(found.problem);
  uint64_t left = 0;
  for (const Entry &entry : found.entries) {
    left += state->remove(entry, removed) ? 0 : entry.bytes;
  }
  state->bytesEstimate = left;
  return removed;
}

Cache::Removed Cache::prune(uint64_t maxBytes, std::chrono::seconds unused) {
  if (state->folder.empty()) {
    return {};
  }
  // A time that the clock cannot count back to is before every entry.
  bool all = unused > std::chrono::hours(24 * 365 * 50);
  return state->prune(maxBytes, all ? system_clock::time_point::min()
                                    : system_clock::now() - unused);
}

/// The label of a file that begins as an entry does.
static std::optional<std::string> readLabel(const std::string &folder,
                                            const Entry &entry) {
  Descriptor opened = openSubfolder(folder, entry.folder);
  OpenFile file;
  char header[HeaderSize + LabelSize];
  if (!opened ||
      openRegularAt(opened.get(), entry.file.c_str(), O_NOFOLLOW, file) != 0 ||
      !readExactly(file.descriptor.get(), header, sizeof(header)) ||
      std::memcmp(header, Mark, sizeof(Mark)) != 0) {
    return std::nullopt;
  }
  std::string label(uint8_t(header[HeaderSize]), '\0');
  return readExactly(file.descriptor.get(), label.data(), label.size())
             ? std::optional(std::move(label))
             : std::nullopt;
}

Cache::Listing Cache::list() const {
  Listing listing;
  if (state->folder.empty()) {
    return listing;
  }
  Scan found(state->folder);
  listing.problem = std::move(found.problem);
  std::sort(found.entries.begin(), found.entries.end(),
            [](const Entry &a, const Entry &b) { return a.used > b.used; });
  for (const Entry &entry : found.entries) {
    if (!entry.isTemporary()) {
      listing.lines.push_back(
          {entry.folder + entry.file,
           readLabel(state->folder, entry).value_or("damaged"), entry.bytes,
           entry.used});
    }
  }
  return listing;
}

Cache::Statistics Cache::statistics() const {
  Statistics s;
  s.hits = state->hits;
  s.misses = state->misses;
  s.damaged = state->damaged;
  s.stored = state->stored;
  s.evicted = state->evicted;
  if (!state->folder.empty()) {
    Scan found(state->folder);
    for (const Entry &entry : found.entries) {
      s.entries += !entry.isTemporary();
      s.bytes += entry.bytes;
    }
    s.problem = std::move(found.problem);
  }
  return s;
}

} // namespace tz::runtime
