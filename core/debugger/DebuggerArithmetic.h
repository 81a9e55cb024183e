//===- DebuggerArithmetic.h - operators and functions over tiles ----------===//
//
// What   A scalar or a tile as the debugger computes with it, Python's
//        operators over such, element by element, and a few functions.
// Why    Apart from the grammar (DebuggerExpression.h), which knows no shapes.
//
// Numbers have 64 bits whatever the kernel computes in: integers are int64,
// floats fp64. An integer that does not fit is an error.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DEBUGGER_DEBUGGERARITHMETIC_H
#define TERRAZZO_CORE_DEBUGGER_DEBUGGERARITHMETIC_H

#include "runtime/loader/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tz::tool {

/// Row-major.
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

/// `a` and `b` under + - * / // % == != < <= > >= | ^ & and or. Shapes are
/// broadcast; both sides are evaluated.
runtime::Result<DebugValue> combine(llvm::StringRef op, const DebugValue &a,
                                    const DebugValue &b);
/// `a` under - ~ not.
runtime::Result<DebugValue> negate(llvm::StringRef op, const DebugValue &a);

/// abs all any exp isinf isnan log max mean min sqrt sum. TZ_E_NOT_FOUND: there
/// is none of that name that takes so many values.
runtime::Result<DebugValue> callFunction(llvm::StringRef name,
                                         llvm::ArrayRef<DebugValue> args);

} // namespace tz::tool

#endif
