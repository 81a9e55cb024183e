//===- SpecializeTest.cpp - which values compile a kernel again -----------===//
//
// What   Launches through the C API with the real compiler, and counts what it
//        compiled; the divisors that follow from a kernel's use of its
//        arguments.
// Why    R8: a length that is a mere bound must not compile a kernel for each
//        value, and a stride counts in bytes.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CompilingSession.h"

namespace {

using namespace tz::runtime;
using tz::driver::Driver;

struct SpecializeTest : CompilingSession {
  void SetUp() override {
    open("null");
    tz_hooks hooks{};
    hooks.struct_size = sizeof(hooks);
    hooks.ctx = &compiled;
    hooks.enter = [](void *ctx, uint32_t activity, uint64_t, const char *) {
      *static_cast<unsigned *>(ctx) += activity == TZ_ACTIVITY_COMPILE;
    };
    ok(tz_session_set_hooks(session, &hooks));
  }
  void TearDown() override {
    tz_kernel_destroy(kernel);
    close();
  }
  void load(const std::string &path, const char *function) {
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = path.c_str();
    source.function = function;
    ok(tz_kernel_load(session, &source, &kernel));
  }
  void launch(const std::vector<tz_arg> &args) {
    int64_t grid[3] = {1, 1, 1};
    ok(tz_kernel_launch(kernel, stream, grid, args.data(), args.size()));
  }
  static tz_arg half(uint64_t at) { return tz_pointer(at, TZ_TYPE_F16); }

  tz_kernel_t kernel = nullptr;
  unsigned compiled = 0;
};

TEST_F(SpecializeTest, FortySequenceLengthsAreAtMostTwoVariants) {
  load(TZ_TEST_KERNEL_FOLDER "/varlen_attention.py", "varlen_attention");
  std::vector<int32_t> lengths;
  for (int32_t i = 0; i < 40; ++i) {
    lengths.push_back(i < 20 ? 16 * (i + 1) : 17 + 31 * i); // both kinds
  }
  for (int32_t length : lengths) {
    launch({half(64), half(128), half(192), half(256),
            tz_pointer(320, TZ_TYPE_I32), tz_i32(64), tz_i32(64), tz_i32(64),
            tz_i32(64), tz_f32(0.125f), tz_i32(length), tz_i32(length + 1),
            tz_i32(64), tz_i32(16), tz_i32(16)});
  }
  EXPECT_GE(compiled, 1u);
  EXPECT_LE(compiled, 2u);
  // A stride does matter: 66 halfs are no multiple of 16 bytes.
  unsigned before = compiled;
  launch({half(64), half(128), half(192), half(256),
          tz_pointer(320, TZ_TYPE_I32), tz_i32(66), tz_i32(64), tz_i32(64),
          tz_i32(64), tz_f32(0.125f), tz_i32(48), tz_i32(48), tz_i32(64),
          tz_i32(16), tz_i32(16)});
  EXPECT_EQ(compiled, before + 1);
}

/// docs/decisions/008
TEST_F(SpecializeTest, OneAddressForTwoArgumentsIsACase) {
  load(TZ_TEST_EXAMPLE_FOLDER "/vector_add.py", "add_kernel");
  auto add = [&](uint64_t x, uint64_t y, uint64_t out) {
    auto at = [](uint64_t address) { return tz_pointer(address, TZ_TYPE_F32); };
    launch({at(x), at(y), at(out), tz_i32(64), tz_i32(16)});
  };
  add(1024, 2048, 4096);
  add(2048, 1024, 8192); // apart, wherever
  EXPECT_EQ(compiled, 1u);
  add(1024, 2048, 1024);
  EXPECT_EQ(compiled, 2u);
  add(4096, 2048, 4096);
  EXPECT_EQ(compiled, 2u);
  add(1024, 1024, 4096);
  EXPECT_EQ(compiled, 3u);
}

TEST_F(SpecializeTest, StridesOfAnFp16MatmulCountInBytes) {
  load(TZ_TEST_EXAMPLE_FOLDER "/matmul.py", "matmul_kernel");
  auto multiply = [&](int32_t stride) {
    launch({half(64), half(128), half(192), tz_i32(512), tz_i32(512),
            tz_i32(512), tz_i32(stride), tz_i32(1), tz_i32(stride), tz_i32(1),
            tz_i32(stride), tz_i32(1), tz_i32(16), tz_i32(16), tz_i32(16),
            tz_i32(4), tz_string("")});
  };
  multiply(5120);
  EXPECT_EQ(compiled, 1u);
  multiply(5000); // 10,000 bytes: a multiple of 16, though 5000 is not
  EXPECT_EQ(compiled, 1u);
  multiply(5004);
  EXPECT_EQ(compiled, 2u);
  multiply(5002);
  EXPECT_EQ(compiled, 2u);
}

struct Silent final : DiagnosticSink {
  void report(uint32_t, std::string_view rendered) override {
    text += rendered;
  }
  std::string text;
};

struct RuleTest : testing::Test {
  RuleTest() { registryOptions.readEnvironment = false; }

  /// The rule for f(a: fp16*, b: fp64*, n: i32, m: i32) with this body.
  SpecializationRule rule(const std::string &body) {
    Registry registry(registryOptions, nullptr);
    Driver driver(registry, nullptr);
    std::string text = "import triton\nimport triton.language as tl\n\n"
                       "@triton.jit\ndef f(a, b, n, m):\n" +
                       body;
    auto runtimeArgument = [](uint32_t type, uint32_t element) {
      ArgumentSpec spec;
      spec.kind = ArgumentSpec::Runtime;
      spec.type = type;
      spec.element = element;
      return spec;
    };
    Silent silent;
    auto made = driver.specializationRule(
        {"f.py", text, "f", false},
        {runtimeArgument(TZ_TYPE_PTR, TZ_TYPE_F16),
         runtimeArgument(TZ_TYPE_PTR, TZ_TYPE_F64),
         runtimeArgument(TZ_TYPE_I32, 0), runtimeArgument(TZ_TYPE_I32, 0)},
        silent);
    EXPECT_TRUE(made.ok()) << made.status().message() << silent.text;
    return made.ok() ? *made : SpecializationRule{{4, {99, false}}};
  }
  RegistryOptions registryOptions;
};

TEST_F(RuleTest, TheArrayThatIsScaledDecides) {
  auto r = rule("    x = tl.load(a + tl.program_id(0) * n)\n"
                "    tl.store(b + tl.program_id(0) * m, x)\n");
  EXPECT_EQ(r.leaves[0].divisor, 16u);
  EXPECT_EQ(r.leaves[2].divisor, 8u);
  EXPECT_EQ(r.leaves[3].divisor, 2u);
  EXPECT_TRUE(r.leaves[2].foldsOne);
}

TEST_F(RuleTest, TheSmallestOfSeveralDecides) {
  auto r = rule("    x = tl.load(a + n)\n"
                "    tl.store(b + n, x)\n");
  EXPECT_EQ(r.leaves[2].divisor, 8u);
  EXPECT_FALSE(r.leaves[2].foldsOne); // a summand
}

TEST_F(RuleTest, BoundsOfTheLastDimensionCountAndValuesDoNot) {
  auto r = rule("    at = tl.arange(0, 16)\n"
                "    x = tl.load(a + at, mask=at < n)\n"
                "    tl.store(b + at, x * m, mask=at < n)\n");
  EXPECT_EQ(r.leaves[2].divisor, 8u); // of the halfs
  EXPECT_FALSE(r.leaves[2].foldsOne);
  EXPECT_EQ(r.leaves[3].divisor, 0u);
}

TEST_F(RuleTest, BoundsOfRowsHaveNone) {
  auto r = rule("    at = tl.arange(0, 16)\n"
                "    inside = (at[:, None] < n) & (at[None, :] < 16 - m)\n"
                "    off = at[:, None] * 16 + at[None, :]\n"
                "    tl.store(b + off, 0.0, mask=inside)\n");
  EXPECT_EQ(r.leaves[2].divisor, 0u);
  EXPECT_EQ(r.leaves[3].divisor, 2u);
}

TEST_F(RuleTest, ComparisonsThatMaskNothingHaveNone) {
  auto r = rule("    at = tl.arange(0, 16)\n"
                "    x = tl.where(at < n, 1.0, 0.0)\n"
                "    if tl.program_id(0) < m:\n"
                "        tl.store(a + at, x)\n");
  EXPECT_EQ(r.leaves[2].divisor, 0u);
  EXPECT_EQ(r.leaves[3].divisor, 0u);
}

TEST_F(RuleTest, LoopsCarryIt) {
  auto r = rule("    p = b + tl.arange(0, 16)\n"
                "    at = 0\n"
                "    for i in range(0, 8):\n"
                "        tl.store(p + at, 0.0)\n"
                "        at += n\n"
                "    for j in range(0, 64, m):\n"
                "        tl.store(a + j, 0.0)\n");
  EXPECT_EQ(r.leaves[2].divisor, 2u);
  EXPECT_EQ(r.leaves[3].divisor, 8u); // the step of the induction variable
}

TEST_F(RuleTest, DividendsAndLoadsEndTheWay) {
  auto r = rule("    at = (tl.program_id(0) * 16 + tl.arange(0, 16)) % n\n"
                "    index = tl.load(b + at).to(tl.int32) // m\n"
                "    tl.store(a + index, 0.0)\n");
  EXPECT_EQ(r.leaves[2].divisor, 2u); // at ends its runs at multiples of n
  EXPECT_TRUE(r.leaves[2].foldsOne);  // x % 1
  EXPECT_EQ(r.leaves[3].divisor, 0u);
}

TEST_F(RuleTest, ViewsCount) {
  auto r =
      rule("    p = tl.make_block_ptr(a, (m, 16), (n, 1), (0, 0), (16, 16),"
           " (1, 0))\n"
           "    tl.store(p, tl.zeros((16, 16), tl.float16))\n");
  EXPECT_EQ(r.leaves[2].divisor, 8u);
  EXPECT_TRUE(r.leaves[2].foldsOne);
  EXPECT_EQ(r.leaves[3].divisor, 0u); // a bound of rows
}

TEST_F(RuleTest, TheExtentOfTheDenseDimensionCounts) {
  auto r = rule("    p = tl.make_block_ptr(a, (16, m), (16, 1), (0, 0),"
                " (16, 16), (1, 0))\n"
                "    tl.store(p, tl.zeros((16, 16), tl.float16),"
                " boundary_check=(1,))\n");
  EXPECT_EQ(r.leaves[3].divisor, 8u);
  EXPECT_FALSE(r.leaves[3].foldsOne);
}

TEST_F(RuleTest, TheLastDimensionCountsWhereItsStrideMayBeOne) {
  auto r = rule("    p = tl.make_block_ptr(a, (m,), (n,), (0,), (16,), (0,))\n"
                "    tl.store(p, tl.zeros((16,), tl.float16),"
                " boundary_check=(0,))\n");
  EXPECT_TRUE(r.leaves[2].foldsOne);
  EXPECT_EQ(r.leaves[3].divisor, 8u);
}

TEST_F(RuleTest, TheUseInACalledFunctionCounts) {
  auto r = rule("    if n == 1:\n"
                "        tl.store(a, 0.0)\n"
                "    for i in range(m):\n"
                "        tl.store(b + tl.cdiv(i, 4), 0.0)\n");
  EXPECT_EQ(r.leaves[2].divisor, 0u);
  EXPECT_TRUE(r.leaves[2].foldsOne);
  EXPECT_FALSE(r.leaves[3].foldsOne);
}

/// The kernel needs n as a constant: nothing can be seen without it.
TEST_F(RuleTest, WhatCannotBeAnalysedKeepsTheRuleOfTheTypes) {
  auto r = rule("    tl.store(a + tl.arange(0, n), 0.0)\n");
  EXPECT_EQ(r.leaves[2].divisor, 8u);
  EXPECT_TRUE(r.leaves[2].foldsOne);
}

} // namespace
