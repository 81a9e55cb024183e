//===- WideProducts.cpp - both halves of a product at once ----------------===//
//
// What   Where both the lower and the upper 32 bits of a product are wanted,
//        one mul.wide gives them.
// Why    LLVM chooses mul.lo and mul.hi, and ptxas does not join them: Philox,
//        which is made of such products, needs half as many multiplications.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {
using Factors = std::pair<Value *, Value *>;

/// A key for both orders.
Factors sorted(Value *a, Value *b) {
  return std::less<Value *>()(a, b) ? Factors(a, b) : Factors(b, a);
}

/// The 32 bits that this value of 64 bits extends with zeros.
Value *narrow(Value *wide) {
  Value *value = nullptr;
  uint64_t constant = 0;
  if (match(wide, m_ZExt(m_Value(value))) &&
      value->getType()->isIntegerTy(32)) {
    return value;
  }
  if (match(wide, m_ConstantInt(constant)) && isUInt<32>(constant)) {
    return ConstantInt::get(Type::getInt32Ty(wide->getContext()), constant);
  }
  return nullptr;
}
} // namespace

static void shareInBlock(BasicBlock &block) {
  DenseMap<Factors, Instruction *> lower;
  SmallVector<std::pair<Factors, Instruction *>> whole;
  for (Instruction &one : block) {
    Value *a = nullptr, *b = nullptr;
    if (!match(&one, m_Mul(m_Value(a), m_Value(b)))) {
      continue;
    }
    if (one.getType()->isIntegerTy(32)) {
      lower.try_emplace(sorted(a, b), &one);
    } else if (one.getType()->isIntegerTy(64)) {
      Value *x = narrow(a), *y = narrow(b);
      if (x && y) {
        whole.push_back({sorted(x, y), &one});
      }
    }
  }
  for (auto [factors, wide] : whole) {
    auto low = lower.find(factors);
    if (low == lower.end()) {
      continue;
    }
    Instruction *narrowOne = low->second;
    IRBuilder<> b(narrowOne->comesBefore(wide) ? narrowOne : wide);
    auto *type = FunctionType::get(b.getInt64Ty(),
                                   {b.getInt32Ty(), b.getInt32Ty()}, false);
    auto *text = InlineAsm::get(type, "mul.wide.u32 $0, $1, $2;", "=l,r,r",
                                /*hasSideEffects=*/false);
    // In the order of the operation: that of `factors` differs from one process
    // to the next.
    CallInst *product = b.CreateCall(
        text, {narrowOne->getOperand(0), narrowOne->getOperand(1)});
    product->setDoesNotAccessMemory();
    product->setDoesNotThrow();
    narrowOne->replaceAllUsesWith(b.CreateTrunc(product, b.getInt32Ty()));
    wide->replaceAllUsesWith(product);
    narrowOne->eraseFromParent();
    wide->eraseFromParent();
    lower.erase(low);
  }
}

void shareWideProducts(Function &function) {
  for (BasicBlock &block : function) {
    shareInBlock(block);
  }
}

} // namespace tz::nvidia
