//===- Scratch.h - shared memory of a block, and its hazards --------------===//
//
// What   Space for staged tiles and for exchanges, as a stack; what was read
//        and written since the last barrier.
// Why    A barrier stands exactly where one thread may see what another one has
//        not yet written, or has not yet read.
//
// Hazards follow the control flow: both sides of a branch begin with what is
// pending before it; a loop's body begins with what is pending before the loop,
// and a barrier ends each turn only if the next one would meet this one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
#define TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H

#include "core/simt/analysis/MemoryOrder.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tz::simt {

/// Bytes [offset, offset + bytes) of shared memory.
struct Region {
  uint64_t offset = 0, bytes = 0;
  bool operator==(const Region &) const = default;
  bool overlaps(const Region &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Accesses whose order among each other is of no interest.
struct Accesses {
  static Accesses read(const Region &region) { return {{region}, {}, {}}; }
  static Accesses write(const Region &region) { return {{}, {region}, {}}; }
  /// Those of a load, store or atomic of tile IR: threads of a block are not in
  /// order among each other, a program's accesses are (R6, O1).
  static Accesses of(mlir::Operation *op);

  void add(const Accesses &other);
  /// Must a barrier stand between these and `later` ones?
  bool conflictWith(const Accesses &later) const;

  llvm::SmallVector<Region> reads, writes; // of shared memory
  llvm::SmallVector<MemoryAccess> memory;
};

class Hazards {
public:
  bool needsBarrier(const Accesses &next) const {
    return pending.conflictWith(next);
  }
  void note(const Accesses &accesses);
  /// A barrier was emitted.
  void settle();
  /// Accesses to shared memory since the last barrier.
  const Accesses &sinceBarrier() const { return pending; }

  /// The state before is kept by the caller until leaveLoop.
  void enterLoop();
  /// At the end of a turn: must a barrier stand before the next one?
  bool nextTurnNeedsBarrier() const { return pending.conflictWith(first); }
  /// `before`: the state at enterLoop. There may have been no turn.
  void leaveLoop(const Hazards &before);
  /// Two ways come together.
  void join(const Hazards &other);

  /// A staged tile that an instruction will read was written since the last
  /// barrier.
  bool isUnpublished = false;

private:
  Accesses pending;        // since the last barrier
  Accesses first;          // of this turn, before its first barrier
  bool hasBarrier = false; // on every way through this turn so far
};

class Scratch {
public:
  /// Small regions avoid what is pending, so that they need no barrier.
  Region allocate(uint64_t bytes, const Accesses &pending,
                  uint64_t alignment = 16);
  /// Frees a region and all that lie above it and are free.
  void release(const Region &region);
  /// The most that was in use.
  uint64_t highWater() const { return most; }

private:
  struct Block {
    Region region;
    bool isFree;
  };
  llvm::SmallVector<Block> stack;
  uint64_t most = 0;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
