//===- IntegerConversions.cpp - floats that become integers ---------------===//
//
// What   A float that is rounded and converted to an integer, within the
//        integer's limits, is one conversion; four words that are brought
//        within the limits of bytes are packed by two.
// Why    PTX's conversions keep the limits themselves and make 0 of an fp32
//        NaN. LLVM (22) adds comparisons for both, rounds apart, and puts bytes
//        together one by one: three times the instructions of a quantiser.
//        (PTX ISA, "cvt": clamping and NaN of float-to-integer conversions;
//        "cvt.pack".)
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/InsertedElements.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

CallInst *callAsm(IRBuilderBase &b, Type *result, ArrayRef<Value *> operands,
                  const Twine &text, StringRef constraints) {
  SmallVector<Type *, 3> types;
  for (Value *operand : operands) {
    types.push_back(operand->getType());
  }
  CallInst *call = b.CreateCall(
      InlineAsm::get(FunctionType::get(result, types, false), text.str(),
                     constraints, /*hasSideEffects=*/false),
      operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

struct Rounded {
  Value *number;
  StringRef suffix; // PTX's name of the rounding
};

/// The number of which `x` is the next whole one.
Rounded roundedTo(Value *x) {
  auto *call = dyn_cast<IntrinsicInst>(x);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
    return {call->getArgOperand(0), "rni"};
  case Intrinsic::floor:
    return {call->getArgOperand(0), "rmi"};
  case Intrinsic::ceil:
    return {call->getArgOperand(0), "rpi"};
  case Intrinsic::trunc:
    return {call->getArgOperand(0), "rzi"};
  default:
    return {x, "rzi"};
  }
}

/// The conversion as PTX makes it; null for types that it does not have.
Value *converted(IntrinsicInst &call) {
  Value *x = call.getArgOperand(0);
  Type *to = call.getType(), *from = x->getType();
  if (!to->isIntegerTy() || (!from->isFloatTy() && !from->isDoubleTy())) {
    return nullptr;
  }
  const bool isSigned = call.getIntrinsicID() == Intrinsic::fptosi_sat;
  const unsigned bits = to->getIntegerBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return nullptr;
  }
  IRBuilder<> b(&call);
  const Rounded rounded = roundedTo(x);
  // Bytes come from words, whose limits are wider.
  Type *made = bits == 8 ? b.getInt32Ty() : to;
  const unsigned width = made->getIntegerBitWidth();
  Value *result = callAsm(
      b, made, {rounded.number},
      "cvt." + rounded.suffix + (isSigned || bits == 8 ? ".s" : ".u") +
          Twine(width) + (from->isFloatTy() ? ".f32" : ".f64") + " $0, $1;",
      (Twine(width == 16   ? "=h"
             : width == 32 ? "=r"
                           : "=l") +
       (from->isFloatTy() ? ",f" : ",d"))
          .str());
  if (width == 64 || from->isDoubleTy()) {
    result = b.CreateSelect(b.CreateFCmpUNO(rounded.number, rounded.number),
                            ConstantInt::get(made, 0), result);
  }
  if (bits == 8) {
    result = b.CreateBinaryIntrinsic(Intrinsic::smax, result,
                                     b.getInt32(isSigned ? -128 : 0));
    result = b.CreateBinaryIntrinsic(Intrinsic::smin, result,
                                     b.getInt32(isSigned ? 127 : 255));
    result = b.CreateTrunc(result, to);
  }
  return result;
}

/// A word that is brought within the limits of a byte.
struct Limited {
  Value *word = nullptr;
  bool isSigned = false;
};

Limited limited(Value *byte) {
  Value *limits, *word;
  if (!byte || !match(byte, m_Trunc(m_Value(limits))) ||
      !limits->getType()->isIntegerTy(32)) {
    return {};
  }
  for (bool isSigned : {true, false}) {
    const APInt low(32, isSigned ? -128 : 0, /*isSigned=*/true),
        high(32, isSigned ? 127 : 255);
    if (match(limits, m_SMin(m_SMax(m_Value(word), m_SpecificInt(low)),
                             m_SpecificInt(high))) ||
        match(limits, m_SMax(m_SMin(m_Value(word), m_SpecificInt(high)),
                             m_SpecificInt(low))) ||
        (!isSigned && match(limits, m_UMin(m_SMax(m_Value(word), m_Zero()),
                                           m_SpecificInt(high))))) {
      return {word, isSigned};
    }
  }
  return {};
}

void pack(InsertElementInst *last) {
  const SmallVector<Value *, 16> elements = insertedElements(last, 8);
  if (elements.empty() || elements.size() % 4 != 0) {
    return;
  }
  SmallVector<Limited, 16> all;
  for (Value *element : elements) {
    all.push_back(limited(element));
    if (!all.back().word || all.back().isSigned != all.front().isSigned) {
      return;
    }
  }
  IRBuilder<> b(last);
  const StringRef text = all.front().isSigned ? "cvt.pack.sat.s8.s32.b32"
                                              : "cvt.pack.sat.u8.s32.b32";
  auto put = [&](Value *high, Value *low, Value *above) {
    return callAsm(b, b.getInt32Ty(), {high, low, above},
                   Twine(text) + " $0, $1, $2, $3;", "=r,r,r,r");
  };
  Value *words = PoisonValue::get(
      FixedVectorType::get(b.getInt32Ty(), unsigned(elements.size() / 4)));
  for (size_t i = 0; i < elements.size(); i += 4) {
    Value *upper = put(all[i + 3].word, all[i + 2].word, b.getInt32(0));
    words = b.CreateInsertElement(
        words, put(all[i + 1].word, all[i].word, upper), uint64_t(i / 4));
  }
  last->replaceAllUsesWith(b.CreateBitCast(words, last->getType()));
}

} // namespace

void convertToIntegers(Function &function) {
  SmallVector<WeakTrackingVH> dead;
  for (Instruction &one : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&one);
    if (!call || (call->getIntrinsicID() != Intrinsic::fptosi_sat &&
                  call->getIntrinsicID() != Intrinsic::fptoui_sat)) {
      continue;
    }
    if (Value *result = converted(*call)) {
      call->replaceAllUsesWith(result);
      dead.push_back(call);
    }
  }
  for (InsertElementInst *last : lastInsertions(function)) {
    pack(last);
    dead.push_back(last);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

} // namespace tz::nvidia
