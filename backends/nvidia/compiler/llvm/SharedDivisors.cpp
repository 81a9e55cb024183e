//===- SharedDivisors.cpp - one reciprocal for many quotients -------------===//
//
// What   Divisions by one value become products with its reciprocal, by the
//        steps that div.full.f32 is made of: the divisor is brought to where
//        the reciprocal is normal, and the dividend by the same power of two.
// Why    What is divided in a tile has its row's divisor. ptxas writes the
//        steps out for each division and joins them again: for a softmax of
//        32 elements a thread a fifth of its time.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tz::nvidia {

/// With fewer the instruction is shorter.
static constexpr size_t LeastQuotients = 4;

static void divide(Value *divisor, ArrayRef<IntrinsicInst *> quotients) {
  IRBuilder<> b(quotients.front());
  auto number = [&](double value) {
    return ConstantFP::get(b.getFloatTy(), value);
  };
  Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, divisor);
  Value *scale = b.CreateSelect(b.CreateFCmpOGT(magnitude, number(0x1p126)),
                                number(0x1p-2), number(1));
  scale = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(0x1p-126)),
                         number(0x1p24), scale);
  Value *reciprocal = b.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f,
                                        {b.CreateFMul(divisor, scale)});
  for (IntrinsicInst *one : quotients) {
    b.SetInsertPoint(one);
    one->replaceAllUsesWith(
        b.CreateFMul(b.CreateFMul(one->getArgOperand(0), scale), reciprocal));
    one->eraseFromParent();
  }
}

void shareDivisors(Function &function) {
  for (BasicBlock &block : function) {
    MapVector<Value *, SmallVector<IntrinsicInst *>> all;
    for (Instruction &one : block) {
      auto *call = dyn_cast<IntrinsicInst>(&one);
      if (call && call->getIntrinsicID() == Intrinsic::nvvm_div_full &&
          !isa<Constant>(call->getArgOperand(1))) {
        all[call->getArgOperand(1)].push_back(call);
      }
    }
    for (auto &[divisor, quotients] : all) {
      if (quotients.size() >= LeastQuotients) {
        divide(divisor, quotients);
      }
    }
  }
}

} // namespace tz::nvidia
