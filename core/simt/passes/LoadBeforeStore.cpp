//===- LoadBeforeStore.cpp - simt-load-before-store -----------------------===//
//
// What   A load behind a store that it cannot meet begins before it, beside the
//        loads before it.
// Why    A kernel that copies or scales several tiles loads one, stores it and
//        loads the next one: it waits for memory as often as it has tiles. The
//        later stages keep loads behind stores, as they do not know which
//        arrays are different ones.
// Example (test/simt/load-before-store.mlir; lines with tile.load_view, tile.store_view, arith.mulf)
//   before
//     ...
//     %a = tile.load_view %from[%zero] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
//     %scaled = arith.mulf %a, %two : tensor<128xf32>
//     tile.store_view %to[%zero], %scaled checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32>
//     %b = tile.load_view %from[%far] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
//     tile.store_view %to[%far], %b checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32>
//   after
//     ...
//     %2 = tile.load_view %0[%c0_i64] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32, #layout>
//     %3 = tile.load_view %0[%c4096_i64] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32, #layout>
//     %4 = arith.mulf %2, %cst : tensor<128xf32, #layout>
//     tile.store_view %1[%c0_i64], %4 checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32, #layout>
//     tile.store_view %1[%c4096_i64], %3 checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32, #layout>
// Keeps  the order of all accesses that may meet (R6), and of the loads.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/passes/LoadSlice.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_LOADBEFORESTORE
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// A part of a block in which loads may pass stores.
class Stretch {
public:
  /// Takes the next op of the block. False: it ends the stretch.
  bool add(Operation &op);
  size_t moved() const { return count; }

private:
  struct Store {
    Operation *op;
    MemoryAccess access;
    Operation *load;       // the last one between the store before and this one
    int64_t registers = 0; // of loads that have passed it
  };

  void begin(Operation &load);

  SmallVector<Store> stores;
  Operation *lastLoad = nullptr; // behind the last store
  size_t count = 0;
};

/// Moves the load before the first store from which on it may pass all, and
/// registers are left for it.
void Stretch::begin(Operation &load) {
  // With all warps of a multiprocessor, enough to keep its memory busy.
  constexpr int64_t mostRegisters = 16;
  const std::optional<MemoryAccess> access = accessOf(&load);
  const int64_t registers = registersOf(load.getResult(0));
  size_t first = stores.size();
  while (access && first > 0 && !stores[first - 1].access.meets(*access) &&
         stores[first - 1].registers + registers <= mostRegisters) {
    --first;
  }
  for (; first < stores.size(); ++first) {
    Store &store = stores[first];
    LoadSlice slice;
    if (!addToSlice(store.load ? store.load->getNextNode() : store.op, &load,
                    slice)) {
      continue;
    }
    for (Operation *op : slice) {
      if (store.load) {
        op->moveAfter(store.load);
        store.load = op;
      } else {
        op->moveBefore(store.op);
      }
    }
    store.load = &load;
    for (Store &passed : MutableArrayRef(stores).drop_front(first)) {
      passed.registers += registers;
    }
    ++count;
    return;
  }
  lastLoad = &load;
}

bool Stretch::add(Operation &op) {
  constexpr size_t mostStores = 32; // a load is compared with each
  if (isMovableLoad(&op)) {
    begin(op);
    return true;
  }
  if (isa<tile::StoreOp, tile::StoreViewOp>(op)) {
    const std::optional<MemoryAccess> access = accessAheadOf(&op);
    if (!access || stores.size() == mostStores) {
      return false;
    }
    stores.push_back({&op, *access, std::exchange(lastLoad, nullptr)});
    return true;
  }
  return isMemoryEffectFree(&op) &&
         (op.getNumRegions() == 0 || isa<tile::ReduceOp, tile::ScanOp>(op));
}

struct LoadBeforeStore : tz::simt::impl::LoadBeforeStoreBase<LoadBeforeStore> {
  void runOnOperation() override {
    const size_t all = moveLoads<Stretch>(getOperation());
    begun += all;
    if (all == 0) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace

std::unique_ptr<Pass> tz::simt::createLoadBeforeStore() {
  return std::make_unique<LoadBeforeStore>();
}
