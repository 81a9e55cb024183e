//===- SelectionCheck.h - what may reach LLVM's code generator ------------===//
//
// What   A check by table of the LLVM module before PTX is made of it.
// Why    The code generator ends the process where it meets what it cannot do
//        (decision R14). What is left over becomes a diagnostic instead.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_SELECTIONCHECK_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_SELECTIONCHECK_H

#include "llvm/IR/Module.h"

#include <string>

namespace tz::nvidia {

/// What the code generator cannot do of the module, or nothing: "the intrinsic
/// llvm.sin.f32".
std::string problemOf(const llvm::Module &module);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_SELECTIONCHECK_H
