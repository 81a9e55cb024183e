//===- SinkPredicates.h - comparisons beside their uses ----------*- C++
//-*-===//
//
// What   Moves each comparison, and each conjunction of some, to the one value
//        that it decides.
// Why    A predicate of all lanes is a pair of scalar registers. The lowering
//        compares a whole tile before it selects from it, and the code generator
//        keeps that order: 32 comparisons take 64 of 102 scalar registers, and
//        what is needed behind them is spilled. Beside its use each takes VCC.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_LLVM_SINKPREDICATES_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_LLVM_SINKPREDICATES_H

#include "llvm/IR/PassManager.h"

namespace tz::amd {

class SinkPredicates : public llvm::PassInfoMixin<SinkPredicates> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace tz::amd

#endif
