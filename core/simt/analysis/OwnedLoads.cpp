//===- OwnedLoads.cpp - loads that owners do alone ------------------------===//
//
// What   See OwnedLoads.h.
// Why    See OwnedLoads.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/OwnedLoads.h"

#include "terrazzo/simt/Simt.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

bool tz::simt::hasCopies(const Layout &layout) {
  return layout.redundantBits(Axis::Lane) != 0 ||
         layout.redundantBits(Axis::Warp) != 0 ||
         layout.redundantBits(Axis::Block) != 0 ||
         llvm::any_of(layout.repeats(), Layout::isRedundant);
}

/// Does each thread compute its elements of the result from its own ones?
static bool isByElement(Operation *op, Attribute layout) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<arith::SelectOp, tile::HintOp>(op)) &&
         isMemoryEffectFree(op) &&
         cast<RankedTensorType>(op->getResult(0).getType()).getEncoding() ==
             layout;
}

/// Does the tile, through ops by element, reach stores alone?
static bool reachesStoresAlone(Value tile) {
  constexpr size_t mostOps = 64;
  const Attribute layout = cast<RankedTensorType>(tile.getType()).getEncoding();
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value value) {
    ops.insert(value.user_begin(), value.user_end());
  };
  add(tile);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (isa<tile::StoreOp, tile::StoreViewOp>(ops[i])) {
      continue;
    }
    if (i == mostOps || !isByElement(ops[i], layout)) {
      return false;
    }
    add(ops[i]->getResult(0));
  }
  return true;
}

static bool storesTo(tile::KernelOp kernel, uint64_t group) {
  return kernel
      .walk([&](tile::StoreViewOp store) {
        return store.getGroup() == group ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tz::simt::isLoadedByOwners(tile::LoadViewOp load) {
  auto type = cast<RankedTensorType>(load.getResult().getType());
  return isa_and_present<LayoutAttr>(type.getEncoding()) &&
         hasCopies(layoutOf(type)) &&
         storesTo(load->getParentOfType<tile::KernelOp>(), load.getGroup()) &&
         reachesStoresAlone(load.getResult());
}
