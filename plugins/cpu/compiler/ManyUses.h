//===- ManyUses.h - values that a long function uses often ------*- C++ -*-===//
//
// What   cutManyUses: a new name for a condition or an integer behind each so
//        many of its uses.
// Why    Optimizers look at all uses of a value at each of its uses. A mask
//        that 600 nests ask about costs 600 x 600 looks; with a new name for
//        every 64 uses, 600 x 64. So does an offset that rows share.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MANYUSES_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MANYUSES_H

#include "llvm/IR/Function.h"

namespace tz::cpu {

/// Of a long function; false: nothing is used so often. The new names are
/// copies that the optimizer cannot look through: an empty instruction each.
bool cutManyUses(llvm::Function &function);

} // namespace tz::cpu

#endif
