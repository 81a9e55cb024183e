//===- SplitLoop.cpp - loops that several blocks can divide ---------------===//
//
// What   See SplitLoop.h.
// Why    See SplitLoop.h.
//===----------------------------------------------------------------------===//
#include "core/simt/SplitLoop.h"

#include "core/simt/analysis/Programs.h"

#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/simt/LaunchPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// What each block adds up at least: iterations, and elements of each sum.
/// Measured on an H200 with 4 to 16 tiles: four blocks with 512 elements each
/// were 1.07 to 1.3 times as fast as one, with 256 0.85 to 1 times.
static constexpr int64_t LeastIterations = 4, LeastLength = 512;
/// Units that blocks may take, of four: a cluster lies in one part of the
/// device, so that not all units can be shared out to clusters. Measured on an
/// H200 of 132 units: 64 blocks in clusters of four run at once, of 128 some
/// wait for a second turn. Between these nothing was measured.
static constexpr int64_t UnitsOfFour = 3;
/// Longer loops may count beyond 32 bits on the way to the next part.
static constexpr int64_t MostLength = int64_t{1} << 30;

static bool hasDot(Operation *op) {
  return op->walk([](tile::DotOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// From what the loop carries to what it yields, each op adds to the value
/// before, which nobody else reads.
static bool isSum(scf::ForOp loop, unsigned i) {
  Value value = loop.getRegionIterArg(i);
  const Value last = loop.getYieldedValues()[i];
  Type type = tile::elementType(value.getType());
  if (!isa<RankedTensorType>(value.getType()) ||
      !(type.isF32() || type.isF64() || type.isInteger(32)) ||
      !(matchPattern(loop.getInitArgs()[i], m_Zero()) ||
        matchPattern(loop.getInitArgs()[i], m_AnyZeroFloat()))) {
    return false;
  }
  while (value != last) {
    if (!value.hasOneUse()) {
      return false;
    }
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    auto dot = dyn_cast<tile::DotOp>(user);
    const bool adds =
        isa<arith::AddFOp, arith::AddIOp>(user) ||
        (dot && use.get() == dot.getAcc() && use.getOperandNumber() == 2);
    if (!adds || user->getBlock() != loop.getBody()) {
      return false;
    }
    value = user->getResult(0);
  }
  return value != Value(loop.getRegionIterArg(i));
}

static bool writes(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return hasEffect<MemoryEffects::Write>(inner) ||
                       isa<tile::StoreOp, tile::StoreViewOp, tile::AtomicRMWOp,
                           tile::AtomicCASOp, tile::BarrierOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

class SplitPlanner {
public:
  explicit SplitPlanner(StringRef &why) : why(why) {}

  void visit(Block &block);
  SplitPlan plan;

private:
  bool isDivisible(scf::ForOp loop);

  StringRef &why;
};

bool SplitPlanner::isDivisible(scf::ForOp loop) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (hasDot(op)) {
      why = "it has dots behind the loop";
      return false;
    }
  }
  const std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || loop.getUnsignedCmp()) {
    why = "the loop's step is not known";
    return false;
  }
  if (writes(loop)) {
    why = "it writes before the loop has ended";
    return false;
  }
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    if (!isSum(loop, i)) {
      why = "the loop carries what is no sum, or does not begin at zero";
      return false;
    }
  }
  return true;
}

void SplitPlanner::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!hasDot(&op)) {
      if (writes(&op)) {
        why = "it writes before the loop has ended";
        plan.aloneFrom.push_back(&op);
        return;
      }
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && isDivisible(loop)) {
      plan.loops.push_back(loop);
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (isSameInBlocks(branch.getCondition())) {
        for (Region &region : branch->getRegions()) {
          if (!region.empty()) {
            visit(region.front());
          }
        }
        plan.aloneBehind.push_back(branch);
        return;
      }
      why = "blocks may take different branches";
    } else if (!isa<scf::ForOp>(op)) {
      why = "its dots stand in no loop of their own";
    }
    plan.aloneFrom.push_back(&op);
    return;
  }
}

} // namespace

SplitPlan tz::simt::planSplit(tile::KernelOp kernel, StringRef &why) {
  if (kernel->hasAttr("tile.waits")) {
    why = "programs wait for each other";
    return {};
  }
  if (kernel
          .walk([](Operation *op) {
            return plugin::isLogPoint(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
          })
          .wasInterrupted()) {
    why = "it prints, asserts or records";
    return {};
  }
  why = "it has no loop with dots";
  SplitPlanner planner(why);
  planner.visit(kernel.getBody().front());
  return std::move(planner.plan);
}

/// Of each block.
static int64_t leastIterations(scf::ForOp loop) {
  int64_t length = 1; // of an iteration
  loop.walk([&](tile::DotOp dot) {
    length = std::max(
        length, cast<RankedTensorType>(dot.getA().getType()).getShape().back());
  });
  return std::max(LeastIterations, (LeastLength + length - 1) / length);
}

static void append(plugin::Expr &to, const plugin::Expr &from) {
  to.steps.insert(to.steps.end(), from.steps.begin(), from.steps.end());
}

/// Of a loop's bound. A quotient is rounded down: below zero, where the kernel
/// rounds up, the loop is too short anyway.
static std::optional<plugin::Expr> boundExpr(Value bound) {
  if (auto divided = bound.getDefiningOp<tile::DivSIOp>()) {
    const std::optional<int64_t> by = getConstantIntValue(divided.getRhs());
    std::optional<plugin::Expr> all = launchExpr(divided.getLhs());
    if (!by || *by <= 0 || !all) {
      return std::nullopt;
    }
    return all->constant(*by - 1).op(TZ_X_SUB).constant(*by).op(TZ_X_CEILDIV);
  }
  return launchExpr(bound);
}

std::optional<plugin::Expr> tz::simt::splitCondition(const SplitPlan &plan,
                                                     unsigned blocks) {
  plugin::Expr all;
  llvm::SmallVector<std::array<Value, 3>> known;
  for (scf::ForOp loop : plan.loops) {
    const std::array<Value, 3> bounds = {loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep()};
    if (llvm::is_contained(known, bounds)) {
      continue; // a version of the same loop
    }
    std::optional<plugin::Expr> length = boundExpr(loop.getUpperBound()),
                                lower = boundExpr(loop.getLowerBound());
    if (!length || !lower) {
      return std::nullopt;
    }
    append(*length, *lower);
    length->op(TZ_X_SUB);
    const int64_t step = *getConstantIntValue(loop.getStep());
    append(all, *length);
    all.constant(step * blocks * leastIterations(loop)).op(TZ_X_GE);
    append(all, *length);
    all.constant(MostLength).op(TZ_X_LT).op(TZ_X_AND);
    if (!known.empty()) {
      all.op(TZ_X_AND);
    }
    known.push_back(bounds);
  }
  all.grid(0).grid(1).op(TZ_X_MUL).grid(2).op(TZ_X_MUL);
  all.constant(blocks * 4).op(TZ_X_MUL);
  all.device(TZ_DEV_COMPUTE_UNITS).constant(UnitsOfFour).op(TZ_X_MUL);
  return all.op(TZ_X_LE).op(TZ_X_AND);
}
