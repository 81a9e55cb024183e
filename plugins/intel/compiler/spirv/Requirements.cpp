//===- Requirements.cpp - what may reach the code generator ---------------===//
//
// What   See problemOf() in Spirv.h: the rows of SPIR-V 1.3 for OpenCL.
// Why    A missing extension ends the process. Found before, it is a
// diagnostic.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvHooks.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/lowering/ModuleCheck.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tz::intel {

static bool hasDouble(const Instruction &inst) {
  return inst.getType()->getScalarType()->isDoubleTy() ||
         llvm::any_of(inst.operands(), [](const Use &operand) {
           return operand->getType()->getScalarType()->isDoubleTy();
         });
}

/// SPIR-V's vectors have 2, 3, 4, 8 or 16 elements, which are no pointers, and
/// numbers 8 to 64 bits.
static std::string typeProblem(Type *type) {
  std::string name;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    if (!is_contained({2u, 3u, 4u, 8u, 16u}, vector->getNumElements()) ||
        vector->getElementType()->isPointerTy()) {
      raw_string_ostream(name) << "a vector " << *type;
      return name;
    }
  }
  Type *scalar = type->getScalarType();
  if (scalar->isBFloatTy() ||
      (scalar->isIntegerTy() &&
       !is_contained({1u, 8u, 16u, 32u, 64u}, scalar->getIntegerBitWidth()))) {
    raw_string_ostream(name) << "a value of type " << *type;
  }
  return name;
}

/// What other targets have and this code generator has not (LLVM 22: it ends
/// the process), or takes for a function of OpenCL that treats NaN differently.
static constexpr Intrinsic::ID Missing[] = {
    Intrinsic::bitreverse,
    Intrinsic::fmuladd,
    Intrinsic::maximum,
    Intrinsic::minimum,
    Intrinsic::sadd_with_overflow,
    Intrinsic::ssub_with_overflow,
};

static std::string lacking(const Instruction &inst, const Machine &machine) {
  std::string problem = typeProblem(inst.getType());
  for (const Use &operand : inst.operands()) {
    if (problem.empty()) {
      problem = typeProblem(operand->getType());
    }
  }
  if (auto *call = dyn_cast<IntrinsicInst>(&inst);
      call && is_contained(Missing, call->getIntrinsicID())) {
    problem = "the intrinsic " + call->getCalledFunction()->getName().str();
  }
  if (problem.empty() && !machine.hasDouble && hasDouble(inst)) {
    problem = "f64";
  }
  return problem;
}

std::string problemOf(const Module &module, const Machine &machine) {
  lowering::CodeGenAbilities abilities;
  abilities.ownIntrinsics = "llvm.spv.";
  abilities.vectorBits = 16 * 64;
  abilities.calls = true;
  abilities.lacks = [&](const Instruction &inst) {
    return lacking(inst, machine);
  };
  abilities.isInstruction = [](const Function &function) {
    return function.hasFnAttribute(BuiltInAttribute);
  };
  auto found = lowering::findInability(module, abilities);
  return found ? found->what : "";
}

} // namespace tz::intel
