//===- UnsignedDivisions.cpp - tile-unsigned-divisions --------------------===//
//
// What   Quotients and remainders of numbers that are not negative, by numbers
//        above 0, become unsigned.
// Why    A signed one truncates towards zero, which costs instructions to mend
//        the sign in every lane. And runs of lanes keep their form only where
//        they do not cross zero: behind this pass nobody must ask again.
// Example (test/optimizer/unsigned-divisions.mlir)
//   before
//     %c64 = arith.constant 64 : i32
//     %width = arith.constant dense<24> : tensor<64xi32>
//     %pid = tile.program_id 0
//     %first = arith.muli %pid, %c64 : i32
//     %lanes = tile.range 0 to 64 : tensor<64xi32>
//     %from = tile.splat %first : i32 -> tensor<64xi32>
//     %at = arith.addi %from, %lanes : tensor<64xi32>
//     %limit = tile.splat %n : i32 -> tensor<64xi32>
//     %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
//     %column = tile.remsi %at, %width : tensor<64xi32>
//     %row = tile.divsi %at, %width : tensor<64xi32>
//     %sum = arith.addi %column, %row : tensor<64xi32>
//     %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %p = tile.addptr %xs, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %v = tile.load %p mask %inside : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
//   after
//     %c64_i32 = arith.constant 64 : i32
//     %cst = arith.constant dense<24> : tensor<64xi32>
//     %0 = tile.program_id 0
//     %1 = arith.muli %0, %c64_i32 : i32
//     %2 = tile.range 0 to 64 : tensor<64xi32>
//     %3 = tile.splat %1 : i32 -> tensor<64xi32>
//     %4 = arith.addi %3, %2 : tensor<64xi32>
//     %5 = tile.splat %arg1 : i32 -> tensor<64xi32>
//     %6 = arith.cmpi slt, %4, %5 : tensor<64xi32>
//     %7 = tile.remui %4, %cst : tensor<64xi32>
//     %8 = tile.divui %4, %cst : tensor<64xi32>
//     %9 = arith.addi %7, %8 : tensor<64xi32>
//     %10 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %11 = tile.addptr %10, %9 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %12 = tile.load %11 mask %6 : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
// Needs  pointers and masks as their author wrote them: that address arithmetic
//        does not overflow (P26) is known of what reaches an address.
// Keeps  every quotient and remainder.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/analysis/ExactIntegers.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

namespace tz::optimizer {
#define GEN_PASS_DEF_UNSIGNEDDIVISIONS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {

struct UnsignedDivisions
    : tz::optimizer::impl::UnsignedDivisionsBase<UnsignedDivisions> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    const Hints hints(kernel);
    const ExactIntegers exact(kernel, hints);
    // All are found before one is changed: it may be part of another.
    SmallVector<Operation *> found;
    kernel.walk([&](Operation *op) {
      if (isa<tile::DivSIOp, tile::RemSIOp>(op) &&
          hints.range(op->getOperand(1)).low >= 1) {
        if (exact.isNatural(op->getOperand(0))) {
          found.push_back(op);
        } else if (exact.isNaturalUnlessItWraps(op->getOperand(0))) {
          emitRemark(op->getLoc())
              << "the dividend is negative where it wraps, so it is divided as "
                 "a signed number; compute it in int64, mask an access by it, "
                 "or say tl.assume(... >= 0)";
        }
      }
    });
    if (found.empty()) {
      markAllAnalysesPreserved();
    }
    for (Operation *op : found) {
      OpBuilder builder(op);
      Value left = op->getOperand(0), right = op->getOperand(1);
      Value result =
          isa<tile::DivSIOp>(op)
              ? tile::DivUIOp::create(builder, op->getLoc(), left, right)
                    .getResult()
              : tile::RemUIOp::create(builder, op->getLoc(), left, right)
                    .getResult();
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
      ++divisions;
    }
  }
};

} // namespace
