//===- Words.h - registers as instructions take them ------------*- C++ -*-===//
//
// What   Values of 16 bits in words of 32.
// Why    Both kinds of matrix instructions read their operands so.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_WORDS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_WORDS_H

#include "llvm/IR/IRBuilder.h"

namespace tz::nvidia {

/// Two values in each word, the first one low.
inline llvm::SmallVector<llvm::Value *>
packed(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> values) {
  llvm::SmallVector<llvm::Value *> words;
  for (size_t i = 0; i < values.size(); i += 2) {
    llvm::Value *pair = llvm::PoisonValue::get(
        llvm::FixedVectorType::get(values[i]->getType(), 2));
    pair = b.CreateInsertElement(pair, values[i], uint64_t(0));
    pair = b.CreateInsertElement(pair, values[i + 1], uint64_t(1));
    words.push_back(b.CreateBitCast(pair, b.getInt32Ty()));
  }
  return words;
}

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_WORDS_H
