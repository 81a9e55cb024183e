//===- EmitFor.h - Counted loops in emitted code --------------------------===//
//
// What   A for-loop around what a callback emits.
// Why    Packing is loops in loops in loops; each is one line with this.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_DOT_EMITFOR_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_DOT_EMITFOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace tz::cpu {

/// for (i64 i = begin; i < end; i += step) body(i). The builder ends behind the
/// loop. Bounds that are constants make no test before the first iteration.
inline void emitFor(llvm::IRBuilderBase &b, llvm::Value *begin,
                    llvm::Value *end, int64_t step,
                    llvm::function_ref<void(llvm::Value *)> body) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  const bool known = first && last;
  if (known && first->getSExtValue() >= last->getSExtValue()) {
    return;
  }
  if (known && first->getSExtValue() + step >= last->getSExtValue()) {
    body(begin);
    return;
  }
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::Function *function = before->getParent();
  llvm::BasicBlock *loop =
      llvm::BasicBlock::Create(b.getContext(), "for", function);
  llvm::BasicBlock *exit =
      llvm::BasicBlock::Create(b.getContext(), "for.end", function);
  if (known) {
    b.CreateBr(loop);
  } else {
    b.CreateCondBr(b.CreateICmpSLT(begin, end), loop, exit);
  }
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  body(i);
  llvm::Value *next = b.CreateAdd(i, b.getInt64(uint64_t(step)), "",
                                  /*HasNUW=*/false, /*HasNSW=*/true);
  i->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, end), loop, exit);
  b.SetInsertPoint(exit);
}

} // namespace tz::cpu

#endif
