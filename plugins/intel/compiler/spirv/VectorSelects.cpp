//===- VectorSelects.cpp - choices between vectors ------------------------===//
//
// What   See splatConditions() in Spirv.h: one condition becomes one for each
//        element.
// Why    SPIR-V chooses between vectors by one condition from version 1.4 on.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::intel {

void splatConditions(Module &module) {
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *select = dyn_cast<SelectInst>(&inst);
      auto *type = dyn_cast<FixedVectorType>(inst.getType());
      if (!select || !type || select->getCondition()->getType()->isVectorTy()) {
        continue;
      }
      IRBuilder<> b(select);
      select->setCondition(
          b.CreateVectorSplat(type->getNumElements(), select->getCondition()));
    }
  }
}

} // namespace tz::intel
