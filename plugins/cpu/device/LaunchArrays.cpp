//===- LaunchArrays.cpp - The memory that a launch's arguments belong to --===//
//
// What   See LaunchArrays.h.
// Why    See LaunchArrays.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LaunchArrays.h"

#include <cstring>
#include <string_view>

namespace tz::cpu {

/// The widest range that the launch names around the address. A view may be
/// named beside the array that it is a part of.
static tz_cpu_bounds namedAround(const tz_launch &launch, uint64_t address) {
  tz_cpu_bounds found{0, 0};
  for (const tz_ext *ext = launch.next; ext; ext = ext->next) {
    if (std::string_view(ext->id ? ext->id : "") != TZ_EXT_KNOWN_MEMORY) {
      continue;
    }
    const auto *known = reinterpret_cast<const tz_known_memory *>(ext);
    for (size_t i = 0; i < known->num_ranges; ++i) {
      const tz_memory_range &range = known->ranges[i];
      if (address >= range.address && address - range.address <= range.bytes &&
          (found.end == 0 || range.bytes > found.end - found.begin)) {
        found = {range.address, range.address + range.bytes};
      }
    }
  }
  return found;
}

LaunchArrays::LaunchArrays(std::span<const tz_cpu_argument> arguments,
                           const tz_launch &launch, CpuMemory &memory)
    : arguments(arguments) {
  for (const tz_cpu_argument &argument : arguments) {
    tz_cpu_bounds bounds{0, UINT64_MAX};
    uint64_t address = 0;
    if (argument.is_pointer &&
        uint64_t{argument.offset} + sizeof address <= launch.args_size) {
      std::memcpy(&address,
                  static_cast<const char *>(launch.args) + argument.offset,
                  sizeof address);
      if (address == 0) {
        bounds.end = 0;
      } else if (tz_cpu_bounds named = namedAround(launch, address);
                 named.end) {
        bounds = named;
      } else if (auto own = memory.find(address)) {
        bounds = {own->base, own->base + own->size};
      }
    }
    all.push_back(bounds);
    addresses.push_back(address);
  }
}

bool LaunchArrays::holds(const tz_cpu_access &access, uint64_t address) const {
  for (uint32_t i = 0; i < access.num_arguments; ++i) {
    const tz_cpu_bounds &bounds = all[access.arguments[i]];
    if (address >= bounds.begin && address <= bounds.end &&
        bounds.end - address >= access.bytes) {
      return true;
    }
  }
  return false;
}

/// Elements from the argument's address to `to`, towards lower addresses.
static int64_t elements(uint64_t to, uint64_t from, uint32_t bytes) {
  const auto distance = static_cast<int64_t>(to - from);
  const auto size = static_cast<int64_t>(bytes);
  return distance >= 0 ? distance / size : -((-distance + size - 1) / size);
}

std::string LaunchArrays::describe(const tz_cpu_access &access,
                                   uint64_t address) const {
  // Of several arguments that the pointer may belong to, the nearest.
  uint32_t nearest = access.arguments[0];
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < access.num_arguments; ++i) {
    const tz_cpu_bounds &bounds = all[access.arguments[i]];
    const uint64_t gap =
        address < bounds.begin ? bounds.begin - address : address - bounds.end;
    if (bounds.end && gap < least) {
      least = gap;
      nearest = access.arguments[i];
    }
  }
  const std::string name = std::string("'") + arguments[nearest].name + "'";
  const uint64_t base = addresses[nearest];
  const tz_cpu_bounds &bounds = all[nearest];
  if (base == 0) {
    return "memory of " + name + ", which is null";
  }
  const int64_t first = elements(bounds.begin, base, access.bytes),
                last = elements(bounds.end, base, access.bytes) - 1;
  std::string text = "element " +
                     std::to_string(elements(address, base, access.bytes)) +
                     " of " + name + ", which has ";
  return text +
         (last < first ? "no elements"
                       : "elements " + std::to_string(first) + " to " +
                             std::to_string(last)) +
         " (" + std::to_string(bounds.end - bounds.begin) + " bytes)";
}

} // namespace tz::cpu
