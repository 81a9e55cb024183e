//===- InPlace.cpp - Stores to the addresses that were loaded -------------===//
//
// What   Finds the loads that a store's nest computes lane by lane although
//        the store writes the very addresses that they read, and proves or
//        asks at run time that no two lanes share one.
// Why    All lanes load before any lane stores (decision R6). Where rows
//        overlap, what one lane has stored would be what a later one loads;
//        there the tile is copied first. Everywhere else a copy would be time
//        lost.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include <cstdlib>
#include <limits>

using namespace llvm;

namespace tz::cpu {

static bool isKnownTrue(const Value *condition) {
  auto *known = dyn_cast<ConstantInt>(condition);
  return known && known->isOne();
}

SmallVector<mlir::Operation *>
CpuLowering::loadsInPlace(mlir::Operation *store, mlir::Value address) const {
  SmallVector<mlir::Operation *> loads;
  for (mlir::Operation *user : address.getUsers()) {
    if (!isa<tile::LoadOp, tile::LoadViewOp>(user) ||
        user->getBlock() != store->getBlock() ||
        !haveSameAddresses(user, store)) {
      continue;
    }
    const ValuePlan &planned = plan.of(user->getResult(0));
    if (planned.way == Way::Fused && planned.last() == plan.position(store) &&
        !bufferOf(user->getResult(0))) {
      loads.push_back(user);
    }
  }
  return loads;
}

void CpuLowering::copyLoadsInPlace(tile::StoreOp store) {
  for (mlir::Operation *load : loadsInPlace(store, store.getPointer())) {
    if (!isKnownTrue(lanesApart(store.getPointer()))) {
      mlir::Value loaded = load->getResult(0);
      define(loaded, materialise(loaded));
    }
  }
}

void Nest::copyLoadsInPlace(tile::StoreViewOp store) {
  for (mlir::Operation *op : l.loadsInPlace(store, store.getView())) {
    auto load = cast<tile::LoadViewOp>(op);
    Value *condition = l.lanesApart(load, store);
    if (!isKnownTrue(condition)) {
      copies[load.getResult()] = l.allocateTemporary(load.getType());
      apart = apart ? b.CreateAnd(apart, condition) : condition;
    }
  }
}

/// Do the lanes of dimensions with these strides, over so many lanes each, lie
/// at different places? True where each stride is longer than all that the
/// dimensions before it reach. Known strides go first, rising, then the others
/// from the last dimension on, as rows mostly lie; another order would only
/// answer "perhaps not" more often.
static Value *areApart(IRBuilderBase &b, ArrayRef<Value *> strides,
                       ArrayRef<Value *> extents) {
  SmallVector<std::pair<uint64_t, size_t>, 4> order;
  for (size_t d = 0; d < strides.size(); ++d) {
    auto *known = dyn_cast<ConstantInt>(strides[d]);
    order.push_back({known ? known->getValue().abs().getZExtValue()
                           : std::numeric_limits<uint64_t>::max(),
                     strides.size() - 1 - d});
  }
  llvm::sort(order);
  Value *apart = b.getTrue(), *reach = b.getInt64(0), *one = b.getInt64(1);
  for (auto [known, fromLast] : order) {
    Value *stride = strides[strides.size() - 1 - fromLast];
    Value *extent = extents[strides.size() - 1 - fromLast];
    Value *length = b.CreateSelect(b.CreateICmpSLT(stride, b.getInt64(0)),
                                   b.CreateNeg(stride), stride);
    Value *clear = b.CreateOr(b.CreateICmpSLE(extent, one),
                              b.CreateICmpUGT(length, reach));
    apart = b.CreateAnd(apart, clear);
    reach = b.CreateAdd(reach, b.CreateMul(length, b.CreateSub(extent, one)));
  }
  return apart;
}

Value *CpuLowering::lanesApart(mlir::Value pointer) {
  SmallVector<Value *, 4> strides, extents;
  for (auto [d, extent] : llvm::enumerate(tile::shapeOf(pointer.getType()))) {
    std::optional<int64_t> stride =
        Nest::strideOf(*this, pointer, static_cast<int>(d));
    // Beyond any address; sums of products of others stay below 2^63.
    if (!stride || std::abs(*stride) >> 40) {
      return b.getFalse();
    }
    strides.push_back(b.getInt64(static_cast<uint64_t>(*stride)));
    extents.push_back(b.getInt64(static_cast<uint64_t>(extent)));
  }
  return areApart(b, strides, extents);
}

Value *CpuLowering::lanesApart(tile::LoadViewOp load, tile::StoreViewOp store) {
  const ViewParts &parts = view(store.getView());
  SmallVector<Value *, 4> whole, inside;
  for (auto [d, size] : llvm::enumerate(
           cast<tile::ViewType>(store.getView().getType()).getShape())) {
    Value *extent = b.getInt64(static_cast<uint64_t>(size));
    whole.push_back(extent);
    if (load.getChecked()[d] && store.getChecked()[d]) {
      // Lanes outside of the view are at no address.
      extent = b.CreateSelect(b.CreateICmpSLT(parts.shape[d], extent),
                              parts.shape[d], extent);
    }
    inside.push_back(extent);
  }
  Value *apart = areApart(b, parts.strides, whole);
  return inside == whole || isKnownTrue(apart)
             ? apart
             : areApart(b, parts.strides, inside);
}

} // namespace tz::cpu
