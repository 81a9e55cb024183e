//===- PrintMemoryOrder.cpp - simt-print-memory-order, -vectors -----------===//
//---------------===//
//
// What   Of each access to memory its order (R6), and how a load sees it that
// is
//        to go ahead of it. Of each one with a layout, how many elements a
//        thread accesses at once.
//
//   tile.store_view: writes group 1, other memory in each iteration
//   tile.atomic_rmw %7: writes group 0; ahead of it: writes group 2
//   tile.load %9: 4 along dim 0
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/analysis/Vectors.h"
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/simt/SimtMachine.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

static void write(const MemoryAccess &access, llvm::raw_ostream &out) {
  out << (access.isWrite ? "writes" : "reads") << " group " << access.group
      << (access.moving ? ", other memory in each iteration" : "");
}

Describe tz::opt::describeMemoryOrder(tile::KernelOp) {
  return {nullptr, [](Operation *op, AsmState &, llvm::raw_ostream &out) {
            std::optional<MemoryAccess> access = accessOf(op);
            if (!access) {
              return;
            }
            write(*access, out);
            std::optional<MemoryAccess> ahead = accessAheadOf(op);
            if (ahead != access) {
              out << "; ahead of it: ";
              write(*ahead, out);
            }
          }};
}

static std::optional<VectorAccess> vectorOf(const Contiguity &runs,
                                            Operation *op) {
  const SimtMachine plain;
  auto layoutFrom = [](Value tile) -> const Layout * {
    return hasLayout(tile.getType()) ? &layoutOf(tile.getType()) : nullptr;
  };
  if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
    const Layout *layout = layoutFrom(op->getResult(0));
    return layout ? std::optional(
                        vectorOfLoad(runs, op, *layout, plain.vectorBytes()))
                  : std::nullopt;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    const Layout *layout = layoutFrom(store.getValue());
    return layout ? std::optional(vectorOfPointers(runs, store.getPointer(),
                                                   store.getMask(), *layout,
                                                   plain.vectorBytes()))
                  : std::nullopt;
  }
  if (auto store = dyn_cast<tile::StoreViewOp>(op)) {
    const Layout *layout = layoutFrom(store.getValue());
    return layout ? std::optional(vectorOfView(
                        runs, store.getView(), store.getOffsets(),
                        store.getChecked(), *layout, plain.vectorBytes()))
                  : std::nullopt;
  }
  return std::nullopt;
}

Describe tz::opt::describeVectors(tile::KernelOp kernel) {
  auto runs = std::make_shared<Contiguity>(kernel);
  return {nullptr, [runs](Operation *op, AsmState &, llvm::raw_ostream &out) {
            if (std::optional<VectorAccess> vector = vectorOf(*runs, op)) {
              out << vector->count << " along dim " << vector->dim;
            }
          }};
}
