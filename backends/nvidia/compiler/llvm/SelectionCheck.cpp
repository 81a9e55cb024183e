//===- SelectionCheck.cpp - what may reach LLVM's code generator ----------===//
//
// What   See SelectionCheck.h: the rows of NVPTX.
// Why    See SelectionCheck.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/SelectionCheck.h"

#include "terrazzo/lowering/ModuleCheck.h"

using namespace llvm;

namespace tz::nvidia {

std::string problemOf(const Module &module) {
  static constexpr Intrinsic::ID intrinsics[] = {Intrinsic::expect,
                                                 Intrinsic::readcyclecounter,
                                                 Intrinsic::readsteadycounter};
  lowering::CodeGenAbilities abilities;
  abilities.intrinsics = intrinsics;
  abilities.ownIntrinsics = "llvm.nvvm.";
  abilities.vectorBits = 256; // the widest access to memory
  abilities.inlineAssembly = true;
  auto found = lowering::findInability(module, abilities);
  return found ? found->what : "";
}

} // namespace tz::nvidia
