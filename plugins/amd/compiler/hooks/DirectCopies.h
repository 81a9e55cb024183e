//===- DirectCopies.h - from memory straight to LDS -----------------------===//
//
// What   Copies that pass no registers, and waits for so many of them.
// Why    See DirectCopies.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_DIRECTCOPIES_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_DIRECTCOPIES_H

#include "llvm/IR/IRBuilder.h"

namespace tz::amd {

/// Copies `bytes` to LDS, of each lane behind those of the lane before it;
/// zeros where `valid` (i32, 0 or `bytes`; null: all) is 0. All lanes are here.
/// `to`: this lane's place.
void copyDirectly(llvm::IRBuilderBase &b, llvm::Value *to, llvm::Value *from,
                  unsigned bytes, llvm::Value *valid);
/// Until no more than so many accesses of memory are on their way.
void awaitCopies(llvm::IRBuilderBase &b, unsigned pending);
/// Before a barrier: until this wave's accesses of LDS are done. LLVM's fence
/// would wait for all copies as well.
void releaseShared(llvm::IRBuilderBase &b);
/// Says of a load from LDS that no copy which is on its way writes there: LLVM
/// waits for all of them before others.
void besideCopies(llvm::Instruction &load);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_DIRECTCOPIES_H
