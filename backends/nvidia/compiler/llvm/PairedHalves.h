//===- PairedHalves.h - two floats of 16 bits at once -----------*- C++ -*-===//
//
// What   Operations on floats of 16 bits that stand beside each other in words
//        become operations on pairs.
// Why    A pair is one instruction and one register. Alone, a half takes an
//        instruction that could do two, one to take it out of its word, and
//        one to put it back.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_PAIREDHALVES_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_PAIREDHALVES_H

#include "llvm/IR/PassManager.h"

namespace tz::nvidia {

/// LLVM's search for operations side by side, in kernels that have halves.
class PairHalves : public llvm::PassInfoMixin<PairHalves> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_PAIREDHALVES_H
