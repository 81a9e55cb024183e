//===- NumericTest.cpp - kernels whose answers are known ------------------===//
//
// What   Elaborates kernels, runs them in the reference interpreter and
//        compares with numbers worked out by hand or by plain C++.
// Why    Valid IR can still mean something else than the source: control flow
//        and the embedded library are checked by their results.
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

/// Runs `kernel` of the text; its first parameters are the buffers, then `n`s.
void runKernel(const std::string &text, const std::string &run,
               std::vector<ArgValue> args) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule(
      "t.py", "import triton\nimport triton.language as tl\n" + text, sink);
  KernelRun parsed = parseRun(run);
  auto ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
  ASSERT_TRUE(ir) << sink.str();
  auto kernel = *ir->getOps<tz::tile::KernelOp>().begin();
  tz::interpreter::LaunchArgs launch;
  launch.args = std::move(args);
  tz::interpreter::Options options;
  options.stepLimit = 1000000;
  tz::interpreter::Report report;
  llvm::Error error = tz::interpreter::run(kernel, launch, options, report);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

std::vector<int32_t> ints(const std::string &text, const std::string &run,
                          size_t size, std::vector<int32_t> input = {},
                          std::vector<int64_t> scalars = {}) {
  std::vector<int32_t> out(size, -7);
  std::vector<ArgValue> args{ArgValue::pointer(out.data())};
  if (!input.empty()) {
    args.push_back(ArgValue::pointer(input.data()));
  }
  for (int64_t scalar : scalars) {
    args.push_back(ArgValue::integer(scalar));
  }
  runKernel(text, run, args);
  return out;
}

std::vector<float> floats(const std::string &text, const std::string &run,
                          size_t size, std::vector<float> input) {
  std::vector<float> out(size, -7);
  runKernel(text, run,
            {ArgValue::pointer(out.data()), ArgValue::pointer(input.data())});
  return out;
}

TEST(Numeric, EarlyReturnsTakeTheRightPath) {
  const char *text = R"py(
@triton.jit
def pick(n):
    if n > 10:
        if n > 20:
            return 3
        n += 100
    elif n == 5:
        return n * 2
    for i in tl.static_range(3):
        if n == i:
            return 50 + i
    return n
@triton.jit
def k(o, n):
    tl.store(o, pick(n))
    if n < 0:
        return
    tl.store(o + 1, n)
    if n == 15:
        tl.store(o + 2, 1)
        return
    tl.store(o + 2, 2)
)py";
  auto run = [&](int64_t n) {
    return ints(text, "k o=*i32 n=i32", 3, {}, {n});
  };
  EXPECT_THAT(run(25), ElementsAre(3, 25, 2));
  EXPECT_THAT(run(15), ElementsAre(115, 15, 1));
  EXPECT_THAT(run(5), ElementsAre(10, 5, 2));
  EXPECT_THAT(run(2), ElementsAre(52, 2, 2));
  EXPECT_THAT(run(7), ElementsAre(7, 7, 2));
  EXPECT_THAT(run(-3), ElementsAre(-3, -7, -7));
}

/// What `mixed` below does, in C++.
std::vector<int32_t> mixedByHand(int32_t a, int32_t b) {
  std::vector<int32_t> out(4, -7);
  auto pick = [&] {
    const int32_t x = 3;
    int32_t y = x;
    if (a > 0) {
      y = x + 1;
      if (b > 0) {
        return y * 10;
      }
      y = y + 5;
    } else if (a < 0) {
      y = x - 1;
      if (b < 0) {
        return y * 100;
      }
    }
    const int32_t z = y * 2;
    return b == 2 ? z : z + 1;
  };
  out[0] = pick();
  if (a > 0) {
    if (b > 1) {
      return out;
    }
    out[1] = 1;
  }
  if (b == 1 && a == 0) {
    return out;
  }
  int32_t c = a + b;
  if (a == 2) {
    out[2] = 5;
    c = 40;
  } else {
    if (b == -1) {
      out[2] = 6;
      return out;
    }
    out[2] = 7;
  }
  out[3] = c;
  return out;
}

TEST(Numeric, ReturnsInSomeArmsLeaveTheOthersGoingOn) {
  const char *text = R"py(
@triton.jit
def pick(x, a, b):
    y = x
    if a > 0:
        y = x + 1
        if b > 0:
            return y * 10
        y = y + 5
    elif a < 0:
        y = x - 1
        if b < 0:
            return y * 100
    z = y * 2
    if b == 2:
        return z
    return z + 1
@triton.jit
def mixed(o, a, b):
    tl.store(o, pick(3, a, b))
    if a > 0:
        if b > 1:
            return
        tl.store(o + 1, 1)
    if b == 1:
        if a == 0:
            return
    c = a + b
    if a == 2:
        tl.store(o + 2, 5)
        c = 40
    else:
        if b == -1:
            tl.store(o + 2, 6)
            return
        tl.store(o + 2, 7)
    tl.store(o + 3, c)
)py";
  for (int32_t a = -2; a <= 2; ++a) {
    for (int32_t b = -2; b <= 2; ++b) {
      EXPECT_EQ(ints(text, "mixed o=*i32 a=i32 b=i32", 4, {}, {a, b}),
                mixedByHand(a, b))
          << a << ", " << b;
    }
  }
}

TEST(Numeric, RulesOfTheLanguageHold) {
  const char *text = R"py(
@triton.jit
def two(a, b):
    return a + b, (a - b, a)
@triton.jit
def defaults(a, b=3, c: tl.constexpr = 4):
    return a * 100 + b * 10 + c
@triton.jit
def k(out, m, n):
    o = out
    tl.store(o + 0, m // n)
    tl.store(o + 1, m % n)
    tl.store(o + 2, -7 // 2)
    tl.store(o + 3, -7 % 3)
    C: tl.constexpr = -7
    tl.store(o + 4, C // 2)
    tl.store(o + 5, C % 3)
    s, (d, e) = two(m, n)
    tl.store(o + 6, s)
    tl.store(o + 7, d + e)
    tl.store(o + 8, defaults(1))
    tl.store(o + 9, defaults(1, c=5))
    tl.store(o + 10, defaults(c=1, a=2, b=n))
    acc = 0
    t = (0, 1)
    for i in range(3):
        for j in range(i, 3):
            t = (t[1], t[0] + t[1])
            acc += i * j
    tl.store(o + 11, t[0])
    tl.store(o + 12, acc)
    i = 0
    p = 1
    while i < 5:
        i += 1
        p = p * 2
    tl.store(o + 13, p)
    r = 0
    for i in range(n, m, -2):
        r = r * 10 + i
    tl.store(o + 14, r)
    q = 0
    for i in tl.static_range(6, 0, -2):
        q = q * 10 + i
    tl.store(o + 15, q)
    tl.store(o + 16, (m < 0 and n > 0) * 1)
    tl.store(o + 17, (not (m == n)).to(tl.int32))
    tl.store(o + 18, (m / n * 1000).to(tl.int32))
    u = m.to(tl.uint32)
    tl.store(o + 19, (u + n > 100).to(tl.int32))
    h = (m.to(tl.int8) + tl.full((), 100, tl.int8)).to(tl.int32)
    tl.store(o + 20, h)
    tl.store(o + 21, min(m, n) + max(m, n))
    tl.store(o + 22, 5 if 3 > 2 else m)
    tl.store(o + 23, m >> 1)
)py";
  EXPECT_THAT(ints(text, "k out=*i32 m=i32 n=i32", 24, {}, {-7, 2}),
              ElementsAre(-3, -1,             // run time: truncates
                          -4, 2, -4, 2,       // compile time: floors
                          -5, -16,            // nested tuples
                          134, 135, 221,      // defaults, keywords
                          8, 7,               // carried tuples, two loops
                          32, 19754, 642,     // while, negative steps
                          1, 1, -3500,        // and, not, int / int
                          1, 93, -5, 5, -4)); // u32 + i32, i8, min, if, >>
}

/// Operations of the kernel `k`.
size_t operationsOf(const std::string &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule(
      "t.py", "import triton\nimport triton.language as tl\n" + text, sink);
  KernelRun parsed = parseRun("k o=*i32 n=i32");
  auto ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
  EXPECT_TRUE(ir) << sink.str();
  size_t count = 0;
  if (ir) {
    ir->walk([&](mlir::Operation *) { ++count; });
  }
  return count;
}

TEST(Numeric, WhatFollowsAReturnIsElaboratedOnce) {
  auto kernel = [](int returns) {
    std::string text = "@triton.jit\ndef k(o, n):\n";
    for (int i = 0; i < returns; ++i) {
      const std::string number = std::to_string(i);
      text += "    if n > " + number + ":\n        if n == 100 + " + number +
              ":\n            return\n        tl.store(o + " + number +
              ", n)\n";
    }
    return text + "    tl.store(o, n)\n";
  };
  const size_t four = operationsOf(kernel(4));
  const size_t eight = operationsOf(kernel(8));
  const size_t twelve = operationsOf(kernel(12));
  EXPECT_EQ(twelve - eight, eight - four);
  EXPECT_LT(twelve, 600u);
}

TEST(Numeric, LongElifChainsCostTheirLength) {
  // 2,000 known conditions: no nesting. 200 run-time ones: one if each.
  std::string text = "@triton.jit\ndef k(o, n):\n    m: tl.constexpr = 1999\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string number = std::to_string(i);
    text += std::string("    ") + (i == 0 ? "if" : "elif") + " m == " + number +
            ":\n        tl.store(o, " + number + ")\n";
  }
  EXPECT_THAT(ints(text, "k o=*i32 n=i32", 1, {}, {0}), ElementsAre(1999));
  auto chain = [](int length) {
    std::string text = "@triton.jit\ndef k(o, n):\n";
    for (int i = 0; i < length; ++i) {
      const std::string number = std::to_string(i);
      text += std::string("    ") + (i == 0 ? "if" : "elif") +
              " n == " + number + ":\n        y = " + number + " + n\n";
    }
    return text + "    else:\n        y = 7\n    tl.store(o, y)\n";
  };
  EXPECT_THAT(ints(chain(250), "k o=*i32 n=i32", 1, {}, {249}),
              ElementsAre(498));
  const size_t hundred = operationsOf(chain(100));
  EXPECT_EQ(operationsOf(chain(200)) - hundred,
            hundred - operationsOf(chain(50)) + operationsOf(chain(100)) -
                operationsOf(chain(50)));
}

TEST(Numeric, LoopsCountAsPythons) {
  const char *text = R"py(
@triton.jit
def k(o, n):
    a = 0
    for i in range(n, 0, -3):
        a = a * 10 + i
    tl.store(o, a)
    b = 0
    for i in range(2, n, 2):
        for j in range(i):
            if j % 2 == 0:
                b += j
            else:
                b -= 1
    tl.store(o + 1, b)
    c = 1
    while (c < n) & (c != 6):
        c = c * 2
    tl.store(o + 2, c)
    x, y = 0, 1
    for i in range(n):
        x, y = y, x + y
    tl.store(o + 3, x)
    d = 5 if n > 3 else 6
    tl.store(o + 4, d)
    e = n // 4 * 100 + n % 4 * 10 + (-n) // 4
    tl.store(o + 5, e)
)py";
  // a: 10 7 4 1; b as C++; c: powers of two; x: Fibonacci.
  int b = 0;
  for (int i = 2; i < 10; i += 2) {
    for (int j = 0; j < i; ++j) {
      b += j % 2 == 0 ? j : -1;
    }
  }
  EXPECT_THAT(ints(text, "k o=*i32 n=i32", 6, {}, {10}),
              ElementsAre(10741, b, 16, 55, 5, 218));
  EXPECT_THAT(ints(text, "k o=*i32 n=i32", 6, {}, {0}),
              ElementsAre(0, 0, 1, 0, 6, 0));
}

TEST(Numeric, SortsAndFindsExtrema) {
  const char *text = R"py(
@triton.jit
def k(o, x):
    r = tl.arange(0, 8)
    v = tl.load(x + r)
    tl.store(o + r, tl.sort(v))
    tl.store(o + 8 + r, tl.sort(v, descending=True))
    tl.store(o + 16 + r, tl.flip(v))
    tl.store(o + 24 + r, tl.cumsum(v, 0))
    tl.store(o + 32 + r, tl.cumsum(v, 0, reverse=True))
    tl.store(o + 40 + tl.arange(0, 2), tl.topk(v, 2))
    tl.store(o + 42, tl.argmax(v, 0))
    tl.store(o + 43, tl.argmin(v, 0))
    tl.store(o + 44, tl.max(v, 0) * 100 + tl.min(v, 0))
    tl.store(o + 45, tl.xor_sum(v, 0))
    tl.store(o + 46, tl.sum(tl.where(v > 4, v, 0)))
    m, i = tl.max(tl.reshape(v, (2, 4)), axis=1, return_indices=True)
    tl.store(o + 47 + tl.arange(0, 2), m * 10 + i)
    tl.store(o + 49 + tl.arange(0, 16), tl.interleave(v, r))
    tl.store(o + 65 + r, tl.histogram(v, 8))
)py";
  std::vector<int32_t> out =
      ints(text, "k o=*i32 x=*i32", 73, {5, 2, 7, 7, 0, 2, 3, 6});
  auto part = [&](size_t begin, size_t size) {
    return std::vector<int32_t>(out.begin() + begin,
                                out.begin() + begin + size);
  };
  EXPECT_THAT(part(0, 8), ElementsAre(0, 2, 2, 3, 5, 6, 7, 7));
  EXPECT_THAT(part(8, 8), ElementsAre(7, 7, 6, 5, 3, 2, 2, 0));
  EXPECT_THAT(part(16, 8), ElementsAre(6, 3, 2, 0, 7, 7, 2, 5));
  EXPECT_THAT(part(24, 8), ElementsAre(5, 7, 14, 21, 21, 23, 26, 32));
  EXPECT_THAT(part(32, 8), ElementsAre(32, 27, 25, 18, 11, 11, 9, 6));
  EXPECT_THAT(part(40, 2), ElementsAre(7, 7));
  EXPECT_THAT(part(42, 5),
              ElementsAre(2, 4, 700, 5 ^ 2 ^ 7 ^ 7 ^ 0 ^ 2 ^ 3 ^ 6, 25));
  EXPECT_THAT(part(47, 2), ElementsAre(72, 63));
  EXPECT_THAT(part(49, 6), ElementsAre(5, 0, 2, 1, 7, 2));
  EXPECT_THAT(part(65, 8), ElementsAre(1, 0, 2, 1, 0, 1, 1, 2));
}

TEST(Numeric, NaNNeverBeatsANumberAndSortsLast) {
  const char *text = R"py(
@triton.jit
def k(o, x):
    r = tl.arange(0, 4)
    v = tl.load(x + r)
    tl.store(o + r, tl.sort(v))
    tl.store(o + 4, tl.argmax(v, 0))
    tl.store(o + 5, tl.argmin(v, 0))
    tl.store(o + 6, tl.max(v, 0))
)py";
  float nan = std::nanf("");
  std::vector<float> out =
      floats(text, "k o=*fp32 x=*fp32", 7, {nan, 3, INFINITY, -1});
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(out[2], INFINITY);
  EXPECT_TRUE(std::isnan(out[3]));
  EXPECT_EQ(out[4], 2);
  EXPECT_EQ(out[5], 3);
  EXPECT_EQ(out[6], INFINITY);
}

TEST(Numeric, SoftmaxSumsToOne) {
  const char *text = R"py(
@triton.jit
def k(o, x):
    r = tl.arange(0, 4)
    at = r[:, None] * 4 + r[None, :]
    tl.store(o + at, tl.softmax(tl.load(x + at), dim=1))
    tl.store(o + 16 + r, tl.sigmoid(tl.load(x + r)))
)py";
  std::vector<float> in(16);
  for (int i = 0; i < 16; ++i) {
    in[i] = float(i * i % 7) - 3;
  }
  std::vector<float> out = floats(text, "k o=*fp32 x=*fp32", 20, in);
  for (int row = 0; row < 4; ++row) {
    double total = 0;
    for (int i = 0; i < 4; ++i) {
      total += std::exp(double(in[row * 4 + i]));
    }
    for (int i = 0; i < 4; ++i) {
      // fp32 exp and division: a few ULP.
      EXPECT_NEAR(out[row * 4 + i], std::exp(double(in[row * 4 + i])) / total,
                  4e-7);
    }
    EXPECT_NEAR(out[16 + row], 1 / (1 + std::exp(-double(in[row]))), 2e-7);
  }
}

/// Philox 4x32 with ten rounds, from the paper's definition.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint32_t k0,
                               uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c = {uint32_t(b >> 32) ^ c[1] ^ k0, uint32_t(b),
         uint32_t(a >> 32) ^ c[3] ^ k1, uint32_t(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

TEST(Numeric, PhiloxIsBitExact) {
  // The published known answer, to check the check.
  EXPECT_THAT(philox({0, 0, 0, 0}, 0, 0),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  const char *text = R"py(
@triton.jit
def k(o, seed, base):
    r = tl.arange(0, 4)
    a, b, c, d = tl.randint4x(seed, r)
    tl.store(o + r, a)
    tl.store(o + 4 + r, d)
    tl.store(o + 8 + r, tl.randint(seed, base + r))
    tl.store(o + 12 + r, (tl.rand(seed, r) * 16777216).to(tl.int32))
)py";
  int64_t seed = 0x123456789abcll, base = 0x500000007ll;
  std::vector<int32_t> out =
      ints(text, "k o=*i32 seed=i64 base=i64", 16, {}, {seed, base});
  for (uint32_t i = 0; i < 4; ++i) {
    auto bits = philox({i, 0, 0, 0}, uint32_t(seed), uint32_t(seed >> 32));
    EXPECT_EQ(uint32_t(out[i]), bits[0]);
    EXPECT_EQ(uint32_t(out[4 + i]), bits[3]);
    auto wide = philox({uint32_t(base) + i, 5, 0, 0}, uint32_t(seed),
                       uint32_t(seed >> 32));
    EXPECT_EQ(uint32_t(out[8 + i]), wide[0]);
    int32_t word = int32_t(bits[0]);
    float uniform = float(word < 0 ? -word - 1 : word) * 4.6566127342e-10f;
    EXPECT_EQ(out[12 + i], int32_t(uniform * 16777216));
  }
}

TEST(Numeric, CombineFunctionsOfSeveralValues) {
  const char *text = R"py(
@triton.jit
def line(a1, b1, a2, b2):
    # Composition of x -> a x + b.
    return a1 * a2, a2 * b1 + b2
@triton.jit
def k(o, x):
    r = tl.arange(0, 4)
    v = tl.load(x + r)
    a, b = tl.associative_scan((v, v + 1), 0, line)
    tl.store(o + r, a)
    tl.store(o + 4 + r, b)
)py";
  EXPECT_THAT(ints(text, "k o=*i32 x=*i32", 8, {1, 2, 3, 4}),
              ElementsAre(1, 2, 6, 24, 2, 7, 25, 105));
}

TEST(Numeric, AbsOfFp8KeepsInfinity) {
  const char *text = R"py(
@triton.jit
def k(o, x):
    r = tl.arange(0, 4)
    v = tl.load(x + r).to(tl.uint8).to(tl.float8e5, bitcast=True)
    tl.store(o + r, tl.abs(v).to(tl.uint8, bitcast=True))
)py";
  // -inf, inf, the smallest denormal below zero, -0.
  EXPECT_THAT(ints(text, "k o=*i32 x=*i32", 4, {0xFC, 0x7C, 0x81, 0x80}),
              ElementsAre(0x7C, 0x7C, 1, 0));
}

TEST(Numeric, BlockPointersAndDescriptorsPad) {
  const char *text = R"py(
@triton.jit
def k(o, x, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (2, 1), (2, 4), (1, 0))
    v = tl.load(p, boundary_check=(0, 1))
    r = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(o + r, v)
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [2, 4])
    tl.store(o + 8 + r, d.load([1, 2]))
    q = tl.advance(p, (-2, -1))
    tl.store(o + 16 + r, tl.load(q, boundary_check=(0, 1)))
)py";
  EXPECT_THAT(
      ints(text, "k o=*i32 x=*i32 n=i32", 24, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}),
      ElementsAre(8, 9, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 9, 0, 0, 0, 1, 2, 3, 0, 4,
                  5, 6, 0));
}

} // namespace
