//===- ShadowMemory.cpp - known allocations and their shadow --------------===//
//
// What   Bounds, uninitialised reads, races.
// Why    See ShadowMemory.h. One program runs at a time, so the shadow needs
// the last
//        reader and writer only: a race between others was seen when it was
//        made.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ShadowMemory.h"

#include "core/interpreter/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tz::interpreter {

ShadowMemory::ShadowMemory(const Options &options, std::array<uint32_t, 3> grid)
    : checked(options.checked),
      sameValueStoresRace(options.sameValueStoresRace), grid(grid) {
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

ShadowMemory::Region *ShadowMemory::regionOf(uint64_t address, unsigned bytes) {
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
ShadowMemory::Verdict ShadowMemory::outside(uint64_t address,
                                            unsigned bytes) const {
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
    verdict.message += distance == 0
                           ? std::string(", right behind the end of '")
                           : ", " + std::to_string(distance) + " bytes " +
                                 (before ? "before '" : "past the end of '");
    verdict.message += nearest->allocation.name + "' (" +
                       std::to_string(nearest->allocation.size) + " bytes)";
  }
  return verdict;
}

std::string ShadowMemory::programName(uint32_t linear) const {
  const uint64_t x = grid[0], y = grid[1];
  return "(" + std::to_string(linear % x) + ", " +
         std::to_string(linear / x % y) + ", " +
         std::to_string(linear / (x * y)) + ")";
}

static constexpr uint16_t MostReleases = UINT16_MAX;

/// `made`: so many releases the earlier program had made before its access. No
/// release orders what it did behind its last one.
bool ShadowMemory::ordered(uint32_t earlier, uint16_t made,
                           uint32_t later) const {
  if (earlier == later) {
    return true;
  }
  const bool hasSeen =
      later == current && earlier < before.size() && before[earlier];
  const uint16_t all = hasSeen ? releases.lookup(earlier) : 0;
  return hasSeen && (made < all || all == MostReleases);
}

static bool isAtomic(AccessKind kind) {
  return kind == AccessKind::Atomic || kind == AccessKind::AtomicRead;
}
static bool isWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::Atomic ||
         kind == AccessKind::ProgramAtomic;
}

/// What the access races with at a byte, as a sentence; nothing: no race.
std::optional<std::string> ShadowMemory::findRace(const Region &region,
                                                  uint64_t offset,
                                                  const Access &access) const {
  const Byte &byte = region.shadow[offset];
  const bool atomic = isAtomic(access.kind), writes = isWrite(access.kind);
  auto races = [&](uint32_t other, uint16_t made, bool otherIsAtomic) {
    return other != 0 && !(atomic && otherIsAtomic) &&
           !ordered(other - 1, made, access.program);
  };
  const bool afterWrite =
      races(byte.writer, byte.writerReleases, byte.atomicWriter);
  if (!afterWrite &&
      !(writes && races(byte.reader, byte.readerReleases, byte.atomicReader))) {
    return std::nullopt;
  }
  if (!sameValueStoresRace && access.kind == AccessKind::Write &&
      access.stored && !byte.atomicWriter &&
      std::memcmp(reinterpret_cast<const void *>(access.address),
                  &*access.stored, access.bytes) == 0) {
    return std::nullopt;
  }
  const uint32_t other = (afterWrite ? byte.writer : byte.reader) - 1;
  const uint16_t number = afterWrite ? byte.writingOp : byte.readingOp;
  return "race between programs: byte " + std::to_string(offset) + " of '" +
         region.allocation.name + "' is " + (writes ? "written" : "read") +
         " here and was " + (afterWrite ? "written" : "read") + " by program " +
         programName(other) +
         (number ? " at " + describe(ops[number]->getLoc()) : "") +
         "; nothing orders the two";
}

void ShadowMemory::record(Region &region, uint64_t offset, const Access &access,
                          uint16_t made) {
  Byte &byte = region.shadow[offset];
  const auto number = uint16_t(access.number <= UINT16_MAX ? access.number : 0);
  if (isWrite(access.kind)) {
    region.written += byte.writer == 0;
    byte.writer = access.program + 1;
    byte.writingOp = number;
    byte.writerReleases = made;
    byte.atomicWriter = isAtomic(access.kind);
    byte.written = true;
  }
  if (access.kind != AccessKind::Write) {
    byte.reader = access.program + 1;
    byte.readingOp = number;
    byte.readerReleases = made;
    byte.atomicReader = isAtomic(access.kind);
  }
}

ShadowMemory::Verdict ShadowMemory::access(const Access &access) {
  if (regions.empty()) {
    return {};
  }
  Region *region = regionOf(access.address, access.bytes);
  if (!region) {
    return outside(access.address, access.bytes);
  }
  Verdict verdict;
  if (!checked) {
    return verdict;
  }
  if (ops.size() <= access.number) {
    ops.resize(access.number + 1);
  }
  ops[access.number] = access.op;
  const uint16_t made = releases.lookup(access.program);
  const uint64_t offset = access.address - region->allocation.base;
  for (uint64_t i = offset; i < offset + access.bytes; ++i) {
    if (access.kind != AccessKind::Write && !region->shadow[i].written &&
        !verdict.finding) {
      verdict.finding = FindingKind::UninitializedRead;
      verdict.message = "byte " + std::to_string(i) + " of '" +
                        region->allocation.name +
                        "' is read before it is written";
    }
    if (!verdict.finding) {
      if (std::optional<std::string> race = findRace(*region, i, access)) {
        verdict.finding = FindingKind::Race;
        verdict.message = std::move(*race);
      }
    }
    record(*region, i, access, made);
  }
  return verdict;
}

void ShadowMemory::countWritten(Report &report) const {
  for (const Region &region : regions) {
    if (checked) {
      report.written[region.allocation.base] = region.written;
    }
  }
}

/// What another program has seen is nothing to this one.
void ShadowMemory::runs(uint32_t program) {
  if (program != current) {
    before.clear();
    current = program;
  }
}

void ShadowMemory::acquire(uint64_t address, uint32_t program) {
  if (!checked) {
    return;
  }
  runs(program);
  auto found = released.find(address);
  if (found != released.end()) {
    before |= found->second;
  }
}

void ShadowMemory::release(uint64_t address, uint32_t program) {
  if (!checked) {
    return;
  }
  runs(program);
  uint16_t &made = releases[program];
  made = uint16_t(std::min<uint32_t>(made + 1u, MostReleases));
  llvm::BitVector &set = released[address];
  set |= before;
  if (set.size() <= program) {
    set.resize(program + 1);
  }
  set.set(program);
}

} // namespace tz::interpreter
