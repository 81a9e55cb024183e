//===- ModuleCheck.cpp - what may reach LLVM's code generator -------------===//
//
// What   See ModuleCheck.h.
// Why    See ModuleCheck.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/ModuleCheck.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tz::lowering {

/// Intrinsics that become instructions on every target: those that lowerings
/// emit, and those that LLVM makes of plain arithmetic. Of mathematics none is
/// here that LLVM would call a library for.
static constexpr Intrinsic::ID CommonIntrinsics[] = {
    Intrinsic::abs,
    Intrinsic::assume,
    Intrinsic::bitreverse,
    Intrinsic::bswap,
    Intrinsic::ceil,
    Intrinsic::copysign,
    Intrinsic::ctlz,
    Intrinsic::ctpop,
    Intrinsic::cttz,
    Intrinsic::fabs,
    Intrinsic::floor,
    Intrinsic::fma,
    Intrinsic::fmuladd,
    Intrinsic::fptosi_sat,
    Intrinsic::fptoui_sat,
    Intrinsic::fshl,
    Intrinsic::fshr,
    Intrinsic::is_fpclass,
    Intrinsic::lifetime_end,
    Intrinsic::lifetime_start,
    Intrinsic::maximum,
    Intrinsic::maxnum,
    Intrinsic::minimum,
    Intrinsic::minnum,
    Intrinsic::nearbyint,
    Intrinsic::rint,
    Intrinsic::roundeven,
    Intrinsic::sadd_sat,
    Intrinsic::sadd_with_overflow,
    Intrinsic::scmp,
    Intrinsic::smax,
    Intrinsic::smin,
    Intrinsic::smul_with_overflow,
    Intrinsic::sqrt,
    Intrinsic::ssub_sat,
    Intrinsic::ssub_with_overflow,
    Intrinsic::trunc,
    Intrinsic::uadd_sat,
    Intrinsic::uadd_with_overflow,
    Intrinsic::ucmp,
    Intrinsic::umax,
    Intrinsic::umin,
    Intrinsic::umul_with_overflow,
    Intrinsic::usub_sat,
    Intrinsic::usub_with_overflow,
};

static std::string nameOf(Type *type) {
  std::string name;
  raw_string_ostream(name) << *type;
  return name;
}

/// What is wrong with a value of this type; empty if nothing is.
static std::string typeProblem(Type *type, uint64_t vectorBits) {
  if (auto *record = dyn_cast<StructType>(type)) {
    for (Type *part : record->elements()) {
      std::string problem = typeProblem(part, vectorBits);
      if (!problem.empty()) {
        return problem;
      }
    }
    return "";
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    return typeProblem(array->getElementType(), vectorBits);
  }
  if (type->isVoidTy() || type->isMetadataTy() || type->isLabelTy()) {
    return "";
  }
  Type *scalar = type->getScalarType();
  const bool isKnown =
      scalar->isPointerTy() || scalar->isHalfTy() || scalar->isBFloatTy() ||
      scalar->isFloatTy() || scalar->isDoubleTy() ||
      (scalar->isIntegerTy() && scalar->getIntegerBitWidth() <= 128);
  if (!isKnown || isa<ScalableVectorType>(type)) {
    return "a value of type " + nameOf(type);
  }
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    const uint64_t bits =
        scalar->isPointerTy()
            ? 64
            : scalar->getPrimitiveSizeInBits().getFixedValue();
    if (bits * vector->getNumElements() > vectorBits) {
      return "a vector " + nameOf(type) + ", wider than " +
             std::to_string(vectorBits) + " bits";
    }
  }
  return "";
}

/// Types are few, values many: each type is looked at once.
class TypeCheck {
public:
  explicit TypeCheck(uint64_t vectorBits) : vectorBits(vectorBits) {}

  std::string problem(Type *type) {
    if (right.contains(type)) {
      return "";
    }
    std::string found = typeProblem(type, vectorBits);
    if (found.empty()) {
      right.insert(type);
    }
    return found;
  }

private:
  uint64_t vectorBits;
  SmallPtrSet<Type *, 32> right;
};

static std::string callProblem(const CallBase &call,
                               const CodeGenAbilities &abilities) {
  if (call.isInlineAsm()) {
    return abilities.inlineAssembly ? "" : "inline assembly";
  }
  const Function *callee = call.getCalledFunction();
  if (callee && callee->isIntrinsic()) {
    const Intrinsic::ID id = callee->getIntrinsicID();
    return is_contained(CommonIntrinsics, id) ||
                   is_contained(abilities.intrinsics, id) ||
                   callee->getName().starts_with(abilities.ownIntrinsics)
               ? ""
               : "the intrinsic " + callee->getName().str();
  }
  if (callee && abilities.isInstruction && abilities.isInstruction(*callee)) {
    return "";
  }
  if (abilities.calls &&
      (callee ? !callee->isDeclaration() : call.isIndirectCall())) {
    return "";
  }
  return "a call of " +
         (callee ? callee->getName().str() : "what is not known");
}

static std::string problemOf(const Instruction &inst, TypeCheck &types,
                             const CodeGenAbilities &abilities) {
  std::string problem = types.problem(inst.getType());
  for (const Use &operand : inst.operands()) {
    if (problem.empty()) {
      problem = types.problem(operand->getType());
    }
  }
  if (problem.empty()) {
    if (const auto *call = dyn_cast<CallBase>(&inst)) {
      problem = callProblem(*call, abilities);
    }
  }
  const unsigned opcode = inst.getOpcode();
  if (problem.empty() && opcode == Instruction::FRem) {
    problem = "a remainder of floats";
  }
  const bool divides =
      opcode == Instruction::SDiv || opcode == Instruction::UDiv ||
      opcode == Instruction::SRem || opcode == Instruction::URem;
  if (problem.empty() && divides &&
      inst.getType()->getScalarSizeInBits() > 64) {
    problem = "a division of 128 bits";
  }
  return problem.empty() && abilities.lacks ? abilities.lacks(inst) : problem;
}

std::optional<Inability> findInability(const Module &module,
                                       const CodeGenAbilities &abilities) {
  TypeCheck types(abilities.vectorBits);
  for (const Function &function : module) {
    for (const BasicBlock &block : function) {
      if (abilities.blockLength && block.size() > abilities.blockLength) {
        return Inability{&block.front(), "", block.size()};
      }
      for (const Instruction &inst : block) {
        std::string problem = problemOf(inst, types, abilities);
        if (!problem.empty()) {
          return Inability{&inst, std::move(problem)};
        }
      }
    }
  }
  return std::nullopt;
}

} // namespace tz::lowering
