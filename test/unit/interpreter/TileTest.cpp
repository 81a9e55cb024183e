//===- TileTest.cpp - shape ops, dot, reduce, scan, histogram, atomics ----===//
//
// What   Ops on whole tiles, with answers worked by hand.
// Why    Index arithmetic is where an interpreter of tiles goes wrong.
//
//===----------------------------------------------------------------------===//
#include "RunKernel.h"

#include <cmath>
#include <numeric>

using namespace tz::interpreter;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// Runs a body over %in (tensor<INxT> loaded from the input) that defines %out
/// (tensor<OUTxT>).
class Tiles : public RunKernel {
protected:
  template <typename T>
  std::vector<T> apply(const std::string &type, const std::vector<T> &input,
                       const std::string &body, size_t outputs) {
    std::vector<T> in = input, out(outputs);
    launch = {};
    options.memory.clear();
    give(in, "in");
    give(out, "out");
    const std::string n = std::to_string(in.size());
    const std::string m = std::to_string(outputs);
    auto pointers = [&](const std::string &count) {
      return "tensor<" + count + "x!tile.ptr<" + type + ">>";
    };
    std::string text =
        "tile.kernel @k(%pin: !tile.ptr<" + type + ">, %pout: !tile.ptr<" +
        type + ">) {\n%ri = tile.range 0 to " + n + " : tensor<" + n +
        "xi32>\n%ro = tile.range 0 to " + m + " : tensor<" + m +
        "xi32>\n%si = tile.splat %pin : !tile.ptr<" + type + "> -> " +
        pointers(n) + "\n%so = tile.splat %pout : !tile.ptr<" + type + "> -> " +
        pointers(m) + "\n%qi = tile.addptr %si, %ri : " + pointers(n) +
        ", tensor<" + n + "xi32>\n%qo = tile.addptr %so, %ro : " + pointers(m) +
        ", tensor<" + m + "xi32>\n%in = tile.load %qi : " + pointers(n) +
        " -> tensor<" + n + "x" + type + ">\n" + body +
        "\ntile.store %qo, %out : " + pointers(m) + ", tensor<" + m + "x" +
        type + ">\ntile.return\n}";
    EXPECT_EQ(run(text), "") << text;
    return out;
  }
  static std::vector<int32_t> counting(size_t n) {
    std::vector<int32_t> values(n);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
};

TEST_F(Tiles, BroadcastRepeatsDimensionsOfOne) {
  EXPECT_THAT(apply("i32", counting(3), R"(
    %c = tile.reshape %in : tensor<3xi32> -> tensor<3x1xi32>
    %b = tile.broadcast %c : tensor<3x1xi32> -> tensor<3x2xi32>
    %out = tile.reshape %b : tensor<3x2xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(apply("i32", counting(3), R"(
    %c = tile.reshape %in : tensor<3xi32> -> tensor<1x3xi32>
    %b = tile.broadcast %c : tensor<1x3xi32> -> tensor<2x3xi32>
    %out = tile.reshape %b : tensor<2x3xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(Tiles, TransposePermutesDimensions) {
  EXPECT_THAT(apply("i32", counting(6), R"(
    %c = tile.reshape %in : tensor<6xi32> -> tensor<2x3xi32>
    %t = tile.transpose %c [1, 0]
           : tensor<2x3xi32> -> tensor<3x2xi32>
    %out = tile.reshape %t : tensor<3x2xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 3, 1, 4, 2, 5));
  // out[i][j][k] = in[k][i][j], in is 2x3x2.
  EXPECT_THAT(apply("i32", counting(12), R"(
    %c = tile.reshape %in : tensor<12xi32> -> tensor<2x3x2xi32>
    %t = tile.transpose %c [1, 2, 0]
           : tensor<2x3x2xi32> -> tensor<3x2x2xi32>
    %out = tile.reshape %t : tensor<3x2x2xi32> -> tensor<12xi32>)",
                    12),
              ElementsAre(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11));
}

TEST_F(Tiles, JoinSplitAndCat) {
  EXPECT_THAT(apply("i32", counting(6), R"(
    %p = tile.reshape %in : tensor<6xi32> -> tensor<3x2xi32>
    %a, %b = tile.split %p : tensor<3x2xi32> -> tensor<3xi32>
    %out = tile.cat %b, %a dim 0
             : tensor<3xi32>, tensor<3xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(1, 3, 5, 0, 2, 4));
  EXPECT_THAT(apply("i32", counting(3), R"(
    %j = tile.join %in, %in : tensor<3xi32> -> tensor<3x2xi32>
    %out = tile.reshape %j : tensor<3x2xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 0, 1, 1, 2, 2));
  // Along the inner dimension: rows of 2 and 1.
  EXPECT_THAT(apply("i32", counting(4), R"(
    %c = tile.reshape %in : tensor<4xi32> -> tensor<2x2xi32>
    %k = arith.constant dense<[[8], [9]]> : tensor<2x1xi32>
    %d = tile.cat %c, %k dim 1
           : tensor<2x2xi32>, tensor<2x1xi32> -> tensor<2x3xi32>
    %out = tile.reshape %d : tensor<2x3xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 1, 8, 2, 3, 9));
}

TEST_F(Tiles, GatherPicksAlongAnAxisAndGivesZeroOutside) {
  EXPECT_THAT(apply("i32", counting(6), R"(
    %c = tile.reshape %in : tensor<6xi32> -> tensor<2x3xi32>
    %i = arith.constant dense<[[2, 0, 3, 1], [-1, 1, 0, 0]]> : tensor<2x4xi32>
    %g = tile.gather %c[%i] axis 1
           : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
    %out = tile.reshape %g : tensor<2x4xi32> -> tensor<8xi32>)",
                    8),
              ElementsAre(2, 0, 0, 1, 0, 4, 3, 3));
  EXPECT_THAT(apply("i32", counting(6), R"(
    %c = tile.reshape %in : tensor<6xi32> -> tensor<2x3xi32>
    %i = arith.constant dense<[[1, 0, 1]]> : tensor<1x3xi8>
    %g = tile.gather %c[%i] axis 0
           : tensor<2x3xi32>, tensor<1x3xi8> -> tensor<1x3xi32>
    %out = tile.reshape %g : tensor<1x3xi32> -> tensor<3xi32>)",
                    3),
              ElementsAre(3, 1, 5));
}

TEST_F(Tiles, ReduceAlongEachAxis) {
  const std::string sum = R"({
    ^bb0(%p: i32, %q: i32):
      %s = arith.addi %p, %q : i32
      tile.yield %s : i32
    })";
  // 2x3x2: sums over the middle axis.
  EXPECT_THAT(apply("i32", counting(12),
                    R"(
    %c = tile.reshape %in : tensor<12xi32> -> tensor<2x3x2xi32>
    %s1 = tile.reduce(%c) axis 1 : (tensor<2x3x2xi32>) -> tensor<2x2xi32> )" +
                        sum + R"(
    %out = tile.reshape %s1 : tensor<2x2xi32> -> tensor<4xi32>)",
                    4),
              ElementsAre(6, 9, 24, 27));
  EXPECT_THAT(apply("i32", counting(7),
                    R"(
    %s1 = tile.reduce(%in) axis 0 : (tensor<7xi32>) -> i32 )" +
                        sum + R"(
    %out = tile.splat %s1 : i32 -> tensor<1xi32>)",
                    1),
              ElementsAre(21));
}

TEST_F(Tiles, ReduceIsABalancedTreeOverTheIndex) { // P17
  // A combination that shows its tree: (p, q) -> 2 * p + q.
  // ((0 1) (2 3)) (4): 2 * (2 * (2*1+2) + (2*3+4)) + 5.
  EXPECT_THAT(apply<int32_t>("i32", {1, 2, 3, 4, 5}, R"(
    %s = tile.reduce(%in) axis 0 : (tensor<5xi32>) -> i32 {
    ^bb0(%p: i32, %q: i32):
      %d = arith.addi %p, %p : i32
      %t = arith.addi %d, %q : i32
      tile.yield %t : i32
    }
    %out = tile.splat %s : i32 -> tensor<1xi32>)",
                             1),
              ElementsAre(2 * (2 * 4 + 10) + 5));
}

TEST_F(Tiles, ReduceSeveralSourcesWithControlFlow) {
  // argmax with ties to the left: {value, index}; scf.if runs lane by lane.
  EXPECT_THAT(apply<int32_t>("i32", {3, 9, 9, 1, 5, 5}, R"(
    %v = tile.reshape %in : tensor<6xi32> -> tensor<2x3xi32>
    %i = arith.constant dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
    %m, %k = tile.reduce(%v, %i) axis 1
        : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    ^bb0(%va: i32, %ia: i32, %vb: i32, %ib: i32):
      %keep = arith.cmpi sge, %va, %vb : i32
      %w, %j = scf.if %keep -> (i32, i32) {
        scf.yield %va, %ia : i32, i32
      } else {
        scf.yield %vb, %ib : i32, i32
      }
      tile.yield %w, %j : i32, i32
    }
    %out = tile.cat %m, %k dim 0
             : tensor<2xi32>, tensor<2xi32> -> tensor<4xi32>)",
                             4),
              ElementsAre(9, 5, 1, 1));
}

TEST_F(Tiles, ScanBothWays) {
  const std::string sum = R"( {
    ^bb0(%p: i32, %q: i32):
      %s = arith.addi %p, %q : i32
      tile.yield %s : i32
    })";
  EXPECT_THAT(apply<int32_t>("i32", {1, 2, 3, 4},
                             "%out = tile.scan(%in) axis 0 : (tensor<4xi32>) "
                             "-> tensor<4xi32>" +
                                 sum,
                             4),
              ElementsAre(1, 3, 6, 10));
  EXPECT_THAT(apply<int32_t>("i32", {1, 2, 3, 4},
                             "%out = tile.scan(%in) axis 0 reverse : "
                             "(tensor<4xi32>) -> tensor<4xi32>" +
                                 sum,
                             4),
              ElementsAre(10, 9, 7, 4));
  EXPECT_THAT(apply("i32", counting(6),
                    R"(
    %c = tile.reshape %in : tensor<6xi32> -> tensor<2x3xi32>
    %s1 = tile.scan(%c) axis 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>)" +
                        sum +
                        R"(
    %out = tile.reshape %s1 : tensor<2x3xi32> -> tensor<6xi32>)",
                    6),
              ElementsAre(0, 1, 2, 3, 5, 7));
}

TEST_F(Tiles, MapHasBranchesLoopsAndOtherTypes) {
  EXPECT_THAT(apply<int32_t>("i32", {5, -2, 9, 0}, R"(
    %y = arith.constant dense<[3, 4, 9, 1]> : tensor<4xi32>
    %m:2 = tile.map (%in, %y) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
    ^bb0(%a: i32, %b: i32):
      %less = arith.cmpi slt, %a, %b : i32
      %low = scf.if %less -> (i32) {
        scf.yield %a : i32
      } else {
        scf.yield %b : i32
      }
      tile.yield %low, %less : i32, i1
    }
    %one = arith.constant dense<1000> : tensor<4xi32>
    %plus = arith.addi %m#0, %one : tensor<4xi32>
    %out = arith.select %m#1, %plus, %m#0 : tensor<4xi1>, tensor<4xi32>)",
                             4),
              ElementsAre(3, 998, 9, 1000));
  // 2 to the power of the element, by doubling.
  EXPECT_THAT(apply<int32_t>("i32", {0, 3, 1, 5}, R"(
    %out = tile.map (%in) : (tensor<4xi32>) -> tensor<4xi32> {
    ^bb0(%n: i32):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1) -> (i32) : i32 {
        %twice = arith.addi %x, %x : i32
        scf.yield %twice : i32
      }
      tile.yield %r : i32
    })",
                             4),
              ElementsAre(1, 8, 2, 32));
}

TEST_F(Tiles, HistogramSkipsValuesOutside) { // P19
  EXPECT_THAT(apply<int32_t>("i32", {0, 2, 2, 3, -1, 4, 1000, 2}, R"(
    %out = tile.histogram %in : tensor<8xi32> -> tensor<4xi32>)",
                             4),
              ElementsAre(1, 0, 3, 1));
  EXPECT_THAT(apply<int32_t>("i32", {0, 2, 2, 3}, R"(
    %m = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
    %out = tile.histogram %in mask %m
             : tensor<4xi32>, tensor<4xi1> -> tensor<4xi32>)",
                             4),
              ElementsAre(1, 0, 1, 1));
}

TEST_F(Tiles, DotsOfEveryTypePair) {
  auto dot = [&](const std::string &in, const std::string &out,
                 const std::string &value) {
    return "%a = arith.constant dense<" + value + "> : tensor<2x3x" + in +
           ">\n%b = arith.constant dense<" + value + "> : tensor<3x2x" + in +
           ">\n%z = tile.reshape %in : tensor<4x" + out + "> -> tensor<2x2x" +
           out + ">\n%d = tile.dot %a, %b, %z : tensor<2x3x" + in +
           ">, tensor<3x2x" + in + "> -> tensor<2x2x" + out +
           ">\n%out = tile.reshape %d : tensor<2x2x" + out + "> -> tensor<4x" +
           out + ">";
  };
  EXPECT_THAT(apply<float>("f32", {0, 1, 2, 3}, dot("f32", "f32", "1.5"), 4),
              ElementsAre(6.75, 7.75, 8.75, 9.75));
  EXPECT_THAT(apply<float>("f32", {0, 1, 2, 3}, dot("f16", "f32", "1.5"), 4),
              ElementsAre(6.75, 7.75, 8.75, 9.75));
  EXPECT_THAT(apply<float>("f32", {0, 1, 2, 3}, dot("bf16", "f32", "1.5"), 4),
              ElementsAre(6.75, 7.75, 8.75, 9.75));
  EXPECT_THAT(
      apply<float>("f32", {0, 1, 2, 3}, dot("f8E4M3FN", "f32", "1.5"), 4),
      ElementsAre(6.75, 7.75, 8.75, 9.75));
  EXPECT_THAT(apply<double>("f64", {0, 1, 2, 3}, dot("f64", "f64", "1.5"), 4),
              ElementsAre(6.75, 7.75, 8.75, 9.75));
  EXPECT_THAT(
      apply<int32_t>("i32", {0, 1, 2, INT32_MAX}, dot("i8", "i32", "-128"), 4),
      ElementsAre(49152, 49153, 49154,
                  INT32_MIN + 49151)); // wraps
  // f16 accumulator: 6.75 is 0x46c0.
  EXPECT_THAT(apply<uint16_t>("f16", {0, 0, 0, 0}, dot("f16", "f16", "1.5"), 4),
              Each(0x46c0));
}

TEST_F(Tiles, DotPrecisionsRoundTheirInputs) {
  // 1 + 2^-12 squared: 1 + 2^-11 + 2^-24.
  auto dot = [&](const std::string &precision) {
    return apply<float>("f32", {1 + std::ldexp(1.0f, -12)},
                        R"(
      %a = tile.reshape %in : tensor<1xf32> -> tensor<1x1xf32>
      %z = arith.constant dense<0.0> : tensor<1x1xf32>
      %d = tile.dot %a, %a, %z {precision = #tile<precision )" +
                            precision +
                            R"(>}
             : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
      %out = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>)",
                        1)[0];
  };
  const float exact = 1 + std::ldexp(1.0f, -11);
  EXPECT_EQ(dot("ieee"), exact);
  EXPECT_EQ(dot("tf32"), 1.0f);
  EXPECT_EQ(dot("tf32x3"), exact);
  EXPECT_EQ(dot("bf16x3"), exact);
  EXPECT_EQ(dot("bf16x6"), exact);
  // The target's choice is that of the target that is compared with.
  EXPECT_EQ(dot("target_default"), exact);
  options.defaultIsTf32 = true;
  EXPECT_EQ(dot("target_default"), 1.0f);
  EXPECT_EQ(dot("ieee"), exact);
}

TEST_F(Tiles, BatchedDot) {
  EXPECT_THAT(apply("i32", counting(2), R"(
    %a = arith.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>
    %b = arith.constant dense<[[[5], [6]], [[7], [8]]]> : tensor<2x2x1xi8>
    %z = tile.reshape %in : tensor<2xi32> -> tensor<2x1x1xi32>
    %d = tile.dot %a, %b, %z
           : tensor<2x1x2xi8>, tensor<2x2x1xi8> -> tensor<2x1x1xi32>
    %out = tile.reshape %d : tensor<2x1x1xi32> -> tensor<2xi32>)",
                    2),
              ElementsAre(17, 54));
}

TEST_F(Tiles, LoadsGiveZeroOrOtherWhereMasked) { // P8
  EXPECT_THAT(apply("i32", counting(4), R"(
    %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
    %l = tile.load %qi mask %m : tensor<4x!tile.ptr<i32>> mask tensor<4xi1>
           -> tensor<4xi32>
    %o = arith.constant dense<7> : tensor<4xi32>
    %n = tile.load %qi mask %m other %o : tensor<4x!tile.ptr<i32>>
           mask tensor<4xi1> other tensor<4xi32> -> tensor<4xi32>
    %out = tile.cat %l, %n dim 0
             : tensor<4xi32>, tensor<4xi32> -> tensor<8xi32>)",
                    8),
              ElementsAre(0, 0, 2, 0, 0, 7, 2, 7));
}

TEST_F(Tiles, BooleansInMemoryAreBytes) { // language.md 4.13
  std::vector<uint8_t> in = {0, 1, 2, 255}, out(4, 9);
  give(in);
  give(out);
  EXPECT_EQ(run(R"(
    tile.kernel @k(%i: !tile.ptr<i1>, %o: !tile.ptr<i1>) {
      %r = tile.range 0 to 4 : tensor<4xi32>
      %si = tile.splat %i : !tile.ptr<i1> -> tensor<4x!tile.ptr<i1>>
      %so = tile.splat %o : !tile.ptr<i1> -> tensor<4x!tile.ptr<i1>>
      %qi = tile.addptr %si, %r : tensor<4x!tile.ptr<i1>>, tensor<4xi32>
      %qo = tile.addptr %so, %r : tensor<4x!tile.ptr<i1>>, tensor<4xi32>
      %v = tile.load %qi : tensor<4x!tile.ptr<i1>> -> tensor<4xi1>
      tile.store %qo, %v : tensor<4x!tile.ptr<i1>>, tensor<4xi1>
      tile.return
    })"),
            "");
  EXPECT_THAT(out, ElementsAre(0, 1, 1, 1));
}

TEST_F(Tiles, ViewsClipWhereChecked) {
  // A 2x3 matrix read through a 2x4 block from (1, -1), other = 9.
  std::vector<int32_t> in = counting(6), out(8, -1);
  give(in, "in");
  give(out, "out");
  EXPECT_EQ(run(R"(
    tile.kernel @k(%i: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %m1 = arith.constant -1 : i64
      %c2 = arith.constant 2 : i64
      %c3 = arith.constant 3 : i64
      %c4 = arith.constant 4 : i64
      %nine = arith.constant 9 : i32
      %v = tile.make_view %i shape [%c2, %c3] strides [%c3, %c1]
             : !tile.ptr<i32> -> !tile.view<2x4xi32>
      %w = tile.advance_view %v [%c1, %c0] : !tile.view<2x4xi32>
      %t = tile.load_view %w [%c0, %m1] other %nine checked [true, true]
             : !tile.view<2x4xi32>, i32 -> tensor<2x4xi32>
      %x = tile.make_view %o shape [%c2, %c3] strides [%c4, %c1]
             : !tile.ptr<i32> -> !tile.view<2x4xi32>
      tile.store_view %x [%c0, %c0], %t checked [true, true]
        : !tile.view<2x4xi32>, tensor<2x4xi32>
      tile.return
    })"),
            "");
  EXPECT_THAT(out, ElementsAre(9, 3, 4, -1, 9, 9, 9, -1));
}

TEST_F(Tiles, AtomicsGiveTheOldValue) {
  const std::string kinds[] = {"add", "max", "min", "umax", "umin",
                               "and", "or",  "xor", "xchg"};
  const int32_t memory = 12, operand = -6;
  const int32_t expected[] = {6, 12, -6, -6, 12, 8, -2, -10, -6};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    std::vector<int32_t> cell = {memory}, old(1);
    launch = {};
    options.memory.clear();
    give(cell);
    give(old);
    EXPECT_EQ(run("tile.kernel @k(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) {\n"
                  "%v = arith.constant -6 : i32\n%o = tile.atomic_rmw " +
                  kinds[i] + R"( acq_rel device %p, %v
        : !tile.ptr<i32> -> i32, i32
      tile.store %q, %o : !tile.ptr<i32>, i32
      tile.return
    })"),
              "");
    EXPECT_EQ(cell[0], expected[i]) << kinds[i] << " " << operand;
    EXPECT_EQ(old[0], memory);
  }
}

TEST_F(Tiles, FloatAtomicsIgnoreNan) { // P11
  std::vector<float> cells = {1, 1, 1, 1}, values = {2, NAN, 2, NAN};
  give(cells);
  give(values);
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
      %r = tile.range 0 to 4 : tensor<4xi32>
      %sp = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %sq = tile.splat %q : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %ap = tile.addptr %sp, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %aq = tile.addptr %sq, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %v = tile.load %aq : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
      %m = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
      %o = tile.atomic_rmw fmax relaxed device %ap, %v mask %m
             : tensor<4x!tile.ptr<f32>>, tensor<4xi1>
             -> tensor<4xf32>, tensor<4xf32>
      tile.store %aq, %o : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
      tile.return
    })"),
            "");
  EXPECT_THAT(cells, ElementsAre(2, 1, 1, 1));
  EXPECT_THAT(values, ElementsAre(1, 1, 0, 1)); // masked off: 0
}

TEST_F(Tiles, CompareAndSwapComparesBits) {
  std::vector<int32_t> cells = {5, 6}, old(2);
  give(cells);
  give(old);
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) {
      %r = tile.range 0 to 2 : tensor<2xi32>
      %sp = tile.splat %p : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
      %sq = tile.splat %q : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
      %ap = tile.addptr %sp, %r : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
      %aq = tile.addptr %sq, %r : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
      %c = arith.constant dense<5> : tensor<2xi32>
      %v = arith.constant dense<77> : tensor<2xi32>
      %o = tile.atomic_cas acquire device %ap, %c, %v
             : tensor<2x!tile.ptr<i32>>
             -> tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
      tile.store %aq, %o : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
      tile.return
    })"),
            "");
  EXPECT_THAT(cells, ElementsAre(77, 6));
  EXPECT_THAT(old, ElementsAre(5, 6));
}

TEST_F(Tiles, PointersAsIntegersAndProgramIds) {
  std::vector<int64_t> out(12);
  give(out);
  launch.grid = {2, 2, 1};
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i64>) {
      %x = tile.program_id 0
      %y = tile.program_id 1
      %nx = tile.num_programs 0
      %row = arith.muli %y, %nx : i32
      %id = arith.addi %row, %x : i32
      %id64 = arith.extsi %id : i32 to i64
      %c8 = arith.constant 8 : i64
      %bytes = arith.muli %id64, %c8 : i64
      %base = tile.ptr_to_int %p : !tile.ptr<i64> to i64
      %address = arith.addi %base, %bytes : i64
      %q = tile.int_to_ptr %address : i64 to !tile.ptr<i64>
      tile.barrier
      tile.record "part"
      tile.store %q, %id64 : !tile.ptr<i64>, i64
      tile.record "part" end(%id64 : i64)
      tile.return
    })"),
            "");
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 5),
              ElementsAre(0, 1, 2, 3, 0));
}
