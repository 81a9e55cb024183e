//===- WideProducts.h - both halves of a product at once --------*- C++ -*-===//
//
// What   See WideProducts.cpp.
// Why    See WideProducts.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_WIDEPRODUCTS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_WIDEPRODUCTS_H

#include "llvm/IR/Function.h"

namespace tz::nvidia {

/// After LLVM's own passes: they do not look into the instruction.
void shareWideProducts(llvm::Function &function);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_WIDEPRODUCTS_H
