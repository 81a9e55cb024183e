//===- Pipeline.cpp - the order of the passes on one page -----------------===//
//
// What   The neutral and the prepared list, one line a pass with its reason,
//        and the functions that run them.
// Why    The order is knowledge; it is in no other place.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/optimizer/Pipeline.h"

#include "core/optimizer/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tz::optimizer;

namespace tz::optimizer {
#define GEN_PASS_REGISTRATION
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
struct Step {
  std::unique_ptr<Pass> (*create)();
  const char *reason;
};
} // namespace

static const Step neutralSteps[] = {
    {createSimplify, "frontends emit the plain form of everything"},
    {createCSEPass, "equal index arithmetic must be one value to be compared"},
    {createCombine, "while a load's mask is still a value"},
    {createHoistInvariants, "increments of loop-carried pointers must be "
                            "defined outside of their loop to be recognised"},
    {createRecoverViews, "while pointers and masks still have the form that "
                         "the author wrote"},
    {createSimplify, "pointer tiles, masks and what loops carried of them are "
                     "dead now"},
    {createHoistInvariants, "views that do not depend on a loop leave it"},
    {createCSEPass, "views of one array share their base, extents, strides"},
    {createPeelMasks, "compares offsets and extents, so after they are one "
                      "value each"},
    {createSimplify, "bounds of split loops, counters that nobody used"},
    {createCSEPass, "tests and copies repeat arithmetic"},
};

void tz::optimizer::buildNeutral(OpPassManager &manager) {
  OpPassManager &kernel = manager.nest<tile::KernelOp>();
  for (const Step &step : neutralSteps) {
    kernel.addPass(step.create());
  }
}

void tz::optimizer::buildPrepared(OpPassManager &manager,
                                  const TargetFacts &target) {}

/// Runs a stage with remarks caught: nobody but the sink wants to see them.
static LogicalResult runStage(ModuleOp module, RemarkSink *remarks,
                              llvm::function_ref<void(OpPassManager &)> build) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Remark) {
      return failure(); // somebody else's
    }
    if (remarks) {
      remarks->remarks.push_back({diagnostic.getLocation(), diagnostic.str()});
    }
    return success();
  });
  PassManager manager(context, ModuleOp::getOperationName());
  build(manager);
  return manager.run(module);
}

LogicalResult tz::optimizer::runNeutral(ModuleOp module, RemarkSink *remarks) {
  return runStage(module, remarks, buildNeutral);
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
      "tile-neutral", "everything up to the neutral stage", buildNeutral);
  static PassPipelineRegistration<PreparedOptions> prepared(
      "tile-prepared", "from the neutral stage to one target's",
      [](OpPassManager &manager, const PreparedOptions &options) {
        TargetFacts target;
        target.features.insert(options.features.begin(),
                               options.features.end());
        buildPrepared(manager, target);
      });
}
