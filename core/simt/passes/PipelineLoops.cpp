//===- PipelineLoops.cpp - simt-pipeline-loops ----------------------------===//
//
// What   Loads that feed the dots of a loop are begun some iterations ahead,
//        into a ring buffer in shared memory; a dot that nobody reads before
//        the next one stays in flight over the loop's back edge.
// Why    A load from memory takes longer than the dot of one iteration; with
//        the loads of the next iterations on their way neither waits for the
//        other.
// Example (test/simt/pipeline-loops.mlir; lines with simt., scf., tile.load, tile.dot)
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
//       %5 = simt.ring : <3 x <64x32xf16, #shared>>
//       %6 = simt.ring : <3 x <32x64xf16, #shared1>>
//       ...
//       %9 = simt.slot %5[%c0_i32_0] : <3 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//       simt.async_copy_view %0[%c0_i64, %8] to %9 when %7 checked [false, false] layout #layout1 : <64x32xf16> to <64x32xf16, #shared>
//       %10 = simt.slot %6[%c0_i32_0] : <3 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//       simt.async_copy_view %1[%8, %c0_i64] to %10 when %7 checked [false, false] layout #layout2 : <32x64xf16> to <32x64xf16, #shared1>
//       simt.async_commit
//       ...
//       %22 = simt.slot %5[%c1_i32_2] : <3 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//       simt.async_copy_view %0[%c0_i64, %21] to %22 when %18 checked [false, false] layout #layout1 : <64x32xf16> to <64x32xf16, #shared>
//       %23 = simt.slot %6[%c1_i32_2] : <3 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//       simt.async_copy_view %1[%21, %c0_i64] to %23 when %18 checked [false, false] layout #layout2 : <32x64xf16> to <32x64xf16, #shared1>
//       simt.async_commit
//       ...
//       %24:3 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst, %arg6 = %c0_i32_3, %arg7 = %c2_i32) -> (tensor<64x64xf32, #layout>, i32, i32)  : i32 {
//         simt.async_wait 1
//         ...
//         %36 = simt.slot %5[%arg7] : <3 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         simt.async_copy_view %0[%c0_i64, %35] to %36 when %32 checked [false, false] layout #layout1 : <64x32xf16> to <64x32xf16, #shared>
//         %37 = simt.slot %6[%arg7] : <3 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         simt.async_copy_view %1[%35, %c0_i64] to %37 when %32 checked [false, false] layout #layout2 : <32x64xf16> to <32x64xf16, #shared1>
//         simt.async_commit
//         %38 = simt.slot %5[%arg6] : <3 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         %39 = simt.slot %6[%arg6] : <3 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         %40 = simt.dot %38, %39, %arg5 : !simt.buffer<64x32xf16, #shared>, !simt.buffer<32x64xf16, #shared1> -> tensor<64x64xf32, #layout>
//         ...
//         scf.yield %40, %43, %46 : tensor<64x64xf32, #layout>, i32, i32
//       }
//       simt.async_wait 0
//       scf.yield %24#0 : tensor<64x64xf32, #layout>
//     } else {
//       scf.yield %cst : tensor<64x64xf32, #layout>
//     }
//     ...
// Needs  simt-assign-layouts, simt-remove-conversions.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. In a kernel that waits for other programs, it goes ahead within
//        loops of plain accesses. After this pass nothing may move an access over a wait.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/PipelinePlan.h"
#include "core/simt/layout/Operations.h"
#include "core/simt/passes/Passes.h"
#include "core/simt/passes/PipelineRewriter.h"

#include "terrazzo/simt/Contiguity.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// What the pass's options describe: for its tests.
class OptionTarget final : public SimtTarget {
public:
  OptionTarget(uint64_t shared, uint64_t unitShared, unsigned narrowest,
               bool bulk, unsigned warps, unsigned dotWarps, unsigned sums)
      : shared(shared), unitShared(unitShared), narrowest(narrowest),
        bulk(bulk), warps(warps), dotWarps(dotWarps), sums(sums) {}
  uint64_t sharedBytes() const override { return shared; }
  unsigned blocksBeside(const BlockNeeds &block) const override {
    return unsigned(unitShared / block.sharedBytes);
  }
  unsigned asyncCopyBytes() const override { return narrowest; }
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }

  bool canCopyInBulk(DescriptorType, BufferType) const override { return bulk; }
  unsigned copyWarps(const CopyRequest &) const override { return warps; }
  unsigned warpsOfDot(DotOp) const override { return dotWarps; }
  unsigned sumsToDelay() const override { return sums; }

private:
  uint64_t shared, unitShared;
  unsigned narrowest;
  bool bulk;
  unsigned warps, dotWarps, sums;
};

/// Has the loop accesses that order others? In a kernel that waits for what
/// other programs write, no load goes ahead of such.
bool meetsOthers(scf::ForOp loop) {
  return loop
      ->walk([&](Operation *op) {
        auto load = dyn_cast<tile::LoadOp>(op);
        const bool isPlain =
            (load && !load.getIsVolatile()) || op->getNumRegions() != 0 ||
            isa<tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp, StageOp>(
                op);
        return isPlain || isMemoryEffectFree(op) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

struct PipelineLoops : tz::simt::impl::PipelineLoopsBase<PipelineLoops> {
  explicit PipelineLoops(const SimtTarget *target) : target(target) {}
  PipelineLoops() = default;
  PipelineLoops(const PipelineLoops &other)
      : PipelineLoopsBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    const bool waits = kernel->hasAttr("tile.waits");
    OptionTarget described(
        sharedBytesOption, unitSharedBytesOption, asyncCopyBytesOption,
        bulkCopiesOption, copyWarpsOption, warpsOfDotOption, sumsToDelayOption);
    const SimtTarget &machine =
        target ? *target : static_cast<const SimtTarget &>(described);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<DotOp>().empty()) {
        loops.push_back(loop);
      }
    });
    bool hasChanged = false;
    const unsigned stages = stagesOf(kernel, 3);
    for (scf::ForOp loop : loops) {
      unsigned wanted = stagesOf(loop, stages);
      if (wanted < 2) {
        continue;
      }
      if (waits && meetsOthers(loop)) {
        emitRemark(loop.getLoc())
            << "the loads of this loop are not begun ahead: the kernel waits "
               "for other programs, and this loop has atomics or volatile "
               "accesses, before which no load may go (R6)";
        continue;
      }
      Contiguity runs(kernel);
      const uint64_t all = machine.sharedBytes(),
                     taken = takenBeside(loop, machine);
      const uint64_t room = all > taken ? all - taken : 0;
      LaunchViews launch(kernel, runs.hints());
      StringRef why;
      std::optional<PipelinePlan> plan =
          planPipeline(loop, {machine, runs, launch, wanted, room}, why);
      if (plan) {
        ++pipelined;
        copies += plan->fetches.size();
        bulkCopies += plan->numBulk();
        asyncDots += plan->asyncDots.size();
        delayedDots += plan->delayed ? 1 : 0;
        plan->around = waits ? nullptr : loopAround(loop, *plan, launch);
        if (plan->around && !fitsAround(loop, *plan, machine)) {
          plan->around = nullptr;
        }
        goOn += plan->around ? 1 : 0;
        pipelineLoop(loop, *plan, launch);
        hasChanged = true;
      } else if (!why.empty()) {
        emitRemark(loop.getLoc())
            << "the loads of this loop are not begun ahead: " << why;
      }
    }
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

  bool fitsAround(scf::ForOp loop, const PipelinePlan &plan,
                  const SimtTarget &machine);

  const SimtTarget *target = nullptr;
};

/// Does each thread compute its part of the result from its own registers?
bool staysWithinThreads(Operation *op) {
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    return registersWithin(layoutOf(convert.getSource()),
                           layoutOf(convert.getResult()))
        .has_value();
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    return layoutOf(reshape.getSource())
               .reshaped(tile::shapeOf(reshape.getType())) ==
           layoutOf(reshape.getResult());
  }
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::HintOp, arith::SelectOp, tile::SplatOp, tile::BroadcastOp,
             tile::TransposeOp, tile::JoinOp, tile::SplitOp>(op);
}

/// The most that an op may need for an exchange between threads; where one is
/// padded a little more than its operands.
uint64_t exchangeBytes(Operation *op) {
  if (op->getNumRegions() == 0 &&
      (staysWithinThreads(op) ||
       isa<tile::StoreOp, tile::StoreViewOp, tile::LoadOp, tile::LoadViewOp,
           StageOp, BulkStoreOp, scf::YieldOp>(op))) {
    return 0;
  }
  uint64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    if (auto type = dyn_cast<RankedTensorType>(operand.getType())) {
      bytes =
          std::max(bytes, uint64_t(type.getNumElements() *
                                   tile::storageBytes(type.getElementType())));
    }
  }
  return bytes + bytes / 4;
}

/// Do the ring buffers leave room for what happens beside them in the loop
/// around, and as many blocks on a multiprocessor as they do alone, if these
/// are few? Stores of large tiles go in pieces.
bool PipelineLoops::fitsAround(scf::ForOp loop, const PipelinePlan &plan,
                               const SimtTarget &machine) {
  const uint64_t all = machine.sharedBytes(),
                 reserved = machine.sharedReserved();
  uint64_t taken = takenBeside(loop, machine), exchanged = 0;
  for (const Fetch &fetch : plan.fetches) {
    for (Operation *user : fetch.result().getUsers()) {
      auto stage = dyn_cast<StageOp>(user);
      taken -= stage && fetch.isReplaced(stage)
                   ? uint64_t(fetch.buffer.getBytes())
                   : 0;
    }
    taken += plan.slots * uint64_t(machine.slotBytes(fetch.buffer));
  }
  SmallVector<BulkStoreOp> stores;
  plan.around->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == loop) {
      return WalkResult::skip();
    }
    auto stage = dyn_cast<StageOp>(op);
    if (stage && !isUsedIn(stage, loop)) {
      taken += uint64_t(stage.getResult().getType().getBytes());
    }
    if (auto store = dyn_cast<BulkStoreOp>(op)) {
      stores.push_back(store);
    }
    exchanged = std::max(exchanged, exchangeBytes(op));
    return WalkResult::advance();
  });
  const uint64_t blocks =
      std::clamp<uint64_t>((all + reserved) / (taken + reserved), 1, 4);
  const uint64_t share = (all + reserved) / blocks - reserved;
  if (taken + exchanged > share) {
    return false;
  }
  SmallVector<int64_t> pieces;
  for (BulkStoreOp store : stores) {
    int64_t &number = pieces.emplace_back(1);
    const int64_t bytes = store.getBuffer().getBytes();
    while (taken + uint64_t(bytes / number) > share) {
      number *= 2;
      if (!store.canStoreIn(number)) {
        return false;
      }
    }
  }
  for (auto [store, number] : llvm::zip_equal(stores, pieces)) {
    store.setPieces(number);
  }
  return true;
}

} // namespace

std::unique_ptr<Pass> tz::simt::createPipelineLoops(const SimtTarget *target) {
  return std::make_unique<PipelineLoops>(target);
}
