//===- HighProducts.cpp - high halves of products of 64 bits --------------===//
//
// What   See narrowWideProducts() in Spirv.h: a product of 128 bits whose high
//        half alone is wanted becomes OpenCL's mul_hi.
// Why    SPIR-V has no numbers of 128 bits.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvHooks.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::intel {

/// What is extended to 128 bits. A constant has been extended already.
static Value *narrow(Value *wide, bool isSigned) {
  Value *value = nullptr;
  if (isSigned ? match(wide, m_SExt(m_Value(value)))
               : match(wide, m_ZExt(m_Value(value)))) {
    return value->getType()->isIntegerTy(64) ? value : nullptr;
  }
  const APInt *number = nullptr;
  return match(wide, m_APInt(number)) &&
                 (isSigned ? number->isSignedIntN(64) : number->isIntN(64))
             ? ConstantInt::get(wide->getContext(), number->trunc(64))
             : nullptr;
}

void narrowWideProducts(Module &module) {
  SmallVector<WeakTrackingVH> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      if (isa<TruncInst>(inst) && inst.getType()->isIntegerTy(64)) {
        found.push_back(&inst);
      }
    }
  }
  for (WeakTrackingVH &handle : found) {
    auto *high = cast<Instruction>(handle);
    Value *left = nullptr, *right = nullptr;
    if (!match(high, m_Trunc(m_LShr(m_Mul(m_Value(left), m_Value(right)),
                                    m_SpecificInt(64))))) {
      continue;
    }
    for (const bool isSigned : {true, false}) {
      Value *x = narrow(left, isSigned), *y = narrow(right, isSigned);
      if (!x || !y) {
        continue;
      }
      IRBuilder<> b(high);
      high->replaceAllUsesWith(callPure(
          b, isSigned ? "_Z6mul_hill" : "_Z6mul_himm", b.getInt64Ty(), {x, y}));
      RecursivelyDeleteTriviallyDeadInstructions(high);
      break;
    }
  }
}

} // namespace tz::intel
