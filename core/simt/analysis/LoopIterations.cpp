//===- LoopIterations.cpp - what a later iteration of a loop needs --------===//
//
// What   See LoopIterations.h.
// Why    See LoopIterations.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopIterations.h"

#include "core/simt/analysis/MemoryOrder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

static bool isLoad(Operation *op) {
  return isa<tile::LoadOp, tile::LoadViewOp>(op);
}

bool Slice::hasLoads() const { return llvm::any_of(ops, isLoad); }

SmallVector<Operation *> Slice::inOrder(scf::ForOp loop) const {
  SmallVector<Operation *> result;
  for (Operation &op : *loop.getBody()) {
    if (ops.contains(&op)) {
      result.push_back(&op);
    }
  }
  return result;
}

static bool addValue(scf::ForOp loop, Value value, Slice &slice) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar()) {
      return true;
    }
    unsigned i = argument.getArgNumber() - 1;
    return !slice.carried.insert(i) ||
           addValue(loop, loop.getBody()->getTerminator()->getOperand(i),
                    slice);
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op)) {
    return true;
  }
  if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
      isa<DotOp, StageOp>(op) ||
      !(isPure(op) || (isLoad(op) && mayGoAhead(loop, op)))) {
    return false;
  }
  if (slice.ops.contains(op)) {
    return true;
  }
  for (Value operand : op->getOperands()) {
    if (!addValue(loop, operand, slice)) {
      return false;
    }
  }
  slice.ops.insert(op);
  return true;
}

bool tz::simt::addToSlice(scf::ForOp loop, Value value, Slice &slice) {
  // What is carried to an iteration that does not exist is no address.
  return addValue(loop, value, slice) &&
         (slice.carried.empty() || !slice.hasLoads());
}

bool tz::simt::isWrittenIn(Operation *where, Operation *load) {
  const MemoryAccess read = *accessAheadOf(load);
  return where
      ->walk([&](Operation *op) {
        std::optional<MemoryAccess> access = accessAheadOf(op);
        return access && access->isWrite && access->meetsGroup(read)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// May the loop write what the load reads before it, in this iteration or in an
/// earlier one? Of loops within it only the groups are looked at.
static bool isWrittenInIterations(scf::ForOp loop, Operation *load) {
  if (load->getParentOp() != loop) {
    return isWrittenIn(loop, load);
  }
  const MemoryAccess read = *accessAheadOf(load);
  return loop
      ->walk([&](Operation *op) {
        std::optional<MemoryAccess> access = accessAheadOf(op);
        if (!access || !access->isWrite) {
          return WalkResult::advance();
        }
        const bool isBefore =
            loop.getBody()->findAncestorOpInBlock(*op)->isBeforeInBlock(load);
        return (isBefore && access->meets(read)) || access->meetsLater(read)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tz::simt::mayGoAhead(scf::ForOp loop, Operation *load) {
  auto pointers = dyn_cast<tile::LoadOp>(load);
  bool mayEnd = pointers && pointers.getIsVolatile();
  loop->walk([&](tile::AssertOp) { mayEnd = true; });
  return !mayEnd && !isWrittenInIterations(loop, load);
}

bool tz::simt::countsIterations(scf::ForOp loop) {
  APInt step;
  return loop.getInductionVar().getType().isInteger(32) ||
         (loop.getInductionVar().getType().isInteger(64) &&
          matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
          step.isStrictlyPositive() && step.getActiveBits() < 32);
}

Value tz::simt::hasIteration(OpBuilder &b, const IterationCounter &counter,
                             Value index, unsigned iterations) {
  Location loc = counter.loc;
  Value any =
      arith::CmpIOp::create(b, loc,
                            counter.isUnsigned ? arith::CmpIPredicate::ult
                                               : arith::CmpIPredicate::slt,
                            index, counter.upper);
  if (iterations == 0) {
    return any;
  }
  auto wide = [&](Value v) -> Value {
    if (v.getType().isInteger(64)) {
      return v;
    }
    if (counter.isUnsigned) {
      return arith::ExtUIOp::create(b, loc, b.getI64Type(), v);
    }
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), v);
  };
  Value left = arith::SubIOp::create(b, loc, wide(counter.upper), wide(index));
  Value many =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(iterations));
  // Of 32 bits at most: the product is exact.
  Value step = counter.step;
  Value steps = arith::MulIOp::create(
      b, loc,
      step.getType().isInteger(64)
          ? step
          : Value(arith::ExtUIOp::create(b, loc, b.getI64Type(), step)),
      many);
  Value enough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, left, steps);
  return arith::AndIOp::create(b, loc, any, enough);
}

Value tz::simt::indexAfter(OpBuilder &b, const IterationCounter &counter,
                           Value index, unsigned iterations) {
  if (iterations == 0) {
    return index;
  }
  Value many = arith::ConstantOp::create(
      b, counter.loc, b.getIntegerAttr(counter.step.getType(), iterations));
  return arith::AddIOp::create(
      b, counter.loc, index,
      arith::MulIOp::create(b, counter.loc, counter.step, many));
}

std::optional<int64_t> tz::simt::fewIterations(scf::ForOp loop, int64_t most) {
  const std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound()),
                               high = getConstantIntValue(loop.getUpperBound()),
                               step = getConstantIntValue(loop.getStep());
  constexpr int64_t small = int64_t{1} << 30; // no sum of these wraps
  if (!low || !high || !step || *step <= 0 || *step >= small || *low < 0 ||
      *high >= small || *high <= *low) {
    return std::nullopt;
  }
  const int64_t count = (*high - *low + *step - 1) / *step;
  return count <= most ? std::optional(count) : std::nullopt;
}

/// How many more than `low` a bound is at most, if it is the lesser of such
/// sums and others.
static std::optional<int64_t> mostAbove(Value low, Value bound,
                                        unsigned depth = 0) {
  constexpr unsigned deepest = 6;
  if (bound == low) {
    return 0;
  }
  Operation *op = bound.getDefiningOp();
  if (!op || depth == deepest) {
    return std::nullopt;
  }
  auto next = [&](Value value) { return mostAbove(low, value, depth + 1); };
  if (auto least = dyn_cast<tile::MinSIOp>(op)) {
    const std::optional<int64_t> one = next(least.getLhs()),
                                 other = next(least.getRhs());
    return one && other ? std::min(*one, *other) : one ? one : other;
  }
  if (auto sum = dyn_cast<arith::AddIOp>(op)) {
    const std::optional<int64_t> more = getConstantIntValue(sum.getRhs()),
                                 rest =
                                     more ? next(sum.getLhs()) : std::nullopt;
    constexpr int64_t small = int64_t{1} << 30;
    // A sum that wraps is below zero, and so no bound of anything.
    return rest && *more >= 0 && *more < small && *rest < small
               ? std::optional(*rest + *more)
               : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> tz::simt::iterationsAtMost(scf::ForOp loop) {
  const std::optional<int64_t> step = getConstantIntValue(loop.getStep()),
                               most = mostAbove(loop.getLowerBound(),
                                                loop.getUpperBound());
  if (!step || *step <= 0 || !most || loop.getUnsignedCmp()) {
    return std::nullopt;
  }
  return llvm::divideCeilSigned(std::max<int64_t>(*most, 0), *step);
}
