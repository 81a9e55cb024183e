//===- DeviceRegions.h - allocations of the simulated device --------------===//
//
// What   Which bytes of the process are device memory, and which of them were
//        written. A device address is an address of the process.
// Why    An access beyond an allocation is found before it is executed.
//
// One thread at a time; the device that owns it holds a lock.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_DEVICEREGIONS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_DEVICEREGIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tz::amd::sim {

struct Region {
  uint64_t address = 0, bytes = 0;
  std::string name; ///< for messages: "an allocation of 64 bytes"
  /// A byte for each byte: whether it was written. Empty: all were.
  std::vector<bool> written;
};

class Memory {
public:
  /// isWritten: its contents count as initialised.
  void add(uint64_t address, uint64_t bytes, std::string name, bool isWritten);
  void remove(uint64_t address);

  /// The region that holds all the bytes, or null.
  Region *find(uint64_t address, uint64_t bytes);
  /// The region that begins at the address, or null.
  Region *at(uint64_t address);

  /// Copies count as writes; so does the host's.
  void markWritten(uint64_t address, uint64_t bytes);
  bool isWritten(uint64_t address, uint64_t bytes);

  /// What lies nearest, for messages.
  std::string nearest(uint64_t address) const;

private:
  std::map<uint64_t, Region> regions;
  Region *last = nullptr;
};

} // namespace tz::amd::sim

#endif
