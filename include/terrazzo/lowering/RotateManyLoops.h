//===- RotateManyLoops.h - loop rotation in linear time ---------*- C++ -*-===//
//
// What   A pass that rotates the loops of a function that has many of them.
// Why    LLVM's own pass updates the dominator tree and what is known of
//        induction variables behind each loop. That takes as long as all that
//        follows the loop: 1,000 loops took 21 times as long as 100.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_ROTATEMANYLOOPS_H
#define TERRAZZO_LOWERING_ROTATEMANYLOOPS_H

#include "llvm/IR/PassManager.h"

namespace tz::lowering {

/// Rotates the loops of a function that has more than 64 of them, innermost
/// first, and keeps no analysis. Other functions are left to LLVM's pass. Needs
/// loops in simplified form (llvm::LoopSimplifyPass).
class RotateManyLoops : public llvm::PassInfoMixin<RotateManyLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_ROTATEMANYLOOPS_H
