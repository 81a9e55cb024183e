//===- terrazzo/plugin/LLVMError.h - llvm::Error at the boundary ----------===//
//
// What   check(): an llvm::Error or llvm::Expected becomes a Failure.
// Why    A plugin with LLVM inside has two kinds of failure and one boundary.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_LLVMERROR_H
#define TERRAZZO_PLUGIN_LLVMERROR_H

#include <terrazzo/plugin/Error.h>

#include "llvm/Support/Error.h"

namespace tz::plugin {

inline void check(llvm::Error error, int32_t code = TZ_E_INTERNAL) {
  if (error) {
    throw Failure(code, llvm::toString(std::move(error)));
  }
}

template <typename T>
T check(llvm::Expected<T> value, int32_t code = TZ_E_INTERNAL) {
  if (!value) {
    throw Failure(code, llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

} // namespace tz::plugin

#endif
