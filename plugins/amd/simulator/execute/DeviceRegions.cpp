//===- DeviceRegions.cpp - allocations of the simulated device ------------===//
//
// What   See DeviceRegions.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/DeviceRegions.h"

#include "plugins/amd/simulator/decode/Text.h"

namespace tz::amd::sim {

void Memory::add(uint64_t address, uint64_t bytes, std::string name,
                 bool isWritten) {
  Region region{address, bytes, std::move(name), {}};
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

Region *Memory::find(uint64_t address, uint64_t bytes) {
  auto holds = [&](const Region &region) {
    return address >= region.address &&
           address - region.address <= region.bytes &&
           bytes <= region.bytes - (address - region.address);
  };
  if (last && holds(*last)) {
    return last;
  }
  auto next = regions.upper_bound(address);
  if (next == regions.begin()) {
    return nullptr;
  }
  Region &region = std::prev(next)->second;
  if (!holds(region)) {
    return nullptr;
  }
  last = &region;
  return last;
}

void Memory::markWritten(uint64_t address, uint64_t bytes) {
  Region *region = find(address, bytes);
  if (!region || region->written.empty()) {
    return;
  }
  const uint64_t first = address - region->address;
  for (uint64_t i = 0; i < bytes; ++i) {
    region->written[first + i] = true;
  }
}

bool Memory::isWritten(uint64_t address, uint64_t bytes) {
  const Region *region = find(address, bytes);
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
