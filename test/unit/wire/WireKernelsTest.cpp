//===- WireKernelsTest.cpp - real kernels in portable form ----------------===//
//
// What   Every example and every kernel of the frontend's tests, as elaborated
//        and after the neutral stage: bytes and back, with all locations.
// Why    Goldens have each op once; kernels have what people write.
//
//===----------------------------------------------------------------------===//
#include "Modules.h"
#include "test/unit/frontend/KernelFile.h"

#include "core/frontend/Frontend.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/TilePipeline.h"

#include <filesystem>

namespace tz::wire {
namespace {

namespace test = frontend::test;

void roundTrip(mlir::ModuleOp module, WriteOptions options) {
  std::string bytes = written(module, options);
  mlir::MLIRContext other;
  auto again = read(bytes, other);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(print(again->get(), true), print(module, true));
  EXPECT_EQ(written(again->get(), options), bytes);
}

void roundTripKernel(const std::string &path, const test::KernelRun &run) {
  SCOPED_TRACE(path + "::" + run.kernel);
  frontend::DiagnosticSink sink;
  frontend::Module file = frontend::parseModule(path, slurp(path), sink);
  mlir::MLIRContext context;
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  context.appendDialectRegistry(registry);
  auto module = elaborate(file, run.kernel, run.spec, context, sink);
  ASSERT_TRUE(module) << sink.str();
  roundTrip(*module, {});
  ASSERT_TRUE(mlir::succeeded(optimizer::runNeutral(*module)));
  roundTrip(*module, {});
}

TEST(Kernels, OfTheFrontendsTests) {
  unsigned count = 0;
  for (const std::string &path : test::kernelFiles("test/frontend/kernels")) {
    for (const test::KernelRun &run : test::readKernelFile(path).runs) {
      roundTripKernel(path, run);
      ++count;
    }
  }
  EXPECT_GE(count, 4u);
}

struct Example {
  const char *file, *run;
};

class Examples : public testing::TestWithParam<Example> {};

TEST_P(Examples, RoundTrip) {
  roundTripKernel(std::string(TERRAZZO_SOURCE_DIR) + "/docs/examples/" +
                      GetParam().file,
                  test::parseRun(GetParam().run));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Examples,
    testing::Values(
        Example{
            "vector_add.py",
            "add_kernel x=*fp32:16 y=*fp32:16 out=*fp32:16 n=i32 BLOCK:=1024"},
        Example{"softmax.py",
                "softmax_kernel out=*fp32:16 x=*fp32:16 x_row_stride=i32 "
                "out_row_stride=i32 n_cols=i32 BLOCK:=1024"},
        Example{
            "matmul.py",
            "matmul_kernel a=*fp16:16 b=*fp16:16 c=*fp16:16 M=i32 N=i32 "
            "K=i32 stride_am=i32 stride_ak=i32:1 stride_bk=i32 "
            "stride_bn=i32:1 stride_cm=i32 stride_cn=i32:1 BLOCK_M:=64 "
            "BLOCK_N:=64 BLOCK_K:=32 GROUP_M:=8 ACTIVATION:=\"leaky_relu\""},
        Example{"layer_norm.py",
                "layer_norm_fwd x=*fp32 y=*fp32 w=*fp32 b=*fp32 mean=*fp32 "
                "rstd=*fp32 stride=i32 n_cols=i32 eps=fp32 BLOCK:=256"},
        Example{"layer_norm.py",
                "layer_norm_bwd_dx dx=*fp32 dy=*fp32 part_dw=*fp32 "
                "part_db=*fp32 x=*fp32 w=*fp32 mean=*fp32 rstd=*fp32 "
                "stride=i32 n_rows=i32 n_cols=i32 BLOCK:=1024"},
        Example{"layer_norm.py",
                "layer_norm_bwd_dwdb part_dw=*fp32 part_db=*fp32 dw=*fp32 "
                "db=*fp32 n_parts=i32 n_cols=i32 BLOCK_M:=32 BLOCK_N:=64"},
        Example{"dropout.py", "dropout_kernel x=*fp32 out=*fp32 n=i32 p=fp32 "
                              "seed=i32 BLOCK:=1024"},
        Example{"attention.py",
                "attention_fwd q=*fp16 k=*fp16 v=*fp16 out=*fp16 lse=*fp32 "
                "scale=fp32 n_q=i32 n_k=i32 HEAD_DIM:=64 BLOCK_M:=64 "
                "BLOCK_N:=32 CAUSAL:=True"},
        Example{"attention.py",
                "attention_fwd q=*bf16 k=*bf16 v=*bf16 out=*bf16 lse=*fp32 "
                "scale=fp32 n_q=i32 n_k=i32 HEAD_DIM:=64 BLOCK_M:=64 "
                "BLOCK_N:=32 CAUSAL:=False"},
        Example{"grouped_gemm.py",
                "grouped_gemm_kernel a_ptrs=*i64 b_ptrs=*i64 c_ptrs=*i64 "
                "sizes=*i32 strides=*i32 groups=i32 BLOCK_M:=32 BLOCK_N:=32 "
                "BLOCK_K:=32"},
        Example{
            "histogram.py",
            "histogram_kernel x=*i32 counts=*i32 n=i32 BINS:=64 BLOCK:=1024"},
        Example{"histogram.py", "histogram_blocks_kernel x=*i32 counts=*i32 "
                                "n=i32 BINS:=64 BLOCK:=1024"}),
    [](const auto &info) {
      std::string name = info.param.run;
      name.resize(name.find(' '));
      return name + std::to_string(info.index);
    });

} // namespace
} // namespace tz::wire
