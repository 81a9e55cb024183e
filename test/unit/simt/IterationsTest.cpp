//===- IterationsTest.cpp - what LoopIterations and Programs write --------===//
//
// What   Whether a loop has an iteration so many after another, at the ends of
//        its type; whether numbers are the same in the program beside this one.
// Why    Both write arithmetic, which no text of an analysis shows.
//===----------------------------------------------------------------------===//
#include "test/unit/optimizer/NamedKernel.h"

#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

constexpr int64_t Min32 = INT32_MIN, Max32 = INT32_MAX;
constexpr int64_t Min64 = INT64_MIN, Max64 = INT64_MAX;

/// The value of scalar arithmetic in the program with this number.
APInt evaluate(Value value, int64_t program) {
  Operation *op = value.getDefiningOp();
  const unsigned width = value.getType().getIntOrFloatBitWidth();
  auto in = [&](unsigned i) { return evaluate(op->getOperand(i), program); };
  return llvm::TypeSwitch<Operation *, APInt>(op)
      .Case([&](arith::ConstantOp constant) {
        return cast<IntegerAttr>(constant.getValue()).getValue();
      })
      .Case([&](tile::ProgramIdOp) { return APInt(width, program); })
      .Case([&](arith::AddIOp) { return in(0) + in(1); })
      .Case([&](arith::SubIOp) { return in(0) - in(1); })
      .Case([&](arith::MulIOp) { return in(0) * in(1); })
      .Case([&](arith::XOrIOp) { return in(0) ^ in(1); })
      .Case([&](arith::AndIOp) { return in(0) & in(1); })
      .Case([&](tile::DivSIOp) { return in(0).sdiv(in(1)); })
      .Case([&](arith::ExtSIOp) { return in(0).sext(width); })
      .Case([&](arith::ExtUIOp) { return in(0).zext(width); })
      .Case([&](arith::CmpIOp compare) {
        const APInt a = in(0), b = in(1);
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::eq:
          return APInt(1, a == b);
        case arith::CmpIPredicate::slt:
          return APInt(1, a.slt(b));
        case arith::CmpIPredicate::ult:
          return APInt(1, a.ult(b));
        default:
          return APInt(1, a.ugt(b));
        }
      });
}

struct Loop {
  int64_t index, upper, step;
  bool isUnsigned = false;
  unsigned width = 32;
};

/// Is there an iteration so many after the one at `index`?
bool has(const Loop &loop, unsigned iterations) {
  const std::string type = "i" + std::to_string(loop.width);
  const std::string text =
      "tile.kernel @k(%upper: " + type + ", %step: " + type +
      ") {\n  %zero = arith.constant 0 : " + type + "\n  scf.for " +
      (loop.isUnsigned ? "unsigned " : "") +
      "%i = %zero to %upper step %step : " + type + " {\n  }\n  tile.return\n}";
  test::NamedKernel kernel(text);
  scf::ForOp op =
      *kernel.kernel().getBody().front().getOps<scf::ForOp>().begin();
  OpBuilder b(op);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, op.getLoc(),
        b.getIntegerAttr(b.getIntegerType(loop.width),
                         APInt(loop.width, uint64_t(value), true, true)));
  };
  op.setUpperBound(constant(loop.upper));
  op.setStep(constant(loop.step));
  const Value yes =
      hasIteration(b, IterationCounter(op), constant(loop.index), iterations);
  return evaluate(yes, 0).isOne();
}

TEST(Iterations, UpToTheBound) {
  const Loop loop{0, 10, 4};
  EXPECT_TRUE(has(loop, 0));
  EXPECT_TRUE(has(loop, 2));
  EXPECT_FALSE(has(loop, 3));
  EXPECT_FALSE(has({10, 10, 4}, 0));
  EXPECT_FALSE(has({11, 10, 4}, 1));
  EXPECT_FALSE(has({0, 8, 4}, 2)); // the bound is none
}

TEST(Iterations, BehindTheSignBit) {
  const Loop all{Min32, Max32, int64_t{1} << 30};
  EXPECT_TRUE(has(all, 3));
  EXPECT_FALSE(has(all, 4)); // the sum wraps to the least number
  const Loop unsignedOnes{0, -1, int64_t{1} << 30, true};
  EXPECT_TRUE(has(unsignedOnes, 3));
  EXPECT_FALSE(has(unsignedOnes, 4));
  EXPECT_FALSE(has({-1, 5, 1, true}, 0)); // the largest unsigned number
}

TEST(Iterations, Of64Bits) {
  const Loop all{Min64, Max64, 1, false, 64};
  EXPECT_TRUE(has(all, 7));
  EXPECT_TRUE(has({Max64 - 3, Max64, 1, false, 64}, 2));
  EXPECT_FALSE(has({Max64 - 3, Max64, 1, false, 64}, 3));
  EXPECT_FALSE(has({5, -5, 1, false, 64}, 1));
}

/// Is %v, of this arithmetic, the same in program `number` and beside it?
bool sameBeside(const std::string &arithmetic, int64_t number) {
  test::NamedKernel kernel(
      "tile.kernel @k() {\n  %one = arith.constant 1 : "
      "i32\n  %two = arith.constant 2 : i32\n  %pid = "
      "tile.program_id 0\n  %other = tile.program_id 1\n  " +
      arithmetic + " loc(\"v\")\n  tile.return\n}");
  Block &body = kernel.kernel().getBody().front();
  OpBuilder b(body.getTerminator());
  const Value same =
      areSameBeside(b, kernel.kernel().getLoc(), kernel.kernel(), kernel["v"]);
  return same && evaluate(same, number).isOne();
}

TEST(Programs, BesideEachOther) {
  const std::string pair = "%v = tile.divsi %pid, %two : i32";
  EXPECT_TRUE(sameBeside(pair, 4));
  EXPECT_TRUE(sameBeside(pair, 5));
  EXPECT_FALSE(sameBeside("%v = arith.addi %pid, %one : i32", 4));
  EXPECT_TRUE(sameBeside("%v = arith.muli %other, %two : i32", 4));
  EXPECT_FALSE(sameBeside("%v = arith.addi %pid, %other : i32", 4));
  // It differs, but not in what is left of it.
  EXPECT_TRUE(sameBeside("%far = arith.muli %pid, %two : i32\n  %less = "
                         "arith.subi %far, %far : i32\n  %v = arith.addi "
                         "%less, %one : i32",
                         7));
}

TEST(Programs, MoreThanScalarsIsNotAsked) {
  test::NamedKernel kernel(
      "tile.kernel @k(%p: !tile.ptr<i32>) {\n"
      "  %v = tile.load %p : !tile.ptr<i32> -> i32 loc(\"v\")\n"
      "  tile.return\n}");
  OpBuilder b(kernel.kernel().getBody().front().getTerminator());
  EXPECT_FALSE(
      areSameBeside(b, kernel.kernel().getLoc(), kernel.kernel(), kernel["v"]));
}

} // namespace
