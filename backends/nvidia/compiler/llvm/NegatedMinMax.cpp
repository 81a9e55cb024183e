//===- NegatedMinMax.cpp - minima and maxima of negated integers ----------===//
//
// What   Where an operand of an integer minimum or maximum is a difference or
//        an absolute value, x - y becomes ~y + x + 1, and |x| the maximum of x
//        and ~x + 1. So it does where phis and selects bring it there.
// Why    For sm_90 ptxas (12.8, 12.9 and 13.0) joins two of them into VIMNMX3
//        and forgets that its middle operand was negated, or an absolute value:
//        max(max(-a, -b), c) is max(max(-a, b), c). With a sum it makes
//        VIADDMNMX, and where x turns out to be a constant, the wrong operand is
//        negated. An inverted number is no negated one: it costs an instruction
//        for each difference. It also takes away loops that never run, and finds
//        the number before them.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

/// x - y, or |x| if y is null, without a negation; null for other widths.
static Value *rewritten(IRBuilderBase &b, Value *x, Value *y) {
  Type *type = x->getType();
  if (!type->isIntegerTy(32) && !type->isIntegerTy(16)) {
    return nullptr;
  }
  const std::string bits = std::to_string(type->getIntegerBitWidth());
  const std::string left = "{ .reg .b" + bits + " inverted; not.b" + bits +
                           " inverted, $" + (y ? "2" : "1") + "; ";
  const std::string text =
      y ? left + "add.s" + bits + " inverted, inverted, $1; add.s" + bits +
              " $0, inverted, 1; }"
        : left + "add.s" + bits + " inverted, inverted, 1; max.s" + bits +
              " $0, $1, inverted; }";
  const std::string one = type->isIntegerTy(32) ? "r" : "h";
  SmallVector<Value *, 2> operands = {x};
  SmallVector<Type *, 2> types = {type};
  if (y) {
    operands.push_back(y);
    types.push_back(type);
  }
  CallInst *made =
      b.CreateCall(InlineAsm::get(FunctionType::get(type, types, false), text,
                                  "=" + one + "," + one + (y ? "," + one : ""),
                                  /*hasSideEffects=*/false),
                   operands);
  made->setDoesNotAccessMemory();
  made->setDoesNotThrow();
  return made;
}

/// Is `one` a value that ptxas may see through, to the numbers that it is made
/// of: a phi, of which it may know that only one path is taken, a choice, or
/// the same number in another width?
static bool passesOn(const Instruction &one) {
  return isa<PHINode, SelectInst, FreezeInst, TruncInst, SExtInst, ZExtInst>(
      one);
}

void invertNegatedLimits(Function &function) {
  DenseMap<Value *, Value *> known;
  SmallPtrSet<Instruction *, 16> seen;
  SmallVector<Instruction *> compared; // and what their operands pass on
  for (Instruction &one : instructions(function)) {
    if (isa<MinMaxIntrinsic>(one)) {
      compared.push_back(&one);
    }
  }
  while (!compared.empty()) {
    Instruction *one = compared.pop_back_val();
    for (Use &operand : one->operands()) {
      auto *from = dyn_cast<Instruction>(operand.get());
      Value *x = nullptr, *y = nullptr;
      if (!from) {
        continue;
      }
      if (passesOn(*from) && seen.insert(from).second) {
        compared.push_back(from);
      }
      if (!(match(from, m_Sub(m_Value(x), m_Value(y))) ||
            match(from, m_Intrinsic<Intrinsic::abs>(m_Value(x))))) {
        continue;
      }
      Value *&made = known[from];
      if (!made) {
        IRBuilder<> b(from->getNextNode());
        made = rewritten(b, x, y);
      }
      if (made) {
        operand.set(made);
      }
    }
  }
}

} // namespace tz::nvidia
