//===- Capturer.cpp - which launches become files -------------------------===//
//
// What   See Capturer.h.
// Why    See Capturer.h.
//===----------------------------------------------------------------------===//
#include "runtime/capture/Capturer.h"

#include "runtime/cache/Sha256.h"
#include "runtime/file/ByteWriter.h"
#include "runtime/file/File.h"
#include "runtime/launch/LogDecoder.h"
#include "runtime/session/ArgumentBits.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace tz::runtime {

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

static std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool readOccasions(std::string_view list, CaptureOptions &to,
                   std::string &unknown) {
  to.failed = to.all = false;
  to.slowerThanNs = 0;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string word(trimmed(list.substr(0, comma)));
    list.remove_prefix(comma == std::string_view::npos ? list.size()
                                                       : comma + 1);
    constexpr std::string_view slow = "slow:";
    if (word == "fail") {
      to.failed = true;
    } else if (word == "all") {
      to.all = true;
    } else if (word.starts_with(slow)) {
      char *end = nullptr;
      const double ms = std::strtod(word.c_str() + slow.size(), &end);
      if (*end || !(ms > 0) || ms > 1e9) {
        unknown = word;
        return false;
      }
      to.slowerThanNs = std::max<uint64_t>(1, uint64_t(ms * 1e6));
    } else if (!word.empty()) {
      unknown = word;
      return false;
    }
  }
  return true;
}

/// A whole number above 0, or nothing with a warning.
static std::optional<uint64_t> countIn(const char *variable) {
  std::optional<std::string> text = environment(variable);
  if (!text) {
    return std::nullopt;
  }
  char *end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text->c_str(), &end, 10);
  if (text->empty() || *end || errno || value == 0 ||
      text->find('-') != std::string::npos) {
    logMessage(1, "",
               std::string(variable) + "='" + *text +
                   "' is no number above 0; it is passed over");
    return std::nullopt;
  }
  return value;
}

std::optional<CaptureOptions> captureOptions() {
  std::optional<std::string> folder = environment("TERRAZZO_CAPTURE");
  if (!folder || folder->empty()) {
    return std::nullopt;
  }
  CaptureOptions options;
  options.folder = absolutePath(*folder);
  std::string unknown;
  if (auto list = environment("TERRAZZO_CAPTURE_WHEN");
      list && !readOccasions(*list, options, unknown)) {
    logMessage(
        1, "",
        "TERRAZZO_CAPTURE_WHEN: '" + unknown +
            "' is not known; write fail, all or slow:2.5 (milliseconds), "
            "or several with commas. Launches that fail are captured");
    options = CaptureOptions{.folder = options.folder};
  }
  if (auto bytes = countIn("TERRAZZO_CAPTURE_BYTES")) {
    options.maxBytes = *bytes;
  }
  if (auto files = countIn("TERRAZZO_CAPTURE_FILES")) {
    options.maxFiles = size_t(*files);
  }
  return options;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Status copyOut(Stream &stream, uint64_t from, char *to, size_t bytes) {
  Status s = stream.copy(reinterpret_cast<uintptr_t>(to), from, bytes,
                         TZ_COPY_DEVICE_TO_HOST);
  return s.ok() ? stream.finish() : std::move(s);
}

/// Of a TZ_TYPE_* of an element.
static TypeClass classOf(uint32_t type) {
  switch (type) {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  case TZ_TYPE_##Id:                                                           \
    return TypeClass::Class;
#include <terrazzo/ElementTypes.def>
  default:
    return TypeClass::Unsigned;
  }
}

namespace {
/// Means by Welford's recurrence, so that large arrays lose nothing.
class StatisticsOf {
public:
  explicit StatisticsOf(uint32_t type) : type(type), size(typeSize(type)) {}

  void add(const char *bytes, size_t count) {
    for (size_t at = 0; size && at + size <= count; at += size) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes + at, size);
      add(valueOf(bits));
    }
  }
  ArrayStatistics result() const {
    ArrayStatistics found = sums;
    found.deviation =
        sums.finite ? std::sqrt(squares / double(sums.finite)) : 0;
    return found;
  }

private:
  double valueOf(uint64_t bits) const {
    const uint64_t value = normalized(tz_arg_make(type, 0, bits));
    switch (classOf(type)) {
    case TypeClass::Signed:
      return double(int64_t(value));
    case TypeClass::Float:
      return decodeFloat(type, bits);
    default:
      return double(value);
    }
  }
  void add(double value) {
    if (!std::isfinite(value)) {
      (std::isnan(value) ? sums.nan : sums.infinite) += 1;
      return;
    }
    sums.least = sums.finite ? std::min(sums.least, value) : value;
    sums.most = sums.finite ? std::max(sums.most, value) : value;
    sums.finite += 1;
    const double step = value - sums.mean;
    sums.mean += step / double(sums.finite);
    squares += step * (value - sums.mean);
  }

  const uint32_t type;
  const size_t size;
  ArrayStatistics sums;
  double squares = 0;
};
} // namespace

static Status countUp(CapturedArray &array, Stream &stream) {
  constexpr size_t piece = size_t(64) << 20;
  StatisticsOf statistics(array.element);
  std::string bytes(std::min<size_t>(piece, array.bytes), '\0');
  for (uint64_t at = 0; at < array.bytes; at += piece) {
    const size_t count = size_t(std::min<uint64_t>(piece, array.bytes - at));
    Status s = copyOut(stream, array.address + at, bytes.data(), count);
    if (!s.ok()) {
      return s;
    }
    statistics.add(bytes.data(), count);
  }
  array.statistics = statistics.result();
  return Status();
}

/// Gives each pointer its array. Those that the stream does not know have none.
static void findArrays(const CaptureRequest &request, const Stream &stream,
                       CapturedLaunch &to) {
  const std::vector<std::string> names = request.artifact->leafNames();
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const tz_arg &given = request.arguments[i];
    CapturedArgument &argument = to.arguments.emplace_back();
    const size_t leaf = i < request.artifact->userLeaves.size()
                            ? request.artifact->userLeaves[i]
                            : names.size();
    argument.name = leaf < names.size() ? names[leaf] : std::to_string(i);
    argument.type = given.type;
    argument.bits = normalized(given);
    if (given.type != TZ_TYPE_PTR) {
      continue;
    }
    argument.element = given.element;
    std::optional<tz_memory_range> range = stream.memoryAt(given.bits);
    if (!range) {
      continue;
    }
    auto known = std::find_if(
        to.arrays.begin(), to.arrays.end(), [&](const CapturedArray &array) {
          return range->address >= array.address &&
                 range->address + range->bytes <= array.address + array.bytes;
        });
    if (known == to.arrays.end()) {
      known = to.arrays.insert(known, CapturedArray{.name = argument.name,
                                                    .element = given.element,
                                                    .address = range->address,
                                                    .bytes = range->bytes});
    }
    argument.array = known - to.arrays.begin();
    argument.bits = given.bits - known->address;
  }
}

Status Capturer::copyMemory(const CaptureRequest &request, Stream &stream,
                            CapturedLaunch &to) const {
  findArrays(request, stream, to);
  std::vector<CapturedArray *> bySize;
  for (CapturedArray &array : to.arrays) {
    bySize.push_back(&array);
  }
  std::sort(bySize.begin(), bySize.end(),
            [](const CapturedArray *a, const CapturedArray *b) {
              return std::pair(a->bytes, a) < std::pair(b->bytes, b);
            });
  uint64_t room = options.maxBytes;
  for (CapturedArray *array : bySize) {
    if (array->bytes > room) {
      room = 0; // the larger ones find none either
      if (Status s = countUp(*array, stream); !s.ok()) {
        return s;
      }
      continue;
    }
    room -= array->bytes;
    array->content.resize(array->bytes);
    array->hasContent = true;
    Status s =
        copyOut(stream, array->address, array->content.data(), array->bytes);
    if (!s.ok()) {
      return s;
    }
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void Capturer::warnOnce(const std::string &text) {
  {
    std::lock_guard guard(lock);
    if (!said.insert(text).second) {
      return;
    }
  }
  logMessage(1, "", text);
}

/// Not a launch that is kept already, and there is room for another file.
bool Capturer::isNew(const CaptureRequest &request) {
  ByteWriter key;
  key.string(request.artifact->write());
  for (int64_t axis : request.grid) {
    key.fixed(axis);
  }
  for (const tz_arg &argument : request.arguments) {
    key.fixed(argument.type);
    // Of arrays it does not matter where they lie.
    key.fixed(argument.type == TZ_TYPE_PTR ? 0 : normalized(argument));
  }
  std::string hash = toHex(sha256(key.bytes));
  {
    std::lock_guard guard(lock);
    if (files < options.maxFiles || known.count(hash)) {
      const bool isFirst = known.insert(std::move(hash)).second;
      files += isFirst;
      return isFirst;
    }
  }
  warnOnce("TERRAZZO_CAPTURE: " + std::to_string(options.maxFiles) +
           " launches are captured; no more are (TERRAZZO_CAPTURE_FILES)");
  return false;
}

/// The name without what a file's name should not have.
static std::string plainName(std::string_view name) {
  std::string plain;
  for (char c : name.substr(0, 80)) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_';
    plain += isPlain ? c : '_';
  }
  return plain.empty() ? "kernel" : plain;
}

Status Capturer::keep(const CaptureRequest &request, Stream &stream,
                      CapturedLaunch &launch, std::string reason,
                      std::string &path) {
  launch.reason = std::move(reason);
  if (!path.empty()) {
    return writeCapture(path, launch);
  }
  if (!isNew(request)) {
    return Status();
  }
  launch.kernel = request.kernel;
  launch.source = request.source;
  launch.version = std::string(productName());
  launch.target = request.artifact->target;
  launch.device = stream.device().name();
  launch.driver = stream.device().driverVersion();
  launch.grid = request.grid;
  launch.options = *request.options;
  Result<std::string> tile = request.tile();
  launch.isArtifact = !tile;
  launch.code = tile ? std::move(*tile) : request.artifact->write();
  if (int error = makeFolders(options.folder)) {
    return Status(TZ_E_UNAVAILABLE,
                  options.folder + " cannot be made: " + describeError(error));
  }
  std::string made = options.folder + "/" + plainName(request.kernel) + "-" +
                     randomName() + ".tzcapture";
  if (Status s = writeCapture(made, launch); !s.ok()) {
    return s;
  }
  logMessage(1, "",
             "the launch of kernel '" + launch.kernel + "' is captured (" +
                 launch.reason + "): tz replay " + made);
  path = std::move(made);
  return Status();
}

/// A launch must not fail because its copy finds no memory.
template <typename Work>
static Status withoutExceptions(Work &&work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return Status(TZ_E_OUT_OF_MEMORY, "out of memory");
  }
}

Status Capturer::launch(const CaptureRequest &request, Stream &stream,
                        const std::function<Status()> &start) {
  if (stream.isRecording()) {
    warnOnce("TERRAZZO_CAPTURE: launches that are recorded in a graph are not "
             "captured");
    return start();
  }
  // A failure of what came before is not this launch's.
  if (Status s = stream.synchronize(); !s.ok()) {
    return s;
  }
  CapturedLaunch captured;
  const Status copied =
      withoutExceptions([&] { return copyMemory(request, stream, captured); });
  if (!copied.ok()) {
    warnOnce("TERRAZZO_CAPTURE: the memory of kernel '" + request.kernel +
             "' cannot be read: " + copied.message());
    return start();
  }
  std::string path;
  auto keepFor = [&](std::string reason) {
    Status s = withoutExceptions([&] {
      return keep(request, stream, captured, std::move(reason), path);
    });
    if (!s.ok()) {
      warnOnce("TERRAZZO_CAPTURE: " + s.message());
    }
  };
  if (options.all) {
    // Before it runs: it may end the process.
    keepFor("all launches are asked for");
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  Status status = start();
  status = status.ok() ? stream.synchronize() : std::move(status);
  const auto ns = uint64_t(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began)
          .count());
  if (!status.ok()) {
    const bool isWanted = options.failed && status.code() != TZ_E_CANCELLED;
    if (!path.empty() || isWanted) {
      keepFor("it failed: " + status.message());
    }
  } else if (options.slowerThanNs && ns > options.slowerThanNs) {
    char text[64];
    std::snprintf(text, sizeof(text), "it took %.3g ms", double(ns) * 1e-6);
    keepFor(text);
  }
  return status;
}

} // namespace tz::runtime
