//===- DeviceRegions.cpp - allocations of the simulated device ------------===//
//
// What   See DeviceRegions.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/DeviceRegions.h"

#include "plugins/amd/simulator/decode/Text.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace tz::amd::sim {

void Memory::add(uint64_t address, uint64_t bytes, std::string name,
                 bool isWritten) {
  Region region{address, bytes, std::move(name), {}, added++};
  if (!isWritten) {
    region.written.resize(bytes);
  }
  regions[address] = std::move(region);
  last = nullptr;
}

void Memory::remove(uint64_t address) {
  regions.erase(address);
  last = nullptr;
}

Region *Memory::at(uint64_t address) {
  auto found = regions.find(address);
  return found == regions.end() ? nullptr : &found->second;
}

static bool holds(const Region &region, uint64_t address, uint64_t bytes) {
  return address >= region.address &&
         address - region.address <= region.bytes &&
         bytes <= region.bytes - (address - region.address);
}

/// The one of these that holds all the bytes, or null.
static Region *findIn(std::map<uint64_t, Region> &regions, uint64_t address,
                      uint64_t bytes) {
  auto next = regions.upper_bound(address);
  if (next == regions.begin()) {
    return nullptr;
  }
  Region &region = std::prev(next)->second;
  return holds(region, address, bytes) ? &region : nullptr;
}

Region *Memory::find(uint64_t address, uint64_t bytes) {
  if (last && holds(*last, address, bytes)) {
    return last;
  }
  Region *found = findIn(regions, address, bytes);
  if (!found) {
    return reachesHost ? findHost(address, bytes) : nullptr;
  }
  last = found;
  return last;
}

/// Neighbours that the process can write, as one.
static std::map<uint64_t, Region> hostPages() {
  std::map<uint64_t, Region> pages;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, rights) != 3 ||
        std::string_view(rights).substr(0, 2) != "rw") {
      continue;
    }
    if (!pages.empty()) {
      Region &before = pages.rbegin()->second;
      if (before.address + before.bytes == begin) {
        before.bytes = end - before.address;
        continue;
      }
    }
    pages[begin] = {begin, end - begin, "memory of the process", {}, 0};
  }
  return pages;
}

Region *Memory::findHost(uint64_t address, uint64_t bytes) {
  Region *found = findIn(host, address, bytes);
  if (!found && host.empty()) {
    host = hostPages();
    found = findIn(host, address, bytes);
  }
  return found;
}

std::pair<Region *, uint64_t> Memory::part(uint64_t address, uint64_t bytes) {
  Region *region = find(address, std::min<uint64_t>(bytes, 1));
  return {region,
          region ? std::min(bytes, region->address + region->bytes - address)
                 : 0};
}

void Memory::markWritten(uint64_t address, uint64_t all) {
  auto [region, bytes] = part(address, all);
  if (!region || region->written.empty()) {
    return;
  }
  const uint64_t first = address - region->address;
  for (uint64_t i = 0; i < bytes; ++i) {
    region->written[first + i] = true;
  }
}

bool Memory::isWritten(uint64_t address, uint64_t all) {
  auto [region, bytes] = part(address, all);
  if (!region || region->written.empty()) {
    return true;
  }
  const uint64_t first = address - region->address;
  for (uint64_t i = 0; i < bytes; ++i) {
    if (!region->written[first + i]) {
      return false;
    }
  }
  return true;
}

uint64_t Memory::digest() const {
  uint64_t sum = 0; // whose order does not matter: that of addresses may differ
  for (const auto &[address, region] : regions) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
    mix(region.number);
    const auto *at = reinterpret_cast<const uint8_t *>(region.address);
    for (uint64_t i = 0; i < region.written.size(); ++i) {
      mix(region.written[i] ? at[i] : 0x100u);
    }
    sum += region.written.empty() ? 0 : hash;
  }
  return sum;
}

std::string Memory::nearest(uint64_t address) const {
  auto next = regions.upper_bound(address);
  if (next == regions.begin()) {
    return "there is no allocation below it";
  }
  const Region &region = std::prev(next)->second;
  return text("{} bytes behind the begin of {} of {} bytes",
              address - region.address, region.name, region.bytes);
}

} // namespace tz::amd::sim
