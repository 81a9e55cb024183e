//===- SelectionCheck.cpp - what may reach LLVM's code generator ----------===//
//
// What   See SelectionCheck.h: element types, widths of vectors, intrinsics,
// calls. Why    See SelectionCheck.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/SelectionCheck.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

/// Intrinsics that become instructions on every machine that we compile for,
/// beside those of the machine itself. Of mathematics none is here that LLVM
/// would call a library for.
constexpr Intrinsic::ID Intrinsics[] = {
    Intrinsic::abs,
    Intrinsic::assume,
    Intrinsic::bitreverse,
    Intrinsic::bswap,
    Intrinsic::ceil,
    Intrinsic::copysign,
    Intrinsic::ctlz,
    Intrinsic::ctpop,
    Intrinsic::cttz,
    Intrinsic::expect,
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
    Intrinsic::scmp,
    Intrinsic::smax,
    Intrinsic::smin,
    Intrinsic::sqrt,
    Intrinsic::ssub_sat,
    Intrinsic::trunc,
    Intrinsic::uadd_sat,
    Intrinsic::ucmp,
    Intrinsic::umax,
    Intrinsic::umin,
    Intrinsic::usub_sat,
    Intrinsic::sadd_with_overflow,
    Intrinsic::smul_with_overflow,
    Intrinsic::ssub_with_overflow,
    Intrinsic::uadd_with_overflow,
    Intrinsic::umul_with_overflow,
    Intrinsic::usub_with_overflow,
};

/// The widest access to memory, and so the widest vector that is made.
constexpr uint64_t VectorBits = 256;

bool isKnown(Type *type) {
  if (auto *record = dyn_cast<StructType>(type)) {
    return all_of(record->elements(), isKnown);
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    return isKnown(array->getElementType());
  }
  if (type->isVoidTy() || type->isMetadataTy() || type->isLabelTy()) {
    return true;
  }
  Type *scalar = type->getScalarType();
  const bool known =
      scalar->isPointerTy() || scalar->isHalfTy() || scalar->isBFloatTy() ||
      scalar->isFloatTy() || scalar->isDoubleTy() ||
      (scalar->isIntegerTy() && scalar->getIntegerBitWidth() <= 128);
  const auto *vector = dyn_cast<FixedVectorType>(type);
  return known && !isa<ScalableVectorType>(type) &&
         (!vector ||
          vector->getNumElements() *
                  std::max<uint64_t>(scalar->getPrimitiveSizeInBits(), 1) <=
              VectorBits);
}

std::string nameOf(Type *type) {
  std::string text;
  raw_string_ostream(text) << *type;
  return text;
}

std::string problemOf(const Instruction &inst) {
  SmallVector<Type *> types{inst.getType()};
  for (const Use &operand : inst.operands()) {
    types.push_back(operand->getType());
  }
  for (Type *type : types) {
    if (!isKnown(type)) {
      return "a value of type " + nameOf(type);
    }
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    if (call->isInlineAsm()) {
      return "";
    }
    const Function *callee = call->getCalledFunction();
    if (!callee || !callee->isIntrinsic()) {
      return "a call of " +
             (callee ? callee->getName().str() : "what is not known");
    }
    return is_contained(Intrinsics, callee->getIntrinsicID()) ||
                   callee->getName().starts_with("llvm.nvvm.")
               ? ""
               : "the intrinsic " + callee->getName().str();
  }
  const bool divides = inst.getOpcode() == Instruction::SDiv ||
                       inst.getOpcode() == Instruction::UDiv ||
                       inst.getOpcode() == Instruction::SRem ||
                       inst.getOpcode() == Instruction::URem;
  if (inst.getOpcode() == Instruction::FRem) {
    return "a remainder of floats";
  }
  if (divides && inst.getType()->getScalarSizeInBits() > 64) {
    return "a division of 128 bits";
  }
  return "";
}

} // namespace

std::string problemOf(const Module &module) {
  for (const Function &function : module) {
    for (const BasicBlock &block : function) {
      for (const Instruction &inst : block) {
        if (std::string problem = problemOf(inst); !problem.empty()) {
          return problem;
        }
      }
    }
  }
  return "";
}

} // namespace tz::nvidia
