//===- Order.cpp - Which program comes next -------------------------------===//
//
// What   Whether a thread takes the programs of a two-dimensional grid along
//        its second axis first.
// Why    Programs may run in any order. Where those along the second axis write
//        neighbouring pieces of a row, and those along the first one other
//        rows, the usual order goes down the rows piece by piece: each program
//        begins another page, and nothing is fetched ahead.
//
//   out + program_id(0) * columns + program_id(1) * BLOCK + range
//       ids (0,0) (1,0) (2,0) ...  become  (0,0) (0,1) (0,2) ...
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include <cstdlib>

using namespace llvm;

namespace tz::cpu {

namespace {

/// Programs along `first` go on where the one before them ended, or nearly so;
/// those along `second` are far away.
bool goesAlong(const Steps &steps, unsigned first, unsigned second) {
  constexpr int64_t near = 4096;
  const Step along = steps[first], across = steps[second];
  return along.known && along.by != 0 && std::abs(along.by) <= near &&
         (!across.known || std::abs(across.by) > std::abs(along.by));
}

} // namespace

bool CpuLowering::takesSecondAxisFirst() {
  // What programs print comes in the order of their ids, if one thread runs
  // them.
  if (waits() || usesLog) {
    return false;
  }
  bool second = false, first = false;
  kernel->walk([&](mlir::Operation *op) {
    // Products have their own order: of the operands that they read again.
    first |= isa<tile::DotOp>(op);
    const bool reads = isa<tile::LoadOp, tile::LoadViewOp>(op),
               writes = isa<tile::StoreOp, tile::StoreViewOp, tile::AtomicRMWOp,
                            tile::AtomicCASOp>(op);
    if (first || !(reads || writes)) {
      return;
    }
    const Steps apart = steps.ofAccess(op);
    first |= goesAlong(apart, 0, 1) && !apart[1].isZero();
    if (writes) {
      const bool along = goesAlong(apart, 1, 0) && !apart[0].isZero();
      second |= along;
      first |= !along;
    }
  });
  return second && !first;
}

} // namespace tz::cpu
