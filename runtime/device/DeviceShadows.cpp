//===- DeviceShadows.cpp - what sanitizers note of a device's memory ------===//
//
// What   See DeviceShadows.h.
// Why    See DeviceShadows.h.
//===----------------------------------------------------------------------===//
#include "runtime/device/DeviceShadows.h"

#include "runtime/device/RuntimeDevice.h"

#include <algorithm>

namespace tz::runtime {

/// Shadows have the alignment of their memory up to this, so that an element's
/// is aligned as the element is.
static constexpr uint64_t Alignment = 64;

void WrittenMemory::clear() {
  std::lock_guard guard(lock);
  used = false; // or each free would look here
  for (const Region &region : regions) {
    (void)device.free(region.memory);
  }
  regions.clear();
}

std::vector<WrittenMemory::Region>
WrittenMemory::takeOverlapping(tz_dptr address, uint64_t bytes) {
  auto rest =
      std::partition(regions.begin(), regions.end(), [&](const Region &region) {
        return address >= region.address + region.bytes ||
               region.address >= address + bytes;
      });
  std::vector<Region> taken(rest, regions.end());
  regions.erase(rest, regions.end());
  used = !regions.empty();
  return taken;
}

/// Without the lock: freeing memory asks here what is known of it.
Status WrittenMemory::freeAll(const std::vector<Region> &taken,
                              Stream *stream) {
  Status first;
  for (const Region &region : taken) {
    Status s = device.free(region.memory, stream);
    first = first.ok() ? std::move(s) : std::move(first);
  }
  return first;
}

Status WrittenMemory::forget(Stream &stream, tz_dptr address, uint64_t bytes) {
  if (bytes == 0) {
    return Status();
  }
  if (!address || bytes > uint64_t(INT64_MAX) || address + bytes < address) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "no memory has " + std::to_string(bytes) +
                      " bytes from address " + std::to_string(address));
  }
  std::vector<Region> old;
  Status filled;
  {
    std::lock_guard guard(lock);
    // What lay there before may have had other ends.
    old = takeOverlapping(address, bytes);
    Result<tz_dptr> memory = device.allocate(bytes + Alignment, Alignment);
    if (memory) {
      regions.push_back(
          {address, bytes, *memory, *memory + address % Alignment});
      used = true;
      filled = stream.fillUnnoted(regions.back().shadow, bytes, 0);
    } else {
      filled = memory.takeStatus();
    }
  }
  Status freed = freeAll(old, &stream);
  return filled.ok() ? freed : filled;
}

Status WrittenMemory::wrote(Stream &stream, tz_dptr address, uint64_t bytes) {
  std::lock_guard guard(lock);
  Status first;
  for (const Region &region : regions) {
    const tz_dptr from = std::max(address, region.address);
    const tz_dptr end =
        std::min(address + bytes, region.address + region.bytes);
    if (first.ok() && from < end) {
      first = stream.fillUnnoted(region.shadow + (from - region.address),
                                 end - from, 1);
    }
  }
  return first;
}

Status WrittenMemory::wroteAll(Stream *stream, tz_dptr address) {
  std::vector<Region> taken;
  {
    std::lock_guard guard(lock);
    taken = takeOverlapping(address, 1);
  }
  return freeAll(taken, stream);
}

tz_dptr WrittenMemory::shadowOf(tz_dptr address, uint64_t bytes) const {
  std::lock_guard guard(lock);
  for (const Region &region : regions) {
    if (address >= region.address && region.bytes >= bytes &&
        address - region.address <= region.bytes - bytes) {
      return region.shadow + (address - region.address);
    }
  }
  return 0;
}

Result<tz_dptr> RaceMemory::take(Stream &stream, size_t number,
                                 uint64_t bytes) {
  if (blocks.size() <= number) {
    blocks.resize(number + 1);
  }
  Block &block = blocks[number];
  if (block.bytes < bytes) {
    Result<tz_dptr> memory = stream.device().allocate(bytes, Alignment);
    if (!memory) {
      return memory;
    }
    // Launches that still run may use the old one; freeing is in stream order.
    Status s = stream.device().free(block.memory, &stream);
    block = {*memory, bytes};
    if (!s.ok()) {
      return s;
    }
  }
  Status s = stream.fillUnnoted(block.memory, bytes, 0);
  return s.ok() ? Result<tz_dptr>(block.memory) : s;
}

void RaceMemory::release(Device &device) {
  for (const Block &block : blocks) {
    (void)device.free(block.memory);
  }
  blocks.clear();
}

} // namespace tz::runtime
