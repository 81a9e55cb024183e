//===- Sanitize.cpp - tile-sanitize ---------------------------------------===//
//
// What   Inserts the checks that the kernel's `tile.sanitize` names, and takes
//        the attribute away.
// Why    A mistake in a kernel is told where it is made: the access, the
//        operation, with line and element. One pass over tile IR serves all
//        targets; reports go the way of prints (R1).
// Example (test/optimizer/sanitize.mlir)
//   before
//     %one = arith.constant 1.0 : f32
//     %p = tile.addptr %x, %n : !tile.ptr<f32>, i32
//     tile.store %p, %one {group = 1 : i64} : !tile.ptr<f32>, f32
//   after
//     %cst = arith.constant 1.000000e+00 : f32
//     %0 = tile.addptr %arg0, %arg1 : !tile.ptr<f32>, i32
//     %1 = tile.ptr_to_int %0 : !tile.ptr<f32> to i64
//     %2 = arith.subi %arg3, %arg2 : i64
//     %c3_i64 = arith.constant 3 : i64
//     %3 = arith.subi %2, %c3_i64 : i64
//     %c0_i64 = arith.constant 0 : i64
//     %4 = tile.maxsi %3, %c0_i64 : i64
//     %5 = arith.subi %1, %arg2 : i64
//     %6 = arith.cmpi ult, %5, %4 : i64
//     %true = arith.constant true
//     %7 = arith.xori %6, %true : i1
//     scf.if %7 {
//       %8 = tile.ptr_to_int %0 : !tile.ptr<f32> to i64
//       %9 = arith.subi %8, %arg2 : i64
//       %c2_i64 = arith.constant 2 : i64
//       %10 = tile.shrsi %9, %c2_i64 : i64
//       %11 = arith.subi %arg3, %arg2 : i64
//       %c2_i64_0 = arith.constant 2 : i64
//       %12 = tile.shrsi %11, %c2_i64_0 : i64
//       %c0_i32 = arith.constant 0 : i32
//       %c1_i32 = arith.constant 1 : i32
//       tile.print "bounds;store;x;"(%c0_i32, %c1_i32, %10, %12 : i32, i32, i64, i64) {isSigned = array<i1: true, true, true, true>, report}
//       tile.store %0, %cst mask %6 {group = 1 : i64} : !tile.ptr<f32>, f32, i1
//     } else {
//       tile.store %0, %cst {group = 1 : i64} : !tile.ptr<f32>, f32
//     }
// Needs  IR as the frontend made it: later passes join, move and drop accesses.
// Keeps  what a kernel without mistakes computes.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/SanitizerArrays.h"

using namespace mlir;
using namespace tz;

namespace tz::optimizer {
#define GEN_PASS_DEF_SANITIZE
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {

struct Sanitize : tz::optimizer::impl::SanitizeBase<Sanitize> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto names = kernel->getAttrOfType<ArrayAttr>("tile.sanitize");
    if (!names) {
      markAllAnalysesPreserved();
      return;
    }
    kernel->removeAttr("tile.sanitize");
    auto asks = [&](StringRef name) {
      return llvm::is_contained(names.getAsValueRange<StringAttr>(), name);
    };
    optimizer::SanitizerCounts counts;
    // Values first: the checks of bounds compute with addresses of their own.
    if (asks("overflow")) {
      optimizer::reportOverflows(kernel, counts);
    }
    if (asks("nan")) {
      optimizer::checkValues(kernel, counts);
    }
    // What the kernel itself accesses: not the shadows.
    SmallVector<Operation *> accesses;
    kernel.walk([&](Operation *op) {
      if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp,
              tile::LoadViewOp, tile::StoreViewOp>(op)) {
        accesses.push_back(op);
      }
    });
    optimizer::ArrayArguments arguments(kernel);
    if (asks("uninitialized")) {
      optimizer::checkWritten(arguments, accesses, counts);
    }
    if (asks("race")) {
      optimizer::checkRaces(arguments, accesses, counts);
    }
    // Last, as it moves accesses into branches.
    if (asks("bounds")) {
      optimizer::checkBounds(arguments, accesses, counts);
    }
    this->accesses += counts.accesses;
    unknown += counts.unknown;
    values += counts.values;
  }
};

} // namespace
