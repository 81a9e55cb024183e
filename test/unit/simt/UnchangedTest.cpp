//===- UnchangedTest.cpp - passes that have nothing to do say so ----------===//
//
// What   Each step of the pipelines leaves an empty kernel as it is, and keeps
//        all analyses.
// Why    The pass manager verifies the whole kernel behind each pass that does
//        not say so; most passes find nothing in most kernels.
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/TilePipeline.h"
#include "terrazzo/simt/SimtPipeline.h"
#include "terrazzo/simt/SimtTarget.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// Counts how often it was computed.
struct Analysis {
  explicit Analysis(Operation *) { ++computed; }
  static inline unsigned computed = 0;
};

/// Asks for the analysis; writes down the step before if it was computed anew.
struct Ask : PassWrapper<Ask, OperationPass<tz::tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Ask)

  Ask(std::string step, std::vector<std::string> &changed)
      : step(std::move(step)), changed(&changed) {}

  void runOnOperation() override {
    const unsigned before = Analysis::computed;
    (void)getAnalysis<Analysis>();
    if (Analysis::computed != before) {
      changed->push_back(step);
    }
    markAllAnalysesPreserved();
  }

  std::string step;
  std::vector<std::string> *changed;
};

struct EmptyKernel {
  EmptyKernel() {
    DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>("tile.kernel @empty() { tile.return }",
                                         &context);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// The passes of a stage, as text that makes each of them again.
std::vector<std::string> textsOf(OpPassManager &stage) {
  std::vector<std::string> texts;
  for (Pass &adaptor : stage.getPasses()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    adaptor.printAsTextualPipeline(stream);
    // tile.kernel(first,second{option=x y})
    llvm::SmallVector<StringRef> parts;
    StringRef inner(text);
    inner.consume_front("tile.kernel(");
    inner.consume_back(")");
    inner.split(parts, ',');
    for (StringRef part : parts) {
      texts.push_back(part.str());
    }
  }
  return texts;
}

TEST(Unchanged, StepsOfTheSharedStagesSaySo) {
  tz::optimizer::registerPasses();
  registerPass([] { return createCSEPass(); });
  EmptyKernel empty;
  ASSERT_TRUE(empty.module);
  PassManager stages(&empty.context);
  tz::optimizer::buildNeutral(stages, {});
  tz::optimizer::buildPrepared(stages, {});
  const std::vector<std::string> texts = textsOf(stages);
  EXPECT_GT(texts.size(), 10U);
  PassManager manager(&empty.context);
  OpPassManager &steps = manager.nest<tz::tile::KernelOp>();
  std::vector<std::string> changed;
  steps.addPass(std::make_unique<Ask>("the beginning", changed));
  for (const std::string &text : texts) {
    ASSERT_TRUE(succeeded(parsePassPipeline(text, steps))) << text;
    steps.addPass(std::make_unique<Ask>(text, changed));
  }
  ASSERT_TRUE(succeeded(manager.run(*empty.module)));
  EXPECT_EQ(changed, std::vector<std::string>{"the beginning"});
}

TEST(Unchanged, StepsOfAGpuSaySo) {
  EmptyKernel empty;
  ASSERT_TRUE(empty.module);
  const tz::simt::SimtTarget target;
  tz::simt::Pipeline pipeline(target, {true, true});
  std::vector<std::string> names, changed;
  for (const tz::simt::Pipeline::Step &step : pipeline.steps()) {
    names.push_back(step.name);
  }
  for (const std::string &name : names) {
    pipeline.insertAfter(name, "ask-" + name,
                         std::make_unique<Ask>(name, changed));
  }
  PassManager manager(&empty.context);
  pipeline.moveTo(manager.nest<tz::tile::KernelOp>());
  ASSERT_TRUE(succeeded(manager.run(*empty.module)));
  // The first asks first; assign-layouts writes its machine into the kernel.
  EXPECT_EQ(changed, (std::vector<std::string>{names[0], "assign-layouts"}));
}

} // namespace
