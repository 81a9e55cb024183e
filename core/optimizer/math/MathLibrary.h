//===- MathLibrary.h - the mathematical library as tile IR ------*- C++ -*-===//
//
// What   The functions of library/*.py, compiled when Terrazzo is built: each
//        is a kernel on scalars in the portable form, which stores its result
//        through its first argument.
// Why    LegalizeMath inlines them; so it needs no frontend, and a mistake in a
//        source is found by the build.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_OPTIMIZER_MATH_MATHLIBRARY_H
#define TERRAZZO_CORE_OPTIMIZER_MATH_MATHLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tz::optimizer::math {

struct Function {
  llvm::StringRef name;  // "exp"
  llvm::StringRef type;  // "f32", "f64"
  llvm::StringRef bytes; // the portable form
};

/// All of them, sorted by name and type. In a file that the build makes.
llvm::ArrayRef<Function> functions();

} // namespace tz::optimizer::math

#endif // TERRAZZO_CORE_OPTIMIZER_MATH_MATHLIBRARY_H
