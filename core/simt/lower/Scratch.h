//===- Scratch.h - shared memory of a block, and its hazards --------------===//
//
// What   Space for staged tiles and for exchanges, as a stack; what was read
//        and written since the last barrier.
// Why    A barrier stands exactly where one thread may see what another one has
//        not yet written, or has not yet read.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
#define TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tz::simt {

/// Bytes [offset, offset + bytes) of shared memory.
struct Region {
  uint64_t offset = 0, bytes = 0;
  bool overlaps(const Region &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

class Scratch {
public:
  Region allocate(uint64_t bytes, uint64_t alignment = 16);
  /// Frees a region and all that lie above it and are free.
  void release(const Region &region);
  /// The most that was in use.
  uint64_t highWater() const { return most; }

  /// Must a barrier stand before this access?
  bool readConflicts(const Region &region) const;
  bool writeConflicts(const Region &region) const;
  void noteRead(const Region &region) { reads.push_back(region); }
  void noteWrite(const Region &region) { writes.push_back(region); }
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

/// Accesses to device memory since the last barrier, by R6 group. Threads of a
/// block are not in order among each other, a program's accesses are (O1).
class MemoryOrder {
public:
  explicit MemoryOrder(tile::KernelOp kernel);

  /// Must a barrier stand before this op's access?
  bool conflicts(mlir::Operation *op) const;
  void note(mlir::Operation *op);
  void settle() { pending.clear(); }
  void forget() { pending = all; }

private:
  struct Access {
    int64_t group;
    bool isWrite;
  };
  static std::optional<Access> accessOf(mlir::Operation *op);

  llvm::SmallVector<Access> all, pending;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_SCRATCH_H
