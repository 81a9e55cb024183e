//===- SplitLoop.cpp - a loop that several blocks can divide --------------===//
//
// What   See SplitLoop.h.
// Why    See SplitLoop.h.
//===----------------------------------------------------------------------===//
#include "core/simt/SplitLoop.h"

#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/simt/LaunchPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// Iterations of a block below which adding up costs more than dividing wins.
static constexpr int64_t LeastIterations = 8;
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

scf::ForOp tz::simt::splitLoop(tile::KernelOp kernel, StringRef &why) {
  if (kernel->hasAttr("tile.waits")) {
    why = "programs wait for each other";
    return {};
  }
  if (kernel
          .walk([](Operation *op) {
            return isa<tile::PrintOp, tile::AssertOp, tile::RecordOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted()) {
    why = "it prints, asserts or records";
    return {};
  }
  scf::ForOp found;
  for (Operation &op : kernel.getBody().front()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (found ? hasDot(&op) : hasDot(&op) && !loop) {
      why = found ? "it has dots behind the loop"
                  : "its dots stand in no loop of their own";
      return {};
    }
    if (!found && writes(&op)) {
      why = "it writes before the loop has ended";
      return {};
    }
    if (!found && loop && hasDot(&op)) {
      found = loop;
    }
  }
  if (!found) {
    why = "it has no loop with dots";
    return {};
  }
  const std::optional<int64_t> step = getConstantIntValue(found.getStep());
  if (!step || *step <= 0 || found.getUnsignedCmp()) {
    why = "the loop's step is not known";
    return {};
  }
  for (unsigned i = 0; i < found.getNumRegionIterArgs(); ++i) {
    if (!isSum(found, i)) {
      why = "the loop carries what is no sum, or does not begin at zero";
      return {};
    }
  }
  return found;
}

std::optional<plugin::Expr> tz::simt::splitCondition(scf::ForOp loop,
                                                     unsigned blocks) {
  std::optional<plugin::Expr> length = launchExpr(loop.getUpperBound()),
                              lower = launchExpr(loop.getLowerBound());
  if (!length || !lower) {
    return std::nullopt;
  }
  auto append = [](plugin::Expr &to, const plugin::Expr &from) {
    to.steps.insert(to.steps.end(), from.steps.begin(), from.steps.end());
  };
  append(*length, *lower);
  length->op(TZ_X_SUB);
  const int64_t least =
      *getConstantIntValue(loop.getStep()) * blocks * LeastIterations;
  plugin::Expr all = *length;
  all.constant(least).op(TZ_X_GE);
  append(all, *length);
  all.constant(MostLength).op(TZ_X_LT).op(TZ_X_AND);
  all.grid(0).grid(1).op(TZ_X_MUL).grid(2).op(TZ_X_MUL);
  all.constant(blocks).op(TZ_X_MUL);
  return all.device(TZ_DEV_COMPUTE_UNITS).op(TZ_X_LE).op(TZ_X_AND);
}
