//===- Origin.h - The note behind a packed operand ------------------------===//
//
// What   Layout of the last 64 bytes of a packed buffer: four words.
// Why    Written by packing, read by the product that follows; the values are
//        known at run time only and must not tie the two to one basic block.
//        Others may use the arena in between: the tag tells whether the note is
//        still the one that was written here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_DOT_ORIGIN_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_DOT_ORIGIN_H

#include "llvm/IR/IRBuilder.h"

namespace tz::cpu {

enum class OriginWord : unsigned {
  Base = 0,      ///< address of the tile packed last
  Next = 1,      ///< where the next one is expected
  RowStride = 2, ///< bytes between its contiguous runs
  Tag = 3,       ///< of the place in the code that wrote the note
};

inline llvm::Value *originAddress(llvm::IRBuilderBase &b, llvm::Value *packed,
                                  uint64_t packedBytes, OriginWord word) {
  uint64_t offset = packedBytes - 64 + 8 * static_cast<unsigned>(word);
  return b.CreateConstGEP1_64(b.getInt8Ty(), packed, offset);
}

} // namespace tz::cpu

#endif
