//===- BoundsTest.cpp - what a run with trackErrors allows ----------------===//
//
// What   The bounds of sums, math, infinities, decisions, integers, atomics.
// Why    A bound too small fails a correct target; one too large, or none,
//        hides every mistake.
//
//===----------------------------------------------------------------------===//
#include "RunKernel.h"

#include "core/interpreter/Compare.h"

#include <cmath>
#include <random>

using namespace tz::interpreter;

namespace {

class Bounds : public RunKernel {
protected:
  Bounds() { options.trackErrors = true; }

  /// Runs `body`, which computes %r from %x: `from`, a tile of x, and stores it
  /// as `to`. Gives the bounds of the elements.
  template <typename Out>
  std::vector<double> boundsOf(std::vector<float> x, const std::string &body,
                               const std::string &to, std::vector<Out> &out) {
    const std::string n = std::to_string(x.size());
    auto tile = [&](const std::string &type) {
      return "tensor<" + n + "x" + type + ">";
    };
    out.assign(x.size(), Out());
    launch.args.clear();
    options.memory.clear();
    give(x, "x");
    give(out, "out");
    std::string text = "tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<" +
                       to + ">) {\n%i = tile.range 0 to " + n + " : " +
                       tile("i32") + "\n";
    auto pointers = [&](const std::string &name, const std::string &from,
                        const std::string &type) {
      std::string ptr = "!tile.ptr<" + type + ">";
      text += "%s" + name + " = tile.splat " + from + " : " + ptr + " -> " +
              tile(ptr) + "\n%" + name + " = tile.addptr %s" + name +
              ", %i : " + tile(ptr) + ", " + tile("i32") + "\n";
      return tile(ptr);
    };
    std::string px = pointers("px", "%p", "f32");
    text += "%x = tile.load %px : " + px + " -> " + tile("f32") + "\n";
    std::string filled = body;
    for (size_t at; (at = filled.find("TILE")) != std::string::npos;) {
      filled.replace(at, 4, tile("f32"));
    }
    for (size_t at; (at = filled.find("BOOL")) != std::string::npos;) {
      filled.replace(at, 4, tile("i1"));
    }
    for (size_t at; (at = filled.find("OUT")) != std::string::npos;) {
      filled.replace(at, 3, tile(to));
    }
    std::string pq;
    text += filled + "\n";
    pq = pointers("pq", "%q", to);
    text += "tile.store %pq, %r : " + pq + ", " + tile(to) + "\ntile.return\n}";
    EXPECT_EQ(run(text), "") << text;
    Tolerance tolerance =
        toleranceFrom(report, options.memory[1].base, out.size());
    tolerance.bounds.resize(out.size(), 0.0);
    return tolerance.bounds;
  }
  std::vector<double> boundsOf(const std::vector<float> &x,
                               const std::string &body) {
    std::vector<float> out;
    return boundsOf(x, body, "f32", out);
  }
};

Comparison compareF32(const std::vector<float> &expected,
                      const std::vector<float> &actual,
                      const Tolerance &tolerance) {
  return compare(Kind::F32, expected.data(), actual.data(), expected.size(),
                 tolerance);
}

/// %e: x made inexact by 2.5 ULP, with the value itself: exp2(x).
constexpr const char *Inexact = "%e = tile.math exp2 %x : TILE\n";
constexpr double Ulp = 0x1p-23; // of [1, 2)

} // namespace

static const char *const Sum = R"(
tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %r = tile.range 0 to 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %a : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %sum = tile.reduce(%v) axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %x, %y : f32
    tile.yield %t : f32
  }
  tile.store %q, %sum : !tile.ptr<f32>, f32
  tile.return
})";

TEST_F(Bounds, OfASumCoverEveryOrderAndNotAMissingTerm) {
  std::mt19937 random(1);
  std::vector<float> x(512), y(1);
  for (float &value : x) {
    value = std::ldexp(static_cast<float>(random() % (1 << 24)), -24) - 0.5f;
  }
  give(x, "x");
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(Sum), "");
  Tolerance tolerance = toleranceFrom(report, options.memory[1].base, 1);
  ASSERT_EQ(tolerance.bounds.size(), 1u);
  // 511 u sum |x| from x itself, and what our own tree is off.
  double magnitude = 0, sum = 0;
  float forward = 0, backward = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    magnitude += std::fabs(x[i]);
    sum += x[i]; // exact: multiples of 2^-24
    forward += x[i];
    backward += x[x.size() - 1 - i];
  }
  EXPECT_NEAR(tolerance.bounds[0],
              511 * 0x1p-24 * magnitude + std::fabs(y[0] - sum), 1e-11);
  EXPECT_TRUE(compareF32(y, {forward}, tolerance).matches());
  EXPECT_TRUE(compareF32(y, {backward}, tolerance).matches());
  EXPECT_FALSE(compareF32(y, {forward - x[7]}, tolerance).matches());
}

TEST_F(Bounds, OfACopyAreZeroAndGrowThroughMathAndMemory) {
  std::vector<float> x = {0.75f}, y(3);
  give(x, "x");
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
      %c1 = arith.constant 1 : i32
      %v = tile.load %p : !tile.ptr<f32> -> f32
      tile.store %q, %v : !tile.ptr<f32>, f32
      %e = tile.math exp2 %v : f32
      %q1 = tile.addptr %q, %c1 : !tile.ptr<f32>, i32
      tile.store %q1, %e : !tile.ptr<f32>, f32
      %again = tile.load %q1 : !tile.ptr<f32> -> f32
      %d = arith.addf %again, %again : f32
      %q2 = tile.addptr %q1, %c1 : !tile.ptr<f32>, i32
      tile.store %q2, %d : !tile.ptr<f32>, f32
      tile.return
    })"),
            "");
  const std::vector<double> &bounds = report.bounds.at(options.memory[1].base);
  const double ulp = std::ldexp(1.0, -23); // of 2^0.75
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_EQ(bounds[0], 0);
  EXPECT_EQ(bounds[1], 2.5 * ulp);
  // Twice the number, and from -2.5 or to +2.5 ULP no rounding moves it.
  EXPECT_EQ(bounds[2], 2 * 2.5 * ulp + ulp);
}

TEST_F(Bounds, FollowElementsThroughDotAndTranspose) {
  // [a b] x [c; d] with an inexact b: |d| * e(b) + g(4) (|ac| + |bd| + |d|
  // e(b)), and flushed products.
  std::vector<float> y(1);
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(R"(
    tile.kernel @k(%q: !tile.ptr<f32>) {
      %half = arith.constant 0.5 : f32
      %two = arith.constant 2.0 : f32
      %b = tile.math exp2 %half : f32
      %j = tile.join %two, %b : f32 -> tensor<2xf32>
      %col = tile.reshape %j : tensor<2xf32> -> tensor<2x1xf32>
      %row = tile.transpose %col [1, 0] : tensor<2x1xf32> -> tensor<1x2xf32>
      %cd = arith.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
      %z = arith.constant dense<0.0> : tensor<1x1xf32>
      %d = tile.dot %row, %cd, %z
             : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
      %v = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>
      %s = tile.splat %q : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
      tile.store %s, %v : tensor<1x!tile.ptr<f32>>, tensor<1xf32>
      tile.return
    })"),
            "");
  const float b = static_cast<float>(std::exp2(0.5));
  const double given = 3 * 2.5 * std::ldexp(1.0, -23);
  const double four = 4 * std::ldexp(1.0, -24);
  const double expected = given + four / (1 - four) * (2 + 3.0 * b + given);
  EXPECT_NEAR(report.bounds.at(options.memory[0].base)[0], expected, 1e-15);
  EXPECT_EQ(report.undecided, 0u);
}

TEST_F(Bounds, OfDotsCoverProductsBelowTheLeastDenormal) {
  // 2^-1075 rounds to 0 on its own; 2^-1074 + 2^-1075, rounded once, does not
  // to 2^-1074. The row of two such products may be off by twice that, the one
  // of a product and a zero by one; that of zeros is exact.
  std::vector<double> y(3);
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(R"(
    tile.kernel @k(%q: !tile.ptr<f64>) {
      %row = arith.constant dense<[[0x1E30000000000000, 0x1E30000000000000],
                                   [0x1E30000000000000, 0.0],
                                   [0.0, 0.0]]> : tensor<3x2xf64>
      %cd = arith.constant dense<0x1E80000000000000> : tensor<2x1xf64>
      %z = arith.constant dense<0.0> : tensor<3x1xf64>
      %d = tile.dot %row, %cd, %z
             : tensor<3x2xf64>, tensor<2x1xf64> -> tensor<3x1xf64>
      %v = tile.reshape %d : tensor<3x1xf64> -> tensor<3xf64>
      %s = tile.splat %q : !tile.ptr<f64> -> tensor<3x!tile.ptr<f64>>
      %i = tile.range 0 to 3 : tensor<3xi32>
      %p = tile.addptr %s, %i : tensor<3x!tile.ptr<f64>>, tensor<3xi32>
      tile.store %p, %v : tensor<3x!tile.ptr<f64>>, tensor<3xf64>
      tile.return
    })"),
            "");
  const double denormal = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(report.bounds.at(options.memory[0].base),
            (std::vector<double>{2 * denormal, denormal, 0}));
}

TEST_F(Bounds, OfAProductEndWhereAnotherGroupingOverflows) {
  const std::string scan = R"(%r = tile.scan(%x) axis 0 : (TILE) -> TILE {
^bb0(%a: f32, %b: f32):
  %s = arith.mulf %a, %b : f32
  tile.yield %s : f32
})";
  // 0 * (1e30 * 1e30) is NaN.
  std::vector<double> bounds = boundsOf({2, 0, 1e30f, 1e30f}, scan);
  EXPECT_LT(bounds[2], 1e-6);
  EXPECT_TRUE(std::isinf(bounds[3]));
  for (double bound : boundsOf({3, 5, 0, 1e30f}, scan)) {
    EXPECT_LT(bound, 1e-5);
  }
}

TEST_F(Bounds, OfAProductHoldItsOtherGrouping) {
  // Near the root of two: ours is rounded at the head of a binade, b * c at the
  // foot of the next.
  const float a = 0x1.6a12ecp0f, b = 0x1.69a22cp0f, c = 0x1.6b1e28p0f;
  const std::vector<double> bounds =
      boundsOf({a, b, c}, R"(%r = tile.scan(%x) axis 0 : (TILE) -> TILE {
^bb0(%a: f32, %b: f32):
  %s = arith.mulf %a, %b : f32
  tile.yield %s : f32
})");
  const float ours = (a * b) * c, other = a * (b * c);
  EXPECT_LE(std::abs(double(ours) - double(other)), bounds[2]);
  EXPECT_LT(bounds[2], 1e-6);
}

TEST_F(Bounds, OfAProductOfPartsEndWhereADenormalMeetsAnInfinity) {
  for (auto [precision, isKnown] :
       {std::pair("ieee", true), {"tf32", false}, {"tf32x3", false}}) {
    std::vector<double> bounds =
        boundsOf({1e-45f, INFINITY}, std::string(R"(
      %low = tile.reshape %x : TILE -> tensor<2x1xf32>
      %high = tile.reshape %x : TILE -> tensor<1x2xf32>
      %z = arith.constant dense<0.0> : tensor<2x2xf32>
      %d = tile.dot %low, %high, %z {precision = #tile<precision )") +
                                         precision + R"(
>} : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
      %r = tile.reduce(%d) axis 0 : (tensor<2x2xf32>) -> TILE {
      ^bb0(%a: f32, %b: f32):
        %s = tile.maxf %a, %b : f32
        tile.yield %s : f32
      })");
    EXPECT_EQ(std::isfinite(bounds[1]), isKnown) << precision;
  }
}

TEST_F(Bounds, OfExpOfAnInfinityAreZero) {
  // A masked softmax lane: exp(-inf - max) is 0, whatever the target.
  auto bounds = boundsOf({-INFINITY, -1.0f, 1000.0f, -1000.0f, NAN},
                         "%r = tile.math exp %x : TILE");
  EXPECT_EQ(bounds[0], 0);
  EXPECT_NEAR(bounds[1], (2.5 + 1.16) * Ulp / 4, 1e-12);
  EXPECT_EQ(bounds[2], 0); // overflows everywhere
  EXPECT_LT(bounds[3], 0x1p-126);
  EXPECT_EQ(bounds[4], 0);
}

TEST_F(Bounds, OfExpGrowWithTheErrorOfTheExponent) {
  auto bounds =
      boundsOf({2.0f}, std::string(Inexact) + "%r = tile.math exp %e : TILE");
  const double e = 2.5 * 4 * Ulp; // of exp2(2) = 4
  EXPECT_NEAR(bounds[0],
              std::exp(4.0) * std::expm1(e) + (2.5 + 1.16 * (4 + e)) * 32 * Ulp,
              1e-9);
}

TEST_F(Bounds, OfAMaximumIgnoreWhatIsSurelySmaller) {
  auto bounds = boundsOf({0.5f, 8.0f, -INFINITY},
                         std::string(Inexact) + "%r = tile.maxf %x, %e : TILE");
  EXPECT_EQ(bounds[0], 2.5 * Ulp); // exp2(0.5) = 1.41
  EXPECT_EQ(bounds[1], 2.5 * 256 * Ulp);
  EXPECT_EQ(bounds[2], 0); // max(-inf, exp2(-inf) = 0), both exact
  bounds = boundsOf({0.5f, 8.0f, -INFINITY},
                    std::string(Inexact) +
                        "%c = arith.constant dense<300.0> : TILE\n"
                        "%r = tile.maxf %c, %e : TILE");
  EXPECT_THAT(bounds, testing::ElementsAre(0, 0, 0));
}

TEST_F(Bounds, OfAChoiceThatMayTurnCoverBothArms) {
  // leaky_relu at 4 - 2^2, which is zero here and anything near it elsewhere.
  const std::string body = std::string(Inexact) +
                           "%c4 = arith.constant dense<4.0> : TILE\n"
                           "%d = arith.subf %c4, %e : TILE\n"
                           "%z = arith.constant dense<0.0> : TILE\n"
                           "%one = arith.constant dense<1.0> : TILE\n"
                           "%c = arith.cmpf oge, %d, %z : TILE\n"
                           "%r = arith.select %c, %d, %one : BOOL, TILE";
  auto bounds = boundsOf({2.0f, 1.0f}, body);
  EXPECT_NEAR(bounds[0], 1.0, 1e-5);
  EXPECT_LE(bounds[1], 6 * Ulp);
  EXPECT_EQ(report.undecided, 0u);
}

TEST_F(Bounds, EndWhereADivisorMayBeZeroAndALogarithmFalls) {
  const std::string difference = std::string(Inexact) +
                                 "%c4 = arith.constant dense<4.0> : TILE\n"
                                 "%d = arith.subf %c4, %e : TILE\n";
  auto bounds = boundsOf({2.0f, 1.0f},
                         difference + "%r = tile.divf approx %c4, %d : TILE");
  EXPECT_EQ(bounds[0], HUGE_VAL);
  EXPECT_LT(bounds[1], 20 * Ulp);
  bounds = boundsOf({2.0f, 1.0f}, difference + "%r = tile.math log %d : TILE");
  EXPECT_EQ(bounds[0], HUGE_VAL);
  EXPECT_LT(bounds[1], 10 * Ulp);
}

TEST_F(Bounds, EndWhereAnOverflowHangsOnTheLastBits) {
  // exp2(127.99999) may be rounded up to infinity, exp2(129) is infinity.
  auto bounds = boundsOf({std::nextafter(128.0f, 0.0f), 129.0f, 127.0f},
                         "%r = tile.math exp2 %x : TILE");
  EXPECT_EQ(bounds[1], 0);
  EXPECT_EQ(bounds[2], 2.5 * 0x1p104);
  bounds =
      boundsOf({200.0f, 128.0f}, std::string(Inexact) +
                                     "%z = arith.constant dense<0.0> : TILE\n"
                                     "%r = arith.mulf %e, %z : TILE");
  EXPECT_EQ(bounds[0], 0);        // inf * 0 = NaN
  EXPECT_EQ(bounds[1], HUGE_VAL); // exp2(128) is infinite only here, perhaps
}

TEST_F(Bounds, OfAFusedSumReachTheTieWhateverItsSign) {
  // x * 2.5 - x: the exact sum is a tie of f32; one rounding
  // gives the even neighbour, two give the other one.
  const float next = std::nextafter(1.0f, 2.0f);
  const std::string body = "%c = arith.constant dense<2.5> : TILE\n"
                           "%product = arith.mulf %x, %c : TILE\n";
  auto bounds =
      boundsOf({next, -next}, body + "%r = arith.subf %product, %x : TILE");
  EXPECT_THAT(bounds, testing::ElementsAre(Ulp, Ulp));
}

TEST_F(Bounds, OfAFusedSumAreNoneWhereTheProductOverflows) {
  // inf - 2 * 3e38 is NaN in two roundings and infinite in one.
  const std::string body = "%c = arith.constant dense<3.0e38> : TILE\n"
                           "%inf = arith.constant dense<0x7F800000> : TILE\n";
  const std::string product = "arith.mulf %x, %c : TILE\n";
  auto bounds = boundsOf({2.0f, 1.0f}, body + "%s = " + product +
                                           "%r = arith.subf %inf, %s : TILE");
  EXPECT_THAT(bounds, testing::ElementsAre(HUGE_VAL, 0));
  EXPECT_THAT(boundsOf({2.0f, 1.0f}, body + "%r = " + product),
              testing::ElementsAre(0, 0));
}

TEST_F(Bounds, OfRoundedIntegersAreOneWhereTheyMayTurn) {
  std::vector<int8_t> out;
  auto bounds = boundsOf<int8_t>(
      {2.0f, 1.5f}, std::string(Inexact) + "%r = tile.fptosi %e : TILE to OUT",
      "i8", out);
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(bounds[0], 1); // 3.9999998 is 3
  EXPECT_EQ(bounds[1], 0); // 2.83
}

TEST_F(Bounds, OfNarrowResultsAreWholeUlpsAtTiesAndZeroElsewhere) {
  // Why fp16 matrix products use all of their tolerance. 333 products are
  // summed in f32, in some order, and rounded to f16. Two such f32 sums differ
  // by 1e-5 or so; where a tie of f16 lies between them, they become
  // neighbours, a whole ULP of f16 apart. So the bound is what f32 allows,
  // rounded outwards to f16: zero far from a tie, else whole ULPs, mostly one;
  // who differs at all uses it up. Terms that cancel make the ULP small and
  // ties frequent.
  constexpr int64_t rows = 8192, terms = 333;
  std::mt19937 random(5);
  std::vector<uint16_t> a(rows * terms), out(rows);
  for (uint16_t &code : a) { // +-[0.5, 2)
    code = static_cast<uint16_t>((random() & 0x8000) | (14 << 10) |
                                 (random() & 0x7ff));
  }
  launch.args.clear();
  options.memory.clear();
  give(a, "a");
  give(out, "out");
  ASSERT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>) {
      %one = arith.constant 1 : i64
      %rows = arith.constant 8192 : i64
      %terms = arith.constant 333 : i64
      %zero = arith.constant 0 : i64
      %v = tile.make_view %p shape [%rows, %terms] strides [%terms, %one]
             : !tile.ptr<f16> -> !tile.view<8192x333xf16>
      %a = tile.load_view %v [%zero, %zero] checked [false, false]
             : !tile.view<8192x333xf16> -> tensor<8192x333xf16>
      %b = arith.constant dense<0.3330078125> : tensor<333x1xf16>
      %c = arith.constant dense<0.0> : tensor<8192x1xf32>
      %d = tile.dot %a, %b, %c
             : tensor<8192x333xf16>, tensor<333x1xf16> -> tensor<8192x1xf32>
      %h = tile.truncf rtne %d : tensor<8192x1xf32> to tensor<8192x1xf16>
      %w = tile.make_view %q shape [%rows, %one] strides [%one, %one]
             : !tile.ptr<f16> -> !tile.view<8192x1xf16>
      tile.store_view %w [%zero, %zero], %h checked [false, false]
        : !tile.view<8192x1xf16>, tensor<8192x1xf16>
      tile.return
    })"),
            "");
  Tolerance tolerance =
      toleranceFrom(report, options.memory[1].base, out.size());
  ASSERT_EQ(tolerance.bounds.size(), out.size());
  uint64_t flips = 0, exact = 0;
  std::vector<uint16_t> summed(rows);
  for (int64_t i = 0; i < rows; ++i) {
    float forward = 0, backward = 0;
    double sum = 0, magnitude = 0;
    for (int64_t k = 0; k < terms; ++k) {
      const double term =
          decodeFloat(Kind::F16, a[i * terms + k]) * 0.3330078125;
      const double last =
          decodeFloat(Kind::F16, a[i * terms + terms - 1 - k]) * 0.3330078125;
      forward += static_cast<float>(term);
      backward += static_cast<float>(last);
      sum += term; // exact: products of 22 bits, 333 of them
      magnitude += std::fabs(term);
    }
    summed[i] = static_cast<uint16_t>(encodeFloat(Kind::F16, forward));
    const auto other = static_cast<uint16_t>(encodeFloat(Kind::F16, backward));
    const double ulp = ulpOf(Kind::F16, sum);
    const double rounded = decodeFloat(Kind::F16, encodeFloat(Kind::F16, sum));
    const double toTie = ulp / 2 - std::fabs(sum - rounded);
    const double reach = 336 * 0x1p-24 * magnitude;
    EXPECT_LE(std::fabs(forward - sum), reach);
    if (summed[i] != other) {
      ++flips;
      EXPECT_LT(toTie, 1e-4);
      EXPECT_GE(tolerance.bounds[i], ulp) << i;
    }
    if (toTie > 2 * reach) {
      ++exact;
      EXPECT_EQ(tolerance.bounds[i], 0) << i;
    }
  }
  EXPECT_GT(flips, 0u);
  EXPECT_GT(exact, 0u);
  Comparison comparison =
      compare(Kind::F16, out.data(), summed.data(), rows, tolerance);
  EXPECT_TRUE(comparison.matches()) << comparison.summary(tolerance);
}

TEST_F(Bounds, OfAtomicSumsCoverEveryOrderOfPrograms) {
  // 1e8, then 64 small terms, then -1e8, by programs in any order.
  std::vector<float> x(66, 0.123f), sum(1);
  x.front() = 1e8f;
  x.back() = -1e8f;
  give(x, "x");
  give(sum, "sum");
  launch.grid = {66, 1, 1};
  ASSERT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
      %i = tile.program_id 0
      %a = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %v = tile.load %a : !tile.ptr<f32> -> f32
      %old = tile.atomic_rmw fadd relaxed device %q, %v
               : !tile.ptr<f32> -> f32, f32
      tile.return
    })"),
            "");
  EXPECT_EQ(report.undecided, 0u);
  Tolerance tolerance = toleranceFrom(report, options.memory[1].base, 1);
  // Last the large ones: the small ones survive.
  const float late = 64 * 0.123f;
  EXPECT_TRUE(compare(Kind::F32, sum.data(), &late, 1, tolerance).matches());
  const float wrong = 2e4f;
  EXPECT_FALSE(compare(Kind::F32, sum.data(), &wrong, 1, tolerance).matches());
}

TEST_F(Bounds, SayWhenABranchMayTurn) {
  std::vector<float> x = {2.0f}, y(1);
  give(x, "x");
  give(y, "y");
  ASSERT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
      %four = arith.constant 4.0 : f32
      %v = tile.load %p : !tile.ptr<f32> -> f32
      %e = tile.math exp2 %v : f32
      %c = arith.cmpf oge, %e, %four : f32
      scf.if %c {
        tile.store %q, %four : !tile.ptr<f32>, f32
      }
      tile.return
    })"),
            "");
  EXPECT_EQ(report.undecided, 1u);
}
