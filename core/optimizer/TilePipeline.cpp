//===- TilePipeline.cpp - runs the neutral and the prepared stage ---------===//
//
// What   The stages of TilePipeline.def as pass pipelines, and what surrounds a
// run:
//        remarks, the budget, verification.
// Why    See terrazzo/optimizer/TilePipeline.h.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/optimizer/TilePipeline.h"

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

static const Step NeutralSteps[] = {
#define NEUTRAL_STEP(Name, Create, Reason) {Create},
#include "core/optimizer/TilePipeline.def"
};

static const Step PreparedSteps[] = {
#define PREPARED_STEP(Name, Create, Reason) {Create},
#include "core/optimizer/TilePipeline.def"
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
  build(manager, NeutralSteps, target);
}

void tz::optimizer::buildPrepared(OpPassManager &manager,
                                  const TargetFacts &target) {
  build(manager, PreparedSteps, target);
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
                 succeeded(verify(module)) && !CompileBudget::isSpent());
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
