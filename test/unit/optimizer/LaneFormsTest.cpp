//===- LaneFormsTest.cpp - tiles as formulas of their lane indices --------===//
//
// What   Forms of tiles and loops, folds that are for those who ask, limits,
//        and which dimensions a reshape keeps.
// Why    RecoverViews makes accesses of these forms without looking further.
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/LaneForms.h"

#include "test/unit/optimizer/NamedKernel.h"

#include <gtest/gtest.h>

using namespace tz::analysis;
using tz::test::NamedKernel;

namespace {

using Lanes = llvm::SmallVector<Polynomial, 2>;

TEST(LaneForms, DimensionsThatAReshapeKeeps) {
  using Map = llvm::SmallVector<int64_t>;
  EXPECT_EQ(unitReshape({64}, {64, 1}), Map({0}));
  EXPECT_EQ(unitReshape({64}, {1, 64}), Map({1}));
  EXPECT_EQ(unitReshape({1, 64}, {64}), Map({-1, 0}));
  EXPECT_EQ(unitReshape({16, 32}, {16, 1, 32}), Map({0, 2}));
  EXPECT_EQ(unitReshape({64}, {8, 8}), std::nullopt);
  EXPECT_EQ(unitReshape({16, 32}, {32, 16}), std::nullopt);
  EXPECT_EQ(unitReshape({16, 32}, {512}), std::nullopt);
}

TEST(LaneForms, ATileOfAMatrix) {
  NamedKernel k(R"(
tile.kernel @k(%x: !tile.ptr<f32> loc("x"), %stride: i32 loc("stride")) {
  %pid = tile.program_id 0 loc("pid")
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %rows = arith.addi %from, %lanes : tensor<64xi32>
  %column = tile.reshape %rows : tensor<64xi32> -> tensor<64x1xi32>
  %wide = tile.splat %stride : i32 -> tensor<64x1xi32>
  %scaled = arith.muli %column, %wide : tensor<64x1xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %at = tile.addptr %base, %scaled : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32> loc("at")
  %turned = tile.transpose %at [1, 0] : tensor<64x1x!tile.ptr<f32>> -> tensor<1x64x!tile.ptr<f32>> loc("turned")
  tile.return
})");
  LaneForms forms(k.kernel());
  ScalarTable &table = forms.scalars();
  const Polynomial stride = Polynomial::scalar(table.number(k["stride"]));
  const Polynomial pid = Polynomial::scalar(table.number(k["pid"]));
  std::optional<LaneForm> form = forms.of(k["at"]);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->base, k["x"]);
  EXPECT_EQ(form->start, *Polynomial::mul(*Polynomial::mul(64, pid), stride));
  EXPECT_EQ(form->lane, (Lanes{stride, {}}));
  EXPECT_FALSE(form->isUniform());
  EXPECT_EQ(forms.of(k["turned"])->lane, (Lanes{{}, stride}));
}

TEST(LaneForms, FoldsAreForThoseWhoAsk) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32 loc("n")) {
  %rows = tile.range 0 to 64 : tensor<64xi32> loc("rows")
  %limit = tile.splat %n : i32 -> tensor<64xi32> loc("limit")
  %wrapped = tile.remsi %rows, %limit : tensor<64xi32> loc("wrapped")
  %three = arith.constant dense<3> : tensor<64xi32>
  %sum = arith.addi %wrapped, %three : tensor<64xi32> loc("sum")
  %even = arith.addi %rows, %rows : tensor<64xi32>
  %strided = tile.remsi %even, %limit : tensor<64xi32> loc("strided")
  tile.return
})");
  LaneForms forms(k.kernel());
  EXPECT_EQ(forms.of(k["wrapped"]), std::nullopt);
  EXPECT_EQ(forms.of(k["sum"]), std::nullopt);
  std::optional<LaneForm> form = forms.withFolds(k["sum"]);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->start, Polynomial(3));
  ASSERT_EQ(form->folds.size(), 1u);
  const Fold &fold = form->folds.front();
  EXPECT_EQ(fold.offsets, k["rows"]);
  EXPECT_EQ(fold.bound, k["limit"]);
  EXPECT_TRUE(fold.start.isZero());
  EXPECT_EQ(fold.limit, Polynomial::scalar(forms.scalars().number(k["n"])));
  EXPECT_TRUE(fold.needsSign);
  // Only steps of one are folded at the limit's lane.
  EXPECT_EQ(forms.withFolds(k["strided"]), std::nullopt);
}

TEST(LaneForms, WhatIsNoSumHasNoForm) {
  NamedKernel k(R"(
tile.kernel @k(%n: i32 loc("n")) {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %square = arith.muli %rows, %rows : tensor<64xi32> loc("square")
  %grouped = tile.reshape %rows : tensor<64xi32> -> tensor<8x8xi32> loc("grouped")
  %shift = arith.xori %n, %n : i32 loc("shift")
  %large = arith.constant 9223372036854775807 : i64
  %more = arith.addi %large, %large : i64 loc("more")
  tile.return
})");
  LaneForms forms(k.kernel());
  EXPECT_EQ(forms.withFolds(k["square"]), std::nullopt);
  EXPECT_EQ(forms.withFolds(k["grouped"]), std::nullopt);
  // A scalar stands for itself, also where its sum leaves int64.
  for (const char *name : {"n", "shift", "more"}) {
    std::optional<LaneForm> form = forms.of(k[name]);
    ASSERT_TRUE(form) << name;
    EXPECT_EQ(form->start, Polynomial::scalar(forms.scalars().number(k[name])));
  }
}

TEST(LaneForms, LoopsMoveByTheirCounterOrByOneThatIsAdded) {
  NamedKernel k(R"(
tile.kernel @k(%x: !tile.ptr<f32>, %from: i32 loc("from"), %n: i32, %step: i32) {
  %c16 = arith.constant 16 : i32
  %c48 = arith.constant 48 : i32
  %a = scf.for %i = %from to %n step %c16 iter_args(%at = %x) -> (!tile.ptr<f32>) : i32 {
    %same = tile.hint %at {divisibility = array<i64: 1>} : !tile.ptr<f32> loc("known")
    %j = arith.muli %i, %c16 : i32 loc("counter")
    %next = tile.addptr %at, %c48 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %b = scf.for %i = %from to %n step %step iter_args(%at = %x) -> (!tile.ptr<f32>) : i32 {
    %same = tile.hint %at {divisibility = array<i64: 1>} : !tile.ptr<f32> loc("open")
    %next = tile.addptr %at, %c48 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  tile.return
})");
  LaneForms forms(k.kernel());
  auto from = Polynomial::scalar(forms.scalars().number(k["from"]));
  // 48 for each 16 of the counter: 3 * (i - from).
  std::optional<Polynomial> distance =
      Polynomial::add(forms.of(k["counter"])->start, from, -16);
  EXPECT_EQ(Polynomial::mul(forms.of(k["known"])->start, 16),
            Polynomial::mul(*distance, 3));
  // A count of iterations, which is one scalar.
  const LaneForm open = *forms.of(k["open"]);
  ASSERT_EQ(open.start.getTerms().size(), 1u);
  EXPECT_EQ(open.start.getTerms()[0].coefficient, 48);
  ASSERT_EQ(open.start.getTerms()[0].scalars.size(), 1u);
  mlir::Value count =
      forms.scalars().value(open.start.getTerms()[0].scalars.front());
  // Further than 2^31 apart the distance is a number without a sign.
  auto wide = count.getDefiningOp<mlir::arith::ExtUIOp>();
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide.getIn().getDefiningOp<tz::tile::DivUIOp>());
}

} // namespace
