//===- DebuggerExpression.h - arithmetic over what a kernel holds ---------===//
//
// What   "acc[0] * 2 + row", "any(part > 9)": Python's operators over scalars
//        and tiles, element by element, and a few functions.
// Why    A person looks for a reason, not for a name: the debugger prints
//        expressions and stops where one holds.
//
// Numbers have 64 bits whatever the kernel computes in: integers are int64,
// floats fp64. An integer that does not fit is an error.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_DEBUGGEREXPRESSION_H
#define TERRAZZO_CORE_TOOLS_TZ_DEBUGGEREXPRESSION_H

#include "runtime/loader/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tz::tool {

/// A scalar or a tile, row-major.
struct DebugValue {
  /// Any: not known, when an expression is only checked.
  enum Kind { Any, Boolean, Integer, Float } kind = Any;
  llvm::SmallVector<int64_t, 4> shape; // empty: a scalar
  std::vector<int64_t> integers;       // Boolean, Integer
  std::vector<double> floats;          // Float

  static DebugValue integer(int64_t value);
  static DebugValue boolean(bool value);
  static DebugValue number(double value);

  size_t count() const {
    return kind == Float ? floats.size() : integers.size();
  }
  double asFloat(size_t lane) const {
    return kind == Float ? floats[lane] : double(integers[lane]);
  }
  bool isTrue(size_t lane) const { return asFloat(lane) != 0; }
};

/// The value of "name", "name[0, 1:3]", "pair[1].field" or "x.numel".
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
