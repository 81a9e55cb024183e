//===- SplitK.cpp - simt-split-k ------------------------------------------===//
//
// What   Gives each program several blocks, which divide the iterations of its
//        loop of dots among them and add up what they have.
// Why    Where a product has few tiles and long sums, most of a device is idle.
// Example (test/simt/split-k.mlir; lines with block, scf., store_view)
//   before
//     ...
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
//       ...
//       scf.yield %next : tensor<64x64xf32>
//     }
//     tile.store_view %vo[%z, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
//   after
//     ...
//     %3 = simt.block_rank
//     ...
//     %14 = scf.for %arg4 = %11 to %13 step %c32_i32 iter_args(%arg5 = %cst) -> (tensor<64x64xf32>)  : i32 {
//       ...
//       scf.yield %19 : tensor<64x64xf32>
//     }
//     %15 = simt.block_sum %14 : tensor<64x64xf32>
//     simt.first_block
//     tile.store_view %2[%c0_i64, %c0_i64], %15 checked [true, true] {group = 3 : i64} : <64x64xf32>, tensor<64x64xf32>
// Needs  tile IR as it crosses the boundary; the host launches so many blocks a
//        program, and only where the loop is long (SplitLoop.h).
// Keeps  all but the order in which products are added.
//===----------------------------------------------------------------------===//
#include "core/simt/SplitLoop.h"
#include "core/simt/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_SPLITK
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

struct SplitK : tz::simt::impl::SplitKBase<SplitK> {
  using SplitKBase::SplitKBase;
  void runOnOperation() override;
  void divide(scf::ForOp loop);
};

/// Block r of n takes iterations [r * part, (r + 1) * part), where n parts are
/// not less than all.
void SplitK::divide(scf::ForOp loop) {
  OpBuilder b(loop);
  const Location loc = loop.getLoc();
  const Type type = loop.getInductionVar().getType();
  const int64_t step = *getConstantIntValue(loop.getStep());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value rank = BlockRankOp::create(b, loc, b.getI32Type());
  if (!type.isInteger(32)) {
    rank = arith::ExtSIOp::create(b, loc, type, rank);
  }
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  // Both roundings up; the host has looked that neither goes too far.
  Value length = arith::SubIOp::create(b, loc, upper, lower);
  Value count = tile::DivSIOp::create(
      b, loc, type, arith::AddIOp::create(b, loc, length, constant(step - 1)),
      constant(step));
  Value part = tile::DivSIOp::create(
      b, loc, type,
      arith::AddIOp::create(b, loc, count, constant(int64_t{blocks} - 1)),
      constant(blocks));
  Value distance = arith::MulIOp::create(b, loc, part, loop.getStep());
  Value first = arith::AddIOp::create(
      b, loc, lower, arith::MulIOp::create(b, loc, rank, distance));
  Value end = tile::MinSIOp::create(
      b, loc, type, arith::AddIOp::create(b, loc, first, distance), upper);
  loop.setLowerBound(first);
  loop.setUpperBound(end);
  b.setInsertionPointAfter(loop);
  for (Value sum : loop.getResults()) {
    auto all = BlockSumOp::create(b, loc, sum);
    sum.replaceAllUsesExcept(all.getResult(), all);
  }
  FirstBlockOp::create(b, loc);
  ++divided;
}

void SplitK::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  StringRef why;
  const SplitPlan plan = planSplit(kernel, why);
  if (plan.loops.empty()) {
    kernel.emitRemark("its programs keep one block each: ") << why;
    return;
  }
  OpBuilder b(kernel);
  kernel->setAttr(SplitName, b.getI64IntegerAttr(blocks));
  for (scf::ForOp loop : plan.loops) {
    divide(loop);
  }
  for (Operation *op : plan.aloneFrom) {
    b.setInsertionPoint(op);
    FirstBlockOp::create(b, op->getLoc());
  }
  for (scf::IfOp branch : plan.aloneBehind) {
    if (!branch->getNextNode()->hasTrait<OpTrait::IsTerminator>()) {
      b.setInsertionPointAfter(branch);
      FirstBlockOp::create(b, branch.getLoc());
    }
  }
}

} // namespace

std::unique_ptr<Pass> tz::simt::createSplitK(unsigned blocks) {
  SplitKOptions options;
  options.blocks = blocks;
  return std::make_unique<SplitK>(options);
}
