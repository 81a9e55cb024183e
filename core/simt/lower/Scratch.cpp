//===- Scratch.cpp - shared memory of a block, and its hazards ------------===//
//
// What   See Scratch.h.
// Why    See Scratch.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/Scratch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tz::simt;

Region Scratch::allocate(uint64_t bytes, uint64_t alignment) {
  uint64_t top =
      stack.empty() ? 0
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

bool Scratch::readNeedsBarrier(const Region &region) {
  bool needed = touches(writes, region);
  if (needed) {
    settle();
  }
  reads.push_back(region);
  return needed;
}

bool Scratch::writeNeedsBarrier(const Region &region) {
  bool needed = touches(writes, region) || touches(reads, region);
  if (needed) {
    settle();
  }
  writes.push_back(region);
  return needed;
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
