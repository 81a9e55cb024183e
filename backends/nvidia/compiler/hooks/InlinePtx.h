//===- InlinePtx.h - an instruction as inline PTX ---------------*- C++ -*-===//
//
// What   Emits a text of PTX whose operands have the types of their values.
// Why    Many hooks are one instruction that LLVM has no intrinsic for.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_INLINEPTX_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_INLINEPTX_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace tz::nvidia {

/// It may do more than give its result: none of them is left out or moved.
inline llvm::CallInst *emitPtx(llvm::IRBuilderBase &b, llvm::Type *result,
                               llvm::StringRef text,
                               llvm::StringRef constraints,
                               llvm::ArrayRef<llvm::Value *> operands) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands) {
    types.push_back(operand->getType());
  }
  auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  return b.CreateCall(llvm::InlineAsm::get(type, text, constraints,
                                           /*hasSideEffects=*/true),
                      operands);
}

inline void emitPtx(llvm::IRBuilderBase &b, llvm::StringRef text,
                    llvm::StringRef constraints,
                    llvm::ArrayRef<llvm::Value *> operands) {
  emitPtx(b, b.getVoidTy(), text, constraints, operands);
}

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_INLINEPTX_H
