//===- ExactIntegers.cpp - sums and products that do not wrap -------------===//
//
// What   Walks back from addresses and masks once; each question walks back
//        from its value.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/ExactIntegers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

/// What a loop carries into and around `argument`; nothing for another block
/// argument.
static SmallVector<Value, 2> carriedInto(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar()) {
    return {};
  }
  return {loop.getTiedLoopInit(argument)->get(),
          loop.getTiedLoopYieldedValue(argument)->get()};
}

/// The ends of ways that compute an address.
static void addEnds(Operation *op, SmallVectorImpl<Value> &ends) {
  auto addMask = [&](Value mask) {
    if (mask) {
      ends.push_back(mask);
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::AddPtrOp add) { ends.push_back(add.getOffset()); })
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>(
          [&](auto access) { addMask(access.getMask()); })
      .Case<tile::LoadViewOp, tile::StoreViewOp>(
          [&](auto access) { llvm::append_range(ends, access.getOffsets()); });
}

bool ExactIntegers::keepsValue(Operation *op) const {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::TransposeOp, tile::HintOp>(op) ||
         (alsoKeeps && alsoKeeps(op));
}

ExactIntegers::ExactIntegers(tile::KernelOp kernel, const Hints &hints,
                             KeepsValue alsoKeeps)
    : hints(hints), alsoKeeps(alsoKeeps) {
  SmallVector<Value> pending;
  kernel.walk([&](Operation *op) { addEnds(op, pending); });
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!addresses.insert(value).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      llvm::append_range(pending, carriedInto(argument));
      continue;
    }
    Operation *op = value.getDefiningOp();
    // Masks are conjunctions; of other numbers `and` takes bits, and wraps.
    const bool isConjunction = isa<arith::AndIOp>(op) &&
                               tile::elementType(value.getType()).isInteger(1);
    if (isConjunction || keepsValue(op) ||
        isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp,
            arith::CmpIOp>(op)) {
      pending.append(op->operand_begin(), op->operand_end());
    }
  }
}

Interval ExactIntegers::rangeOf(Operation *op) const {
  Interval a = hints.range(op->getOperand(0));
  Interval b = hints.range(op->getOperand(1));
  return isa<arith::AddIOp>(op)   ? a + b
         : isa<arith::SubIOp>(op) ? a - b
                                  : a * b;
}

/// Whether a program's number or the like, a multiple of more than `range` has
/// values, is added to it: such a sum does not wrap.
static bool isAlignedSum(const Hints &hints, arith::AddIOp sum) {
  for (auto [block, lanes] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    const int64_t divisor = hints.divisibility(block);
    const Interval range = hints.range(lanes);
    // The largest multiple of a power of two leaves as much below the limit.
    const int64_t unit = divisor & -divisor;
    if (hints.range(block).nonNegative() && range.nonNegative() &&
        range.high < unit) {
      return true;
    }
  }
  return false;
}

bool ExactIntegers::fits(Operation *op) const {
  Interval exact = rangeOf(op);
  Interval type = rangeOfType(op->getResult(0).getType());
  return (exact.low > Interval().low && exact.high < Interval().high &&
          exact.low >= type.low && exact.high <= type.high) ||
         addresses.contains(op->getResult(0)) ||
         (isa<arith::AddIOp>(op) &&
          isAlignedSum(hints, cast<arith::AddIOp>(op)));
}

bool ExactIntegers::isExact(Value value) const {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value one = pending.pop_back_val();
    if (!seen.insert(one).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(one)) {
      llvm::append_range(pending, carriedInto(argument));
      continue;
    }
    Operation *op = one.getDefiningOp();
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
      if (!fits(op)) {
        return false;
      }
      pending.append(op->operand_begin(), op->operand_end());
    } else if (isa<arith::ExtSIOp>(op) || keepsValue(op)) {
      pending.push_back(op->getOperand(0));
    }
  }
  return true;
}

bool ExactIntegers::isNatural(Value value) const {
  return isNatural(value, /*mayWrap=*/false);
}

bool ExactIntegers::isNaturalUnlessItWraps(Value value) const {
  return isNatural(value, /*mayWrap=*/true);
}

/// Whether what `op` gives is not negative if all that it adds to `pending` is
/// not.
bool ExactIntegers::isNaturalIf(Operation *op, bool mayWrap,
                                SmallVectorImpl<Value> &pending) const {
  if (isa<arith::AddIOp, arith::MulIOp>(op)
          ? mayWrap || fits(op)
          : isa<tile::DivSIOp, tile::MinSIOp>(op)) {
    pending.append(op->operand_begin(), op->operand_end());
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    pending.append({select.getTrueValue(), select.getFalseValue()});
    return true;
  }
  // True is all ones where it is widened.
  const Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  const bool isWider = isa<arith::ExtSIOp>(op) &&
                       !tile::elementType(first.getType()).isInteger(1);
  if (isWider || isa<tile::RemSIOp>(op) || keepsValue(op)) {
    pending.push_back(first);
    return true;
  }
  return false;
}

bool ExactIntegers::isNatural(Value value, bool mayWrap) const {
  // One that is met again is asked already: all of them must be natural.
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value one = pending.pop_back_val();
    if (!seen.insert(one).second || hints.range(one).nonNegative()) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(one)) {
      SmallVector<Value, 2> from = carriedInto(argument);
      if (from.empty()) {
        return false;
      }
      llvm::append_range(pending, from);
    } else if (!isNaturalIf(one.getDefiningOp(), mayWrap, pending)) {
      return false;
    }
  }
  return true;
}
