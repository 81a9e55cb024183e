//===- Scratch.h - shared memory of a block, and its hazards --------------===//
//
// What   Space for staged tiles and for exchanges, as a stack; what was read and
//        written since the last barrier.
// Why    A barrier stands exactly where one thread may see what another one has
//        not yet written, or has not yet read.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
#define TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tz::simt {

/// Bytes [offset, offset + bytes) of shared memory.
struct Region {
  uint64_t offset = 0, bytes = 0;
  bool overlaps(const Region &other) const {
    return offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
};

class Scratch {
public:
  Region allocate(uint64_t bytes, uint64_t alignment = 16);
  /// Frees a region and all that lie above it and are free.
  void release(const Region &region);
  /// The most that was in use.
  uint64_t highWater() const { return most; }

  /// Must a barrier stand before this access? If so, none is pending after it.
  bool readNeedsBarrier(const Region &region);
  bool writeNeedsBarrier(const Region &region);
  /// A barrier was emitted.
  void settle();
  /// Control flow joins here: anything may be pending.
  void forget();

private:
  struct Block {
    Region region;
    bool isFree;
  };
  llvm::SmallVector<Block> stack;
  llvm::SmallVector<Region> reads, writes;
  uint64_t most = 0;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
