//===- CpuUnroll.cpp - Some iterations of a loop as one -------------------===//
//
// What   A loop that adds tiles into a tile, or combines them otherwise element
//        by element, becomes one that does several iterations at once, and one
//        of the iterations that are left.
// Why    The tile that the loop carries lies in memory: each iteration reads
//        and writes all of it, which for a sum is two thirds of what it does.
//        Of several iterations at once, one nest does all, and reads and writes
//        it once. Each element still meets the same values in the same order.
//
//   for i in 0..n step 512:            for i in 0..split step 2048:
//     sum += x[i : i + 512]    ->        sum = sum + x[i :] + x[i + 512 :] ...
//                                      for i in split..n step 512: as before
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuUnroll.h"

#include "plugins/cpu/compiler/lower/FusionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::cpu {

namespace {

constexpr StringLiteral Copied = "cpu.copied";

/// Iterations at once: of eight, the carried tile costs an eighth of what it
/// did. Fewer where their loads would be more rows than a processor follows.
constexpr unsigned MostIterations = 8;
constexpr unsigned MostLoads = 8;
/// Ops on tiles of a body. What longer ones do outweighs the carried tile.
constexpr unsigned LongestBody = 16;
/// Keeps all that is computed of a step within 64 bits.
constexpr int64_t LongestStep = int64_t{1} << 20;

bool isTile(mlir::Value value) {
  return isa<mlir::RankedTensorType>(value.getType());
}

/// From the argument to what the iteration makes of it each op reads the value
/// before alone, element by element.
bool isCombined(scf::ForOp loop, unsigned i) {
  mlir::Value value = loop.getRegionIterArg(i);
  const mlir::Value last = loop.getYieldedValues()[i];
  if (value == last) {
    return false;
  }
  while (value != last) {
    if (!value.hasOneUse()) {
      return false;
    }
    mlir::Operation *user = *value.user_begin();
    if (!isElementwise(user) || user->getBlock() != loop.getBody()) {
      return false;
    }
    value = user->getResult(0);
  }
  return true;
}

/// Adds the same in each iteration: such a tile is computed from the number of
/// the iteration, and lies nowhere.
bool isCounted(scf::ForOp loop, unsigned i) {
  mlir::Operation *last = loop.getYieldedValues()[i].getDefiningOp();
  return isa_and_present<tile::AddPtrOp, arith::AddIOp>(last) &&
         llvm::all_of(last->getOperands(), [&](mlir::Value operand) {
           return operand == loop.getRegionIterArg(i) ||
                  loop.isDefinedOutsideOfLoop(operand);
         });
}

/// Iterations of `loop` that are to be done at once.
unsigned iterationsAtOnce(scf::ForOp loop) {
  const auto step = mlir::getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || *step > LongestStep || loop.getUnsignedCmp()) {
    return 1;
  }
  bool combines = false;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    if (isTile(loop.getRegionIterArg(i))) {
      if (isCounted(loop, i) || !isCombined(loop, i)) {
        return 1;
      }
      combines = true;
    }
  }
  unsigned loads = 0, ops = 0;
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    // Masks are tested along a nest; a loop that has them is the last iteration
    // of one without, as a rule.
    auto row = dyn_cast<tile::LoadViewOp>(op);
    const bool isLoad = row && !row->hasAttr(Copied) &&
                        !llvm::is_contained(row.getChecked(), true);
    const bool isScalar = op.getNumRegions() == 0 && mlir::isPure(&op) &&
                          llvm::none_of(op.getResults(), isTile);
    if (!isLoad && !isScalar &&
        (!isFusable(&op) || isa<tile::LoadViewOp, tile::LoadOp>(op))) {
      return 1;
    }
    loads += isLoad;
    ops += !isScalar;
  }
  if (!combines || loads == 0 || ops > LongestBody) {
    return 1;
  }
  unsigned count = MostIterations;
  while (count > 1 && count * loads > MostLoads) {
    count /= 2;
  }
  return count;
}

/// Where the iterations begin that are not done `count` at once. The upper
/// bound, or the lower if that is beyond it: there are none.
mlir::Value splitOf(scf::ForOp loop, unsigned count) {
  mlir::OpBuilder b(loop);
  const mlir::Location loc = loop.getLoc();
  const mlir::Type type = loop.getInductionVar().getType(),
                   i64 = b.getI64Type();
  auto constant = [&](int64_t value) -> mlir::Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto wide = [&](mlir::Value value) {
    return type == i64 ? value
                       : arith::ExtSIOp::create(b, loc, i64, value).getResult();
  };
  const int64_t step = *mlir::getConstantIntValue(loop.getStep());
  mlir::Value lower = wide(loop.getLowerBound());
  mlir::Value upper = wide(loop.getUpperBound());
  // Nothing overflows where the loop would end within a lifetime.
  mlir::Value length = arith::SubIOp::create(
      b, loc, tile::MaxSIOp::create(b, loc, i64, upper, lower), lower);
  mlir::Value before = tile::DivSIOp::create(
      b, loc, i64, arith::SubIOp::create(b, loc, length, constant(1)),
      constant(step));
  mlir::Value groups = tile::DivSIOp::create(
      b, loc, i64, arith::AddIOp::create(b, loc, before, constant(1)),
      constant(count));
  mlir::Value covered =
      arith::MulIOp::create(b, loc, groups, constant(step * count));
  mlir::Value split = arith::AddIOp::create(
      b, loc, lower, tile::MinSIOp::create(b, loc, i64, covered, length));
  return type == i64 ? split
                     : arith::TruncIOp::create(b, loc, type, split).getResult();
}

/// The body once more, `ahead` iterations further, from the values in `map`.
void copyBody(scf::ForOp loop, unsigned ahead, mlir::OpBuilder &b,
              mlir::IRMapping &map, mlir::Value counter) {
  const int64_t step = *mlir::getConstantIntValue(loop.getStep());
  auto further = [&](mlir::Value value) -> mlir::Value {
    if (ahead == 0) {
      return value;
    }
    mlir::Value distance = arith::ConstantOp::create(
        b, loop.getLoc(), b.getIntegerAttr(value.getType(), step * ahead));
    return arith::AddIOp::create(b, loop.getLoc(), value, distance);
  };
  map.map(loop.getInductionVar(), further(counter));
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    auto extended = dyn_cast<arith::ExtSIOp>(op);
    if (extended && extended.getIn() == loop.getInductionVar()) {
      // The sum fits into the narrow type. Behind the extension it is seen to
      // be a fixed distance.
      map.map(extended.getOut(),
              further(arith::ExtSIOp::create(b, op.getLoc(), extended.getType(),
                                             counter)));
      continue;
    }
    b.clone(op, map);
  }
}

void unroll(scf::ForOp loop, unsigned count, int &number) {
  loop.walk([&](tile::LoadViewOp load) {
    load->setAttr(Copied, mlir::Builder(load).getI32IntegerAttr(number++));
  });
  mlir::Value split = splitOf(loop, count);
  mlir::OpBuilder b(loop);
  const int64_t step = *mlir::getConstantIntValue(loop.getStep());
  mlir::Value far = arith::ConstantOp::create(
      b, loop.getLoc(),
      b.getIntegerAttr(loop.getStep().getType(), step * int64_t{count}));
  auto several = scf::ForOp::create(
      b, loop.getLoc(), loop.getLowerBound(), split, far, loop.getInitArgs(),
      [&](mlir::OpBuilder &inner, mlir::Location loc, mlir::Value counter,
          mlir::ValueRange arguments) {
        mlir::IRMapping map;
        SmallVector<mlir::Value> carried(arguments);
        for (unsigned ahead = 0; ahead < count; ++ahead) {
          map.map(loop.getRegionIterArgs(), carried);
          copyBody(loop, ahead, inner, map, counter);
          carried.clear();
          for (mlir::Value value : loop.getYieldedValues()) {
            carried.push_back(map.lookupOrDefault(value));
          }
        }
        scf::YieldOp::create(inner, loc, carried);
      });
  loop.getLowerBoundMutable().assign(split);
  loop.getInitArgsMutable().assign(several.getResults());
}

} // namespace

void unrollLoops(tile::KernelOp kernel) {
  SmallVector<std::pair<scf::ForOp, unsigned>> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (const unsigned count = iterationsAtOnce(loop); count > 1) {
      loops.emplace_back(loop, count);
    }
  });
  int number = 0;
  for (auto [loop, count] : loops) {
    unroll(loop, count, number);
  }
}

bool areOneLoad(tile::LoadViewOp one, tile::LoadViewOp other) {
  mlir::Attribute number = one->getAttr(Copied);
  return one == other || (number && number == other->getAttr(Copied));
}

} // namespace tz::cpu
