//===- Carries.cpp - sums and differences with a carry --------------------===//
//
// What   See expandCarries() in Spirv.h: by a comparison.
// Why    LLVM makes its intrinsics of such comparisons shortly before code is
//        emitted, and drivers' compilers of 2022 end the process over SPIR-V's
//        OpIAddCarry, without a word.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tz::intel {

static void expand(WithOverflowInst &call) {
  IRBuilder<> b(&call);
  Value *left = call.getLHS(), *right = call.getRHS();
  const bool isSum = call.getBinaryOp() == Instruction::Add;
  Value *result = isSum ? b.CreateAdd(left, right) : b.CreateSub(left, right);
  Value *carry =
      isSum ? b.CreateICmpULT(result, left) : b.CreateICmpULT(left, right);
  for (User *user : make_early_inc_range(call.users())) {
    if (auto *part = dyn_cast<ExtractValueInst>(user)) {
      part->replaceAllUsesWith(part->getIndices().front() == 0 ? result
                                                               : carry);
      part->eraseFromParent();
    }
  }
  if (!call.use_empty()) {
    Value *both =
        b.CreateInsertValue(PoisonValue::get(call.getType()), result, 0);
    call.replaceAllUsesWith(b.CreateInsertValue(both, carry, 1));
  }
  call.eraseFromParent();
}

void expandCarries(Module &module) {
  SmallVector<WithOverflowInst *> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<WithOverflowInst>(&inst);
      if (call && !call->isSigned() &&
          call->getBinaryOp() != Instruction::Mul) {
        found.push_back(call);
      }
    }
  }
  for (WithOverflowInst *call : found) {
    expand(*call);
  }
}

} // namespace tz::intel
