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
    Value *x = nullptr, *y = nullptr;
    auto product = [&](auto left, auto right) {
      return match(high,
                   m_Trunc(m_LShr(m_Mul(left, right), m_SpecificInt(64))));
    };
    const bool isSigned = product(m_SExt(m_Value(x)), m_SExt(m_Value(y)));
    if (!isSigned && !product(m_ZExt(m_Value(x)), m_ZExt(m_Value(y)))) {
      continue;
    }
    IRBuilder<> b(high);
    high->replaceAllUsesWith(callPure(
        b, isSigned ? "_Z6mul_hill" : "_Z6mul_himm", b.getInt64Ty(), {x, y}));
    RecursivelyDeleteTriviallyDeadInstructions(high);
  }
}

} // namespace tz::intel
