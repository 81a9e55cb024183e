//===- ObjectsTest.cpp - aggregates, map_elementwise, descriptors' rows ---===//
//
// What   Kernels that use them, run in the reference interpreter and compared
//        with plain C++.
// Why    Each carries several values through one name or one region.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/RunText.h"

#include <gmock/gmock.h>

using namespace tz::frontend;
using namespace tz::frontend::test;
using testing::ElementsAre;
using tz::interpreter::ArgValue;

namespace {

std::vector<int32_t> ints(const std::string &text, const std::string &run,
                          size_t size, std::vector<int64_t> scalars = {}) {
  std::vector<int32_t> out(size, -7);
  std::vector<ArgValue> args{ArgValue::pointer(out.data())};
  for (int64_t scalar : scalars) {
    args.push_back(ArgValue::integer(scalar));
  }
  runText(text, run, args);
  return out;
}

const char *pairClass = R"py(
@triton.aggregate
class Pair:
    a: tl.tensor
    b: tl.constexpr

    @triton.jit
    def __init__(self, a, b: tl.constexpr):
        self.a = a + b
        self.b = b

    @triton.jit
    def both(self):
        return self.a * 10 + self.b

    @triton.jit
    def __add__(self, other):
        return Pair(self.a + other.a, self.b)

    @triton.jit
    def __neg__(self):
        return tl.aggregate_replace(self, a=-self.a)

    @triton.jit
    def __lt__(self, other):
        return self.a < other.a

    @triton.jit
    def __getitem__(self, i):
        return self.a + i

    @triton.jit
    def __call__(self, x):
        return self.a * x
)py";

TEST(Aggregate, MethodsOperatorsAndFields) {
  EXPECT_THAT(ints(std::string(pairClass) + R"py(
@triton.jit
def k(o, n):
    p = Pair(n, 3)
    q = Pair(1, b=2)
    tl.store(o, p.a)
    tl.store(o + 1, p.both())
    r = p + q
    tl.store(o + 2, r.a)
    tl.store(o + 3, (-p).a)
    tl.store(o + 4, (q < p).to(tl.int32))
    tl.store(o + 5, p[100])
    tl.store(o + 6, q(7))
    tl.static_assert(r.b == 3)
)py",
                   "k o=*i32 n=i32", 7, {5}),
              ElementsAre(8, 83, 14, -8, 1, 108, 21));
}

TEST(Aggregate, GoesThroughLoopsAndBranches) {
  EXPECT_THAT(
      ints(std::string(pairClass) + R"py(
@triton.jit
def k(o, n):
    p = Pair(0, 1)
    for i in range(n):
        p = p + Pair(i, 1)
    if n > 3:
        p = -p
    tl.store(o, p.a)
    tl.store(o + 1, p.b)
)py",
           "k o=*i32 n=i32", 2, {4}),
      ElementsAre(-(1 + (0 + 1 + 1) + (1 + 1 + 1) + (2 + 1 + 1) + (3 + 1 + 1)),
                  1));
}

TEST(Aggregate, IsAContext) {
  EXPECT_THAT(ints(R"py(
@triton.aggregate
class Span:
    o: tl.tensor

    @triton.jit
    def __init__(self, o):
        self.o = o

    @triton.jit
    def __enter__(self):
        tl.store(self.o, 1)
        return self

    @triton.jit
    def __exit__(self, a, b, c):
        tl.store(self.o + 1, tl.load(self.o + 2) + 1)

@triton.jit
def k(o):
    with Span(o) as s:
        tl.store(s.o + 2, 5)
)py",
                   "k o=*i32", 3),
              ElementsAre(1, 6, 5));
}

TEST(Map, LoopsTuplesTypesAndPacks) {
  EXPECT_THAT(ints(R"py(
@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps

@triton.jit
def halve(x, y):
    if x > y:
        return x - y, (x * 0.5).to(tl.float32)
    else:
        return y - x, (y * 0.5).to(tl.float32)

@triton.jit
def swap(a, b):
    return b, a

@triton.jit
def k(o, n):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.map_elementwise(collatz, i + 1))
    d, h = tl.map_elementwise(halve, i, n)
    tl.store(o + 8 + i, d)
    tl.store(o + 16 + i, (h * 2.0).to(tl.int32))
    s = tl.map_elementwise(swap, tl.reshape(i, (2, 4)), pack=2)
    tl.store(o + 24 + i, tl.reshape(s, (8,)))
    tl.store(o + 32, tl.map_elementwise(collatz, n))
)py",
                   "k o=*i32 n=i32", 33, {3}),
              ElementsAre(0, 1, 7, 2, 5, 8, 16, 3, // collatz
                          3, 2, 1, 0, 1, 2, 3, 4,  // |i - 3|
                          3, 3, 3, 3, 4, 5, 6, 7,  // the larger
                          1, 0, 3, 2, 5, 4, 7, 6,  // neighbours swapped
                          7));
}

TEST(Descriptor, RowsOutsideArePaddedOrDropped) {
  const char *text = R"py(
@triton.jit
def k(o, p, q, n):
    d = tl.make_tensor_descriptor(p, (6, 6), (8, 1), (1, 4),
                                  padding_option="nan")
    r = tl.arange(0, 8) * 2 - 2
    i = r[:, None] * 0 + tl.arange(0, 4)[None, :] + 4 * tl.arange(0, 8)[:, None]
    tl.store(o + i, d.gather(r, n))
    e = tl.make_tensor_descriptor(q, (6, 6), (8, 1), (1, 4))
    e.scatter((i + 100).to(tl.float32), r, n)
)py";
  std::vector<float> p(48), q(48, -1), out(32, -5);
  for (int i = 0; i < 48; ++i) {
    p[i] = float(i);
  }
  runText(text, "k o=*fp32 p=*fp32 q=*fp32 n=i32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(p.data()),
           ArgValue::pointer(q.data()), ArgValue::integer(3)});
  std::vector<float> wanted(48, -1);
  for (int k = 0; k < 8; ++k) {
    for (int c = 0; c < 4; ++c) {
      int row = 2 * k - 2, column = 3 + c;
      if (row >= 0 && row < 6 && column < 6) {
        EXPECT_EQ(out[k * 4 + c], p[row * 8 + column]);
        wanted[row * 8 + column] = float(k * 4 + c + 100);
      } else {
        EXPECT_TRUE(std::isnan(out[k * 4 + c])) << row << " " << column;
      }
    }
  }
  EXPECT_EQ(q, wanted);
}

TEST(Descriptor, AtomicsStayInsideAlsoAfterABranch) {
  EXPECT_THAT(ints(R"py(
@triton.jit
def k(o, n):
    if n > 0:
        d = tl.make_tensor_descriptor(o, (n, 3), (4, 1), (2, 4))
    else:
        d = tl.make_tensor_descriptor(o, (2, 2), (4, 1), (2, 4))
    d.atomic_add((1, 1), tl.full([2, 4], 10, tl.int32))
    tl.store(o, d.shape[0])
    tl.store(o + 1, d.strides[0].to(tl.int32))
)py",
                   "k o=*i32 n=i32", 12, {3}),
              ElementsAre(3, 4, -7, -7, -7, 3, 3, -7, -7, 3, 3, -7));
}

TEST(Arguments, DescriptorsAndTuplesAreSpread) {
  const char *text = R"py(
@triton.jit
def k(o, d, t):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.reshape(d.load((1, 0)), (4,)))
    tl.store(o + 4, t.scale * 1.0)
    if t.more[1] is None:
        tl.store(o + 5, t.more[0].to(tl.float32))
    tl.static_assert(t.size == 3)
    tl.store(o + 6, d.shape[1].to(tl.float32))
)py";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule(
      "t.py",
      std::string("import triton\nimport triton.language as tl\n") + text,
      sink);
  auto arg = [](const char *name, const char *type) {
    ArgSpec spec;
    spec.name = name;
    spec.type = type;
    return spec;
  };
  Specialization spec;
  ArgSpec tuple = arg("t", "tuple"), more = arg("more", "tuple"),
          size = arg("size", "constexpr"), none = arg("", "constexpr");
  size.constant = ConstValue::fromInt(3);
  more.items = {arg("", "i32"), none};
  tuple.items = {arg("scale", "fp32"), more, size};
  spec.args = {arg("o", "*fp32"), arg("d", "tensordesc<fp32[1, 4]>"), tuple};
  auto ir = elaborate(module, "k", spec, context, sink);
  ASSERT_TRUE(ir) << sink.str();
  auto kernel = *ir->getOps<tz::tile::KernelOp>().begin();
  ASSERT_EQ(kernel.getArgumentTypes().size(), 7u); // the last stride is 1
  EXPECT_EQ(kernel.getArgName(1), "d");
  EXPECT_EQ(kernel.getArgName(3), "d.shape1");
  EXPECT_EQ(kernel.getArgName(4), "d.stride0");
  EXPECT_EQ(kernel.getArgName(5), "t.scale");
  EXPECT_EQ(kernel.getArgName(6), "t.more.0");
  std::vector<float> out(8), in{0, 1, 2, 3, 4, 5, 6, 7};
  tz::interpreter::LaunchArgs launch;
  launch.args = {ArgValue::pointer(out.data()), ArgValue::pointer(in.data()),
                 ArgValue::integer(2),          ArgValue::integer(3),
                 ArgValue::integer(4),          ArgValue::f32(2.5f),
                 ArgValue::integer(9)};
  tz::interpreter::Report report;
  llvm::Error error = tz::interpreter::run(kernel, launch, {}, report);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_THAT(out, ElementsAre(4, 5, 6, 0, 2.5f, 9, 3, 0));
}

TEST(SanitizeOverflow, EndsTheProgramWithTheOperation) {
  const char *text = R"py(
@triton.jit
def k(o, n):
    tl.store(o, tl.mul(n, n, sanitize_overflow=False))
    tl.store(o + 1, n + 1)
    tl.store(o + 2, n * n)
)py";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (bool sanitize : {false, true}) {
    DiagnosticSink sink;
    Module module = parseModule(
        "t.py",
        std::string("import triton\nimport triton.language as tl\n") + text,
        sink);
    KernelRun parsed = parseRun("k o=*i32 n=i32");
    parsed.spec.sanitizeOverflow = sanitize;
    auto ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
    ASSERT_TRUE(ir) << sink.str();
    std::vector<int32_t> out(3);
    tz::interpreter::LaunchArgs launch;
    launch.args = {ArgValue::pointer(out.data()), ArgValue::integer(100000)};
    tz::interpreter::Report report;
    llvm::Error error = tz::interpreter::run(
        *ir->getOps<tz::tile::KernelOp>().begin(), launch, {}, report);
    std::string message = llvm::toString(std::move(error));
    EXPECT_EQ(out[0], 1410065408);
    EXPECT_EQ(out[1], 100001);
    EXPECT_EQ(message.find("integer overflow of int32 in *") !=
                  std::string::npos,
              sanitize)
        << message;
  }
}

/// Limits that module-level code asks of array packages, with plain values.
TEST(Objects, LimitsOfElementTypesAreConstants) {
  const std::string text = R"py(
import numpy as np
import torch
from torch import float16 as half

I8 = tl.constexpr(torch.iinfo(torch.int8).max)
U64 = tl.constexpr(np.iinfo(np.uint64).max)
I64 = tl.constexpr(torch.iinfo(torch.long).min)
F16 = tl.constexpr(torch.finfo(half).min)
BF16 = tl.constexpr(torch.finfo(torch.bfloat16).max)
F32 = tl.constexpr(np.finfo(np.float32).eps)
F64 = tl.constexpr(torch.finfo(torch.double).tiny)
BITS = tl.constexpr(torch.finfo().bits)
NAMES = {torch.float16: 2.5, torch.float32: 3.5}
NAMED = tl.constexpr(NAMES[torch.half])

@tl.constexpr
def wide(bits, signed):
    return tl.core.get_int_dtype(bits, signed)

@triton.jit
def k(o):
    i = tl.arange(0, 16)
    z = tl.zeros((16,), tl.float64)
    z = tl.where(i == 0, I8, z)
    z = tl.where(i == 1, U64 == 18446744073709551615, z)
    z = tl.where(i == 2, I64, z)
    z = tl.where(i == 3, F16, z)
    z = tl.where(i == 4, BF16, z)
    z = tl.where(i == 5, F32, z)
    z = tl.where(i == 6, F64, z)
    z = tl.where(i == 7, BITS, z)
    z = tl.where(i == 8, NAMED, z)
    z = tl.where(i == 9, wide(16, False) == tl.uint16, z)
    tl.store(o + i, z)
)py";
  std::vector<double> out(16, -1);
  runText(text, "k o=*fp64", {ArgValue::pointer(out.data())});
  const std::vector<double> expected = {
      127, 1, -0x1p63, -65504, 0x1.fep127, 0x1p-23, 0x1p-1022, 32, 2.5, 1};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(out[i], expected[i]) << i;
  }
}

/// The peer passes run-time values through: only a use decides.
TEST(Objects, ConstexprNamesMayHoldRunTimeValues) {
  const std::string text = R"py(
@triton.jit
def scaled(x, FACTOR: tl.constexpr, FLAG: tl.constexpr):
    if FLAG:
        x = x * FACTOR
    return x

@triton.jit
def k(o, n):
    TWICE: tl.constexpr = n * 2
    tl.store(o, scaled(n - 2, TWICE, n > 3))
    tl.store(o + 1, scaled(n - 2, TWICE, n > 7))
    tl.store(o + 2, scaled(3, FACTOR=4, FLAG=True))
)py";
  std::vector<int32_t> out(3);
  runText(text, "k o=*i32 n=i32",
          {ArgValue::pointer(out.data()), ArgValue::integer(5)});
  EXPECT_EQ(out, (std::vector<int32_t>{30, 3, 12}));
}

/// Which of two definitions holds is often decided by a version.
TEST(Objects, VersionsDecideAtModuleLevel) {
  const std::string text = R"py(
import triton.language.standard as standard
from packaging import version
from packaging.version import Version, parse
from triton.language.standard import _log2

if Version(triton.__version__) >= Version("3.0.0"):
    cast = tl.cast
else:
    @triton.jit
    def cast(x, dtype):
        return 0

LATER = tl.constexpr(parse("3.10") > parse("3.6.0"))
SAME = tl.constexpr(version.parse("2.1") == version.parse("2.1.0+local"))

@triton.jit
def k(o, n):
    tl.store(o, cast(n, tl.float32))
    tl.store(o + 1, LATER)
    tl.store(o + 2, SAME)
    tl.store(o + 3, _log2(4096) + standard._is_power_of_two(48))
    total = 0
    for i in range(n, flatten=True, num_stages=2):
        total += i
    tl.extra.cuda.gdc_wait()
    tl.store(o + 4, total)
)py";
  std::vector<float> out(5);
  runText(text, "k o=*fp32 n=i32",
          {ArgValue::pointer(out.data()), ArgValue::integer(5)});
  EXPECT_THAT(out, ElementsAre(5, 1, 1, 12, 10));
}

} // namespace
