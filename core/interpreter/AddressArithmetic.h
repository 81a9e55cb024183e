//===- AddressArithmetic.h - which integer ops must not wrap ----*- C++ -*-===//
//
// What   The additions, subtractions and multiplications that R3 (P26) forbids
//        to overflow, found once per kernel.
// Why    Passes take address arithmetic as exact. A kernel that breaks this
//        works here and fails on a target, so checked mode must say it.
//
// An op is bound by R3 if its result reaches an offset (of addptr, or of a
// view) or a comparison that masks an access, through additions, subtractions,
// multiplications, extensions, splats, broadcasts, reshapes, hints and what a
// loop carries. Whatever passes through another op (%, >>, ^, a reduction, a
// load) wraps as it likes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ADDRESSARITHMETIC_H
#define TERRAZZO_CORE_INTERPRETER_ADDRESSARITHMETIC_H

#include "core/interpreter/Machine.h"

#include "llvm/ADT/DenseMap.h"

namespace tz::interpreter {

/// How the bits of an address computation are read by what uses them.
enum class Reading : uint8_t {
  None,     ///< may wrap
  Signed,   ///< an offset, a signed comparison
  Unsigned, ///< only zero-extensions and unsigned comparisons
};

using AddressArithmetic = llvm::DenseMap<mlir::Operation *, Reading>;
AddressArithmetic findAddressArithmetic(tile::KernelOp kernel);

/// Reports the lanes of an addi, subi or muli that overflow. `in.mustNotWrap`
/// says how they are read.
void checkOverflow(Machine &m, const Instruction &in);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ADDRESSARITHMETIC_H
