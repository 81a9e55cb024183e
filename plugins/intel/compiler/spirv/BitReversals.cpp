//===- BitReversals.cpp - reversals of bits -------------------------------===//
//
// What   See expandBitReversals() in Spirv.h: by shifts of groups of bits.
// Why    LLVM makes its intrinsic of such shifts, and SPIR-V's instruction is
//        one of graphics alone.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tz::intel {

/// Neighbours change places: bits, then pairs of bits, and so on.
static Value *reversed(IRBuilder<> &b, Value *value) {
  Type *type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  for (unsigned group = 1; group < bits; group *= 2) {
    const APInt low =
        APInt::getSplat(bits, APInt::getLowBitsSet(2 * group, group));
    Constant *mask = ConstantInt::get(type, low);
    value = b.CreateOr(b.CreateAnd(b.CreateLShr(value, group), mask),
                       b.CreateShl(b.CreateAnd(value, mask), group));
  }
  return value;
}

void expandBitReversals(Module &module) {
  SmallVector<IntrinsicInst *> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<IntrinsicInst>(&inst);
      if (call && call->getIntrinsicID() == Intrinsic::bitreverse &&
          isPowerOf2_32(call->getType()->getScalarSizeInBits())) {
        found.push_back(call);
      }
    }
  }
  for (IntrinsicInst *call : found) {
    IRBuilder<> b(call);
    call->replaceAllUsesWith(reversed(b, call->getArgOperand(0)));
    call->eraseFromParent();
  }
}

} // namespace tz::intel
