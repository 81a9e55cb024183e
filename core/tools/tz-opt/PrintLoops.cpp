//===- PrintLoops.cpp - simt-print-loop-iterations, -pipeline-plans -------===//
//
// What   Of each loop whether its iterations can be counted; of each load in it
//        whether it may go ahead of earlier iterations, and what is computed for
//        that. Of each loop with products the plan of its pipeline, for a target
//        with 64 KiB of shared memory and asynchronous copies of 4 bytes, whose
//        dots with an instruction may stay in flight.
//        Of each branch whether one side is the other with more checks.
//
//   scf.for %4: counts iterations
//   tile.load %9: may go ahead with 3 ops, carried [0]
//   scf.for %4: 2 fetches, 2 iterations ahead, 3 slots, 0 dots in flight
//   scf.for %4: ..., last dot delayed with 1 computed operand, 1 op on its sum
//   scf.if: else is then with more checks
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/CheckedForm.h"
#include "core/simt/analysis/DelayedDot.h"
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/PipelinePlan.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

static void writeLoad(scf::ForOp loop, Operation *load,
                      llvm::raw_ostream &out) {
  if (!mayGoAhead(loop, load)) {
    out << "must stay";
    return;
  }
  Slice slice;
  for (Value operand : load->getOperands()) {
    if (!addToSlice(loop, operand, slice)) {
      out << "may go ahead, but its address may not";
      return;
    }
  }
  SmallVector<unsigned> carried(slice.carried.begin(), slice.carried.end());
  llvm::sort(carried);
  out << "may go ahead with " << slice.ops.size() << " ops"
      << (slice.hasLoads() ? " that load" : "") << ", carried [";
  llvm::interleaveComma(carried, out);
  out << "]";
}

Describe tz::opt::describeLoopIterations(tile::KernelOp) {
  return {nullptr, [](Operation *op, AsmState &, llvm::raw_ostream &out) {
            if (auto loop = dyn_cast<scf::ForOp>(op)) {
              out << (countsIterations(loop) ? "counts iterations"
                                             : "iterations are not counted");
            } else if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
              if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp())) {
                writeLoad(loop, op, out);
              }
            }
          }};
}

namespace {
/// As a GPU with asynchronous copies.
struct CopyingTarget final : SimtTarget {
  uint64_t sharedBytes() const override { return 65536; }
  unsigned asyncCopyBytes() const override { return 4; }
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }
  unsigned sumsToDelay() const override { return 16; }
};

void writeDelayed(const DelayedDot &delayed, llvm::raw_ostream &out) {
  auto count = [&](size_t number, StringRef what) {
    out << number << " " << what << (number == 1 ? "" : "s");
  };
  out << ", last dot delayed with ";
  count(delayed.computed.size(), "computed operand");
  out << ", ";
  count(delayed.rescaling.size(), "op");
  out << " on its sum";
}

struct Plans {
  explicit Plans(tile::KernelOp kernel)
      : runs(kernel), launch(kernel, runs.hints()) {}

  CopyingTarget target;
  Contiguity runs;
  LaunchViews launch;
};
} // namespace

Describe tz::opt::describePipelinePlans(tile::KernelOp kernel) {
  auto plans = std::make_shared<Plans>(kernel);
  return {nullptr, [plans](Operation *op, AsmState &, llvm::raw_ostream &out) {
            auto loop = dyn_cast<scf::ForOp>(op);
            if (!loop || loop.getBody()->getOps<DotOp>().empty()) {
              return;
            }
            const unsigned stages = 3;
            StringRef why;
            auto plan = planPipeline(loop,
                                     {plans->target, plans->runs, plans->launch,
                                      stages, plans->target.sharedBytes()},
                                     why);
            if (!plan) {
              out << "none: " << (why.empty() ? "nothing to fetch" : why);
              return;
            }
            out << plan->fetches.size() << " fetches, " << plan->distance
                << " iterations ahead, " << plan->slots << " slots, "
                << plan->asyncDots.size() << " dots in flight, "
                << plan->ahead.ops.size() << " ops and "
                << plan->ahead.carried.size() << " carried values ahead"
                << (plan->fillsLate ? ", filled late" : "");
            if (plan->delayed) {
              writeDelayed(*plan->delayed, out);
            }
          }};
}

Describe tz::opt::describeCheckedForms(tile::KernelOp) {
  return {nullptr, [](Operation *op, AsmState &, llvm::raw_ostream &out) {
            auto branch = dyn_cast<scf::IfOp>(op);
            if (!branch || branch.getElseRegion().empty()) {
              return;
            }
            auto any = [](Operation *) { return true; };
            Block &first = *branch.thenBlock(), &second = *branch.elseBlock();
            const bool isFirst = isCheckedForm(first, second, any),
                       isSecond = isCheckedForm(second, first, any);
            out << (isFirst && isSecond ? "both sides are the same"
                    : isSecond          ? "else is then with more checks"
                    : isFirst           ? "then is else with more checks"
                                        : "the sides differ");
          }};
}
