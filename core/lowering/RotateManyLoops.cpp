//===- RotateManyLoops.cpp - loop rotation in linear time -----------------===//
//
// What   See RotateManyLoops.h.
// Why    See RotateManyLoops.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/RotateManyLoops.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"

using namespace llvm;

namespace tz::lowering {

PreservedAnalyses RotateManyLoops::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  constexpr size_t many = 64;
  // As many instructions of a head as LLVM's own pass copies.
  constexpr unsigned mostOfHead = 16;
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<Loop *, 0> all = loops.getLoopsInPreorder();
  if (all.size() <= many) {
    return PreservedAnalyses::all();
  }
  auto &machine = analyses.getResult<TargetIRAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  const SimplifyQuery query(function.getDataLayout());
  for (Loop *loop : reverse(all)) {
    LoopRotation(loop, &loops, &machine, &assumptions, /*DT=*/nullptr,
                 /*SE=*/nullptr, /*MSSAU=*/nullptr, query,
                 /*RotationOnly=*/false, mostOfHead, /*IsUtilMode=*/false);
  }
  return PreservedAnalyses::none();
}

} // namespace tz::lowering
