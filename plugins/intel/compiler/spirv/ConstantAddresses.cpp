//===- ConstantAddresses.cpp - addresses that are constants ---------------===//
//
// What   See expandConstantAddresses() in Spirv.h.
// Why    The code generator gives a constant address the type of its first use,
//        and then counts its bytes in elements of that type: an atomic on words
//        16 bytes behind a variable went 64 bytes behind it.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace tz::intel {

void expandConstantAddresses(Module &module) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &one : module.globals()) {
    variables.push_back(&one);
  }
  convertUsersOfConstantsToInstructions(variables);
}

} // namespace tz::intel
