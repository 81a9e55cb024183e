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
#include <utility>
#include <vector>

namespace tz::amd::sim {

struct Region {
  uint64_t address = 0, bytes = 0;
  std::string name; ///< for messages: "an allocation of 64 bytes"
  /// A byte for each byte: whether it was written. Empty: all were.
  std::vector<bool> written;
  uint64_t number = 0; ///< how many were added before
};

class Memory {
public:
  /// isWritten: its contents count as initialised.
  void add(uint64_t address, uint64_t bytes, std::string name, bool isWritten);
  void remove(uint64_t address);

  /// What lies outside of regions counts, too, where the process can write it.
  /// Then a kernel's bounds are those of pages.
  bool reachesHost = false;
  /// Before a launch: what the process has may be other pages now.
  void forgetHost() { host.clear(); }

  /// The region that holds all the bytes, or null.
  Region *find(uint64_t address, uint64_t bytes);
  /// Does memory begin at the address? It comes in words: the last one of an
  /// allocation is there whole, and atomics of its bytes read and write it so.
  bool isLastWord(uint64_t address, uint64_t bytes) {
    return bytes == 4 && address % 4 == 0 && find(address, 1) != nullptr;
  }
  /// Words of which each begins in one region: what a load may read, up to the
  /// last word of an allocation.
  bool areWords(uint64_t address, uint64_t bytes) {
    return bytes != 0 && bytes % 4 == 0 && address % 4 == 0 &&
           find(address, bytes - 3) != nullptr;
  }
  /// The region that begins at the address, or null.
  Region *at(uint64_t address);

  /// Copies count as writes; so does the host's. Both are about the bytes that
  /// the first one's region has.
  void markWritten(uint64_t address, uint64_t bytes);
  bool isWritten(uint64_t address, uint64_t bytes);

  /// A number for what all regions hold that began without contents: each byte,
  /// and which of them were written. Addresses are not in it, so it compares
  /// runs of a program.
  uint64_t digest() const;

  /// What lies nearest, for messages.
  std::string nearest(uint64_t address) const;

private:
  /// The first byte's region, and how many of the bytes it has.
  std::pair<Region *, uint64_t> part(uint64_t address, uint64_t bytes);

  Region *findHost(uint64_t address, uint64_t bytes);

  std::map<uint64_t, Region> regions;
  std::map<uint64_t, Region> host; ///< pages of the process beside them
  Region *last = nullptr;
  uint64_t added = 0;
};

} // namespace tz::amd::sim

#endif
