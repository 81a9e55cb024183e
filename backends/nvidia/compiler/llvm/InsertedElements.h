//===- InsertedElements.h - vectors made of single elements -----*- C++ -*-===//
//
// What   Which elements a chain of insertions puts together.
// Why    Instructions that make several elements at once look at them whole.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_INSERTEDELEMENTS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_INSERTEDELEMENTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace tz::nvidia {

/// What the chain that ends with `last` puts into a vector of integers of so
/// many bits, by index; null where it puts nothing. Empty if the vector is of
/// other elements or an index is not constant.
llvm::SmallVector<llvm::Value *, 16> insertedElements(llvm::Value *last,
                                                      unsigned bits);

/// The ends of all such chains.
llvm::SmallVector<llvm::InsertElementInst *>
lastInsertions(llvm::Function &function);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_INSERTEDELEMENTS_H
