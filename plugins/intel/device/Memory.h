//===- Memory.h - memory that a device handed out, and how it is filled ---===//
//
// What   A register of allocations by address, texts about memory, and the
//        cutting of a fill into aligned ones.
// Why    Both drivers leave these to their user, who then frees an address
//        twice. Here that is an error of the call.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_MEMORY_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_MEMORY_H

#include <terrazzo/plugin/Error.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace tz::intel {

/// "3.5 MiB"
std::string sizeText(uint64_t bytes);
/// "managed memory" of TZ_MEM_MANAGED.
const char *memoryName(uint32_t kind);
/// "0x7f00"
std::string addressText(tz_dptr address);

struct Allocation {
  uint64_t bytes = 0;
  uint32_t kind = 0; ///< TZ_MEM_*
  tz_dptr base = 0;  ///< what the driver gave; at most the address
};

/// [thread: any]
class Allocations {
public:
  void add(tz_dptr address, Allocation made);
  /// Takes it out. Throws TZ_E_INVALID_ARGUMENT if nothing begins there.
  Allocation take(tz_dptr address, const std::string &device);
  /// The allocation that has the address, and where it begins.
  std::optional<std::pair<tz_dptr, Allocation>> find(tz_dptr address) const;
  /// Takes all out.
  std::map<tz_dptr, Allocation> takeAll();

private:
  mutable std::mutex mutex;
  std::map<tz_dptr, Allocation> known;
};

/// Throws TZ_E_INVALID_ARGUMENT for a kind or an alignment that there is not.
void checkAllocation(const tz_memory_desc &desc);
/// Throws for a copy that no driver can do; false: there is nothing to copy.
bool checkCopy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind);

/// One fill that a driver takes: `to` and `bytes` are multiples of
/// patternBytes.
using FillAligned = std::function<void(
    tz_dptr to, uint64_t bytes, uint32_t pattern, uint32_t patternBytes)>;
/// Checks a fill as plugin.h describes it, and cuts it into aligned ones.
void splitFill(tz_dptr to, uint64_t bytes, uint32_t pattern,
               uint32_t patternBytes, const FillAligned &fill);

} // namespace tz::intel

#endif
