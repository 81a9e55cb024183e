//===- MarkLastReads.cpp - simt-mark-last-reads ---------------------------===//
//
// What   Where loops read a view one after the other, what the last of them
//        reads may leave the cache first, and so may what the kernel stores and
//        does not read.
// Why    A normalisation reads its row two or three times. The rows of blocks
//        that run beside each other just fit into the cache next to the units;
//        what nobody reads again drives out what is still wanted.
// Example (test/simt/mark-last-reads.mlir; lines with scf., _view, evict)
//   before
//     ...
//     %vx = tile.make_view %x shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
//     %vw = tile.make_view %w shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
//     %vy = tile.make_view %y shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
//     %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%t = %zero) -> (tensor<1024xf32>) : i32 {
//       ...
//       %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
//       ...
//       scf.yield %next : tensor<1024xf32>
//     }
//     scf.for %i = %c0 to %n step %c1024 : i32 {
//       ...
//       %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
//       %s = tile.load_view %vw[%at] checked [false] {group = 2 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
//       ...
//       tile.store_view %vy[%at], %p checked [false] {group = 3 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
//     }
//     %rest = tile.load_view %vx[%size] checked [true] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
//     tile.store_view %vy[%size], %rest checked [true] {group = 3 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
//   after
//     ...
//     %1 = tile.make_view %arg0 shape[%0] strides[%c1_i64] : <f32> -> <1024xf32>
//     %2 = tile.make_view %arg1 shape[%0] strides[%c1_i64] : <f32> -> <1024xf32>
//     %3 = tile.make_view %arg2 shape[%0] strides[%c1_i64] : <f32> -> <1024xf32>
//     %4 = scf.for %arg4 = %c0_i32 to %arg3 step %c1024_i32 iter_args(%arg5 = %cst) -> (tensor<1024xf32>)  : i32 {
//       ...
//       %7 = tile.load_view %1[%6] checked [false] {group = 1 : i64} : <1024xf32> -> tensor<1024xf32>
//       ...
//       scf.yield %8 : tensor<1024xf32>
//     }
//     scf.for %arg4 = %c0_i32 to %arg3 step %c1024_i32  : i32 {
//       ...
//       %7 = tile.load_view %1[%6] checked [false] {evict = #tile<eviction evict_first>, group = 1 : i64} : <1024xf32> -> tensor<1024xf32>
//       %8 = tile.load_view %2[%6] checked [false] {group = 2 : i64} : <1024xf32> -> tensor<1024xf32>
//       ...
//       tile.store_view %3[%6], %10 checked [false] {evict = #tile<eviction evict_first>, group = 3 : i64} : <1024xf32>, tensor<1024xf32>
//     }
//     %5 = tile.load_view %1[%0] checked [true] {evict = #tile<eviction evict_first>, group = 1 : i64} : <1024xf32> -> tensor<1024xf32>
//     tile.store_view %3[%0], %5 checked [true] {evict = #tile<eviction evict_first>, group = 3 : i64} : <1024xf32>, tensor<1024xf32>
// Needs  RecoverViews; loops as they were written: not yet copied or moved.
// Keeps  everything: priorities have no meaning beside time. What the kernel's
//        author asked for stays.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_MARKLASTREADS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

template <typename Access>
bool isUnmarked(Access access) {
  return access.getEvict() == tile::Eviction::normal &&
         access.getCache() == tile::CacheHint::none;
}

/// Loads of the view in the last loop that has some and behind it, if another
/// loop before has some, too.
SmallVector<tile::LoadViewOp> lastReads(tile::MakeViewOp view) {
  Block *block = view->getBlock();
  SmallVector<std::pair<Operation *, tile::LoadViewOp>> loads;
  Operation *last = nullptr;
  for (Operation *user : view->getUsers()) {
    if (auto load = dyn_cast<tile::LoadViewOp>(user)) {
      Operation *top = block->findAncestorOpInBlock(*user);
      loads.push_back({top, load});
      if (isa<scf::ForOp>(top) && (!last || last->isBeforeInBlock(top))) {
        last = top;
      }
    }
  }
  bool isReadBefore = false;
  SmallVector<tile::LoadViewOp> found;
  for (auto [top, load] : loads) {
    if (last && !top->isBeforeInBlock(last)) {
      found.push_back(load);
    } else {
      isReadBefore |= isa<scf::ForOp>(top);
    }
  }
  return isReadBefore ? found : SmallVector<tile::LoadViewOp>();
}

struct MarkLastReads : tz::simt::impl::MarkLastReadsBase<MarkLastReads> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    bool hasDot = false;
    llvm::DenseSet<int64_t> read;
    kernel.walk([&](Operation *op) {
      hasDot |= isa<tile::DotOp>(op); // operands are not read from the cache
      auto group = op->getAttrOfType<IntegerAttr>("group");
      if (group && !isa<tile::StoreOp, tile::StoreViewOp>(op)) {
        read.insert(group.getInt());
      }
    });
    if (hasDot) {
      return markAllAnalysesPreserved();
    }
    SmallVector<tile::LoadViewOp> last;
    kernel.walk([&](tile::MakeViewOp view) {
      llvm::append_range(last, lastReads(view));
    });
    if (last.empty()) {
      return markAllAnalysesPreserved();
    }
    for (tile::LoadViewOp load : last) {
      if (isUnmarked(load)) {
        load.setEvict(tile::Eviction::evict_first);
        ++loads;
      }
    }
    kernel.walk([&](tile::StoreViewOp store) {
      // Group 0 may be anything.
      if (isUnmarked(store) && store.getGroup() != 0 && !read.contains(0) &&
          !read.contains(int64_t(store.getGroup()))) {
        store.setEvict(tile::Eviction::evict_first);
        ++stores;
      }
    });
  }
};

} // namespace
