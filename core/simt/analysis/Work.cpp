//===- Work.cpp - what a thread computes and moves ------------------------===//
//
// What   See Work.h.
// Why    See Work.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Work.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

Work tz::simt::workOf(tile::KernelOp kernel) {
  Work work;
  auto count = [](Type type) {
    return hasLayout(type) ? int64_t(layoutOf(type).size(Axis::Register)) : 0;
  };
  auto move = [&](Type type) {
    work.bytes += count(type) * tile::storageBytes(tile::elementType(type));
  };
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      move(op->getResult(0).getType());
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      move(store.getValue().getType());
    } else if (auto store = dyn_cast<tile::StoreViewOp>(op)) {
      move(store.getValue().getType());
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      Type type = op->getResult(0).getType();
      const bool isFloat = isa<FloatType>(tile::elementType(type));
      (isFloat ? work.floats : work.others) += count(type);
    } else if (isa<LoopLikeOpInterface, tile::ReduceOp, tile::ScanOp>(op)) {
      work.isElementwise = false;
    }
  });
  return work;
}
