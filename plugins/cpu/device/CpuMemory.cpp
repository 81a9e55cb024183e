//===- CpuMemory.cpp - Device memory, which is host memory ----------------===//
//
// What   See CpuMemory.h.
// Why    See CpuMemory.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuMemory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace tz::cpu {

static constexpr uint64_t CacheLine = 64;
static constexpr uint64_t HugePage = uint64_t{2} << 20;

CpuMemory::~CpuMemory() {
  for (auto &entry : allocations) {
    std::free(reinterpret_cast<void *>(entry.first));
  }
}

uint64_t CpuMemory::allocate(uint32_t kind, uint64_t size, uint64_t align) {
  // Overcommit would hand out what cannot be used and kill the process later.
  if (size > limit || align > limit) {
    return 0;
  }
  bool huge = size >= HugePage;
  align = std::max({align, CacheLine, huge ? HugePage : 0});
  uint64_t rounded = (std::max<uint64_t>(size, 1) + align - 1) & ~(align - 1);
  void *memory = std::aligned_alloc(align, rounded);
  if (!memory) {
    return 0;
  }
  if (huge) {
    // Only a hint: fewer TLB misses in kernels that walk over rows.
    madvise(memory, rounded, MADV_HUGEPAGE);
  }
  // The table itself may find no memory.
  std::unique_ptr<void, void (*)(void *)> held(memory, std::free);
  auto base = reinterpret_cast<uint64_t>(memory);
  std::lock_guard<std::mutex> lock(mutex);
  allocations[base] = Allocation{base, size, kind};
  (void)held.release();
  return base;
}

bool CpuMemory::free(uint64_t base) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (allocations.erase(base) == 0) {
      return false;
    }
  }
  std::free(reinterpret_cast<void *>(base));
  return true;
}

std::optional<Allocation> CpuMemory::find(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin()) {
    return std::nullopt;
  }
  const Allocation &found = std::prev(it)->second;
  if (address - found.base >= std::max<uint64_t>(found.size, 1)) {
    return std::nullopt;
  }
  return found;
}

bool isMapped(uint64_t address) {
  auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void *>(address & ~(page - 1)), 1,
                 &resident) == 0;
}

} // namespace tz::cpu
