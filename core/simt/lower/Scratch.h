//===- Scratch.h - shared memory of a block, and its hazards --------------===//
//
// What   Space for staged tiles and for exchanges, as a stack; what was read
//        and written since the last barrier.
// Why    A barrier stands exactly where one thread may see what another one has
//        not yet written, or has not yet read.
//
// Hazards follow the control flow: both sides of a branch begin with what is
// pending before it; a loop's body begins with what is pending before the loop,
// and a barrier ends each iteration only if the next one would meet this one.
// Bulk stores go on over barriers: they are waited for before what would meet
// them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
#define TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H

#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/analysis/RowIndices.h"

#include "terrazzo/simt/SimtHooks.h"

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
  /// Those of a load, store or atomic of tile IR, or a bulk store: threads of a
  /// block are not in order among each other, a program's accesses are (R6,
  /// O1).
  static Accesses of(mlir::Operation *op);
  /// Of all device memory.
  static Accesses ofAll() { return {{}, {}, {{0, true}}}; }

  void add(const Accesses &other);
  /// Which memories must a barrier order between these and `later` ones?
  Memories conflictWith(const Accesses &later) const {
    return conflict(later, /*inLaterIteration=*/false);
  }
  /// ... those of a later iteration of the loop around both?
  Memories conflictWithIteration(const Accesses &later) const {
    return conflict(later, /*inLaterIteration=*/true);
  }
  /// Do they conflict with none of a later iteration of the loop around both,
  /// if all of `apart` holds, to which what must hold is added?
  bool isApartInIterationsIf(const Accesses &later,
                             llvm::SmallVectorImpl<RowsApart> &apart) const;
  /// Those to other memories.
  Accesses without(Memories memories) const;
  /// A loop was left: what it accessed in different iterations may be the same
  /// memory, if it runs again.
  void stopMoving();

  llvm::SmallVector<Region> reads, writes; // of shared memory
  llvm::SmallVector<MemoryAccess> memory;

private:
  Memories conflict(const Accesses &later, bool inLaterIteration) const;
  bool conflictsInShared(const Accesses &later) const;
};

/// Accesses that nothing has separated from what comes, followed through loops
/// and branches.
class OpenAccesses {
public:
  Memories conflictWith(const Accesses &next) const {
    return pending.conflictWith(next);
  }
  /// Meets what the next iteration of the loop does first?
  Memories meetsNextIteration() const {
    return pending.conflictWithIteration(first);
  }
  bool
  isApartFromNextIterationIf(llvm::SmallVectorImpl<RowsApart> &apart) const {
    return pending.isApartInIterationsIf(first, apart);
  }
  const Accesses &all() const { return pending; }

  void open(const Accesses &accesses) { pending.add(accesses); }
  /// What these accesses may meet happens.
  void pass(const Accesses &accesses) { first.add(accesses.without(settled)); }
  void settle(Memories memories) {
    pending = pending.without(memories);
    settled = settled | memories;
  }

  void enterLoop() {
    first = {};
    settled = Memories::none;
  }
  void leaveLoop(const OpenAccesses &before);
  void join(const OpenAccesses &other);

private:
  Accesses pending;
  Accesses first; // of this iteration, before it was first settled
  /// On every way through this iteration so far.
  Memories settled = Memories::none;
};

class Hazards {
public:
  /// Of which memories must a barrier stand before these?
  Memories needsBarrier(const Accesses &next) const {
    return threads.conflictWith(next);
  }
  void note(const Accesses &accesses);
  /// How often accesses were noted.
  uint64_t count() const { return noted; }
  /// A barrier was emitted, which orders these.
  void settle(Memories memories);
  /// Accesses to shared memory since the last barrier.
  const Accesses &sinceBarrier() const { return threads.all(); }

  /// A bulk store was begun: it reads `from`, and writes as `stored` says.
  void noteBulkStore(const Region &from, const Accesses &stored);
  /// Must bulk stores have read what they store?
  bool needsBulkReads(const Accesses &next) const {
    return engineReads.conflictWith(next) != Memories::none;
  }
  /// Must they have written it?
  bool needsBulkWrites(const Accesses &next) const {
    return engineWrites.conflictWith(next) != Memories::none;
  }
  /// They were waited for, `areDone`: until they had written.
  void settleBulkStores(bool areDone);

  /// Must threads that have accessed device memory publish that, so that a bulk
  /// store comes behind it?
  bool needsPublishing(const Accesses &stored) const {
    return unpublished.conflictWith(stored) != Memories::none;
  }
  /// They did.
  void publishAccesses() { unpublished = {}; }

  /// The state before is kept by the caller until leaveLoop. `stored`: what
  /// bulk stores of the loop write; `accessed`: device memory that its threads
  /// access.
  void enterLoop(const Accesses &stored, const Accesses &accessed);
  /// At the end of an iteration: of which memories must a barrier stand before
  /// the next one?
  Memories nextIterationNeedsBarrier() const {
    return threads.meetsNextIteration();
  }
  /// Needs the next one no barrier, if all of `apart` holds?
  bool
  isApartFromNextIterationIf(llvm::SmallVectorImpl<RowsApart> &apart) const {
    return threads.isApartFromNextIterationIf(apart);
  }
  /// `before`: the state at enterLoop. There may have been no iteration.
  void leaveLoop(const Hazards &before);
  /// Two ways come together.
  void join(const Hazards &other);

  /// A staged tile that an instruction will read was written since the last
  /// barrier.
  bool isUnpublished = false;

private:
  uint64_t noted = 0;
  OpenAccesses threads; // since the last barrier
  /// Stores of the iteration before count from the loop's entry on, not at its
  /// end: they have the whole iteration until the next store.
  Accesses engineReads, engineWrites;
  /// Device memory that threads have accessed, on some way to here; of a loop,
  /// from its entry on.
  Accesses unpublished;
};

class Scratch {
public:
  /// Small regions avoid what is pending, so that they need no barrier.
  Region allocate(uint64_t bytes, const Accesses &pending,
                  uint64_t alignment = 16);
  /// Frees a region and all that lie above it and are free.
  void release(const Region &region);
  /// The end of what is in use.
  uint64_t top() const {
    return stack.empty()
               ? 0
               : stack.back().region.offset + stack.back().region.bytes;
  }
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
