//===- Scratch.cpp - shared memory of a block, and its hazards ------------===//
//
// What   See Scratch.h.
// Why    See Scratch.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/Scratch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tz;
using namespace tz::simt;

//===----------------------------------------------------------------------===//
// Hazards
//===----------------------------------------------------------------------===//

Accesses Accesses::of(mlir::Operation *op) {
  Accesses accesses;
  if (std::optional<MemoryAccess> access = accessOf(op)) {
    accesses.memory.push_back(*access);
  }
  return accesses;
}

void Accesses::add(const Accesses &other) {
  auto addNew = [](auto &to, const auto &from) {
    for (const auto &one : from) {
      if (!llvm::is_contained(to, one)) {
        to.push_back(one);
      }
    }
  };
  addNew(reads, other.reads);
  addNew(writes, other.writes);
  addNew(memory, other.memory);
  // Each is compared with each that comes: of many only the groups are kept.
  constexpr size_t mostPlaces = 32;
  if (memory.size() > mostPlaces) {
    llvm::SmallVector<MemoryAccess> all = std::move(memory);
    memory.clear();
    for (MemoryAccess &access : all) {
      access.placed = nullptr;
    }
    addNew(memory, all);
  }
}

void Accesses::stopMoving() {
  for (MemoryAccess &access : memory) {
    access.moving = nullptr;
    access.hasLeftLoop = access.placed != nullptr;
  }
}

Accesses Accesses::without(Memories memories) const {
  Accesses rest = *this;
  if (has(memories, Memories::shared)) {
    rest.reads.clear();
    rest.writes.clear();
  }
  if (has(memories, Memories::device)) {
    rest.memory.clear();
  }
  return rest;
}

bool Accesses::conflictsInShared(const Accesses &later) const {
  auto overlap = [](llvm::ArrayRef<Region> some,
                    llvm::ArrayRef<Region> others) {
    return llvm::any_of(some, [&](const Region &one) {
      return llvm::any_of(
          others, [&](const Region &other) { return one.overlaps(other); });
    });
  };
  return overlap(writes, later.reads) || overlap(writes, later.writes) ||
         overlap(reads, later.writes);
}

static bool conflicts(const MemoryAccess &one, const MemoryAccess &other,
                      bool inLaterIteration) {
  return (inLaterIteration ? one.meetsLater(other) : one.meets(other)) &&
         !one.staysWithinThreads(other, inLaterIteration);
}

Memories Accesses::conflict(const Accesses &later,
                            bool inLaterIteration) const {
  const bool inDevice = llvm::any_of(memory, [&](const MemoryAccess &one) {
    return llvm::any_of(later.memory, [&](const MemoryAccess &other) {
      return conflicts(one, other, inLaterIteration);
    });
  });
  return (conflictsInShared(later) ? Memories::shared : Memories::none) |
         (inDevice ? Memories::device : Memories::none);
}

bool Accesses::isApartInIterationsIf(
    const Accesses &later, llvm::SmallVectorImpl<RowsApart> &apart) const {
  if (conflictsInShared(later)) {
    return false;
  }
  for (const MemoryAccess &one : memory) {
    for (const MemoryAccess &other : later.memory) {
      if (!conflicts(one, other, /*inLaterIteration=*/true)) {
        continue;
      }
      if (!one.placed || !other.placed || one.hasLeftLoop ||
          other.hasLeftLoop) {
        return false;
      }
      std::optional<RowsApart> rows =
          apartInIterationsIf(one.placed, other.placed);
      if (!rows) {
        return false;
      }
      apart.push_back(*rows);
    }
  }
  return true;
}

void OpenAccesses::leaveLoop(const OpenAccesses &before) {
  Accesses ofBody = std::move(first);
  ofBody.stopMoving();
  pending.stopMoving();
  pending.add(before.pending);
  first = before.first;
  settled = before.settled;
  pass(ofBody);
}

void OpenAccesses::join(const OpenAccesses &other) {
  pending.add(other.pending);
  first.add(other.first);
  settled = Memories(uint8_t(settled) & uint8_t(other.settled));
}

void Hazards::note(const Accesses &accesses) {
  ++noted;
  threads.open(accesses);
  threads.pass(accesses);
  unpublished.add({{}, {}, accesses.memory});
}

void Hazards::settle(Memories memories) {
  threads.settle(memories);
  isUnpublished &= !has(memories, Memories::shared);
}

void Hazards::noteBulkStore(const Region &from, const Accesses &stored) {
  engineReads.add(Accesses::read(from));
  engineWrites.add(stored);
}

void Hazards::settleBulkStores(bool areDone) {
  engineReads = {};
  if (areDone) {
    engineWrites = {};
  }
}

void Hazards::enterLoop(const Accesses &stored, const Accesses &accessed) {
  threads.enterLoop();
  if (!stored.memory.empty()) { // where their buffers lie is not known yet
    engineReads.add(Accesses::read({0, UINT64_MAX / 2}));
  }
  engineWrites.add(stored);
  unpublished.add(accessed);
}

void Hazards::leaveLoop(const Hazards &before) {
  noted = std::max(noted, before.noted);
  threads.leaveLoop(before.threads);
  engineReads.add(before.engineReads);
  engineWrites.add(before.engineWrites);
  unpublished.add(before.unpublished);
  isUnpublished |= before.isUnpublished;
}

void Hazards::join(const Hazards &other) {
  noted = std::max(noted, other.noted);
  threads.join(other.threads);
  engineReads.add(other.engineReads);
  engineWrites.add(other.engineWrites);
  unpublished.add(other.unpublished);
  isUnpublished |= other.isUnpublished;
}

//===----------------------------------------------------------------------===//
// Space
//===----------------------------------------------------------------------===//

/// Up to this size a region may lie above the top of the stack.
static constexpr uint64_t SmallRegion = 4096;

Region Scratch::allocate(uint64_t bytes, const Accesses &pending,
                         uint64_t alignment) {
  Region region{llvm::alignTo(top(), alignment), bytes};
  if (bytes <= SmallRegion) {
    Region higher = region;
    for (const auto *regions : {&pending.reads, &pending.writes}) {
      for (const Region &one : *regions) {
        if (one.bytes <= SmallRegion &&
            one.offset + one.bytes > higher.offset) {
          higher.offset = llvm::alignTo(one.offset + one.bytes, alignment);
        }
      }
    }
    // Not further and further up.
    if (higher.offset - region.offset <= 2 * SmallRegion) {
      region = higher;
    }
  }
  stack.push_back({region, false});
  most = std::max(most, region.offset + bytes);
  return region;
}

void Scratch::release(const Region &region) {
  for (Block &block : stack) {
    if (block.region == region) {
      block.isFree = true;
    }
  }
  while (!stack.empty() && stack.back().isFree) {
    stack.pop_back();
  }
}
