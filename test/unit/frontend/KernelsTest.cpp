//===- KernelsTest.cpp - kernels that must compile ------------------------===//
//
// What   Every `# run:` of the files in test/frontend/kernels gives valid tile
//        IR without a diagnostic; properties of the IR that text shows badly.
// Why    They are the kernels that people write first.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace tz::frontend;
using namespace tz::frontend::test;

namespace {

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, Compile) {
  KernelFile file = readKernelFile(GetParam());
  ASSERT_FALSE(file.runs.empty()) << "the file runs no kernel";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule(file.path, file.text, sink);
  for (const KernelRun &run : file.runs) {
    auto result = elaborate(module, run.kernel, run.spec, context, sink);
    EXPECT_TRUE(result) << run.kernel;
  }
  EXPECT_EQ(sink.str(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Files, Kernels, testing::ValuesIn(kernelFiles("test/frontend/kernels")),
    [](const testing::TestParamInfo<std::string> &info) {
      std::string name;
      for (char c : info.param.substr(info.param.rfind('/') + 1)) {
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      }
      return name;
    });

struct Elaborated {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  DiagnosticSink sink;
  Module module;
  mlir::OwningOpRef<mlir::ModuleOp> ir;
  Elaborated(const std::string &text, const std::string &run)
      : module(parseModule(
            "t.py", "import triton\nimport triton.language as tl\n" + text,
            sink)) {
    KernelRun parsed = parseRun(run);
    ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
    EXPECT_EQ(sink.str(), "");
  }
  template <typename Op>
  std::vector<Op> ops() {
    std::vector<Op> list;
    ir->walk([&](Op op) { list.push_back(op); });
    return list;
  }
};

TEST(Elaborate, ConstexprIfVisitsOneArm) {
  Elaborated e("@triton.jit\n"
               "def k(x, F: tl.constexpr):\n"
               "    if F == 1:\n"
               "        tl.store(x, 1.0)\n"
               "    elif F:\n"
               "        undefined_name\n"
               "    else:\n"
               "        also_undefined\n",
               "k x=*fp32 F:=1");
  EXPECT_EQ(e.ops<tz::tile::StoreOp>().size(), 1u);
  EXPECT_TRUE(e.ops<mlir::scf::IfOp>().empty());
}

TEST(Elaborate, EarlyReturnGuardsTheRest) {
  Elaborated e("@triton.jit\n"
               "def k(x, n):\n"
               "    if n > 3:\n"
               "        return\n"
               "    if n < 0:\n"
               "        tl.store(x, 1.0)\n"
               "        return\n"
               "    tl.store(x, 2.0)\n",
               "k x=*fp32 n=i32");
  EXPECT_EQ(e.ops<mlir::scf::IfOp>().size(), 2u);
  EXPECT_EQ(e.ops<tz::tile::StoreOp>().size(), 2u);
}

TEST(Elaborate, EarlyReturnGivesValues) {
  Elaborated e("@triton.jit\n"
               "def f(n):\n"
               "    if n > 3:\n"
               "        return 1.0, n\n"
               "    elif n > 2:\n"
               "        return 2.0, n + 1\n"
               "    return 3.0, 0\n"
               "@triton.jit\n"
               "def k(x, n):\n"
               "    a, b = f(n)\n"
               "    tl.store(x, a + b)\n",
               "k x=*fp32 n=i32");
  ASSERT_EQ(e.ops<mlir::scf::IfOp>().size(), 2u);
  EXPECT_EQ(e.ops<mlir::scf::IfOp>()[1].getNumResults(), 2u);
}

TEST(Elaborate, LoopsCarryWhatTheyAssign) {
  Elaborated e("@triton.jit\n"
               "def k(x, n):\n"
               "    acc = 0.0\n"
               "    pair = (x, n)\n"
               "    for i in range(n):\n"
               "        p, c = pair\n"
               "        acc += tl.load(p)\n"
               "        pair = (p + 1, c - 1)\n"
               "    while n > 0:\n"
               "        n = n // 2\n"
               "        acc = acc * 2\n"
               "    for j in range(10, 0, -3):\n"
               "        acc += j\n"
               "    tl.store(x, acc)\n",
               "k x=*fp32 n=i32");
  auto loops = e.ops<mlir::scf::ForOp>();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].getNumResults(), 3u);
  ASSERT_EQ(e.ops<mlir::scf::WhileOp>().size(), 1u);
  EXPECT_EQ(e.ops<mlir::scf::WhileOp>()[0].getNumResults(), 2u);
  for (tz::tile::LoadOp load : e.ops<tz::tile::LoadOp>()) {
    EXPECT_EQ(load.getGroup(), 1);
  }
}

TEST(Elaborate, NamesLocalToTwoLoopsAreIndependent) {
  Elaborated e("@triton.jit\n"
               "def k(x, n):\n"
               "    for i in range(n):\n"
               "        v = i + 1\n"
               "    for i in range(n):\n"
               "        v = i * 0.5\n"
               "        tl.store(x, v)\n"
               "    if n > 3:\n"
               "        w = 1\n"
               "    for i in range(n):\n"
               "        w = 2.0\n"
               "        tl.store(x, w)\n",
               "k x=*fp32 n=i32");
  for (mlir::scf::ForOp loop : e.ops<mlir::scf::ForOp>()) {
    EXPECT_EQ(loop.getNumResults(), 0u);
  }
}

TEST(Elaborate, GroupsFollowTheArgument) {
  Elaborated e("@triton.jit\n"
               "def k(x, y, z, n):\n"
               "    p = x\n"
               "    if n > 0:\n"
               "        p = x + 1\n"
               "    q = x\n"
               "    if n > 0:\n"
               "        q = y\n"
               "    a = tl.load(p + tl.arange(0, 8))\n"
               "    b = tl.load(q + tl.arange(0, 8))\n"
               "    w = tl.load(z).to(tl.pointer_type(tl.float32))\n"
               "    tl.store(w + tl.arange(0, 8), a + b)\n",
               "k x=*fp32 y=*fp32 z=*i64 n=i32");
  auto loads = e.ops<tz::tile::LoadOp>();
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].getGroup(), 1);
  EXPECT_EQ(loads[1].getGroup(), 0);
  EXPECT_EQ(loads[2].getGroup(), 3);
  EXPECT_EQ(e.ops<tz::tile::StoreOp>()[0].getGroup(), 0);
}

TEST(Elaborate, KernelsThatSpinAreMarked) {
  Elaborated e("@triton.jit\n"
               "def k(lock, n):\n"
               "    while tl.atomic_cas(lock, 0, 1) == 1:\n"
               "        pass\n",
               "k lock=*i32 n=i32");
  EXPECT_TRUE((*e.ops<tz::tile::KernelOp>().begin())->hasAttr("tile.waits"));
  Elaborated plain("@triton.jit\n"
                   "def k(x, n):\n"
                   "    while n > 0:\n"
                   "        n -= 1\n",
                   "k x=*i32 n=i32");
  EXPECT_FALSE(
      (*plain.ops<tz::tile::KernelOp>().begin())->hasAttr("tile.waits"));
}

TEST(Elaborate, ArgumentsCarryTheirHints) {
  Elaborated e("@triton.jit\n"
               "def k(x, y, n, one, f):\n"
               "    tl.store(x + n * one, f)\n",
               "k x=*fp32:16 y=*kfp16 n=i64:16 one=i32:1 f=fp32");
  auto kernel = e.ops<tz::tile::KernelOp>().front();
  ASSERT_EQ(kernel.getArgumentTypes().size(), 4u);
  EXPECT_TRUE(kernel.getArgAttr(1, "tile.const"));
  EXPECT_EQ(kernel.getArgAttrOfType<mlir::IntegerAttr>(2, "tile.divisibility")
                .getInt(),
            16);
  EXPECT_FALSE(kernel.getArgAttr(1, "tile.divisibility"));
  EXPECT_EQ(
      kernel.getArgAttrOfType<mlir::StringAttr>(3, "tile.name").getValue(),
      "f");
}

TEST(Elaborate, LocationsKeepTheCallChain) {
  Elaborated e("@triton.jit\n"
               "def f(p):\n"
               "    tl.store(p, 1.0)\n"
               "@triton.jit\n"
               "def k(x):\n"
               "    f(x)\n",
               "k x=*fp32");
  auto loc =
      llvm::dyn_cast<mlir::CallSiteLoc>(e.ops<tz::tile::StoreOp>()[0].getLoc());
  ASSERT_TRUE(loc);
  auto name = llvm::dyn_cast<mlir::NameLoc>(loc.getCallee());
  ASSERT_TRUE(name);
  EXPECT_EQ(name.getName().getValue(), "f");
  auto callee = llvm::cast<mlir::FileLineColLoc>(name.getChildLoc());
  auto caller = llvm::cast<mlir::FileLineColLoc>(loc.getCaller());
  EXPECT_EQ(callee.getLine(), 5u);
  EXPECT_EQ(callee.getColumn(), 5u);
  EXPECT_EQ(caller.getLine(), 8u);
}

TEST(Elaborate, StaticLoopsUnrollAndConstexprsFold) {
  Elaborated e("N: tl.constexpr = 3\n"
               "@triton.jit\n"
               "def k(x, act: tl.constexpr):\n"
               "    for i in tl.static_range(N):\n"
               "        half: tl.constexpr = i // 2\n"
               "        tl.store(x + half, act(1.0 * i))\n"
               "@triton.jit\n"
               "def twice(v):\n"
               "    return v * 2\n",
               "k x=*fp32 act:=twice");
  EXPECT_EQ(e.ops<tz::tile::StoreOp>().size(), 3u);
}

TEST(Elaborate, LongChainsMeetALimitNotTheStack) {
  std::string returns, elifs = "    if n == 0:\n        n += 1\n";
  for (int i = 1; i < 1200; ++i) {
    std::string number = std::to_string(i);
    returns += "    if n == " + number + ":\n        return\n";
    elifs += "    elif n == " + number + ":\n        n += 1\n";
  }
  for (const std::string &body : {returns, elifs}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    DiagnosticSink sink;
    Module module = parseModule(
        "t.py", "import triton\n@triton.jit\ndef k(n):\n" + body, sink);
    EXPECT_FALSE(
        elaborate(module, "k", parseRun("k n=i32").spec, context, sink));
    EXPECT_EQ(sink.errorCount(), 1u);
    EXPECT_NE(sink.str().find(
                  "run-time control flow is nested more than 250 levels deep; "
                  "each elif and each early return is a level (limit of region "
                  "depth)"),
              std::string::npos);
  }
}

TEST(Elaborate, FoldedOneMayBeReassigned) {
  Elaborated e("@triton.jit\n"
               "def k(x, n):\n"
               "    for i in range(4):\n"
               "        n += 1\n"
               "    tl.store(x, n)\n",
               "k x=*i32 n=i32:1");
  EXPECT_EQ(e.ops<mlir::scf::ForOp>()[0].getNumResults(), 1u);
}

} // namespace
