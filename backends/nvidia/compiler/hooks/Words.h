//===- Words.h - registers as instructions take them ------------*- C++ -*-===//
//
// What   Values of 16 bits in words of 32; an f16, whose register is an
// integer,
//        as a float and back.
// Why    Both kinds of matrix instructions read their operands so, and sum in
//        f32.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WORDS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WORDS_H

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

inline llvm::Value *halfToFloat(llvm::IRBuilderBase &b, llvm::Value *bits) {
  return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
}

inline llvm::Value *floatToHalf(llvm::IRBuilderBase &b, llvm::Value *value) {
  return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
}

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WORDS_H
