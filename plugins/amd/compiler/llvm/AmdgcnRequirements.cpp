//===- AmdgcnRequirements.cpp - what may reach the code generator ---------===//
//
// What   See problemOf() in Amdgcn.h: the rows of AMDGCN.
// Why    The code generator ends the process where it meets what it cannot do
//        (R14). Found before, it is a diagnostic.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/llvm/Amdgcn.h"

#include "terrazzo/lowering/ModuleCheck.h"

using namespace llvm;

namespace tz::amd {

std::string problemOf(const Module &module) {
  static constexpr Intrinsic::ID intrinsics[] = {Intrinsic::expect,
                                                 Intrinsic::readcyclecounter};
  lowering::CodeGenAbilities abilities;
  abilities.inlineAssembly = true; // AmdgcnHooks::barrier
  abilities.intrinsics = intrinsics;
  abilities.ownIntrinsics = "llvm.amdgcn.";
  abilities.vectorBits = 1024; // the widest register tuple
  auto found = lowering::findInability(module, abilities);
  return found ? found->what : "";
}

} // namespace tz::amd
