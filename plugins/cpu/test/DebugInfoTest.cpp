//===- DebugInfoTest.cpp - Locations of any shape become lines ------------===//
//
// What   Locations that no frontend makes but portable bytes can hold: nested
//        and shared without end, missing, or without a file.
// Why    The portable form is read from files: such locations may cost lines,
//        never time, memory or the process.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/compiler/CpuCodeGen.h"
#include "plugins/cpu/device/ElfObject.h"
#include "plugins/cpu/device/LineTable.h"

#include "terrazzo/plugin/LLVMOption.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/CommandLine.h"

using namespace tz::cpu;

namespace {

const char *const Twice = R"(
tile.kernel @twice(%x: !tile.ptr<f32>, %n: i32) {
  %a = tile.load %x : !tile.ptr<f32> -> f32
  %b = arith.addf %a, %a : f32
  %p = tile.addptr %x, %n : !tile.ptr<f32>, i32
  tile.store %p, %b : !tile.ptr<f32>, f32
  tile.return
}
)";

class Kernel {
public:
  Kernel() {
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        Twice, mlir::ParserConfig(&context), "/src/kernel.mlir");
    EXPECT_TRUE(module);
  }
  tz::tile::KernelOp op() {
    return *module->getOps<tz::tile::KernelOp>().begin();
  }
  mlir::Location line(unsigned number) {
    return mlir::FileLineColLoc::get(&context, "/src/kernel.py", number, 1);
  }
  void locateOps(mlir::Location location) {
    op().getBody().walk([&](mlir::Operation *one) { one->setLoc(location); });
  }
  /// Compiled at `level`, loaded, and its lines read.
  LineTable lines(unsigned level) {
    CompileOptions options;
    options.debugLevel = level;
    compiled = compileKernel(op(), *parseTarget("cpu"), options);
    std::string error;
    auto object = ElfObject::load(
        {reinterpret_cast<const std::byte *>(compiled.object.data()),
         compiled.object.size()},
        error);
    EXPECT_TRUE(object) << error;
    return object ? readLineTable(object->debugImage()) : LineTable();
  }
  CompiledKernel compiled;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

bool holds(const LineTable &table, uint32_t line) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const LineRow &row) { return row.line == line; });
}

TEST(DebugInfo, PlainLocationsAreTheLines) {
  Kernel kernel;
  LineTable table = kernel.lines(1);
  EXPECT_TRUE(holds(table, 3)); // the load
  EXPECT_TRUE(holds(table, 6)); // the store
  ASSERT_FALSE(table.files.empty());
  EXPECT_EQ(table.files[0], "/src/kernel.mlir");
  EXPECT_TRUE(kernel.lines(0).rows.empty());
}

TEST(DebugInfo, CallsThatShareTheirCallersAreBounded) {
  Kernel kernel;
  mlir::Location location = kernel.line(7);
  for (unsigned depth = 0; depth < 200; ++depth) {
    location = mlir::CallSiteLoc::get(location, location); // 2^depth calls
  }
  kernel.locateOps(location);
  for (unsigned level : {1u, 2u}) {
    kernel.lines(level); // ends, and loads
  }
}

TEST(DebugInfo, DeepChainsKeepTheirInnermostLine) {
  Kernel kernel;
  mlir::Location location = kernel.line(100);
  for (unsigned depth = 1; depth < 60; ++depth) {
    location = mlir::CallSiteLoc::get(kernel.line(100 + depth), location);
  }
  kernel.locateOps(mlir::FusedLoc::get(
      &kernel.context,
      {mlir::NameLoc::get(mlir::StringAttr::get(&kernel.context, "name"),
                          kernel.line(50)),
       location}));
  EXPECT_TRUE(holds(kernel.lines(1), 50)) << "the first of fused ones";
  kernel.locateOps(location);
  EXPECT_TRUE(holds(kernel.lines(1), 159));
}

TEST(DebugInfo, NothingKnownIsNothingSaid) {
  Kernel kernel;
  mlir::Location unknown = mlir::UnknownLoc::get(&kernel.context);
  kernel.locateOps(unknown);
  LineTable table = kernel.lines(2); // of the kernel's own line alone
  EXPECT_TRUE(holds(table, 2));
  EXPECT_FALSE(holds(table, 3));
  kernel.op()->setLoc(unknown);
  EXPECT_TRUE(kernel.lines(2).rows.empty());
  EXPECT_EQ(kernel.compiled.object.find(".debug_"), std::string::npos);
}

/// Here since the option belongs to the process: the first compilation turns
/// loop strength reduction off. A new LLVM may rename it.
TEST(CodeGen, LeavesStrengthReductionOut) {
  Kernel().lines(0);
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-lsr");
  ASSERT_NE(found, options.end());
  EXPECT_TRUE(static_cast<llvm::cl::opt<bool> *>(found->second)->getValue());
}

TEST(CodeGen, AnOptionThatThisLLVMLacksIsAFailure) {
  try {
    tz::plugin::setOption("disable-no-such-pass", "true");
    FAIL() << "an option that is not there was set";
  } catch (const tz::plugin::Failure &failure) {
    EXPECT_EQ(failure.code, TZ_E_INTERNAL);
    EXPECT_EQ(failure.message, "this LLVM has no option -disable-no-such-pass");
  }
}

} // namespace
