//===- CpuMemory.h - Device memory, which is host memory ------------------===//
//
// What   Allocation with alignment and huge pages, and a register of what was
//        handed out.
// Why    Freeing a foreign pointer, or asking for more than the machine has,
//        must be an error and not a crash; large tiles want huge pages.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_CPUMEMORY_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_CPUMEMORY_H

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace tz::cpu {

struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  uint32_t kind = 0; ///< TZ_MEM_*
};

/// All functions: any thread.
class CpuMemory {
public:
  explicit CpuMemory(uint64_t limit) : limit(limit) {}
  ~CpuMemory();
  CpuMemory(const CpuMemory &) = delete;
  CpuMemory &operator=(const CpuMemory &) = delete;

  /// 0 if there is no memory. `align` is a power of two; small sizes and
  /// alignments are raised to a cache line.
  uint64_t allocate(uint32_t kind, uint64_t size, uint64_t align);
  /// False if `base` is not the start of an allocation.
  bool free(uint64_t base);
  /// The allocation that holds `address`.
  std::optional<Allocation> find(uint64_t address);

private:
  uint64_t limit;
  std::mutex mutex;
  std::map<uint64_t, Allocation> allocations;
};

/// True if the page of `address` is mapped in this process.
bool isMapped(uint64_t address);

} // namespace tz::cpu

#endif
