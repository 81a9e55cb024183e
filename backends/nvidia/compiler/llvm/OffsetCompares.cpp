//===- OffsetCompares.cpp - elements that are compared with one value -----===//
//
// What   Comparisons of base + 0, base + 1, ... with one value, for equality,
//        become comparisons of value - base with these constants.
// Why    A tile of indices is compared with the number of a class or token.
//        Each sum takes an instruction, or a register in front of a loop; the
//        difference is one for all of them, and instructions hold constants.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

/// base + lane + a constant; either may be missing.
struct Sum {
  Value *base = nullptr, *lane = nullptr;
  APInt offset = APInt(32, 0);
};

std::optional<Sum> sumOf(Value *value) {
  Sum sum;
  Value *rest = nullptr;
  const APInt *offset = nullptr;
  if (match(value, m_AddLike(m_Value(sum.base), m_APInt(offset)))) {
    sum.offset = *offset;
    return sum;
  }
  if (!match(value, m_AddLike(m_Value(sum.base), m_Value(rest)))) {
    return std::nullopt;
  }
  if (match(rest, m_AddLike(m_Value(sum.lane), m_APInt(offset)))) {
    sum.offset = *offset;
  } else {
    sum.lane = rest;
  }
  return sum;
}

struct Compare {
  ICmpInst *op;
  APInt offset;
};

/// Of one base, lane and value.
using Compares =
    MapVector<std::tuple<Value *, Value *, Value *>, SmallVector<Compare>>;

/// Each side of a comparison may be the sum.
void add(Compares &all, ICmpInst &op, unsigned side) {
  if (std::optional<Sum> sum = sumOf(op.getOperand(side))) {
    all[{sum->base, sum->lane, op.getOperand(1 - side)}].push_back(
        {&op, sum->offset});
  }
}

} // namespace

void compareOffsets(Function &function) {
  constexpr size_t fewest = 3;
  for (BasicBlock &block : function) {
    Compares all;
    for (Instruction &one : block) {
      auto *op = dyn_cast<ICmpInst>(&one);
      if (op && op->isEquality() &&
          op->getOperand(0)->getType()->isIntegerTy(32) &&
          !isa<Constant>(op->getOperand(0)) &&
          !isa<Constant>(op->getOperand(1))) {
        add(all, *op, 0);
        add(all, *op, 1);
      }
    }
    for (auto &[key, compares] : all) {
      if (compares.size() < fewest) {
        continue;
      }
      // The first of them stands behind all three. What threads share is
      // subtracted first.
      IRBuilder<> b(compares.front().op);
      auto [base, lane, value] = key;
      Value *difference = b.CreateSub(value, base);
      if (lane) {
        difference = b.CreateSub(difference, lane);
      }
      for (const Compare &one : compares) {
        one.op->setOperand(0, difference);
        one.op->setOperand(1, b.getInt(one.offset));
      }
    }
  }
}

} // namespace tz::nvidia
