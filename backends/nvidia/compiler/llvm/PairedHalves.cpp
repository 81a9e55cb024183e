//===- PairedHalves.cpp - two floats of 16 bits at once -------------------===//
//
// What   See PairedHalves.h.
// Why    See PairedHalves.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/PairedHalves.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

bool computesHalf(const Instruction &one) {
  const Type *type = one.getType();
  return (type->isHalfTy() || type->isBFloatTy()) &&
         (isa<BinaryOperator, UnaryOperator>(one) || isa<IntrinsicInst>(one));
}

} // namespace

PreservedAnalyses PairHalves::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  // The search takes the square of what it looks at: half a second for so much.
  constexpr size_t longText = 3072;
  size_t count = 0, halves = 0;
  for (const Instruction &one : instructions(function)) {
    ++count;
    halves += computesHalf(one);
  }
  if (halves < 2 || count > longText) {
    return PreservedAnalyses::all();
  }
  return SLPVectorizerPass().run(function, analyses);
}

} // namespace tz::nvidia
