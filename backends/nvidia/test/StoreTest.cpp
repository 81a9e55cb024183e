//===- StoreTest.cpp - matrix stores and bulk stores by ptxas -------------===//
//
// What   Each form of stmatrix and of the TMA unit's stores, in a kernel
//        that takes it, must be accepted without warnings and spills.
// Why    Inline PTX is checked by nobody before ptxas.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "backends/nvidia/compiler/CodeGen.h"
#include "backends/nvidia/compiler/assemble/Assembler.h"

#include "mlir/Parser/Parser.h"

using namespace tz;
using namespace tz::nvidia;

namespace {

struct Stored {
  std::string result; // type of the elements
  int64_t columns;
  std::string order; // strides of the result
  std::string form;  // instruction
};

void PrintTo(const Stored &stored, std::ostream *stream) {
  *stream << stored.form << ' ' << stored.result;
}

/// C[64, columns] = A B over k, converted; A and B by the TMA unit.
std::string textOf(const Stored &stored) {
  const std::string n = std::to_string(stored.columns),
                    sum = "tensor<64x" + n + "xf32>",
                    result = "tensor<64x" + n + "x" + stored.result + ">",
                    view = "!tile.view<64x" + n + "x" + stored.result + ">";
  const bool isWide = stored.result == "f32";
  return "tile.kernel @stored(%a: !tile.ptr<f16> {tile.divisibility = 16 : "
         "i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = "
         "16 : i64, tile.group = 2 : i64}, %c: !tile.ptr<" +
         stored.result +
         "> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, "
         "%size: i64 {tile.divisibility = 16 : i64}) attributes "
         "{tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {\n"
         "%zero = arith.constant dense<0.0> : " +
         sum +
         "\n%z = arith.constant 0 : i64\n%one = arith.constant 1 : i64\n"
         "%c0 = arith.constant 0 : i32\n%c64 = arith.constant 64 : i32\n"
         "%va = tile.make_view %a shape[%size, %size] strides[%size, %one] : "
         "!tile.ptr<f16> -> !tile.view<64x64xf16>\n"
         "%vb = tile.make_view %b shape[%size, %size] strides[%size, %one] : "
         "!tile.ptr<f16> -> !tile.view<64x" +
         n +
         "xf16>\n"
         "%vc = tile.make_view %c shape[%size, %size] strides[" +
         stored.order + "] : !tile.ptr<" + stored.result + "> -> " + view +
         "\n%s = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> "
         "(" +
         sum +
         ") : i32 {\n%at = arith.extsi %i : i32 to i64\n"
         "%x = tile.load_view %va[%z, %at] checked [true, true] {group = 1 : "
         "i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>\n"
         "%y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : "
         "i64} : !tile.view<64x" +
         n + "xf16> -> tensor<64x" + n +
         "xf16>\n%next = tile.dot %x, %y, %acc : tensor<64x64xf16>, "
         "tensor<64x" +
         n + "xf16> -> " + sum + "\nscf.yield %next : " + sum + "\n}\n" +
         (isWide
              ? ""
              : "%r = tile.truncf rtne %s : " + sum + " to " + result + "\n") +
         "tile.store_view %vc[%z, %z], %" + (isWide ? "s" : "r") +
         " checked [true, true] {group = 3 : i64} : " + view + ", " + result +
         "\ntile.return\n}\n";
}

class Stores : public testing::TestWithParam<Stored> {};

TEST_P(Stores, AssembleWithoutWarnings) {
  if (findPtxas().empty()) {
    GTEST_SKIP() << "there is no ptxas";
  }
  mlir::DialectRegistry dialects;
  tile::registerTileDialects(dialects);
  dialects.insert<simt::SimtDialect>();
  mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(textOf(GetParam()), &context);
  ASSERT_TRUE(module);
  for (const char *cpu : {"sm_90a", "sm_100a"}) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
    tile::KernelOp kernel = *copy->getOps<tile::KernelOp>().begin();
    // The first variant is the TMA unit's.
    const CompiledVariant inBulk =
        std::move(compileKernel(kernel, *findArchitecture(cpu), {}).front());
    for (const std::string &form :
         {GetParam().form,
          std::string("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"),
          std::string("cp.async.bulk.wait_group.read 0;"),
          std::string("prefetch.tensormap")}) {
      EXPECT_NE(inBulk.ptx.find(form), std::string::npos)
          << form << " for " << cpu;
    }
    ASSERT_TRUE(inBulk.assembled);
    EXPECT_TRUE(inBulk.assembled->warnings.empty())
        << inBulk.assembled->warnings.front();
    EXPECT_EQ(inBulk.assembled->spillBytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Stores,
    testing::Values(Stored{"f16", 64, "%size, %one",
                           "stmatrix.sync.aligned.m8n8.x4.shared.b16"},
                    // A vector a thread: less is not stored in bulk.
                    Stored{"bf16", 16, "%size, %one",
                           "stmatrix.sync.aligned.m8n8.x4.shared.b16"},
                    Stored{"bf16", 64, "%one, %size",
                           "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
                    Stored{"f16", 16, "%one, %size",
                           "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
                    Stored{"f32", 64, "%size, %one", "st.shared.v2"},
                    Stored{"f8E4M3FN", 64, "%size, %one", "st.shared"}));

} // namespace
