//===- ElementText.h - one element as a person reads it ---------*- C++ -*-===//
//
// What   The text of an element of a tile.
// Why    tile.print and the debugger write the same number in the same way.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ELEMENTTEXT_H
#define TERRAZZO_CORE_INTERPRETER_ELEMENTTEXT_H

#include "core/interpreter/TileValue.h"

namespace llvm {
class raw_ostream;
}

namespace tz::interpreter {

/// A float as the shortest decimal number that reads back as the same float;
/// an integer in decimal, or in hexadecimal as a pointer is.
void printElement(llvm::raw_ostream &os, const TileValue &value, int64_t lane,
                  bool isSigned, bool hex = false);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ELEMENTTEXT_H
