//===- Memory.cpp - memory that a device handed out, and how it is filled -===//
//
// What   See Memory.h.
// Why    See Memory.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/Memory.h"

#include <cstdio>

namespace tz::intel {

using plugin::Failure;

std::string sizeText(uint64_t bytes) {
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

const char *memoryName(uint32_t kind) {
  return kind == TZ_MEM_HOST_PINNED ? "pinned host memory"
         : kind == TZ_MEM_MANAGED   ? "managed memory"
                                    : "device memory";
}

std::string addressText(tz_dptr address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

void Allocations::add(tz_dptr address, Allocation made) {
  std::lock_guard guard(mutex);
  known[address] = made;
}

Allocation Allocations::take(tz_dptr address, const std::string &device) {
  std::lock_guard guard(mutex);
  const auto found = known.find(address);
  if (found == known.end()) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "free of " + addressText(address) +
                                             ", which " + device +
                                             " did not allocate or has freed");
  }
  const Allocation taken = found->second;
  known.erase(found);
  return taken;
}

std::optional<std::pair<tz_dptr, Allocation>>
Allocations::find(tz_dptr address) const {
  std::lock_guard guard(mutex);
  auto behind = known.upper_bound(address);
  if (behind == known.begin()) {
    return std::nullopt;
  }
  const auto &[base, made] = *std::prev(behind);
  return address - base < made.bytes ? std::optional(std::pair(base, made))
                                     : std::nullopt;
}

std::map<tz_dptr, Allocation> Allocations::takeAll() {
  std::lock_guard guard(mutex);
  return std::move(known);
}

void checkAllocation(const tz_memory_desc &desc) {
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

bool checkCopy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) {
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

/// The pattern as it stands when it begins `by` bytes later.
static uint32_t rotated(uint32_t pattern, uint32_t bytes, uint32_t by) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    moved |= (pattern >> 8 * ((i + by) % bytes) & 0xff) << 8 * i;
  }
  return moved;
}

void splitFill(tz_dptr to, uint64_t bytes, uint32_t pattern,
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
    fill(to + head, middle, rotated(pattern, patternBytes, head), patternBytes);
  }
  for (uint32_t i = head; i < patternBytes; ++i) {
    fill(to + bytes - patternBytes + i, 1, pattern >> 8 * i & 0xff, 1);
  }
}

} // namespace tz::intel
