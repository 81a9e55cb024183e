//===- WideFactors.cpp - products of 64 bits whose factors have 32 --------===//
//
// What   A product of two values of 64 bits that fit into 32 with a sign, or
//        are such values shifted up, becomes one mul.wide.s32. Two products
//        that are added to an address are added to each other first.
// Why    LLVM chooses it where both are extended alike. A program's number is
//        not negative and extended with zeros, a stride with its sign: their
//        product is three multiplications then, for each array of a kernel. A
//        sum of products is one instruction for each; scaled and added to an
//        address, each takes three.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

constexpr StringLiteral Product = "mul.wide.s32";

/// A value of 64 bits that has the upper 33 bits equal, and how far it is
/// shifted up.
struct Factor {
  Value *value;
  uint64_t shift = 0;
};

std::optional<Factor> factorOf(Value *wide, const DataLayout &layout) {
  constexpr unsigned signBits = 33;
  if (ComputeNumSignBits(wide, layout) >= signBits) {
    return Factor{wide};
  }
  Value *inner = nullptr;
  uint64_t by = 0;
  if (match(wide, m_Shl(m_Value(inner), m_ConstantInt(by))) && by < 32 &&
      ComputeNumSignBits(inner, layout) >= signBits) {
    return Factor{inner, by};
  }
  return std::nullopt;
}

/// Its lower half.
Value *narrow(IRBuilder<> &b, Value *wide) {
  Value *value = nullptr;
  return match(wide, m_ZExtOrSExt(m_Value(value))) &&
                 value->getType()->isIntegerTy(32)
             ? value
             : b.CreateTrunc(wide, b.getInt32Ty());
}

/// LLVM sees such products.
bool isExtendedAlike(Value *a, Value *b) {
  return (isa<SExtInst>(a) && isa<SExtInst>(b)) ||
         (isa<ZExtInst>(a) && isa<ZExtInst>(b));
}

/// A product, or a sum that ends with one.
bool isProduct(const Value *index) {
  if (auto *sum = dyn_cast<BinaryOperator>(index);
      sum && sum->getOpcode() == Instruction::Add) {
    return isProduct(sum->getOperand(1));
  }
  auto *call = dyn_cast<CallInst>(index);
  auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return (text && text->getAsmString().starts_with(Product)) ||
         match(index, m_Mul(m_SExt(m_Value()), m_SExt(m_Value())));
}

/// (p + a) + b, as p + (a + b): in one block, that no loop keeps both.
void addProductsFirst(Function &function) {
  for (BasicBlock &block : function) {
    for (Instruction &one : make_early_inc_range(block)) {
      auto *outer = dyn_cast<GetElementPtrInst>(&one);
      auto *inner =
          outer ? dyn_cast<GetElementPtrInst>(outer->getPointerOperand())
                : nullptr;
      if (!inner || inner->getParent() != &block || !inner->hasOneUse() ||
          outer->getNumIndices() != 1 || inner->getNumIndices() != 1 ||
          outer->getSourceElementType() != inner->getSourceElementType() ||
          !isProduct(outer->getOperand(1)) ||
          !isProduct(inner->getOperand(1))) {
        continue;
      }
      IRBuilder<> b(outer);
      Value *sum = b.CreateAdd(inner->getOperand(1), outer->getOperand(1));
      outer->replaceAllUsesWith(b.CreateGEP(outer->getSourceElementType(),
                                            inner->getPointerOperand(), sum));
      outer->eraseFromParent();
      inner->eraseFromParent();
    }
  }
}

} // namespace

void narrowFactors(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *> products;
  for (Instruction &one : instructions(function)) {
    if (one.getOpcode() == Instruction::Mul && one.getType()->isIntegerTy(64) &&
        !isa<Constant>(one.getOperand(1)) &&
        !isExtendedAlike(one.getOperand(0), one.getOperand(1))) {
      products.push_back(&one);
    }
  }
  for (Instruction *one : products) {
    const std::optional<Factor> x = factorOf(one->getOperand(0), layout),
                                y = factorOf(one->getOperand(1), layout);
    if (!x || !y) {
      continue;
    }
    IRBuilder<> b(one);
    auto *type = FunctionType::get(b.getInt64Ty(),
                                   {b.getInt32Ty(), b.getInt32Ty()}, false);
    auto *text = InlineAsm::get(type, (Product + " $0, $1, $2;").str(),
                                "=l,r,r", /*hasSideEffects=*/false);
    CallInst *product =
        b.CreateCall(text, {narrow(b, x->value), narrow(b, y->value)});
    product->setDoesNotAccessMemory();
    product->setDoesNotThrow();
    const uint64_t shift = x->shift + y->shift;
    one->replaceAllUsesWith(shift == 0 ? product : b.CreateShl(product, shift));
    one->eraseFromParent();
  }
  addProductsFirst(function);
}

} // namespace tz::nvidia
