//===- MemoryOrder.cpp - which accesses to memory are in order ------------===//
//
// What   See MemoryOrder.h.
// Why    See MemoryOrder.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/MemoryOrder.h"

#include "terrazzo/simt/Simt.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// Without what an atomic orders beside its own memory.
static std::optional<MemoryAccess> ownAccess(Operation *op) {
  if (!isa<tile::LoadOp, tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp,
           tile::AtomicRMWOp, tile::AtomicCASOp, BulkStoreOp>(op)) {
    return std::nullopt;
  }
  auto group = op->getAttrOfType<IntegerAttr>("group");
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = isa<tile::LoadViewOp>(op) || (load && !load.getIsVolatile());
  return MemoryAccess{group ? group.getInt() : 0, !isRead};
}

std::optional<MemoryAccess> tz::simt::accessOf(Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  auto cas = dyn_cast<tile::AtomicCASOp>(op);
  if ((rmw && rmw.getSem() != tile::MemSem::relaxed) ||
      (cas && cas.getSem() != tile::MemSem::relaxed)) {
    return MemoryAccess{0, true};
  }
  return ownAccess(op);
}

std::optional<MemoryAccess> tz::simt::accessAheadOf(Operation *op) {
  return op->use_empty() ? ownAccess(op) : accessOf(op);
}
