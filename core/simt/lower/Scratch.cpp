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

Region Scratch::allocate(uint64_t bytes, uint64_t alignment) {
  uint64_t top = stack.empty()
                     ? 0
                     : stack.back().region.offset + stack.back().region.bytes;
  Region region{llvm::alignTo(top, alignment), bytes};
  stack.push_back({region, false});
  most = std::max(most, region.offset + bytes);
  return region;
}

void Scratch::release(const Region &region) {
  for (Block &block : stack) {
    if (block.region.offset == region.offset &&
        block.region.bytes == region.bytes) {
      block.isFree = true;
    }
  }
  while (!stack.empty() && stack.back().isFree) {
    stack.pop_back();
  }
}

static bool touches(llvm::ArrayRef<Region> regions, const Region &region) {
  return llvm::any_of(
      regions, [&](const Region &other) { return other.overlaps(region); });
}

bool Scratch::readConflicts(const Region &region) const {
  return touches(writes, region);
}

bool Scratch::writeConflicts(const Region &region) const {
  return touches(writes, region) || touches(reads, region);
}

void Scratch::settle() {
  reads.clear();
  writes.clear();
}

void Scratch::forget() {
  // What will be allocated later in program order may have been used earlier
  // in the turn of a loop before.
  Region all{0, uint64_t{1} << 62};
  reads.assign(1, all);
  writes.assign(1, all);
}

MemoryOrder::MemoryOrder(tile::KernelOp kernel) {
  kernel.walk([&](mlir::Operation *op) {
    if (std::optional<Access> access = accessOf(op)) {
      all.push_back(*access);
    }
  });
}

std::optional<MemoryOrder::Access> MemoryOrder::accessOf(mlir::Operation *op) {
  if (!isa<tile::LoadOp, tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp,
           tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return std::nullopt;
  }
  auto group = op->getAttrOfType<mlir::IntegerAttr>("group");
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = isa<tile::LoadViewOp>(op) || (load && !load.getIsVolatile());
  return Access{group ? group.getInt() : 0, !isRead};
}

bool MemoryOrder::conflicts(mlir::Operation *op) const {
  Access mine = *accessOf(op);
  return llvm::any_of(pending, [&](const Access &other) {
    return (mine.isWrite || other.isWrite) &&
           (mine.group == other.group || mine.group == 0 || other.group == 0);
  });
}

void MemoryOrder::note(mlir::Operation *op) {
  pending.push_back(*accessOf(op));
}
