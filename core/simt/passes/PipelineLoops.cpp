//===- PipelineLoops.cpp - simt-pipeline-loops ----------------------------===//
//
// What   Loads that feed the dots of a loop are begun some turns ahead, into a
//        ring of buffers in shared memory; a dot that nobody reads before the
//        next one stays in flight over the loop's back edge.
// Why    A load from memory takes longer than the dot of one turn; with the
//        loads of the next turns on their way neither waits for the other.
// Needs  simt-assign-layouts, simt-remove-conversions.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. After this pass nothing may move an access over a wait.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/PipelinePlan.h"
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
class OptionTarget final : public Target {
public:
  OptionTarget(uint64_t shared, unsigned narrowest, bool bulk)
      : shared(shared), narrowest(narrowest), bulk(bulk) {}
  uint64_t sharedBytes() const override { return shared; }
  unsigned asyncCopyBytes() const override { return narrowest; }
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }

  bool canCopyInBulk(DescriptorType, BufferType) const override { return bulk; }

private:
  uint64_t shared;
  unsigned narrowest;
  bool bulk;
};

struct PipelineLoops : tz::simt::impl::PipelineLoopsBase<PipelineLoops> {
  explicit PipelineLoops(const Target *target) : target(target) {}
  PipelineLoops() = default;
  PipelineLoops(const PipelineLoops &other)
      : PipelineLoopsBase(other), target(other.target) {}

  static unsigned stagesOf(Operation *op, unsigned otherwise) {
    auto attribute = op->getAttrOfType<IntegerAttr>("tile.num_stages");
    return attribute ? unsigned(std::clamp<int64_t>(attribute.getInt(), 1, 16))
                     : otherwise;
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel->hasAttr("tile.waits")) {
      return; // nothing is reordered in a kernel that waits for others (R6)
    }
    OptionTarget described(sharedBytesOption, asyncCopyBytesOption,
                           bulkCopiesOption);
    const Target &machine =
        target ? *target : static_cast<const Target &>(described);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<DotOp>().empty()) {
        loops.push_back(loop);
      }
    });
    const unsigned stages = stagesOf(kernel, 3);
    for (scf::ForOp loop : loops) {
      unsigned wanted = stagesOf(loop, stages);
      if (wanted < 2) {
        continue;
      }
      Contiguity runs(kernel);
      const uint64_t all = machine.sharedBytes(), taken = takenBeside(loop);
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
        pipelineLoop(loop, *plan, launch);
      } else if (!why.empty()) {
        emitRemark(loop.getLoc())
            << "the loads of this loop are not begun ahead: " << why;
      }
    }
  }

  /// Exchanges of reductions and the like.
  static constexpr uint64_t reserve = 2048;

  /// Shared memory that is in use while the loop runs. Loops beside each other
  /// use the same memory; those around this one and what is staged in it do
  /// not.
  uint64_t takenBeside(scf::ForOp loop) {
    uint64_t taken = reserve;
    getOperation().walk([&](StageOp stage) {
      taken += isUsedIn(stage, loop)
                   ? uint64_t(stage.getResult().getType().getBytes())
                   : 0;
    });
    getOperation().walk([&](RingOp ring) {
      RingType type = ring.getResult().getType();
      taken += isUsedAround(ring, loop)
                   ? uint64_t(type.getCount() * type.getSlotBytes())
                   : 0;
    });
    return taken;
  }

  static bool isUsedIn(StageOp stage, scf::ForOp loop) {
    return llvm::any_of(stage->getUsers(), [&](Operation *user) {
      return loop->isAncestor(user);
    });
  }

  /// Of a loop in which this one stands.
  static bool isUsedAround(RingOp ring, scf::ForOp loop) {
    return llvm::any_of(ring.getResult().getUsers(), [&](Operation *user) {
      auto around = dyn_cast<scf::ForOp>(user->getParentOp());
      return around && around->isProperAncestor(loop);
    });
  }

  const Target *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createPipelineLoops(const Target *target) {
  return std::make_unique<PipelineLoops>(target);
}
