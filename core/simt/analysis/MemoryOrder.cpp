//===- MemoryOrder.cpp - which accesses to memory are in order ------------===//
//
// What   See MemoryOrder.h.
// Why    See MemoryOrder.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/MemoryOrder.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// Is the value one of the loop's counter, and by as much more each iteration?
static bool countsIterationsOf(Value value, scf::ForOp loop) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ExtSIOp, arith::ExtUIOp, tile::HintOp>(op)) {
      value = op->getOperand(0);
    } else if (auto sum = dyn_cast<arith::AddIOp>(op)) {
      const bool isLeft = loop.isDefinedOutsideOfLoop(sum.getRhs());
      if (!isLeft && !loop.isDefinedOutsideOfLoop(sum.getLhs())) {
        return false;
      }
      value = isLeft ? sum.getLhs() : sum.getRhs();
    } else {
      return false;
    }
  }
  return value == loop.getInductionVar();
}

/// Does a store to a view of one dimension go on by at least its block each
/// iteration? (Elements beside each other in more dimensions may be the same.)
static bool isMoving(tile::StoreViewOp store) {
  Operation *parent = store->getParentOp();
  while (isa<scf::IfOp>(parent)) {
    parent = parent->getParentOp();
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  auto view = store.getView().getDefiningOp<tile::MakeViewOp>();
  IntegerAttr step;
  if (!loop || !view || loop->isAncestor(view) ||
      view.getStrides().size() != 1 ||
      !matchPattern(view.getStrides()[0], m_One()) ||
      !matchPattern(loop.getStep(), m_Constant(&step))) {
    return false;
  }
  return step.getInt() >= store.getView().getType().getShape()[0] &&
         countsIterationsOf(store.getOffsets()[0], loop);
}

/// What each element that the store writes gets, if that is a constant.
static Attribute constantOf(Operation *op) {
  Value value;
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    value = store.getValue();
  } else if (auto ofView = dyn_cast<tile::StoreViewOp>(op)) {
    value = ofView.getValue();
  } else {
    return nullptr;
  }
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat->getOperand(0);
  }
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant))) {
    return nullptr;
  }
  auto splat = dyn_cast<SplatElementsAttr>(constant);
  return splat ? splat.getSplatValue<Attribute>()
         : isa<FloatAttr, IntegerAttr>(constant) ? constant
                                                 : nullptr;
}

bool tz::simt::storeOneConstant(Operation *one, Operation *other) {
  const Attribute constant = constantOf(one);
  return constant && constant == constantOf(other);
}

std::optional<MemoryAccess> tz::simt::ownAccess(Operation *op) {
  if (!isa<tile::LoadOp, tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp,
           tile::AtomicRMWOp, tile::AtomicCASOp, BulkStoreOp, LoadBlockOp,
           StoreBlockOp>(op)) {
    return std::nullopt;
  }
  auto group = op->getAttrOfType<IntegerAttr>("group");
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead =
      isa<tile::LoadViewOp, LoadBlockOp>(op) || (load && !load.getIsVolatile());
  auto store = dyn_cast<tile::StoreViewOp>(op);
  return MemoryAccess{
      group ? group.getInt() : 0, !isRead,
      store && isMoving(store) ? op : nullptr,
      store || isa<tile::LoadViewOp, tile::LoadOp, tile::StoreOp>(op)
          ? op
          : nullptr};
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
