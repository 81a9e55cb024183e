//===- IntegerTest.cpp - integer ops at their edges -----------------------===//
//
// What   Wrapping, P6 shifts, P7 division, comparisons, selection.
// Why    The edges are where targets differ; the numbers are worked by hand.
//
//===----------------------------------------------------------------------===//
#include "RunOp.h"

using namespace tz::interpreter;
using testing::ElementsAre;

class Integers : public RunOp {
protected:
  static constexpr int64_t min32 = INT32_MIN, max32 = INT32_MAX;
  static constexpr int64_t min64 = INT64_MIN, max64 = INT64_MAX;

  std::vector<int64_t> i32(const std::string &op, std::vector<int64_t> a,
                           std::vector<int64_t> b) {
    return applyInts(op + " %a, %b : TR", {ints("i32", a), ints("i32", b)},
                     "i32");
  }
  std::vector<int64_t> i8(const std::string &op, std::vector<int64_t> a,
                          std::vector<int64_t> b) {
    return applyInts(op + " %a, %b : TR", {ints("i8", a), ints("i8", b)}, "i8");
  }
  std::vector<int64_t> i64(const std::string &op, std::vector<int64_t> a,
                           std::vector<int64_t> b) {
    return applyInts(op + " %a, %b : TR", {ints("i64", a), ints("i64", b)},
                     "i64");
  }
};

TEST_F(Integers, SumsAndProductsWrap) {
  EXPECT_THAT(i32("arith.addi", {max32, 2, -5}, {1, 3, 5}),
              ElementsAre(min32, 5, 0));
  EXPECT_THAT(i8("arith.addi", {127, -128}, {1, -1}), ElementsAre(-128, 127));
  EXPECT_THAT(i32("arith.subi", {min32, 2}, {1, 3}), ElementsAre(max32, -1));
  EXPECT_THAT(i32("arith.muli", {65536, min32, -3}, {65536, -1, 7}),
              ElementsAre(0, min32, -21));
  EXPECT_THAT(i64("arith.muli", {min64, 1LL << 40}, {-1, 1LL << 30}),
              ElementsAre(min64, 0));
}

TEST_F(Integers, BooleansAreOneBit) {
  auto i1 = [&](const std::string &op, std::vector<int64_t> a,
                std::vector<int64_t> b) {
    return apply(op + " %a, %b : TR", {ints("i1", a), ints("i1", b)}, "i1");
  };
  EXPECT_THAT(i1("arith.addi", {0, 0, 1, 1}, {0, 1, 0, 1}),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(i1("arith.muli", {0, 0, 1, 1}, {0, 1, 0, 1}),
              ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(i1("arith.subi", {0, 0, 1, 1}, {0, 1, 0, 1}),
              ElementsAre(0, 1, 1, 0));
  // As a signed number, true is -1.
  EXPECT_THAT(i1("arith.cmpi slt,", {0, 0, 1, 1}, {0, 1, 0, 1}),
              ElementsAre(0, 0, 1, 0));
}

TEST_F(Integers, LogicIsBitwise) {
  EXPECT_THAT(i32("arith.andi", {12, -1}, {10, 5}), ElementsAre(8, 5));
  EXPECT_THAT(i32("arith.ori", {12, -1}, {10, 5}), ElementsAre(14, -1));
  EXPECT_THAT(i32("arith.xori", {12, -1}, {10, 5}), ElementsAre(6, -6));
}

TEST_F(Integers, ShiftsAreDefinedForEveryAmount) { // P6
  EXPECT_THAT(i32("tile.shl", {1, 1, 1, 1, -1}, {31, 32, -1, 0, 33}),
              ElementsAre(min32, 0, 0, 1, 0));
  EXPECT_THAT(i32("tile.shrui", {-1, -1, -1}, {31, 32, 1}),
              ElementsAre(1, 0, max32));
  EXPECT_THAT(i32("tile.shrsi", {-8, -8, -8, 8, 8}, {1, 32, -1, 32, 2}),
              ElementsAre(-4, -1, -1, 0, 2));
  EXPECT_THAT(i8("tile.shl", {1, 1}, {7, 8}), ElementsAre(-128, 0));
  EXPECT_THAT(i8("tile.shrsi", {-128, -128}, {7, 200}), ElementsAre(-1, -1));
  EXPECT_THAT(i64("tile.shl", {1, 1}, {63, 64}), ElementsAre(min64, 0));
  EXPECT_THAT(i64("tile.shrsi", {min64, 5}, {63, 64}), ElementsAre(-1, 0));
}

TEST_F(Integers, DivisionTruncatesAndNeverTraps) { // P7
  EXPECT_THAT(i32("tile.divsi", {7, -7, 7, min32, 5}, {2, 2, -2, -1, 0}),
              ElementsAre(3, -3, -3, min32, 0));
  EXPECT_THAT(i32("tile.remsi", {7, -7, 7, min32, 5}, {2, 2, -2, -1, 0}),
              ElementsAre(1, -1, 1, 0, 5));
  EXPECT_THAT(i32("tile.divui", {-1, 7, 7}, {2, 2, 0}),
              ElementsAre(max32, 3, 0));
  EXPECT_THAT(i32("tile.remui", {-1, 7, 7}, {10, 2, 0}), ElementsAre(5, 1, 7));
  EXPECT_THAT(i64("tile.divsi", {min64, min64}, {-1, 3}),
              ElementsAre(min64, min64 / 3));
  EXPECT_THAT(i8("tile.divsi", {-128}, {-1}), ElementsAre(-128));
}

TEST_F(Integers, HighHalvesOfProducts) {
  EXPECT_THAT(i32("tile.mulhisi", {min32, -1, 1 << 20}, {min32, 1, 1 << 20}),
              ElementsAre(1 << 30, -1, 256));
  EXPECT_THAT(i32("tile.mulhiui", {-1, 2}, {-1, min32}), ElementsAre(-2, 1));
  EXPECT_THAT(i64("tile.mulhisi", {min64, -1}, {min64, 1}),
              ElementsAre(1LL << 62, -1));
  EXPECT_THAT(i64("tile.mulhiui", {-1, 2}, {-1, min64}), ElementsAre(-2, 1));
}

TEST_F(Integers, MinimaAndMaximaKnowSigns) {
  EXPECT_THAT(i32("tile.minsi", {-1, min32}, {1, max32}),
              ElementsAre(-1, min32));
  EXPECT_THAT(i32("tile.minui", {-1, 3}, {1, 5}), ElementsAre(1, 3));
  EXPECT_THAT(i32("tile.maxsi", {-1, min32}, {1, max32}),
              ElementsAre(1, max32));
  EXPECT_THAT(i32("tile.maxui", {-1, 3}, {1, 5}), ElementsAre(-1, 5));
  EXPECT_THAT(i8("tile.minui", {-128, 5}, {127, -1}), ElementsAre(127, 5));
}

TEST_F(Integers, AbsoluteValueOfTheMinimumIsItself) {
  EXPECT_THAT(
      applyInts("tile.absi %a : TR", {ints("i32", {-5, 5, 0, min32})}, "i32"),
      ElementsAre(5, 5, 0, min32));
  EXPECT_THAT(applyInts("tile.absi %a : TR", {ints("i8", {-128, -1})}, "i8"),
              ElementsAre(-128, 1));
}

TEST_F(Integers, LeadingZerosAreOfTheTypesWidth) {
  EXPECT_THAT(applyInts("tile.clz %a : TR",
                        {ints("i32", {0, 1, -1, min32, max32, 255})}, "i32"),
              ElementsAre(32, 31, 0, 0, 1, 24));
  EXPECT_THAT(
      applyInts("tile.clz %a : TR", {ints("i8", {0, 1, -128, 64})}, "i8"),
      ElementsAre(8, 7, 0, 1));
  EXPECT_THAT(applyInts("tile.clz %a : TR",
                        {ints("i64", {0, 1LL << 40, min64})}, "i64"),
              ElementsAre(64, 23, 0));
}

TEST_F(Integers, ComparisonsOfBothSigns) {
  const std::vector<int64_t> a = {-1, 1, 2}, b = {1, 1, -2};
  auto holds = [&](const std::string &predicate) {
    return apply("arith.cmpi " + predicate + ", %a, %b : TA",
                 {ints("i32", a), ints("i32", b)}, "i1");
  };
  EXPECT_THAT(holds("eq"), ElementsAre(0, 1, 0));
  EXPECT_THAT(holds("ne"), ElementsAre(1, 0, 1));
  EXPECT_THAT(holds("slt"), ElementsAre(1, 0, 0));
  EXPECT_THAT(holds("sle"), ElementsAre(1, 1, 0));
  EXPECT_THAT(holds("sgt"), ElementsAre(0, 0, 1));
  EXPECT_THAT(holds("sge"), ElementsAre(0, 1, 1));
  EXPECT_THAT(holds("ult"), ElementsAre(0, 0, 1));
  EXPECT_THAT(holds("ule"), ElementsAre(0, 1, 1));
  EXPECT_THAT(holds("ugt"), ElementsAre(1, 0, 0));
  EXPECT_THAT(holds("uge"), ElementsAre(1, 1, 0));
}

TEST_F(Integers, SelectionCopiesBits) {
  // A signalling NaN's payload survives.
  Column a{"f32", {0x7fa12345, 0x3f800000}}, b{"f32", {0, 0xffa00001}};
  EXPECT_THAT(apply("arith.select %c, %a, %b : tensor<2xi1>, TA",
                    {a, b, ints("i1", {1, 0})}, "f32"),
              ElementsAre(0x7fa12345, 0xffa00001));
}

TEST_F(Integers, ExtensionAndTruncation) {
  EXPECT_THAT(applyInts("arith.extsi %a : TA to TR",
                        {ints("i8", {-1, 127, -128})}, "i64"),
              ElementsAre(-1, 127, -128));
  EXPECT_THAT(applyInts("arith.extui %a : TA to TR",
                        {ints("i8", {-1, 127, -128})}, "i32"),
              ElementsAre(255, 127, 128));
  EXPECT_THAT(
      applyInts("arith.extsi %a : TA to TR", {ints("i1", {0, 1})}, "i32"),
      ElementsAre(0, -1));
  EXPECT_THAT(
      applyInts("arith.extui %a : TA to TR", {ints("i1", {0, 1})}, "i32"),
      ElementsAre(0, 1));
  EXPECT_THAT(applyInts("arith.trunci %a : TA to TR",
                        {ints("i32", {257, 128, -1})}, "i8"),
              ElementsAre(1, -128, -1));
  EXPECT_THAT(
      apply("arith.trunci %a : TA to TR", {ints("i32", {2, 3, -1})}, "i1"),
      ElementsAre(0, 1, 1));
}
