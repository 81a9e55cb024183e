//===- PrintRegisters.cpp - simt-print-loop-needs, -register-plans --------===//
//
// What   Of each loop with products what it keeps in registers, where nothing
//        is fetched ahead, and which shared memory is in use while it runs. Of
//        each such loop the plan of loads that go ahead into registers, for a
//        target whose threads have 256 and whose blocks have 64 KiB.
//
//   scf.for %4: 3 stages, 4 warps, 64 words a thread, 2048 bytes shared
//   tile.load_view %9: feeds a dot
//   scf.for %4: 2 loads 2 iterations ahead, 2 slots, 16 words an iteration,
//   0 in registers alone
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/analysis/RegisterPlan.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::simt;

namespace {
struct HoldingTarget final : SimtTarget {
  unsigned registers() const override { return 256; }
  uint64_t sharedBytes() const override { return 65536; }
};
} // namespace

static bool hasDots(scf::ForOp loop) {
  return loop && !loop.getBody()->getOps<DotOp>().empty();
}

Describe tz::opt::describeLoopNeeds(tile::KernelOp kernel) {
  auto runs = std::make_shared<Contiguity>(kernel);
  return {nullptr, [runs](Operation *op, AsmState &, llvm::raw_ostream &out) {
            if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
              auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
              if (hasDots(loop)) {
                out << (feedsDot(loop, op->getResult(0)) ? "feeds a dot"
                                                         : "feeds no dot");
              }
              return;
            }
            auto loop = dyn_cast<scf::ForOp>(op);
            if (!hasDots(loop)) {
              return;
            }
            auto none = [](Operation *) { return false; };
            out << stagesOf(loop, 3) << " stages, " << warpsOf(loop)
                << " warps, " << wordsOfIteration(loop, *runs, none)
                << " words a thread, " << takenBeside(loop, HoldingTarget())
                << " bytes shared";
          }};
}

static void write(const RegisterPlan &plan, llvm::raw_ostream &out) {
  int64_t words = 0;
  unsigned kept = 0;
  for (const HeldLoad &held : plan.loads) {
    words += held.words;
    kept += !held.buffer;
  }
  out << plan.loads.size() << " loads " << plan.distance
      << " iterations ahead, " << plan.slots << " slots, " << words
      << " words an iteration, " << kept << " in registers alone";
}

Describe tz::opt::describeRegisterPlans(tile::KernelOp kernel) {
  auto runs = std::make_shared<Contiguity>(kernel);
  return {nullptr, [runs](Operation *op, AsmState &, llvm::raw_ostream &out) {
            auto loop = dyn_cast<scf::ForOp>(op);
            if (!hasDots(loop)) {
              return;
            }
            std::string why;
            auto plan = planRegisters(loop, HoldingTarget(), *runs, why);
            if (plan) {
              write(*plan, out);
            } else {
              out << "none";
            }
            out << (why.empty() ? "" : ": ") << why;
          }};
}
