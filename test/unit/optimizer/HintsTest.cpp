//===- HintsTest.cpp - ranges and divisors of integers --------------------===//
//
// What   Arithmetic of intervals, and what the analysis says of values.
// Why    Masks are dropped and accesses widened on its word: it must hold for
//        values that wrap, too.
//===----------------------------------------------------------------------===//
#include "terrazzo/analysis/Hints.h"

#include "test/unit/optimizer/NamedKernel.h"

#include <gtest/gtest.h>

using namespace tz::analysis;
using tz::test::NamedKernel;

namespace {

constexpr int64_t Min = std::numeric_limits<int64_t>::min();
constexpr int64_t Max = std::numeric_limits<int64_t>::max();
constexpr Interval Any32{INT32_MIN, INT32_MAX};

TEST(Interval, JoinAndMeet) {
  const Interval a{0, 10}, b{5, 20}, c{30, 40};
  EXPECT_EQ(a.join(c), (Interval{0, 40}));
  EXPECT_EQ(a.meet(b), (Interval{5, 10}));
  EXPECT_EQ(a.meet(c), a); // nothing is in both: unreachable
  EXPECT_EQ(a.meet({}), a);
}

TEST(Interval, ArithmeticIsExactWhereItFits) {
  const Interval a{-2, 3}, b{-5, 7};
  EXPECT_EQ(a + b, (Interval{-7, 10}));
  EXPECT_EQ(a - b, (Interval{-9, 8}));
  EXPECT_EQ(a * b, (Interval{-15, 21}));
}

TEST(Interval, AnEndThatLeavesInt64IsOpen) {
  const Interval natural{0, Max}, large{1, Max - 1};
  EXPECT_EQ(large + large, (Interval{2, Max}));
  EXPECT_EQ((Interval{Min + 1, 0} - large).low, Min);
  EXPECT_EQ(natural * (Interval{-1, 1}), (Interval{Min, Max}));
  EXPECT_EQ(natural * (Interval{0, 0}), (Interval{0, 0}));
  EXPECT_EQ(natural - natural, Interval{});
  EXPECT_EQ(Interval{} * (Interval{2, 2}), Interval{});
}

TEST(Hints, RangesOfTypes) {
  mlir::MLIRContext context;
  auto integer = [&](unsigned width) {
    return rangeOfType(mlir::IntegerType::get(&context, width));
  };
  EXPECT_EQ(integer(1), (Interval{0, 1}));
  EXPECT_EQ(integer(8), (Interval{-128, 127}));
  EXPECT_EQ(integer(32), Any32);
  EXPECT_EQ(integer(64), Interval{});
}

TEST(Hints, WhatWrapsHasTheRangeOfItsType) {
  NamedKernel k(R"(
tile.kernel @k() {
  %pid = tile.program_id 0
  %c1 = arith.constant 1 : i32
  %next = arith.addi %pid, %c1 : i32 loc("next")
  %wide = arith.extsi %pid : i32 to i64
  %one = arith.constant 1 : i64
  %exact = arith.addi %wide, %one : i64 loc("exact")
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_EQ(hints.range(k["next"]), Any32);
  EXPECT_EQ(hints.range(k["exact"]), (Interval{1, int64_t{1} << 31}));
}

TEST(Hints, WhatWrapsKeepsPowersOfTwoAlone) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32, %x: i64) {
  %c12 = arith.constant 12 : i32
  %c8 = arith.constant 8 : i32
  %k12 = arith.constant 12 : i64
  %few = tile.remsi %n, %c8 : i32
  %product = arith.muli %n, %c12 : i32 loc("product")
  %small = arith.muli %few, %c12 : i32 loc("small")
  %sum = arith.addi %small, %small : i32 loc("sum")
  %wrapped = arith.subi %product, %small : i32 loc("wrapped")
  %wide = arith.extsi %n : i32 to i64
  %exact = arith.muli %wide, %k12 : i64 loc("exact")
  %long = arith.muli %x, %k12 : i64 loc("long")
  tile.return
})");
  const Hints hints(k.kernel());
  // 12 * 357913942 is 8 in an i32.
  EXPECT_EQ(hints.divisibility(k["product"]), 4);
  EXPECT_EQ(hints.divisibility(k["wrapped"]), 4);
  EXPECT_EQ(hints.divisibility(k["long"]), 4);
  EXPECT_EQ(hints.divisibility(k["small"]), 12);
  EXPECT_EQ(hints.divisibility(k["sum"]), 12);
  EXPECT_EQ(hints.divisibility(k["exact"]), 12);
}

TEST(Hints, PromisesOfHintsAreJoined) {
  NamedKernel k(R"(
tile.kernel @k(%n: i64 {tile.divisibility = 16 : i32}) {
  %a = tile.hint %n {divisibility = array<i64: 24>} : i64 loc("a")
  %b = tile.hint %a {divisibility = array<i64: 9223372036854775807>} : i64 loc("b")
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_EQ(hints.divisibility(k["a"]), 48);
  // The least common multiple is no int64: the newer promise stands.
  EXPECT_EQ(hints.divisibility(k["b"]), Max);
}

TEST(Hints, AssumptionsOfTheEntryBlock) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32 loc("n"), %m: i32 loc("m"), %go: i1) {
  %zero = arith.constant 0 : i32
  %hundred = arith.constant 100 : i32
  %above = arith.cmpi slt, %zero, %n : i32
  %below = arith.cmpi ult, %n, %hundred : i32
  %both = arith.andi %above, %below : i1
  tile.assume %both
  scf.if %go {
    %large = arith.cmpi sgt, %m, %hundred : i32
    tile.assume %large
  }
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_EQ(hints.range(k["n"]), (Interval{1, 99}));
  EXPECT_EQ(hints.range(k["m"]), Any32); // it may not run
}

// They run wherever the value that they speak of exists.
TEST(Hints, AssumptionsOfValuesOfTheirBlock) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32, %m: i32 loc("m")) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.divsi %i, %m : i32 loc("a")
    %above = arith.cmpi sge, %a, %zero : i32
    %of = arith.cmpi sge, %m, %zero : i32
    %both = arith.andi %above, %of : i1
    tile.assume %both
    %c = arith.divsi %m, %i : i32 loc("c")
    %more = arith.cmpi sge, %c, %one : i32
    tile.assume %more
    scf.for %j = %zero to %n step %one : i32 {
      %b = tile.remsi %a, %m : i32 loc("b")
    }
  }
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_TRUE(hints.range(k["a"]).nonNegative());
  EXPECT_TRUE(hints.range(k["b"]).nonNegative());
  EXPECT_EQ(hints.range(k["c"]).low, 1); // of an op that has no rule
  EXPECT_EQ(hints.range(k["m"]), Any32); // the loop may not run
}

TEST(Hints, LoopsThatCountUnsigned) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32) {
  %zero = arith.constant 0 : i32
  %end = arith.constant 96 : i32
  %step = arith.constant 32 : i32
  scf.for %i = %zero to %end step %step : i32 {
    %a = arith.addi %i, %zero : i32 loc("known")
  }
  scf.for unsigned %i = %zero to %n step %step : i32 {
    %a = arith.addi %i, %zero : i32 loc("open")
  }
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_EQ(hints.range(k["known"]), (Interval{0, 64})); // 96 is the end
  EXPECT_EQ(hints.divisibility(k["known"]), 32);
  // The bound may be above the largest signed number.
  EXPECT_EQ(hints.range(k["open"]), Any32);
}

TEST(Hints, DivisionAndRemainder) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32) {
  %pid = tile.program_id 0
  %c10 = arith.constant 10 : i32
  %quotient = tile.divsi %pid, %c10 : i32 loc("quotient")
  %positive = tile.remsi %pid, %c10 : i32 loc("positive")
  %either = tile.remsi %n, %c10 : i32 loc("either")
  %logical = tile.remui %n, %c10 : i32 loc("logical")
  %masked = arith.andi %n, %c10 : i32 loc("masked")
  tile.return
})");
  const Hints hints(k.kernel());
  EXPECT_EQ(hints.range(k["quotient"]), (Interval{0, INT32_MAX / 10}));
  EXPECT_EQ(hints.range(k["positive"]), (Interval{0, 9}));
  EXPECT_EQ(hints.range(k["either"]), (Interval{-9, 9}));
  EXPECT_EQ(hints.range(k["logical"]), (Interval{0, 9}));
  EXPECT_EQ(hints.range(k["masked"]), (Interval{0, 10}));
}

} // namespace
