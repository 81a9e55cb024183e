//===- MemoryOrder.h - which accesses to memory are in order ----*- C++ -*-===//
//
// What   An op's access to device memory as R6 orders it: its group, and
//        whether it writes.
// Why    The pipeline asks what a load may go ahead of, the lowering where a
//        barrier must stand between threads: they agree on what an access is.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_MEMORYORDER_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_MEMORYORDER_H

#include "core/simt/analysis/DisjointAccesses.h"
#include "core/simt/analysis/Residues.h"

#include "terrazzo/ir/Tile.h"

#include <optional>

namespace tz::simt {

/// On a store of the threads in the place of a bulk store, where that one
/// cannot be: rare, so it takes its tile in whatever layout it is, and
/// publishes what it stores, lest bulk stores must do it each time.
inline constexpr llvm::StringLiteral InsteadOfBulk = "simt.instead_of_bulk";

/// Do two stores write one constant wherever they write? Then each may be the
/// last one.
bool storeOneConstant(mlir::Operation *one, mlir::Operation *other);

struct MemoryAccess {
  int64_t group; // 0: ordered with all
  bool isWrite;
  /// The op, if it accesses other memory in each iteration of the loop around
  /// it.
  mlir::Operation *moving = nullptr;
  /// The op, if it may be asked which elements it accesses.
  mlir::Operation *placed = nullptr;
  /// Reads of so much memory stand before writes, whichever thread does them
  /// (SimtHooks::bytesReadFirst).
  bool isReadFirst = false;
  /// A loop was left: `placed` stands for all its iterations.
  bool hasLeftLoop = false;
  bool operator==(const MemoryAccess &) const = default;

  /// Does the order of the two matter, wherever in their group they access?
  bool meetsGroup(const MemoryAccess &other) const {
    return (isWrite || other.isWrite) &&
           (group == other.group || group == 0 || other.group == 0) &&
           !(placed && other.placed && storeOneConstant(placed, other.placed));
  }
  /// ... if both are in the same iterations of the loops around both?
  bool meets(const MemoryAccess &other) const {
    return meetsGroup(other) &&
           !(isHere() && other.isHere() && areDisjoint(placed, other.placed)) &&
           !hasOtherResidue(other, isHere() && other.isHere());
  }
  /// ... if the other one comes in a later iteration of the loop around both?
  bool meetsLater(const MemoryAccess &other) const {
    return meetsGroup(other) && !(moving && moving == other.moving) &&
           !(isHere() && other.isHere() &&
             areDisjointInIterations(placed, other.placed)) &&
           !hasOtherResidue(other, /*inSameIterations=*/false);
  }
  /// Where the order matters: does it matter only within each thread?
  /// `isLater`: the other one may come in a later iteration of the loops around
  /// both.
  bool staysWithinThreads(const MemoryAccess &other, bool isLater) const {
    return placed && other.placed && !(isReadFirst && other.isReadFirst) &&
           areApartByThread(placed, other.placed,
                            !isLater && !hasLeftLoop && !other.hasLeftLoop);
  }

private:
  bool isHere() const { return placed && !hasLeftLoop; }
  bool hasOtherResidue(const MemoryAccess &other, bool inSameIterations) const {
    return placed && other.placed &&
           haveOtherResidues(placed, other.placed, inSameIterations);
  }
};

/// The access of a load, store or atomic of tile IR, or a bulk store. An atomic
/// that acquires or releases is in order with all accesses: other threads'
/// stores stay before it, and their loads behind it.
std::optional<MemoryAccess> accessOf(mlir::Operation *op);

/// The same without what an atomic orders beside its own memory.
std::optional<MemoryAccess> ownAccess(mlir::Operation *op);

/// What accessOf gives, as a load sees it that is to go ahead of the op. It may
/// pass a release; and an acquire orders nothing for a program that does not
/// look at what it brought. So if the atomic's result has no use, only the
/// memory that it updates counts.
std::optional<MemoryAccess> accessAheadOf(mlir::Operation *op);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_MEMORYORDER_H
