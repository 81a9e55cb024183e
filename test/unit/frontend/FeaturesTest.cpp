//===- FeaturesTest.cpp - less common parts of the language ---------------===//
//
// What   Kernels over tables of inputs, run in the reference interpreter and
//        compared with plain C++.
// Why    The table of the language has one example a name; here is the rest of
//        what those names must do.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "core/interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace tz::frontend;
using namespace tz::frontend::test;
using testing::ElementsAre;
using tz::interpreter::ArgValue;

namespace {

void runText(const std::string &text, const std::string &run,
             std::vector<ArgValue> args) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule("t.py",
                              "import triton\nimport triton.language as tl\n"
                              "from triton.language.extra import libdevice\n" +
                                  text,
                              sink);
  KernelRun parsed = parseRun(run);
  auto ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
  ASSERT_TRUE(ir) << sink.str();
  auto kernel = *ir->getOps<tz::tile::KernelOp>().begin();
  tz::interpreter::LaunchArgs launch;
  launch.args = std::move(args);
  tz::interpreter::Options options;
  options.stepLimit = 10000000;
  tz::interpreter::Report report;
  llvm::Error error = tz::interpreter::run(kernel, launch, options, report);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

/// The value of an fp8e4b15's bits.
double valueOfE4B15(int bits) {
  int exponent = (bits >> 3) & 15, fraction = bits & 7;
  double size = exponent ? std::ldexp(8 + fraction, exponent - 18)
                         : std::ldexp(fraction, -17);
  return bits & 0x80 ? -size : size;
}

TEST(Float8E4B15, EveryByteIsItsNumber) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 256)
    x = tl.load(p + i).to(tl.float8e4b15, bitcast=True)
    tl.store(o + i, x.to(tl.float32))
    back = x.to(tl.float32).to(tl.float8e4b15)
    tl.store(p + i, back.to(tl.uint8, bitcast=True))
)py";
  std::vector<float> out(256);
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) {
    bytes[i] = uint8_t(i);
  }
  runText(text, "k o=*fp32 p=*u8",
          {ArgValue::pointer(out.data()), ArgValue::pointer(bytes.data())});
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[i], valueOfE4B15(i)) << i;
    EXPECT_EQ(bytes[i], i);
  }
}

TEST(Float8E4B15, RoundsOnceToNearestEven) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 1024)
    x = tl.load(p + i)
    near = x.to(tl.float8e4b15).to(tl.uint8, bitcast=True)
    down = x.to(tl.float8e4b15, fp_downcast_rounding="rtz")
    tl.store(o + i, near.to(tl.int32))
    tl.store(o + 1024 + i, down.to(tl.uint8, bitcast=True).to(tl.int32))
)py";
  std::vector<float> in;
  for (int i = 0; i < 128; ++i) { // each value, each middle, and beside them
    float v = float(valueOfE4B15(i));
    float middle = i < 127 ? float((v + valueOfE4B15(i + 1)) / 2) : 1.9f;
    in.insert(in.end(), {v, -v, middle, -middle, std::nextafter(middle, 0.f),
                         std::nextafter(middle, 4.f), std::nextafter(v, 0.f),
                         std::nextafter(v, 4.f)});
  }
  std::vector<int32_t> out(2048);
  runText(text, "k o=*i32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  for (int i = 0; i < 1024; ++i) {
    double size = std::abs(double(in[i]));
    int below = 0;
    while (below < 127 && valueOfE4B15(below + 1) <= size) {
      ++below;
    }
    int nearest = below;
    if (below < 127) {
      double up = valueOfE4B15(below + 1) - size,
             down = size - valueOfE4B15(below);
      nearest += up < down || (up == down && below % 2);
    }
    int sign = std::signbit(in[i]) ? 0x80 : 0;
    EXPECT_EQ(out[i], nearest | sign) << in[i];
    EXPECT_EQ(out[1024 + i], below | sign) << in[i];
  }
}

TEST(Float8E4B15, LargeNumbersSaturate) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i).to(tl.float8e4b15)
    tl.store(o + i, x.to(tl.float32))
)py";
  std::vector<float> in{1e30f, -INFINITY, NAN, 65520.0f}, out(4);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_THAT(out, ElementsAre(1.875f, -1.875f, 1.875f, 1.875f));
}

} // namespace
