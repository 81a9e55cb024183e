//===- Pipeline.cpp - the order of the passes on one page -----------------===//
//
// What   The neutral and the prepared list, one line a pass with its reason,
//        and the functions that run them.
// Why    The order is knowledge; it is in no other place.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/optimizer/Pipeline.h"

#include "core/ir/CompileBudget.h"
#include "core/optimizer/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tz::optimizer;
using tz::CompileBudget;

namespace tz::optimizer {
#define GEN_PASS_REGISTRATION
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
/// Both lists are given the description, so that a test can see that nothing in
/// the neutral one reads it (R2).
struct Step {
  std::unique_ptr<Pass> (*create)(const TargetFacts &target);
  const char *reason;
};
} // namespace

template <std::unique_ptr<Pass> (*create)()>
static std::unique_ptr<Pass> plain(const TargetFacts &) {
  return create();
}

static std::unique_ptr<Pass> peelMasks(const TargetFacts &target) {
  PeelMasksOptions options;
  options.features.assign(target.features.begin(), target.features.end());
  return createPeelMasks(std::move(options));
}

static std::unique_ptr<Pass> legalizePrecision(const TargetFacts &target) {
  LegalizePrecisionOptions options;
  options.features.assign(target.features.begin(), target.features.end());
  return createLegalizePrecision(std::move(options));
}

static std::unique_ptr<Pass> legalizeMath(const TargetFacts &target) {
  LegalizeMathOptions options;
  options.features.assign(target.features.begin(), target.features.end());
  return createLegalizeMath(std::move(options));
}

static const Step neutralSteps[] = {
    {plain<createSimplify>, "frontends emit the plain form of everything"},
    {plain<createCSEPass>,
     "equal index arithmetic must be one value to be compared"},
    {plain<createCombine>, "while a load's mask is still a value"},
    {plain<createHoistInvariants>,
     "increments of loop-carried pointers must be "
     "defined outside of their loop to be recognised"},
    {plain<createDropMasks>, "while stores have masks, and offsets addresses: "
                             "what is exact of them is known by both"},
    {plain<createRecoverViews>,
     "while pointers and masks still have the form that "
     "the author wrote"},
    {plain<createSimplify>,
     "pointer tiles, masks and what loops carried of them are "
     "dead now"},
    {plain<createHoistInvariants>,
     "views that do not depend on a loop leave it"},
    {plain<createCSEPass>,
     "views of one array share their base, extents, strides"},
};

static const Step preparedSteps[] = {
    {plain<createMergeAtomics>,
     "before masks are peeled: there is one of each, and the bounds of its "
     "addresses are conjuncts of it"},
    {peelMasks, "compares offsets and extents, which are one value each since "
                "the last of the neutral passes; where bounds cost nothing a "
                "second copy of the code would"},
    {plain<createUnrollLoops>, "the loops that hardly run, those with checks, "
                               "are apart now"},
    {plain<createSimplify>, "bounds of split loops, counters that nobody used"},
    {plain<createCSEPass>, "tests and copies repeat arithmetic"},
    {legalizePrecision, "what a target lacks is said before anything is made "
                        "for it"},
    {legalizeMath, "last: what it makes is longer and says less than one op"},
};

static void build(OpPassManager &manager, ArrayRef<Step> steps,
                  const TargetFacts &target) {
  OpPassManager &kernel = manager.nest<tz::tile::KernelOp>();
  for (const Step &step : steps) {
    kernel.addPass(step.create(target));
  }
}

void tz::optimizer::buildNeutral(OpPassManager &manager,
                                 const TargetFacts &target) {
  build(manager, neutralSteps, target);
}

void tz::optimizer::buildPrepared(OpPassManager &manager,
                                  const TargetFacts &target) {
  build(manager, preparedSteps, target);
}

namespace {
/// Knows which pass runs. (A stage has one kernel, so one at a time.)
struct CurrentPass final : PassInstrumentation {
  explicit CurrentPass(std::string &name) : name(name) {}
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) { // MLIR's adaptors have none
      name = pass->getArgument().str();
      CompileBudget::enter("pass " + name);
    }
  }
  std::string &name;
};
} // namespace

namespace {
/// While it lives, passes and patterns are left out once the compilation's
/// budget is spent, so that a stage ends soon; its result is then of no use.
class StopsWhenSpent {
public:
  StopsWhenSpent(MLIRContext &context, Operation *root)
      : context(CompileBudget::current() && !context.hasActionHandler()
                    ? &context
                    : nullptr) {
    CompileBudget::enter("the shared passes");
    CompileBudget::watch(root);
    if (this->context) {
      context.registerActionHandler(
          [](function_ref<void()> run, const tracing::Action &) {
            if (!CompileBudget::isSpent()) {
              run();
            }
          });
    }
  }
  ~StopsWhenSpent() {
    CompileBudget::watch(nullptr);
    if (context) {
      context->registerActionHandler(nullptr);
    }
  }
  StopsWhenSpent(const StopsWhenSpent &) = delete;

private:
  MLIRContext *context;
};
} // namespace

/// Runs a stage with remarks caught: nobody but the sink wants to see them.
static LogicalResult runStage(ModuleOp module, RemarkSink *remarks,
                              llvm::function_ref<void(OpPassManager &)> build) {
  MLIRContext *context = module.getContext();
  std::string pass;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark) {
      return failure(); // somebody else's
    }
    if (remarks) {
      // A pass that runs twice, or one on two copies of a block, says it once.
      Remark remark{diagnostic.getLocation(), diagnostic.str(), pass};
      if (!llvm::is_contained(remarks->remarks, remark)) {
        remarks->remarks.push_back(std::move(remark));
      }
    }
    return success();
  });
  PassManager manager(context, ModuleOp::getOperationName());
  manager.addInstrumentation(std::make_unique<CurrentPass>(pass));
  StopsWhenSpent stops(*context, module);
  build(manager);
  // Once at the end: after each pass it takes a tenth of the time. Tests of the
  // passes verify after each of them (tz-opt).
  manager.enableVerifier(false);
  return success(succeeded(manager.run(module)) && !CompileBudget::isSpent() &&
                 succeeded(verify(module)));
}

LogicalResult tz::optimizer::runNeutral(ModuleOp module, RemarkSink *remarks,
                                        const TargetFacts &target) {
  return runStage(module, remarks, [&](OpPassManager &manager) {
    buildNeutral(manager, target);
  });
}

LogicalResult tz::optimizer::runPrepared(ModuleOp module,
                                         const TargetFacts &target,
                                         RemarkSink *remarks) {
  return runStage(module, remarks, [&](OpPassManager &manager) {
    buildPrepared(manager, target);
  });
}

namespace {
struct PreparedOptions : PassPipelineOptions<PreparedOptions> {
  ListOption<std::string> features{
      *this, "features", llvm::cl::desc("capability names the target has")};
};
} // namespace

void tz::optimizer::registerPasses() {
  registerTerrazzoOptimizerPasses();
  static PassPipelineRegistration<> neutral(
      "tile-neutral", "everything up to the neutral stage",
      [](OpPassManager &manager) { buildNeutral(manager, {}); });
  static PassPipelineRegistration<PreparedOptions> prepared(
      "tile-prepared", "from the neutral stage to one target's",
      [](OpPassManager &manager, const PreparedOptions &options) {
        TargetFacts target;
        target.features.insert(options.features.begin(),
                               options.features.end());
        buildPrepared(manager, target);
      });
}
