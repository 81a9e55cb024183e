//===- FloatTest.cpp - float ops at their edges ---------------------------===//
//
// What   NaN, infinities, zeros, denormals, double rounding, P14, P15, P18.
// Why    What a comparison with another target rests on.
//
//===----------------------------------------------------------------------===//
#include "RunOp.h"

#include <cmath>
#include <limits>
#include <random>

using namespace tz::interpreter;
using testing::ElementsAre;

static const float Nan = std::numeric_limits<float>::quiet_NaN();
static const float Inf = std::numeric_limits<float>::infinity();
static const float Tiny = std::numeric_limits<float>::denorm_min();

MATCHER(IsNan, "") { return std::isnan(arg); }
MATCHER_P(SameFloat, expected, "") {
  return std::memcmp(&arg, &expected, sizeof(float)) == 0;
}

class FloatOps : public RunOp {
protected:
  std::vector<float> binary(const std::string &op, std::vector<float> a,
                            std::vector<float> b) {
    return applyF32(op + " %a, %b : TR", {f32(a), f32(b)});
  }
  std::vector<uint64_t> f16(const std::string &op, std::vector<int64_t> a,
                            std::vector<int64_t> b) {
    return apply(op + " %a, %b : TR", {ints("f16", a), ints("f16", b)}, "f16");
  }
};

TEST_F(FloatOps, ArithmeticIsIeee) {
  EXPECT_THAT(binary("arith.addf", {1, Inf, Tiny, -0.0f}, {2, 1, Tiny, -0.0f}),
              ElementsAre(3, Inf, 2 * Tiny, SameFloat(-0.0f)));
  EXPECT_THAT(binary("arith.addf", {Inf, Nan}, {-Inf, 1}),
              ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(binary("arith.subf", {1, 0.0f}, {3, 0.0f}),
              ElementsAre(-2, SameFloat(0.0f)));
  EXPECT_THAT(binary("arith.mulf", {3e38f, 1e-40f, -0.0f}, {10, 0.5f, 3}),
              ElementsAre(Inf, 1e-40f * 0.5f, SameFloat(-0.0f)));
  EXPECT_THAT(binary("tile.divf rn", {1, 1, 0, -1}, {3, 0, 0, 0}),
              ElementsAre(1.0f / 3.0f, Inf, IsNan(), -Inf));
  EXPECT_THAT(binary("tile.remf", {7.5f, -7.5f, 1, Inf}, {2, 2, 0, 2}),
              ElementsAre(1.5f, -1.5f, IsNan(), IsNan()));
}

TEST_F(FloatOps, AgreesWithTheProcessorOnRandomF32) {
  std::mt19937 random(7);
  std::vector<int64_t> a(4096), b(4096);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = random();
    b[i] = random();
  }
  auto value = [](int64_t bits) {
    auto word = static_cast<uint32_t>(bits);
    float result;
    std::memcpy(&result, &word, sizeof(result));
    return result;
  };
  auto check = [&](const std::string &op, auto expected) {
    auto result =
        applyF32(op + " %a, %b : TR", {ints("f32", a), ints("f32", b)});
    for (size_t i = 0; i < a.size(); ++i) {
      const float e = expected(value(a[i]), value(b[i]));
      ASSERT_TRUE(std::isnan(e) ? std::isnan(result[i])
                                : std::memcmp(&e, &result[i], 4) == 0)
          << op << " " << value(a[i]) << ", " << value(b[i]);
    }
  };
  check("arith.addf", [](float x, float y) { return x + y; });
  check("arith.subf", [](float x, float y) { return x - y; });
  check("arith.mulf", [](float x, float y) { return x * y; });
  check("tile.divf rn", [](float x, float y) { return x / y; });
  check("tile.remf", [](float x, float y) { return std::fmod(x, y); });
}

TEST_F(FloatOps, NarrowTypesRoundAfterEachOp) {
  // f16: 2048 + 1 is a tie and stays, 2048 + 3 goes to 2052; 65504 + 16 is
  // infinity.
  EXPECT_THAT(
      f16("arith.addf", {0x6800, 0x6800, 0x7bff}, {0x3c00, 0x4200, 0x4c00}),
      ElementsAre(0x6800, 0x6802, 0x7c00));
  // Smallest denormal times a half: a tie to zero; times 0.75: back up.
  EXPECT_THAT(f16("arith.mulf", {0x0001, 0x0001}, {0x3800, 0x3a00}),
              ElementsAre(0x0000, 0x0001));
  // bf16: 256 + 1 is a tie.
  EXPECT_THAT(apply("arith.addf %a, %b : TR",
                    {ints("bf16", {0x4380}), ints("bf16", {0x3f80})}, "bf16"),
              ElementsAre(0x4380));
  // f8E4M3FN: 448 + 448 saturates.
  EXPECT_THAT(apply("arith.addf %a, %b : TR",
                    {ints("f8E4M3FN", {0x7e}), ints("f8E4M3FN", {0x7e})},
                    "f8E4M3FN"),
              ElementsAre(0x7e));
}

TEST_F(FloatOps, FmaRoundsOnce) {
  auto fma = [&](std::vector<float> a, std::vector<float> b,
                 std::vector<float> c) {
    return applyF32("tile.fma %a, %b, %c : TR", {f32(a), f32(b), f32(c)});
  };
  EXPECT_THAT(fma({2, Inf, Inf}, {3, 0, 1}, {4, 1, -Inf}),
              ElementsAre(10, IsNan(), IsNan()));
  std::mt19937 random(11);
  std::vector<float> a(20000), b(20000), c(20000);
  for (size_t i = 0; i < a.size(); ++i) {
    // Exponents close together, so that rounding matters.
    auto draw = [&](int range) {
      return std::ldexp(static_cast<float>(random() % 16777216) - 8388608.0f,
                        static_cast<int>(random() % range) - range / 2);
    };
    a[i] = draw(8);
    b[i] = draw(8);
    c[i] = draw(60);
  }
  auto result = fma(a, b, c);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(result[i], std::fma(a[i], b[i], c[i])) << a[i] << " " << b[i];
  }
  // A product that is a tie of the result, and a term that no double sum sees:
  // bf16 1.0625 squared is 1.125 + 2^-8; f32 (1 + 2^-12) squared likewise.
  EXPECT_THAT(apply("tile.fma %a, %b, %c : TR",
                    {ints("bf16", {0x3f88, 0x3f88, 0x3f88}),
                     ints("bf16", {0x3f88, 0x3f88, 0x3f88}),
                     ints("bf16", {0, 0x0d80, 0x8d80})},
                    "bf16"),
              ElementsAre(0x3f90, 0x3f91, 0x3f90));
  const float x = 1 + std::ldexp(1.0f, -12), tiny = std::ldexp(1.0f, -100);
  EXPECT_THAT(fma({x, x, x}, {x, x, x}, {0, tiny, -tiny}),
              ElementsAre(std::fma(x, x, 0.0f), std::fma(x, x, tiny),
                          std::fma(x, x, -tiny)));
  EXPECT_NE(std::fma(x, x, tiny), std::fma(x, x, -tiny));
}

TEST_F(FloatOps, MinimaAndNan) { // P14, P18
  EXPECT_THAT(binary("tile.minf", {1, Nan, 2, Nan}, {2, 3, Nan, Nan}),
              ElementsAre(1, 3, 2, IsNan()));
  EXPECT_THAT(binary("tile.maxf", {1, Nan, 2, -Inf}, {2, 3, Nan, 0}),
              ElementsAre(2, 3, 2, 0));
  auto propagating = [&](const std::string &op, std::vector<float> a,
                         std::vector<float> b) {
    return applyF32(op + " %a, %b propagate_nan : TR", {f32(a), f32(b)});
  };
  EXPECT_THAT(propagating("tile.minf", {1, Nan, 2}, {2, 3, Nan}),
              ElementsAre(1, IsNan(), IsNan()));
  EXPECT_THAT(propagating("tile.maxf", {1, Nan, 2}, {2, 3, Nan}),
              ElementsAre(2, IsNan(), IsNan()));
}

TEST_F(FloatOps, SignsAreBits) {
  EXPECT_THAT(apply("arith.negf %a : TR",
                    {Column{"f32", {0, 0x80000000, 0x7fa00001}}}, "f32"),
              ElementsAre(0x80000000, 0, 0xffa00001));
  EXPECT_THAT(apply("tile.math abs %a : TR",
                    {Column{"f32", {0xff800000, 0x80000001, 0xffc00000}}},
                    "f32"),
              ElementsAre(0x7f800000, 1, 0x7fc00000));
  // One zero, one NaN: both keep their code.
  EXPECT_THAT(apply("arith.negf %a : TR",
                    {Column{"f8E4M3FNUZ", {0x00, 0x80, 0x01}}}, "f8E4M3FNUZ"),
              ElementsAre(0x00, 0x80, 0x81));
}

TEST_F(FloatOps, ComparisonsOrderedAndNot) {
  const std::vector<float> a = {1, 2, 2, Nan, -0.0f}, b = {2, 1, 2, 1, 0.0f};
  auto holds = [&](const std::string &predicate) {
    return apply("arith.cmpf " + predicate + ", %a, %b : TA", {f32(a), f32(b)},
                 "i1");
  };
  EXPECT_THAT(holds("oeq"), ElementsAre(0, 0, 1, 0, 1));
  EXPECT_THAT(holds("one"), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(holds("olt"), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(holds("ole"), ElementsAre(1, 0, 1, 0, 1));
  EXPECT_THAT(holds("ogt"), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(holds("oge"), ElementsAre(0, 1, 1, 0, 1));
  EXPECT_THAT(holds("ord"), ElementsAre(1, 1, 1, 0, 1));
  EXPECT_THAT(holds("ueq"), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(holds("une"), ElementsAre(1, 1, 0, 1, 0));
  EXPECT_THAT(holds("ult"), ElementsAre(1, 0, 0, 1, 0));
  EXPECT_THAT(holds("ule"), ElementsAre(1, 0, 1, 1, 1));
  EXPECT_THAT(holds("ugt"), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(holds("uge"), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(holds("uno"), ElementsAre(0, 0, 0, 1, 0));
  EXPECT_THAT(holds("true"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(holds("false"), ElementsAre(0, 0, 0, 0, 0));
}

TEST_F(FloatOps, ToIntegersTruncatesAndSaturates) { // P15
  const std::vector<float> x = {1.9f, -1.9f, Nan, Inf, -Inf, 3e9f, -3e9f};
  EXPECT_THAT(
      applyInts("tile.fptosi %a : TA to TR", {f32(x)}, "i32"),
      ElementsAre(1, -1, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN));
  EXPECT_THAT(apply("tile.fptoui %a : TA to TR", {f32(x)}, "i32"),
              ElementsAre(1, 0, 0, UINT32_MAX, 0, 3000000000u, 0));
  EXPECT_THAT(applyInts("tile.fptosi %a : TA to TR", {f32({300, -300})}, "i8"),
              ElementsAre(127, -128));
  EXPECT_THAT(
      applyInts("tile.fptosi %a : TA to TR", {f32({1e30f, -1e30f})}, "i64"),
      ElementsAre(INT64_MAX, INT64_MIN));
  EXPECT_THAT(
      apply("tile.fptoui %a : TA to TR", {f32({1e30f, 1.8e19f})}, "i64"),
      ElementsAre(UINT64_MAX, static_cast<uint64_t>(1.8e19f)));
  EXPECT_THAT(apply("tile.fptosi %a : TA to TR", {f32({5, -0.5f, -5})}, "i1"),
              ElementsAre(0, 0, 1)); // range -1 .. 0
}

TEST_F(FloatOps, FromIntegersRoundsOnce) {
  const std::vector<int64_t> x = {0, -1, INT32_MAX, 16777217, INT32_MIN};
  EXPECT_THAT(applyF32("tile.sitofp %a : TA to TR", {ints("i32", x)}),
              ElementsAre(0, -1, 2147483648.0f, 16777216, -2147483648.0f));
  EXPECT_THAT(applyF32("tile.uitofp %a : TA to TR", {ints("i32", {-1})}),
              ElementsAre(4294967296.0f));
  EXPECT_THAT(applyF32("tile.sitofp %a : TA to TR", {ints("i1", {0, 1})}),
              ElementsAre(0, -1));
  // Through a double, 2^60 + 2^36 + 1 becomes a tie of f32 and rounds wrongly.
  std::mt19937_64 random(3);
  std::vector<int64_t> wide = {(1LL << 60) + (1LL << 36) + 1, INT64_MAX,
                               INT64_MIN};
  for (int i = 0; i < 4096; ++i) {
    wide.push_back((1LL << 60) + (1LL << 36) +
                   static_cast<int64_t>(random() % 3) - 1);
    wide.push_back(static_cast<int64_t>(random()) >> (random() % 40));
  }
  auto narrow = applyF32("tile.sitofp %a : TA to TR", {ints("i64", wide)});
  auto positive = applyF32("tile.uitofp %a : TA to TR", {ints("i64", wide)});
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_EQ(narrow[i], static_cast<float>(wide[i])) << wide[i];
    ASSERT_EQ(positive[i], static_cast<float>(static_cast<uint64_t>(wide[i])));
  }
  EXPECT_THAT(
      apply("tile.sitofp %a : TA to TR", {ints("i32", {65520, 65519})}, "f16"),
      ElementsAre(0x7c00, 0x7bff));
  EXPECT_THAT(
      apply("tile.sitofp %a : TA to TR", {ints("i32", {1000000})}, "f8E5M2"),
      ElementsAre(0x7b)); // P16
}

TEST_F(FloatOps, BitcastsKeepBits) {
  EXPECT_THAT(apply("tile.bitcast %a : TA to TR", {f32({1.0f, -0.0f})}, "i32"),
              ElementsAre(0x3f800000, 0x80000000));
  EXPECT_THAT(
      apply("tile.bitcast %a : TA to TR", {ints("i16", {0x7d01})}, "f16"),
      ElementsAre(0x7d01));
}
