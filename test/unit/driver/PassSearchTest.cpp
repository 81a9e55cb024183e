//===- PassSearchTest.cpp - a planted wrong pass is named -----------------===//
//
// What   The binary search; the IR that is kept behind each pass; the verdict
//        on stages that keep a kernel's result.
// Why    No pass of ours is known to be wrong, so one is planted.
//===----------------------------------------------------------------------===//
#include "core/execution/PassSearch.h"

#include "core/arguments/Request.h"
#include "core/driver/LoweredKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>

using namespace tz;
using namespace tz::tool;

namespace {

/// Adds where the kernel subtracts, and the other way round.
struct WrongPass final
    : mlir::PassWrapper<WrongPass, mlir::OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)
  llvm::StringRef getArgument() const override { return "wrong"; }
  void runOnOperation() override {
    getOperation()->walk([](mlir::arith::AddFOp add) {
      mlir::OpBuilder builder(add);
      auto other = mlir::arith::SubFOp::create(builder, add.getLoc(),
                                               add.getLhs(), add.getRhs());
      add.replaceAllUsesWith(other.getResult());
      add.erase();
    });
  }
};

struct IdlePass final
    : mlir::PassWrapper<IdlePass, mlir::OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IdlePass)
  llvm::StringRef getArgument() const override { return "idle"; }
  void runOnOperation() override {}
};

/// A launch of vector_add.py, and its run in the interpreter.
struct Prepared {
  runtime::Session session{toolSession()};
  driver::Driver driver{session.registry(), nullptr};
  runtime::SilentSink sink;
  std::optional<Launch> launch;
  std::optional<driver::LoweredKernel> kernel;
  Reference reference;

  Prepared() {
    Request request;
    request.kernel =
        std::string(TZ_TEST_EXAMPLE_FOLDER) + "/vector_add.py::add_kernel";
    request.grid = "cdiv(n,BLOCK)";
    request.binding.args = {"x=randn:f32[n]", "y=randn:f32[n]",
                            "out=zeros:f32[n]", "n=100"};
    request.binding.constexprs = {"BLOCK=64"};
    runtime::Result<Launch> found = resolve(request, driver, sink);
    EXPECT_TRUE(found) << found.status().message();
    launch = std::move(*found);
    launch->job.plugin = "cpu";
    EXPECT_TRUE(launch->binding.fill(0).ok());
    runtime::Result<driver::LoweredKernel> lowered =
        driver.lower(launch->job, driver::Stage::Tile, sink);
    EXPECT_TRUE(lowered);
    kernel = std::move(*lowered);
    EXPECT_TRUE(reference.run(*kernel, launch->binding, launch->grid,
                              {.tracksErrors = true}));
  }
};

TEST(PassSearch, FirstThatHolds) {
  for (size_t count = 1; count < 40; ++count) {
    for (size_t first = 0; first < count; ++first) {
      size_t asked = 0;
      runtime::Result<size_t> found = firstThat(count, [&](size_t at) {
        ++asked;
        return runtime::Result<bool>(at >= first);
      });
      ASSERT_TRUE(found);
      EXPECT_EQ(*found, first);
      EXPECT_LE(asked, 6u);
    }
  }
}

TEST(PassSearch, AFailureEndsTheSearch) {
  runtime::Result<size_t> found = firstThat(9, [](size_t) {
    return runtime::Result<bool>(runtime::Status(TZ_E_CANCELLED, "stop"));
  });
  EXPECT_EQ(found.status().code(), TZ_E_CANCELLED);
}

TEST(PassSearch, TheWrongPassIsNamed) {
  Prepared of;
  std::vector<PassStep> steps;
  mlir::ModuleOp module = *of.kernel->state().module;
  auto build = [](mlir::OpPassManager &to) {
    optimizer::buildNeutral(to, {});
    mlir::OpPassManager &kernel = to.nest<tile::KernelOp>();
    kernel.addPass(std::make_unique<IdlePass>());
    kernel.addPass(std::make_unique<WrongPass>());
    optimizer::buildPrepared(to, {});
  };
  ASSERT_TRUE(recordSteps(module, "mixed", build, steps).ok());
  auto isIdle = [](const PassStep &step) { return step.pass == "idle"; };
  EXPECT_TRUE(llvm::none_of(steps, isIdle)) << "it has changed nothing";
  runtime::Result<PassVerdict> found = judgeSteps(
      std::move(steps), of.launch->job, of.launch->binding, of.launch->grid,
      of.reference, {.tracksErrors = true}, of.driver, of.sink);
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_TRUE(found->guilty);
  EXPECT_EQ(found->steps[*found->guilty].pass, "wrong");
  EXPECT_NE(found->steps[*found->guilty].text.find("arith.subf"),
            std::string::npos);
  EXPECT_EQ(found->array, "out");
}

TEST(PassSearch, OurPassesKeepTheResult) {
  Prepared of;
  runtime::Result<PassVerdict> found = searchPasses(
      of.launch->job, of.launch->binding, of.launch->grid, of.reference,
      {.tracksErrors = true}, {}, of.driver, of.sink);
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_FALSE(found->steps.empty());
  EXPECT_FALSE(found->guilty);
}

} // namespace
