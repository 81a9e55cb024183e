//===- LongKernels.h - linear time for long functions -----------*- C++ -*-===//
//
// What   What is done to a long function before LLVM's passes see it, and which
//        of them are left out there.
// Why    Some of them look at all uses of a value, or at the whole dominator
//        tree, for each place that they change. A kernel of a thousand
//        operations would take a hundred times as long as one of a hundred.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LONGKERNELS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LONGKERNELS_H

#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassManager.h"

namespace tz::nvidia {

/// Copies a value that a block uses very often, once for every few hundred
/// uses. LLVM does not know that the copies are equal, so no value has many
/// uses. The assembler does know: the machine code has no such copies.
class CutManyUses : public llvm::PassInfoMixin<CutManyUses> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// While it lives, code generation leaves out what takes quadratic time on the
/// module. Long blocks without loops are cut: instructions are chosen a block
/// at a time, and what is known of a long one does not fit into caches.
class LinearCodeGeneration final : public llvm::OptPassGate {
public:
  explicit LinearCodeGeneration(llvm::Module &module);
  ~LinearCodeGeneration() override;
  LinearCodeGeneration(const LinearCodeGeneration &) = delete;
  LinearCodeGeneration &operator=(const LinearCodeGeneration &) = delete;

  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef description) const override;
  bool isEnabled() const override { return true; }

private:
  void leaveOut(llvm::StringRef pass);

  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  llvm::SmallVector<llvm::StringRef, 2> without; // as LLVM calls them
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LONGKERNELS_H
