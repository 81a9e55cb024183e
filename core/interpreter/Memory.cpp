//===- Memory.cpp - known allocations and their shadow --------------------===//
//
// What   Bounds, uninitialised reads, races.
// Why    See Memory.h. One program runs at a time, so the shadow needs the last
//        reader and writer only: a race between others was seen when it was
//        made.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tz::interpreter {

Memory::Memory(const Options &options, std::array<uint32_t, 3> grid)
    : checked(options.checked), grid(grid) {
  for (const Allocation &allocation : options.memory) {
    Region region{allocation, {}};
    if (checked) {
      region.shadow.resize(allocation.size);
      for (Byte &byte : region.shadow) {
        byte.written = allocation.initialized;
      }
    }
    regions.push_back(std::move(region));
  }
  llvm::sort(regions, [](const Region &a, const Region &b) {
    return a.allocation.base < b.allocation.base;
  });
}

Memory::Region *Memory::regionOf(uint64_t address, unsigned bytes) {
  auto holds = [&](const Region &region) {
    const Allocation &a = region.allocation;
    return address >= a.base && a.size >= bytes &&
           address - a.base <= a.size - bytes;
  };
  if (last && holds(*last)) {
    return last;
  }
  auto next = std::upper_bound(regions.begin(), regions.end(), address,
                               [](uint64_t value, const Region &region) {
                                 return value < region.allocation.base;
                               });
  if (next == regions.begin() || !holds(*std::prev(next))) {
    return nullptr;
  }
  last = &*std::prev(next);
  return last;
}

/// Names the allocation that is nearest to a wild address.
Memory::Verdict Memory::outside(uint64_t address, unsigned bytes) const {
  const Region *nearest = nullptr;
  uint64_t distance = ~uint64_t{0};
  bool before = false;
  for (const Region &region : regions) {
    const Allocation &a = region.allocation;
    const bool below = address < a.base;
    const uint64_t gap =
        below ? a.base - address
              : address - a.base - std::min(address - a.base, a.size);
    if (gap < distance) {
      nearest = &region;
      distance = gap;
      before = below;
    }
  }
  Verdict verdict;
  verdict.inside = false;
  verdict.finding = FindingKind::OutOfBounds;
  verdict.message = "access of " + std::to_string(bytes) + " byte" +
                    (bytes == 1 ? "" : "s") + " at 0x" +
                    llvm::utohexstr(address, /*LowerCase=*/true);
  if (nearest) {
    verdict.message += ", " + std::to_string(distance) + " bytes " +
                       (before ? "before" : "past the end of") + " '" +
                       nearest->allocation.name + "' (" +
                       std::to_string(nearest->allocation.size) + " bytes)";
  }
  return verdict;
}

std::string Memory::programName(uint32_t linear) const {
  const uint64_t x = grid[0], y = grid[1];
  return "(" + std::to_string(linear % x) + ", " +
         std::to_string(linear / x % y) + ", " +
         std::to_string(linear / (x * y)) + ")";
}

std::string Memory::raceMessage(const Region &region, uint64_t offset,
                                llvm::StringRef what, uint32_t other) const {
  return ("byte " + std::to_string(offset) + " of '" + region.allocation.name +
          "' was " + what + " by program " + programName(other) +
          ", which is not ordered with this one")
      .str();
}

bool Memory::ordered(uint32_t earlier, uint32_t later) const {
  return earlier == later ||
         (later == current && earlier < before.size() && before[earlier]);
}

Memory::Verdict Memory::access(uint64_t address, unsigned bytes,
                               AccessKind kind, uint32_t program) {
  if (regions.empty()) {
    return {};
  }
  Region *region = regionOf(address, bytes);
  if (!region) {
    return outside(address, bytes);
  }
  Verdict verdict;
  if (!checked) {
    return verdict;
  }
  const uint64_t offset = address - region->allocation.base;
  const bool atomic =
      kind == AccessKind::Atomic || kind == AccessKind::AtomicRead;
  const bool writes = kind == AccessKind::Write || kind == AccessKind::Atomic;
  const bool reads = kind != AccessKind::Write;
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    Byte &byte = region->shadow[i];
    if (reads && !byte.written && !verdict.finding) {
      verdict.finding = FindingKind::UninitializedRead;
      verdict.message = "byte " + std::to_string(i) + " of '" +
                        region->allocation.name +
                        "' is read before it is written";
    }
    if (!verdict.finding && byte.writer != 0 &&
        !(atomic && byte.atomicWriter) && !ordered(byte.writer - 1, program)) {
      verdict.finding = FindingKind::Race;
      verdict.message = raceMessage(*region, i, "written", byte.writer - 1);
    }
    if (!verdict.finding && writes && byte.reader != 0 &&
        !(atomic && byte.atomicReader) && !ordered(byte.reader - 1, program)) {
      verdict.finding = FindingKind::Race;
      verdict.message = raceMessage(*region, i, "read", byte.reader - 1);
    }
    if (writes) {
      byte.writer = program + 1;
      byte.atomicWriter = atomic;
      byte.written = true;
    }
    if (reads) {
      byte.reader = program + 1;
      byte.atomicReader = atomic;
    }
  }
  return verdict;
}

void Memory::acquire(uint64_t address, uint32_t program) {
  if (!checked) {
    return;
  }
  if (program != current) {
    before.clear();
    current = program;
  }
  auto found = released.find(address);
  if (found != released.end()) {
    before |= found->second;
  }
}

void Memory::release(uint64_t address, uint32_t program) {
  if (!checked) {
    return;
  }
  if (program != current) {
    before.clear();
    current = program;
  }
  llvm::BitVector &set = released[address];
  set |= before;
  if (set.size() <= program) {
    set.resize(program + 1);
  }
  set.set(program);
}

} // namespace tz::interpreter
