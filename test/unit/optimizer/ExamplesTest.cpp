//===- ExamplesTest.cpp - example kernels before and after the passes -----===//
//
// What   Runs each kernel of docs/examples in the interpreter as the frontend
//        made it and after the neutral stage, on random data of odd sizes, and
//        compares every byte it wrote; counts what is left of pointer accesses.
// Why    A pass that changes an answer shows here, with the kernels that people
//        start from.
//
// Bytes must be equal: the passes change where an access comes from, not what
// is computed. The interpreter knows each buffer, so that an access that only
// one of the two forms makes beyond its end is an error.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"
#include "test/unit/frontend/KernelFile.h"

#include "core/frontend/Frontend.h"
#include "core/interpreter/Interpreter.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <random>

using namespace tz;

namespace {
/// A buffer of `count` elements, or a number.
struct Input {
  enum Kind { F32, F16, I32, I64, Number } kind;
  int64_t value;
};

struct Case {
  const char *name, *file, *run;
  std::array<uint32_t, 3> grid;
  std::vector<Input> inputs;
  unsigned pointerAccesses; // tiles of pointers that may stay
};

struct Outcome {
  std::vector<std::vector<uint8_t>> buffers;
  std::string error;
};
} // namespace

static std::vector<uint8_t> fill(const Input &input, std::mt19937 &random) {
  std::uniform_real_distribution<float> real(-2, 2);
  std::vector<uint8_t> bytes;
  auto push = [&](auto v) {
    auto *p = reinterpret_cast<const uint8_t *>(&v);
    bytes.insert(bytes.end(), p, p + sizeof(v));
  };
  for (int64_t i = 0; i < input.value; ++i) {
    switch (input.kind) {
    case Input::F32:
      push(real(random));
      break;
    case Input::F16:
      // 1.0 to 2.0 and -1.0 to -2.0: every such pattern is finite
      push(static_cast<uint16_t>(0x3c00 | (random() & 0x83ff)));
      break;
    case Input::I32:
      push(static_cast<int32_t>(random() % 16));
      break;
    default:
      push(static_cast<int64_t>(random() % 16));
    }
  }
  return bytes;
}

static Outcome execute(tile::KernelOp kernel, const Case &c) {
  std::mt19937 random(7);
  Outcome outcome;
  interpreter::LaunchArgs launch;
  interpreter::Options options;
  launch.grid = c.grid;
  for (const Input &input : c.inputs) {
    if (input.kind != Input::Number) {
      outcome.buffers.push_back(fill(input, random));
    }
  }
  size_t next = 0;
  unsigned index = 0;
  for (const Input &input : c.inputs) {
    mlir::Type type = kernel.getArgumentTypes()[index++];
    if (input.kind == Input::Number) {
      launch.args.push_back(type.isF32()
                                ? interpreter::ArgValue::f32(input.value)
                                : interpreter::ArgValue::integer(input.value));
      continue;
    }
    auto &buffer = outcome.buffers[next++];
    launch.args.push_back(interpreter::ArgValue::pointer(buffer.data()));
    options.memory.push_back({reinterpret_cast<uintptr_t>(buffer.data()),
                              buffer.size(), "argument", true});
  }
  interpreter::Report report;
  if (auto error = interpreter::run(kernel, launch, options, report)) {
    outcome.error = llvm::toString(std::move(error));
  }
  return outcome;
}

class Examples : public testing::TestWithParam<Case> {};

TEST_P(Examples, GiveTheSameBytesAfterTheNeutralStage) {
  const Case &c = GetParam();
  std::string path = std::string(TERRAZZO_SOURCE_DIR) + "/" + c.file;
  auto file = frontend::test::readKernelFile(path);
  frontend::test::KernelRun run = frontend::test::parseRun(c.run);
  frontend::DiagnosticSink sink;
  frontend::Module module = frontend::parseModule(path, file.text, sink);
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto ir = frontend::elaborate(module, run.kernel, run.spec, context, sink);
  ASSERT_TRUE(ir) << (sink.diagnostics().empty()
                          ? ""
                          : sink.diagnostics().front().message);
  auto kernel = *ir->getOps<tile::KernelOp>().begin();
  ASSERT_EQ(kernel.getArgumentTypes().size(), c.inputs.size());
  Outcome before = execute(kernel, c);
  ASSERT_EQ(before.error, "");

  optimizer::RemarkSink remarks;
  ASSERT_TRUE(mlir::succeeded(optimizer::runNeutral(*ir, &remarks)));
  ASSERT_TRUE(mlir::succeeded(mlir::verify(*ir)));
  unsigned stayed = 0;
  kernel.walk([&](mlir::Operation *op) {
    stayed += llvm::isa<tile::LoadOp, tile::StoreOp>(op) &&
              llvm::isa<mlir::RankedTensorType>(op->getOperand(0).getType());
  });
  std::string why;
  for (const optimizer::Remark &remark : remarks.remarks) {
    why += remark.message + "\n";
  }
  EXPECT_LE(stayed, c.pointerAccesses) << why;

  Outcome after = execute(kernel, c);
  ASSERT_EQ(after.error, "");
  for (auto [i, buffer] : llvm::enumerate(before.buffers)) {
    EXPECT_TRUE(buffer == after.buffers[i]) << "buffer " << i << "\n" << why;
  }
}

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

/// R2: the neutral stage is a function of the kernel alone. The prepared stage
/// is not, which shows that the two descriptions would be noticed.
TEST_P(Examples, NeutralIsTheSameForAnyTarget) {
  const Case &c = GetParam();
  std::string path = std::string(TERRAZZO_SOURCE_DIR) + "/" + c.file;
  auto file = frontend::test::readKernelFile(path);
  frontend::test::KernelRun run = frontend::test::parseRun(c.run);
  frontend::DiagnosticSink sink;
  frontend::Module module = frontend::parseModule(path, file.text, sink);
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  optimizer::TargetFacts full{{"f64", "fp8", "dot.f32", "dot.tf32"},
                              {{"vector.bits", "512"}}};
  optimizer::TargetFacts narrow{{"dot.tf32"}, {{"vector.bits", "128"}}};
  std::string neutral[2], prepared[2];
  bool hasChoice = false;
  for (int i = 0; i < 2; ++i) {
    const optimizer::TargetFacts &facts = i ? narrow : full;
    auto ir = frontend::elaborate(module, run.kernel, run.spec, context, sink);
    ASSERT_TRUE(ir);
    ASSERT_TRUE(mlir::succeeded(optimizer::runNeutral(*ir, nullptr, facts)));
    neutral[i] = textOf(*ir);
    ir->walk([&](tile::DotOp dot) {
      hasChoice |= dot.getPrecision() == tile::Precision::target_default;
    });
    ASSERT_TRUE(mlir::succeeded(optimizer::runPrepared(*ir, facts)));
    prepared[i] = textOf(*ir);
  }
  EXPECT_EQ(neutral[0], neutral[1]);
  EXPECT_EQ(prepared[0] != prepared[1], hasChoice);
}

static constexpr auto F32 = Input::F32, F16 = Input::F16, I32 = Input::I32,
                      Number = Input::Number;
static const char Matmul[] =
    "matmul_kernel a=*fp32 b=*fp32 c=*fp32 M=i32 N=i32 K=i32 stride_am=i32 "
    "stride_ak=i32:1 stride_bk=i32 stride_bn=i32:1 stride_cm=i32 "
    "stride_cn=i32:1 BLOCK_M:=16 BLOCK_N:=16 BLOCK_K:=16 GROUP_M:=2 "
    "ACTIVATION:=leaky_relu";
static const char MatmulStrided[] =
    "matmul_kernel a=*fp16 b=*fp16 c=*fp16 M=i32 N=i32 K=i32 stride_am=i32 "
    "stride_ak=i32 stride_bk=i32 stride_bn=i32 stride_cm=i32 stride_cn=i32 "
    "BLOCK_M:=32 BLOCK_N:=16 BLOCK_K:=16 GROUP_M:=8";
static const char Attention[] =
    "attention_fwd q=*fp32 k=*fp32 v=*fp32 out=*fp32 lse=*fp32 scale=fp32 "
    "n_q=i32 n_k=i32 HEAD_DIM:=16 BLOCK_M:=16 BLOCK_N:=16 CAUSAL:=";
static const std::string Causal = std::string(Attention) + "True";
static const std::string Full = std::string(Attention) + "False";

static std::vector<Input> attentionInputs(int64_t q, int64_t k) {
  return {{F32, 2 * q * 16}, {F32, 2 * k * 16}, {F32, 2 * k * 16},
          {F32, 2 * q * 16}, {F32, 2 * q},      {Number, 1},
          {Number, q},       {Number, k}};
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Examples,
    testing::Values(
        Case{"vector_add",
             "docs/examples/vector_add.py",
             "add_kernel x=*fp32:16 y=*fp32:16 out=*fp32:16 n=i32 BLOCK:=128",
             {8, 1, 1},
             {{F32, 1001}, {F32, 1001}, {F32, 1001}, {Number, 1001}},
             0},
        Case{"softmax",
             "docs/examples/softmax.py",
             "softmax_kernel out=*fp32 x=*fp32 x_row_stride=i32 "
             "out_row_stride=i32 n_cols=i32 BLOCK:=128",
             {7, 1, 1},
             {{F32, 7 * 101},
              {F32, 7 * 103},
              {Number, 103},
              {Number, 101},
              {Number, 100}},
             0},
        Case{"softmax_full",
             "docs/examples/softmax.py",
             "softmax_kernel out=*fp32 x=*fp32 x_row_stride=i32 "
             "out_row_stride=i32 n_cols=i32 BLOCK:=128",
             {3, 1, 1},
             {{F32, 3 * 128},
              {F32, 3 * 128},
              {Number, 128},
              {Number, 128},
              {Number, 128}},
             0},
        Case{"matmul",
             "docs/examples/matmul.py",
             Matmul,
             {12, 1, 1},
             {{F32, 37 * 53},
              {F32, 53 * 51},
              {F32, 37 * 51},
              {Number, 37},
              {Number, 51},
              {Number, 53},
              {Number, 53},
              {Number, 51},
              {Number, 51}},
             0},
        Case{"matmul_full",
             "docs/examples/matmul.py",
             Matmul,
             {4, 1, 1},
             {{F32, 32 * 48},
              {F32, 48 * 32},
              {F32, 32 * 32},
              {Number, 32},
              {Number, 32},
              {Number, 48},
              {Number, 48},
              {Number, 32},
              {Number, 32}},
             0},
        Case{"matmul_empty_k",
             "docs/examples/matmul.py",
             Matmul,
             {4, 1, 1},
             {{F32, 32},
              {F32, 32},
              {F32, 32 * 32},
              {Number, 32},
              {Number, 32},
              {Number, 0},
              {Number, 0},
              {Number, 32},
              {Number, 32}},
             0},
        Case{"matmul_strided",
             "docs/examples/matmul.py",
             MatmulStrided,
             {12, 1, 1},
             {{F16, 2 * 70 * 31},
              {F16, 31 * 51},
              {F16, 70 * 51},
              {Number, 70},
              {Number, 51},
              {Number, 31},
              {Number, 62},
              {Number, 2},
              {Number, 1},
              {Number, 31},
              {Number, 51},
              {Number, 1}},
             0},
        Case{"layer_norm",
             "docs/examples/layer_norm.py",
             "layer_norm_fwd x=*fp32 y=*fp32 w=*fp32 b=*fp32 mean=*fp32 "
             "rstd=*fp32 stride=i32 n_cols=i32 eps=fp32 BLOCK:=32",
             {5, 1, 1},
             {{F32, 5 * 101},
              {F32, 5 * 101},
              {F32, 101},
              {F32, 101},
              {F32, 5},
              {F32, 5},
              {Number, 101},
              {Number, 101},
              {Number, 1}},
             0},
        Case{"layer_norm_bwd_dx",
             "docs/examples/layer_norm.py",
             "layer_norm_bwd_dx dx=*fp32 dy=*fp32 part_dw=*fp32 part_db=*fp32 "
             "x=*fp32 w=*fp32 mean=*fp32 rstd=*fp32 stride=i32 n_rows=i32 "
             "n_cols=i32 BLOCK:=64",
             {3, 1, 1},
             {{F32, 7 * 50},
              {F32, 7 * 50},
              {F32, 3 * 50},
              {F32, 3 * 50},
              {F32, 7 * 50},
              {F32, 50},
              {F32, 7},
              {F32, 7},
              {Number, 50},
              {Number, 7},
              {Number, 50}},
             0},
        Case{"layer_norm_bwd_dwdb",
             "docs/examples/layer_norm.py",
             "layer_norm_bwd_dwdb part_dw=*fp32 part_db=*fp32 dw=*fp32 "
             "db=*fp32 n_parts=i32 n_cols=i32 BLOCK_M:=8 BLOCK_N:=16",
             {4, 1, 1},
             {{F32, 21 * 50},
              {F32, 21 * 50},
              {F32, 50},
              {F32, 50},
              {Number, 21},
              {Number, 50}},
             0},
        Case{"attention",
             "docs/examples/attention.py",
             Full.c_str(),
             {3, 2, 1},
             attentionInputs(37, 45),
             0},
        Case{"attention_causal",
             "docs/examples/attention.py",
             Causal.c_str(),
             {3, 2, 1},
             attentionInputs(37, 45),
             0},
        Case{"attention_few_keys",
             "docs/examples/attention.py",
             Causal.c_str(),
             {3, 2, 1},
             attentionInputs(45, 20),
             0},
        Case{"dropout",
             "docs/examples/dropout.py",
             "dropout_kernel x=*fp32 out=*fp32 n=i32 p=fp32 seed=i32 "
             "BLOCK:=128",
             {4, 1, 1},
             {{F32, 500}, {F32, 500}, {Number, 500}, {Number, 0}, {Number, 5}},
             0},
        Case{"histogram",
             "docs/examples/histogram.py",
             "histogram_kernel x=*i32 counts=*i32 n=i32 BINS:=16 BLOCK:=64",
             {4, 1, 1},
             {{I32, 200}, {I32, 16}, {Number, 200}},
             0}),
    [](const auto &info) { return std::string(info.param.name); });
