//===- ShareBuffers.cpp - simt-share-buffers ------------------------------===//
//
// What   Stages a tile that is transposed or converted on the way as it was
//        before; the dot reads the buffer with its dimensions in another order.
// Why    Which dimension of a buffer is fastest is a matter of its type: moving
//        elements to turn them costs a pass through shared memory and a barrier.
//        A loaded tile that one dot reads as it is and another one transposed
//        needs one ring, not two.
// Example (test/simt/share-buffers.mlir; lines with tile.load, tile.transpose, tile.dot, simt.)
//   before
//     ...
//     %x = tile.load_view %v[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
//     %t = tile.transpose %x [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
//     %sum = tile.dot %x, %t, %zero : tensor<32x64xf16>, tensor<64x32xf16> -> tensor<32x32xf32>
//     ...
//   after
//     ...
//     %1 = tile.load_view %0[%c0_i64, %c0_i64] checked [false, false] {group = 1 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout1>
//     %2 = simt.stage %1 : tensor<32x64xf16, #layout1> -> <32x64xf16, #shared>
//     %3 = simt.stage %1 : tensor<32x64xf16, #layout1> -> <32x64xf16, #shared1>
//     %4 = simt.permute %3 [1, 0] : <32x64xf16, #shared1> -> <64x32xf16, #shared2>
//     %5 = simt.dot %2, %4, %cst : !simt.buffer<32x64xf16, #shared>, !simt.buffer<64x32xf16, #shared2> -> tensor<32x32xf32, #layout>
//     ...
// Needs  simt-assign-layouts; a CSE behind it, for the buffers that are equal
//        now.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_SHAREBUFFERS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

struct ShareBuffers : tz::simt::impl::ShareBuffersBase<ShareBuffers> {
  void runOnOperation() override {
    SmallVector<StageOp> all;
    getOperation().walk([&](StageOp stage) { all.push_back(stage); });
    for (StageOp stage : all) {
      rewrite(stage);
    }
    if (all.empty()) {
      markAllAnalysesPreserved();
    }
  }

  void rewrite(StageOp stage) {
    // Dimension i of what is staged is dimension order[i] of `source`.
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(
        0, int64_t(stage.getResult().getType().getShape().size())));
    Value source = stage.getSource();
    bool isTransposed = false;
    for (Operation *op; (op = source.getDefiningOp());) {
      if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
        for (int64_t &dim : order) {
          dim = transpose.getOrder()[dim];
        }
        isTransposed = true;
        source = transpose.getSource();
      } else if (auto convert = dyn_cast<ConvertOp>(op)) {
        source = convert.getSource();
      } else {
        break;
      }
    }
    if (!isTransposed) {
      stage.getSourceMutable().assign(source);
      return;
    }
    SmallVector<int64_t> back(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) {
      back[dim] = int64_t(i);
    }
    OpBuilder builder(stage);
    BufferType type = stage.getResult().getType();
    Value staged =
        StageOp::create(builder, stage.getLoc(), type.permuted(back), source);
    stage.replaceAllUsesWith(
        PermuteOp::create(builder, stage.getLoc(), type, staged, order)
            .getResult());
    stage.erase();
    ++permuted;
  }
};

} // namespace
