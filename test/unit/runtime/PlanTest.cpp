//===- PlanTest.cpp - the launch plan's evaluator -------------------------===//
//
// What   Each opcode's meaning, each way to fail, and random bytes.
// Why    Plans come from files and foreign compilers: the evaluator is total.
//===----------------------------------------------------------------------===//
#include "runtime/launch/PlanEvaluator.h"

#include <gtest/gtest.h>
#include <random>

using namespace tz::runtime;

namespace {

tz_expr_step c(int64_t v) { return {TZ_X_CONST, 0, v}; }
tz_expr_step op(uint32_t o) { return {o, 0, 0}; }
tz_expr_step arg(uint32_t i) { return {TZ_X_ARG, i, 0}; }

std::optional<int64_t> run(const Expr &e, const PlanInputs &in = {}) {
  return evaluate(e, in);
}
std::optional<int64_t> two(uint32_t o, int64_t a, int64_t b) {
  return run({c(a), c(b), op(o)});
}

TEST(Plan, ArithmeticAndComparisons) {
  EXPECT_EQ(two(TZ_X_ADD, 7, 5), 12);
  EXPECT_EQ(two(TZ_X_SUB, 7, 5), 2);
  EXPECT_EQ(two(TZ_X_MUL, 7, -5), -35);
  EXPECT_EQ(two(TZ_X_CEILDIV, 7, 2), 4);
  EXPECT_EQ(two(TZ_X_CEILDIV, 8, 2), 4);
  EXPECT_EQ(two(TZ_X_CEILDIV, -7, 2), -3);
  EXPECT_EQ(two(TZ_X_CEILDIV, INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(two(TZ_X_REM, 7, 3), 1);
  EXPECT_EQ(two(TZ_X_REM, -7, 3), 2);
  EXPECT_EQ(two(TZ_X_MIN, -1, 1), -1);
  EXPECT_EQ(two(TZ_X_MAX, -1, 1), 1);
  EXPECT_EQ(two(TZ_X_AND, 12, 10), 8);
  EXPECT_EQ(two(TZ_X_OR, 12, 10), 14);
  EXPECT_EQ(two(TZ_X_EQ, 1, 1), 1);
  EXPECT_EQ(two(TZ_X_NE, 1, 1), 0);
  EXPECT_EQ(two(TZ_X_LT, -1, 1), 1);
  EXPECT_EQ(two(TZ_X_LE, 1, 1), 1);
  EXPECT_EQ(two(TZ_X_GT, -1, 1), 0);
  EXPECT_EQ(two(TZ_X_GE, 1, 1), 1);
  EXPECT_EQ(run({c(0), c(5), c(6), op(TZ_X_SELECT)}), 6);
  EXPECT_EQ(run({c(-3), c(5), c(6), op(TZ_X_SELECT)}), 5);
}

TEST(Plan, OverflowAndBadDivisorsHaveNoValue) {
  EXPECT_FALSE(two(TZ_X_ADD, INT64_MAX, 1));
  EXPECT_FALSE(two(TZ_X_SUB, INT64_MIN, 1));
  EXPECT_FALSE(two(TZ_X_MUL, INT64_MIN, -1));
  EXPECT_FALSE(two(TZ_X_CEILDIV, 1, 0));
  EXPECT_FALSE(two(TZ_X_CEILDIV, INT64_MIN, -1));
  EXPECT_FALSE(two(TZ_X_REM, 1, 0));
  EXPECT_FALSE(two(TZ_X_REM, 1, -4));
}

TEST(Plan, AFailingGuardIsFalse) {
  Variant v;
  v.guard = {c(INT64_MAX), c(1), op(TZ_X_ADD), c(0), op(TZ_X_NE)};
  EXPECT_FALSE(guardHolds(v, {}));
  v.guard = {c(1)};
  EXPECT_TRUE(guardHolds(v, {}));
  v.guard.clear();
  EXPECT_TRUE(guardHolds(v, {}));
}

TEST(Plan, LeavesReadArgumentsGridAndDevice) {
  std::array<ArgValue, 4> args{{{TZ_TYPE_PTR, 0x7f0010},
                                {TZ_TYPE_I32, uint64_t(int64_t(-4))},
                                {TZ_TYPE_F32, 0x3f800000},
                                {TZ_TYPE_U64, UINT64_MAX}}};
  PlanInputs in;
  in.args = args;
  in.grid = {10, 20, 30};
  in.device[TZ_DEV_COMPUTE_UNITS] = 132;
  EXPECT_EQ(run({arg(0), c(16), op(TZ_X_REM)}, in), 0);
  EXPECT_EQ(run({arg(1)}, in), -4);
  EXPECT_FALSE(run({arg(2)}, in)) << "a float has no integer value";
  EXPECT_FALSE(run({arg(3)}, in)) << "2^64-1 does not fit";
  EXPECT_FALSE(run({arg(4)}, in));
  EXPECT_EQ(run({{TZ_X_GRID, 2, 0}}, in), 30);
  EXPECT_FALSE(run({{TZ_X_GRID, 3, 0}}, in));
  EXPECT_EQ(run({{TZ_X_DEVICE, TZ_DEV_COMPUTE_UNITS, 0}}, in), 132);
  EXPECT_FALSE(run({{TZ_X_DEVICE, TZ_DEV_L2_BYTES, 0}}, in)) << "unknown";
  EXPECT_FALSE(run({{TZ_X_DEVICE, 99, 0}}, in));
  EXPECT_FALSE(run({op(TZ_X_OCCUPANCY)}, in));
  in.occupancy = 3;
  EXPECT_EQ(run({op(TZ_X_OCCUPANCY)}, in), 3);
}

TEST(Plan, MalformedExpressions) {
  EXPECT_FALSE(run({}));
  EXPECT_FALSE(run({op(TZ_X_ADD)}));
  EXPECT_FALSE(run({c(1), op(TZ_X_ADD)}));
  EXPECT_FALSE(run({c(1), c(2)}));
  EXPECT_FALSE(run({op(999)}));
  EXPECT_FALSE(run(Expr(TZ_EXPR_MAX_STEPS + 1, c(1))));
  EXPECT_FALSE(isWellFormed({}));
  EXPECT_FALSE(isWellFormed({c(1), c(2)}));
  EXPECT_TRUE(isWellFormed({c(1), c(2), op(TZ_X_ADD)}));
  EXPECT_EQ(printExpr({c(1), arg(2), op(TZ_X_ADD)}), "(1 + arg2)");
  EXPECT_EQ(printExpr({op(TZ_X_ADD)}), "<malformed>");
}

/// What has a value is well-formed; whatever the bytes are, nothing crashes.
TEST(Plan, RandomBytesHaveAValueOrNone) {
  std::mt19937_64 random(20);
  size_t values = 0;
  for (int round = 0; round < 20000; ++round) {
    Expr e(random() % (round % 4 ? 6 : 70)); // short ones get far
    for (tz_expr_step &step : e) {
      // Mostly valid opcodes, or nothing ever gets far.
      static const uint32_t ops[] = {1,  2,  2,  2,  3,  4,  5,  16, 17,
                                     18, 19, 20, 21, 22, 23, 31, 77};
      step.op = ops[random() % std::size(ops)];
      step.index = random() % 4;
      step.value = random() % 3 ? int64_t(random() % 100) : int64_t(random());
    }
    std::array<ArgValue, 2> args{
        {{uint32_t(random() % 20), random()}, {TZ_TYPE_I64, random()}}};
    PlanInputs in;
    in.args = args;
    in.grid = {int64_t(random()), 1, 1};
    std::optional<int64_t> value = evaluate(e, in);
    if (value) {
      ++values;
      EXPECT_TRUE(isWellFormed(e));
    }
    (void)printExpr(e);
  }
  EXPECT_GT(values, 100u) << "the generator must reach whole expressions";
}

/// The same expression over 128-bit integers: equal, or one of them overflowed.
TEST(Plan, AgreesWithWideArithmetic) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 20000; ++round) {
    int64_t a = int64_t(random()) >> random() % 64;
    int64_t b = int64_t(random()) >> random() % 64;
    for (auto [o, wide] : {std::pair{TZ_X_ADD, __int128(a) + b},
                           std::pair{TZ_X_SUB, __int128(a) - b},
                           std::pair{TZ_X_MUL, __int128(a) * b}}) {
      std::optional<int64_t> value = two(uint32_t(o), a, b);
      EXPECT_EQ(value.has_value(), wide >= INT64_MIN && wide <= INT64_MAX);
      if (value) {
        EXPECT_TRUE(*value == wide);
      }
    }
    if (b > 0) {
      __int128 q = __int128(a) / b + (a % b > 0);
      EXPECT_EQ(two(TZ_X_CEILDIV, a, b), int64_t(q));
      int64_t r = *two(TZ_X_REM, a, b);
      EXPECT_TRUE(r >= 0 && r < b && (__int128(a) - r) % b == 0);
    }
  }
}

} // namespace
