//===- DebuggerExpression.h - expressions over what a kernel holds --------===//
//
// What   The grammar of "acc[0] * 2 + row" and "any(part > 9)": Python's
//        operators over names, numbers and function calls.
// Why    A person looks for a reason, not for a name: the debugger prints
//        expressions and stops where one holds.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DEBUGGER_DEBUGGEREXPRESSION_H
#define TERRAZZO_CORE_DEBUGGER_DEBUGGEREXPRESSION_H

#include "core/debugger/DebuggerArithmetic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::tool {

/// The value of "name", "name[0, 1:3]", "pair[1].field" or "x.numel"; of a call
/// of a function that DebuggerArithmetic.h lacks the suffix is "(ARGUMENT)".
using DebugLookup = llvm::function_ref<runtime::Result<DebugValue>(
    llvm::StringRef name, llvm::StringRef suffix)>;

/// Errors name the column.
runtime::Result<DebugValue> evaluateDebug(llvm::StringRef text,
                                          DebugLookup lookup);
/// Whether the text is an expression, whatever its names hold.
runtime::Status checkDebugExpression(llvm::StringRef text);
/// A name with its suffix, and nothing else.
bool isPlainName(llvm::StringRef text);

} // namespace tz::tool

#endif
