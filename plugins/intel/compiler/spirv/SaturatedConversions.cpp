//===- SaturatedConversions.cpp - floats to integers ----------------------===//
//
// What   See expandConversions() in Spirv.h: NaN and the bounds are chosen
//        apart.
// Why    OpenCL's saturated conversions only "should" give 0 for NaN, and
//        Intel's runtime for CPUs gives the largest number here and there. It
//        also repeats such a conversion, with branches, for each lane of a
//        sub-group, and then takes minutes for a kernel with a hundred.
//
// Intel's compiler for GPUs writes these choices itself, also that of NaN
// (ocloc 22.43, for pvc).
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tz::intel {

/// NaN is 0; the rest is cut to what the integer holds, and then converted.
static Value *expanded(IRBuilder<> &b, const IntrinsicInst &call) {
  Value *x = call.getArgOperand(0);
  Type *type = call.getType(), *from = x->getType();
  const bool isSigned = call.getIntrinsicID() == Intrinsic::fptosi_sat;
  const unsigned bits = type->getScalarSizeInBits();
  const APInt least =
                  isSigned ? APInt::getSignedMinValue(bits) : APInt(bits, 0),
              most = isSigned ? APInt::getSignedMaxValue(bits)
                              : APInt::getMaxValue(bits);
  const fltSemantics &semantics = from->getScalarType()->getFltSemantics();
  APFloat low(semantics), high(semantics);
  low.convertFromAPInt(least, isSigned, APFloat::rmTowardZero);
  const bool isExact =
      high.convertFromAPInt(most, isSigned, APFloat::rmTowardZero) ==
      APFloat::opOK;
  Constant *lowest = ConstantFP::get(from, low),
           *highest = ConstantFP::get(from, high);
  Value *isAbove = b.CreateFCmpOGT(x, highest);
  Value *cut =
      b.CreateSelect(b.CreateFCmpORD(x, x), x, Constant::getNullValue(from));
  cut = b.CreateSelect(b.CreateFCmpOLT(x, lowest), lowest, cut);
  cut = b.CreateSelect(isAbove, highest, cut);
  Value *whole =
      isSigned ? b.CreateFPToSI(cut, type) : b.CreateFPToUI(cut, type);
  return isExact ? whole
                 : b.CreateSelect(isAbove, ConstantInt::get(type, most), whole);
}

void expandConversions(Module &module) {
  SmallVector<IntrinsicInst *> found;
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<IntrinsicInst>(&inst);
      if (call && (call->getIntrinsicID() == Intrinsic::fptoui_sat ||
                   call->getIntrinsicID() == Intrinsic::fptosi_sat)) {
        found.push_back(call);
      }
    }
  }
  for (IntrinsicInst *call : found) {
    IRBuilder<> b(call);
    call->replaceAllUsesWith(expanded(b, *call));
    call->eraseFromParent();
  }
}

} // namespace tz::intel
