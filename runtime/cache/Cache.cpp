//===- Cache.cpp - compiled artifacts on disk -----------------------------===//
//
// What   <folder>/<2 hex>/<62 hex> = mark, key hash, hash of the rest, size of
//        the label, label, content.
//        Written to a temporary file beside and renamed; read with both hashes
//        checked; the access time of a hit is the order of eviction.
// Why    rename is atomic, so a reader sees a whole entry or none whatever
//        other processes do, and no lock file can be left behind.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Cache.h"

#include "runtime/loader/Host.h"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace tz::runtime {

namespace fs = std::filesystem;

namespace {

constexpr char Mark[8] = {'T', 'Z', 'C', 'A', 'C', 'H', 'E', '2'};
constexpr size_t HeaderSize = 8 + 32 + 32, LabelSize = 1, MaxLabel = 255;
constexpr uint64_t MaxEntryBytes = uint64_t(1) << 31;

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) {
      close(fd);
    }
  }
};

bool readAll(int fd, std::string &to, size_t size) {
  to.resize(size);
  for (size_t done = 0; done < size;) {
    ssize_t n = ::read(fd, to.data() + done, size - done);
    if (n <= 0) {
      return false;
    }
    done += size_t(n);
  }
  return true;
}

bool writeAll(int fd, std::string_view from) {
  while (!from.empty()) {
    ssize_t n = ::write(fd, from.data(), from.size());
    if (n <= 0) {
      return false;
    }
    from.remove_prefix(size_t(n));
  }
  return true;
}

std::string_view asText(const Sha256 &hash) {
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

struct Entry {
  fs::path path;
  uint64_t bytes;
  fs::file_time_type used;

  bool isTemporary() const {
    return path.filename().string().find(".tmp.") != std::string::npos;
  }
};

bool isHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Ours by name: the folder may be one that the user keeps other things in.
bool isEntryName(std::string_view name) {
  return name.size() >= 62 && isHex(name.substr(0, 62)) &&
         (name.size() == 62 || name.substr(62, 5) == ".tmp.");
}

/// Entries and left-over temporary files of all subfolders.
std::vector<Entry> scan(const std::string &folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (auto sub = fs::directory_iterator(folder, error);
       !error && sub != fs::directory_iterator(); sub.increment(error)) {
    std::string name = sub->path().filename().string();
    if (name.size() != 2 || !isHex(name)) {
      continue;
    }
    std::error_code inner;
    for (auto it = fs::directory_iterator(sub->path(), inner);
         !inner && it != fs::directory_iterator(); it.increment(inner)) {
      if (!isEntryName(it->path().filename().string())) {
        continue;
      }
      std::error_code gone;
      uint64_t size = it->file_size(gone);
      fs::file_time_type time = it->last_write_time(gone);
      if (!gone) {
        entries.push_back({it->path(), size, time});
      }
    }
  }
  return entries;
}

} // namespace

struct Cache::State {
  std::string folder;
  uint64_t maxBytes = 0;
  std::function<void(const std::string &)> warn;
  std::atomic<bool> warned{false};
  std::atomic<uint64_t> hits{0}, misses{0}, damaged{0}, stored{0}, evicted{0};
  std::atomic<uint64_t> bytesEstimate{0}, counter{0};
  std::once_flag measured;

  std::string path(const Sha256 &key) const {
    std::string hex = toHex(key);
    return folder + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
  }
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
      for (const Entry &entry : scan(folder)) {
        total += entry.bytes;
      }
      bytesEstimate += total;
    });
  }
  Removed prune(uint64_t goal, fs::file_time_type usedSince);
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

std::optional<std::string> Cache::get(std::string_view key) {
  if (state->folder.empty()) {
    return std::nullopt;
  }
  Sha256 hash = sha256(key);
  std::string path = state->path(hash);
  File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat info{};
  if (file.fd < 0 || fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ++state->misses;
    return std::nullopt;
  }
  // Somebody else's entry is somebody else's code.
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    ++state->misses;
    return std::nullopt;
  }
  std::string text;
  uint64_t size = uint64_t(info.st_size);
  bool whole = size >= HeaderSize + LabelSize && size <= MaxEntryBytes &&
               readAll(file.fd, text, size) &&
               std::memcmp(text.data(), Mark, sizeof(Mark)) == 0 &&
               std::string_view(text).substr(8, 32) == asText(hash);
  size_t begin = HeaderSize + LabelSize;
  if (whole) {
    std::string_view rest = std::string_view(text).substr(HeaderSize);
    begin += uint8_t(rest[0]);
    whole = begin <= size &&
            std::string_view(text).substr(40, 32) == asText(sha256(rest));
  }
  if (!whole) {
    unlink(path.c_str());
    ++state->damaged;
    ++state->misses;
    return std::nullopt;
  }
  futimens(file.fd, nullptr); // the order of eviction; may fail, read-only
  ++state->hits;
  return text.substr(begin);
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
  Sha256 hash = sha256(key);
  std::string path = state->path(hash);
  std::error_code error;
  fs::path parent = fs::path(path).parent_path();
  if (!fs::exists(state->folder, error)) {
    fs::create_directories(state->folder, error);
    chmod(state->folder.c_str(), 0700);
  }
  fs::create_directories(parent, error);
  if (error) {
    state->warnOnce("cannot be written: " + error.message());
    return false;
  }
  std::string temporary = path + ".tmp." + std::to_string(getpid()) + "." +
                          std::to_string(state->counter++);
  File file{open(temporary.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  bool written = file.fd >= 0 && writeAll(file.fd, {Mark, sizeof(Mark)}) &&
                 writeAll(file.fd, asText(hash)) &&
                 writeAll(file.fd, asText(sha256(rest))) &&
                 writeAll(file.fd, rest);
  int reason = errno;
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) {
    reason = written ? errno : reason;
    unlink(temporary.c_str());
    state->warnOnce("cannot be written: " +
                    std::error_code(reason, std::generic_category()).message());
    return false;
  }
  ++state->stored;
  state->bytesEstimate += rest.size() + HeaderSize;
  if (state->bytesEstimate > state->maxBytes) {
    // A tenth is freed, so that not every entry after it scans the folder.
    state->prune(state->maxBytes - state->maxBytes / 10,
                 fs::file_time_type::min());
  }
  return true;
}

Cache::Removed Cache::State::prune(uint64_t goal,
                                   fs::file_time_type usedSince) {
  std::vector<Entry> entries = scan(folder);
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  uint64_t total = 0;
  for (const Entry &entry : entries) {
    total += entry.bytes;
  }
  // A writer that lives is done within an hour.
  auto hourAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
  Removed removed;
  for (const Entry &entry : entries) {
    if (entry.isTemporary() ? entry.used > hourAgo
                            : total <= goal && entry.used >= usedSince) {
      continue;
    }
    std::error_code error;
    if (fs::remove(entry.path, error)) {
      total -= entry.bytes;
      removed.bytes += entry.bytes;
      removed.entries += !entry.isTemporary();
    }
  }
  evicted += removed.entries;
  bytesEstimate = total;
  return removed;
}

void Cache::remove(std::string_view key) {
  if (!state->folder.empty()) {
    unlink(state->path(sha256(key)).c_str());
  }
}

Cache::Removed Cache::clear() {
  Removed removed;
  if (!state->folder.empty()) {
    for (const Entry &entry : scan(state->folder)) {
      std::error_code error;
      if (fs::remove(entry.path, error)) {
        removed.bytes += entry.bytes;
        removed.entries += !entry.isTemporary();
      }
    }
    state->bytesEstimate = 0;
  }
  return removed;
}

Cache::Removed Cache::prune(uint64_t maxBytes, std::chrono::seconds unused) {
  if (state->folder.empty()) {
    return {};
  }
  // A time that the clock cannot count back to is before every entry.
  bool all = unused > std::chrono::hours(24 * 365 * 50);
  return state->prune(maxBytes,
                      all ? fs::file_time_type::min()
                          : fs::file_time_type::clock::now() - unused);
}

/// The label of a file that begins as an entry does.
static std::optional<std::string> readLabel(const fs::path &path) {
  File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  std::string header, label;
  if (file.fd < 0 || !readAll(file.fd, header, HeaderSize + LabelSize) ||
      std::memcmp(header.data(), Mark, sizeof(Mark)) != 0 ||
      !readAll(file.fd, label, uint8_t(header[HeaderSize]))) {
    return std::nullopt;
  }
  return label;
}

std::vector<Cache::Line> Cache::list() const {
  std::vector<Line> lines;
  if (state->folder.empty()) {
    return lines;
  }
  std::vector<Entry> entries = scan(state->folder);
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used > b.used; });
  for (const Entry &entry : entries) {
    if (entry.isTemporary()) {
      continue;
    }
    Line line;
    line.name = entry.path.parent_path().filename().string() +
                entry.path.filename().string();
    line.label = readLabel(entry.path).value_or("damaged");
    line.bytes = entry.bytes;
    line.used =
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(
            std::chrono::file_clock::to_sys(entry.used));
    lines.push_back(std::move(line));
  }
  return lines;
}

Cache::Statistics Cache::statistics() const {
  Statistics s;
  s.hits = state->hits;
  s.misses = state->misses;
  s.damaged = state->damaged;
  s.stored = state->stored;
  s.evicted = state->evicted;
  if (!state->folder.empty()) {
    for (const Entry &entry : scan(state->folder)) {
      s.entries += !entry.isTemporary();
      s.bytes += entry.bytes;
    }
  }
  return s;
}

} // namespace tz::runtime
