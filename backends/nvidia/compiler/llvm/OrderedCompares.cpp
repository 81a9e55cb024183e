//===- OrderedCompares.cpp - comparisons that know NaN --------------------===//
//
// What   x >= c of floats of 32 bits becomes not (x < c or unordered); so do
//        the other three relations with a constant.
// Why    ptxas (12.8 and 13.0) knows from |x|, x * x, 2^x and sums of such that
//        x is not below c, takes x >= c for true then, and forgets that x may be
//        NaN. It leaves the unordered relations alone, and joins the negation
//        with whoever asks: no instruction more. Of doubles and halves it did so
//        with none that was tried (|x| beside -1).
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tz::nvidia {

/// What holds where the relation does not; empty for other relations.
static StringRef complement(CmpInst::Predicate relation) {
  switch (relation) {
  case CmpInst::FCMP_OGE:
    return "ltu";
  case CmpInst::FCMP_OGT:
    return "leu";
  case CmpInst::FCMP_OLE:
    return "gtu";
  case CmpInst::FCMP_OLT:
    return "geu";
  default:
    return {};
  }
}

static void keep(FCmpInst &compare) {
  Value *x = compare.getOperand(0), *other = compare.getOperand(1);
  CmpInst::Predicate relation = compare.getPredicate();
  if (isa<ConstantFP>(x)) {
    std::swap(x, other);
    relation = CmpInst::getSwappedPredicate(relation);
  }
  auto *constant = dyn_cast<ConstantFP>(other);
  const StringRef negated = complement(relation);
  if (negated.empty() || !constant || compare.hasNoNaNs() ||
      !(x->getType()->isFloatTy() || x->getType()->isBFloatTy())) {
    return;
  }
  IRBuilder<> b(&compare);
  APFloat value = constant->getValueAPF();
  bool isInexact = false; // bf16 is a half of fp32
  (void)value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                      &isInexact);
  std::string text;
  raw_string_ostream(text) << "{ .reg .pred isNot; setp." << negated
                           << ".f32 isNot, $1, 0f"
                           << format_hex_no_prefix(
                                  value.bitcastToAPInt().getZExtValue(), 8,
                                  /*Upper=*/true)
                           << "; not.pred $0, isNot; }";
  auto *type = FunctionType::get(b.getInt1Ty(), {b.getFloatTy()}, false);
  CallInst *made = b.CreateCall(
      InlineAsm::get(type, text, "=b,f", /*hasSideEffects=*/false),
      {x->getType()->isFloatTy() ? x : b.CreateFPExt(x, b.getFloatTy())});
  made->setDoesNotAccessMemory();
  made->setDoesNotThrow();
  compare.replaceAllUsesWith(made);
  compare.eraseFromParent();
}

void keepOrderedCompares(Function &function) {
  for (Instruction &one : make_early_inc_range(instructions(function))) {
    if (auto *compare = dyn_cast<FCmpInst>(&one)) {
      keep(*compare);
    }
  }
}

} // namespace tz::nvidia
