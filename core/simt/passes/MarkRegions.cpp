//===- MarkRegions.cpp - simt-mark-regions --------------------------------===//
//
// What   Puts simt.begin_region and simt.end_region around the body of a loop
//        whose loads begin iterations ahead ("pipeline"), and around matrix
//        products that follow each other ("products").
// Why    Schedulers of some vendors want to be told where an interleaving of
//        loads and products pays, or raise a warp's priority while it
//        multiplies. They find the parts by name, and need not guess them from
//        instructions.
// Example (test/simt/mark-regions.mlir; lines with scf., simt.slot, simt.dot, _region)
//   before
//     ...
//     %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (!tile, !tile) : i32 {
//       %k = simt.slot %ring[%c0] : <2 x <64x64xf16, #rows>> -> <64x64xf16, #rows>
//       %s = simt.dot %q, %k, %zero {instruction = "product"} : !buffer, !buffer -> !tile
//       ...
//       %d = simt.dot %q, %t, %zero {instruction = "product"} : !buffer, !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>> -> !tile
//       ...
//       %o = simt.dot %h, %q, %acc {instruction = "product"} : !half, !buffer -> !tile
//       ...
//       scf.yield %o, %e : !tile, !tile
//     }
//   after
//     ...
//     %2:2 = scf.for %arg1 = %c0_i32 to %arg0 step %c1_i32 iter_args(%arg2 = %cst, %arg3 = %cst) -> (tensor<64x64xf32, #layout>, tensor<64x64xf32, #layout>)  : i32 {
//       simt.begin_region "pipeline"
//       %3 = simt.slot %1[%c0_i32] : <2 x <64x64xf16, #shared>> -> <64x64xf16, #shared>
//       simt.begin_region "products"
//       %4 = simt.dot %0, %3, %cst {instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #layout>
//       ...
//       %6 = simt.dot %0, %5, %cst {instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared1> -> tensor<64x64xf32, #layout>
//       simt.end_region "products"
//       ...
//       simt.begin_region "products"
//       %8 = simt.dot %7, %0, %arg2 {instruction = "product"} : tensor<64x64xf16, #layout>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #layout>
//       simt.end_region "products"
//       ...
//       simt.end_region "pipeline"
//       scf.yield %8, %9 : tensor<64x64xf32, #layout>, tensor<64x64xf32, #layout>
//     }
// Needs  finished loops: simt-specialize-warps.
// Keeps  everything: the two ops compute nothing, and stand where all threads
//        come by. Without a target that wants regions there are none.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_MARKREGIONS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// What the pass's option describes: for its tests.
class OptionTarget final : public SimtTarget {
public:
  explicit OptionTarget(bool wants) : wants(wants) {}
  bool wantsRegions() const override { return wants; }

private:
  bool wants;
};

void surround(Operation *first, Operation *last, StringRef name) {
  OpBuilder builder(first);
  BeginRegionOp::create(builder, first->getLoc(), name);
  builder.setInsertionPointAfter(last);
  EndRegionOp::create(builder, last->getLoc(), name);
}

/// Does a product read what an earlier iteration began to bring? Ring buffers,
/// what waits in registers, and blocks that were prefetched.
bool isPipelined(Block &body) {
  return llvm::any_of(body, llvm::IsaPred<DotOp>) &&
         llvm::any_of(body, llvm::IsaPred<SlotOp, UnpackOp, PrefetchBlockOp>);
}

struct MarkRegions : tz::simt::impl::MarkRegionsBase<MarkRegions> {
  explicit MarkRegions(const SimtTarget *target) : target(target) {}
  MarkRegions() = default;
  MarkRegions(const MarkRegions &other)
      : MarkRegionsBase(other), target(other.target) {}

  void runOnOperation() override {
    const OptionTarget described(wantsRegionsOption);
    if (!(target ? *target : static_cast<const SimtTarget &>(described))
             .wantsRegions()) {
      return markAllAnalysesPreserved();
    }
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      markProducts(*block);
      if (isa<scf::ForOp>(block->getParentOp()) && isPipelined(*block)) {
        surround(&block->front(), block->getTerminator()->getPrevNode(),
                 PipelineRegion);
        ++pipelines;
      }
    }
  }

private:
  /// Nothing but names of buffers stands between products of one group.
  void markProducts(Block &block) {
    DotOp first, last;
    auto close = [&] {
      if (first) {
        surround(first, last, ProductsRegion);
        ++groups;
      }
      first = nullptr;
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto dot = dyn_cast<DotOp>(op)) {
        first = first ? first : dot;
        last = dot;
      } else if (!isa<PermuteOp, SlotOp>(op)) {
        close();
      }
    }
    close();
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createMarkRegions(const SimtTarget *target) {
  return std::make_unique<MarkRegions>(target);
}
