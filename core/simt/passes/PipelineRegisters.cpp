//===- PipelineRegisters.cpp - simt-pipeline-registers --------------------===//
//
// What   Loads that feed the dots of a loop are begun some iterations ahead,
//        into registers; what dots read from shared memory is written to a ring
//        buffer one iteration ahead.
// Why    A loop without asynchronous copies hides the latency of memory only
//        behind registers: a load is waited for where its result is used.
// Example (test/simt/pipeline-registers.mlir; lines with simt., scf., tile.load, tile.dot)
//   before
//     ...
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
//       ...
//       %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
//       %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
//       %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
//       scf.yield %next : tensor<64x64xf32>
//     }
//     ...
//   after
//     ...
//     %3 = scf.if %2 -> (tensor<64x64xf32, #layout>) {
//       %5 = simt.ring : <2 x <64x32xf16, #shared>>
//       %6 = simt.ring : <2 x <32x64xf16, #shared1>>
//       ...
//       %9 = tile.load_view %0[%c0_i64, %8] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//       %10 = simt.pack %9 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//       %11 = tile.load_view %1[%8, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//       %12 = simt.pack %11 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//       ...
//       %24:2 = scf.if %20 -> (tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>) {
//         %30 = tile.load_view %0[%c0_i64, %23] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//         %31 = simt.pack %30 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//         %32 = tile.load_view %1[%23, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//         %33 = simt.pack %32 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//         scf.yield %31, %33 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       } else {
//         ...
//         scf.yield %cst_3, %cst_4 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       } {simt.later_loads}
//       ...
//       %25 = simt.slot %5[%c0_i32_1] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//       %26 = simt.unpack %10 : tensor<1024xi32, #layout2> -> tensor<64x32xf16, #layout1>
//       simt.write %26 to %25 : tensor<64x32xf16, #layout1> to <64x32xf16, #shared>
//       %27 = simt.slot %6[%c0_i32_1] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//       %28 = simt.unpack %12 : tensor<1024xi32, #layout2> -> tensor<32x64xf16, #layout3>
//       simt.write %28 to %27 : tensor<32x64xf16, #layout3> to <32x64xf16, #shared1>
//       simt.sync
//       ...
//       %29:4 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst, %arg6 = %c0_i32_2, %arg7 = %24#0, %arg8 = %24#1) -> (tensor<64x64xf32, #layout>, i32, tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>)  : i32 {
//         ...
//         %41:2 = scf.if %37 -> (tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>) {
//           %50 = tile.load_view %0[%c0_i64, %40] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//           %51 = simt.pack %50 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//           %52 = tile.load_view %1[%40, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//           %53 = simt.pack %52 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//           scf.yield %51, %53 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//         } else {
//           ...
//           scf.yield %cst_4, %cst_5 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//         } {simt.later_loads}
//         %42 = simt.slot %5[%arg6] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         %43 = simt.slot %6[%arg6] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         %44 = simt.dot %42, %43, %arg5 : !simt.buffer<64x32xf16, #shared>, !simt.buffer<32x64xf16, #shared1> -> tensor<64x64xf32, #layout>
//         ...
//         %46 = simt.slot %5[%45] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         %47 = simt.unpack %arg7 : tensor<1024xi32, #layout2> -> tensor<64x32xf16, #layout1>
//         simt.write %47 to %46 : tensor<64x32xf16, #layout1> to <64x32xf16, #shared>
//         %48 = simt.slot %6[%45] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         %49 = simt.unpack %arg8 : tensor<1024xi32, #layout2> -> tensor<32x64xf16, #layout3>
//         simt.write %49 to %48 : tensor<32x64xf16, #layout3> to <32x64xf16, #shared1>
//         simt.sync
//         scf.yield %44, %45, %41#0, %41#1 : tensor<64x64xf32, #layout>, i32, tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       }
//       scf.yield %29#0 : tensor<64x64xf32, #layout>
//     } else {
//       scf.yield %cst : tensor<64x64xf32, #layout>
//     }
//     ...
// Needs  simt-pipeline-loops before: what copies bring is a slot already.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. Loads of iterations that are not there are not done.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/passes/Passes.h"
#include "core/simt/passes/RegisterRewriter.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_PIPELINEREGISTERS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// What the pass's options describe: for its tests.
class OptionTarget final : public SimtTarget {
public:
  OptionTarget(unsigned words, uint64_t shared)
      : words(words), shared(shared) {}
  unsigned registers() const override { return words; }
  uint64_t sharedBytes() const override { return shared; }

private:
  unsigned words;
  uint64_t shared;
};

struct PipelineRegisters
    : tz::simt::impl::PipelineRegistersBase<PipelineRegisters> {
  explicit PipelineRegisters(const SimtTarget *target) : target(target) {}
  PipelineRegisters() = default;
  PipelineRegisters(const PipelineRegisters &other)
      : PipelineRegistersBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    OptionTarget described(registersOption, sharedBytesOption);
    const SimtTarget &machine =
        target ? *target : static_cast<const SimtTarget &>(described);
    // Nothing is reordered in a kernel that waits for others (R6).
    if (kernel->hasAttr("tile.waits") || machine.registers() == 0) {
      return markAllAnalysesPreserved();
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      Block &body = *loop.getBody();
      if (!body.getOps<DotOp>().empty() && body.getOps<SlotOp>().empty() &&
          stagesOf(loop, stagesOf(kernel, 3)) > 1) {
        loops.push_back(loop);
      }
    });
    bool hasChanged = false;
    for (scf::ForOp loop : loops) {
      Contiguity runs(kernel);
      std::string why;
      std::optional<RegisterPlan> plan =
          planRegisters(loop, machine, runs, why);
      if (!why.empty()) {
        emitRemark(loop.getLoc())
            << (plan ? "some" : "the")
            << " loads of this loop are not begun ahead: " << why;
      }
      if (plan) {
        ++pipelined;
        for (const HeldLoad &one : plan->loads) {
          ++(one.buffer ? staged : held);
        }
        holdLoads(loop, *plan);
        hasChanged = true;
      }
    }
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass>
tz::simt::createPipelineRegisters(const SimtTarget *target) {
  return std::make_unique<PipelineRegisters>(target);
}
