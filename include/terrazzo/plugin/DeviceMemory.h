//===- terrazzo/plugin/DeviceMemory.h - memory that a device handed out ---===//
//
// What   A register of allocations by address, texts about memory, the checks
//        of a copy, and the cutting of a fill into aligned ones.
// Why    Drivers leave these to their user, who then frees an address twice.
//        Here that is an error of the call.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_DEVICEMEMORY_H
#define TERRAZZO_PLUGIN_DEVICEMEMORY_H

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace tz::plugin {

/// "3.5 MiB"
inline std::string sizeText(uint64_t bytes) {
  static constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
  auto value = double(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof(text),
                value == double(uint64_t(value)) ? "%.0f %s" : "%.1f %s", value,
                units[unit]);
  return text;
}

/// "managed memory" of TZ_MEM_MANAGED.
inline const char *memoryName(uint32_t kind) {
  return kind == TZ_MEM_HOST_PINNED ? "pinned host memory"
         : kind == TZ_MEM_MANAGED   ? "managed memory"
                                    : "device memory";
}

/// "0x7f00"
inline std::string addressText(tz_dptr address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

struct Allocation {
  uint64_t bytes = 0;
  uint32_t kind = 0; ///< TZ_MEM_*
  tz_dptr base = 0;  ///< what the driver gave; at most the address
};

/// [thread: any]
class Allocations {
public:
  void add(tz_dptr address, Allocation made) {
    std::lock_guard guard(mutex);
    known[address] = made;
  }
  /// Takes it out. Throws TZ_E_INVALID_ARGUMENT if nothing begins there.
  Allocation take(tz_dptr address, const std::string &device) {
    std::lock_guard guard(mutex);
    const auto found = known.find(address);
    if (found == known.end()) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "free of " + addressText(address) + ", which " + device +
                        " did not allocate or has freed");
    }
    const Allocation taken = found->second;
    known.erase(found);
    return taken;
  }
  /// The allocation that has the address, and where it begins.
  std::optional<std::pair<tz_dptr, Allocation>> find(tz_dptr address) const {
    std::lock_guard guard(mutex);
    auto behind = known.upper_bound(address);
    if (behind == known.begin()) {
      return std::nullopt;
    }
    const auto &[base, made] = *std::prev(behind);
    return address - base < made.bytes ? std::optional(std::pair(base, made))
                                       : std::nullopt;
  }
  /// Takes all out.
  std::map<tz_dptr, Allocation> takeAll() {
    std::lock_guard guard(mutex);
    return std::move(known);
  }

private:
  mutable std::mutex mutex;
  std::map<tz_dptr, Allocation> known;
};

/// Throws TZ_E_INVALID_ARGUMENT for a kind or an alignment that there is not.
inline void checkAllocation(const tz_memory_desc &desc) {
  if (desc.kind < TZ_MEM_DEVICE || desc.kind > TZ_MEM_MANAGED) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "there is no memory of kind " +
                                             std::to_string(desc.kind) +
                                             " (TZ_MEM_*)");
  }
  if (desc.align & (desc.align - 1)) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "the alignment " +
                                             std::to_string(desc.align) +
                                             " is no power of two");
  }
}

/// Throws for a copy that no driver can do; false: there is nothing to copy.
inline bool checkCopy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) {
  if (kind > TZ_COPY_DEVICE_TO_DEVICE) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "there is no copy of kind " +
                                             std::to_string(kind) +
                                             " (TZ_COPY_*)");
  }
  if (bytes && (!to || !from)) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "copy from or to a null address");
  }
  return bytes != 0;
}

/// One fill that a driver takes: `to` and `bytes` are multiples of
/// patternBytes.
using FillAligned = std::function<void(
    tz_dptr to, uint64_t bytes, uint32_t pattern, uint32_t patternBytes)>;

namespace detail {
/// The pattern as it stands when it begins `by` bytes later.
inline uint32_t rotated(uint32_t pattern, uint32_t bytes, uint32_t by) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    moved |= (pattern >> 8 * ((i + by) % bytes) & 0xff) << 8 * i;
  }
  return moved;
}
} // namespace detail

/// Checks a fill as plugin.h describes it, and cuts it into aligned ones.
inline void splitFill(tz_dptr to, uint64_t bytes, uint32_t pattern,
                      uint32_t patternBytes, const FillAligned &fill) {
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "a fill pattern has 1, 2 or 4 bytes, not " +
                      std::to_string(patternBytes));
  }
  if (bytes % patternBytes) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "a fill of " + std::to_string(bytes) +
                                             " bytes is no multiple of its "
                                             "pattern");
  }
  if (bytes == 0) {
    return;
  }
  if (!to) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "fill of a null address");
  }
  const auto skew = uint32_t(to % patternBytes);
  if (skew == 0) {
    return fill(to, bytes, pattern, patternBytes);
  }
  // Single bytes up to the boundary, the middle with the pattern as it stands
  // there, and what is left behind it.
  const uint32_t head = patternBytes - skew;
  for (uint32_t i = 0; i < head; ++i) {
    fill(to + i, 1, pattern >> 8 * i & 0xff, 1);
  }
  if (const uint64_t middle = bytes - patternBytes) {
    fill(to + head, middle, detail::rotated(pattern, patternBytes, head),
         patternBytes);
  }
  for (uint32_t i = head; i < patternBytes; ++i) {
    fill(to + bytes - patternBytes + i, 1, pattern >> 8 * i & 0xff, 1);
  }
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_DEVICEMEMORY_H
