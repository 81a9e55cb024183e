//===- Suggestions.h - what a user may have meant ---------------*- C++ -*-===//
//
// What   Near names, and how this language writes what others call otherwise.
// Why    A message that says how to go on saves a search in the manual.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_SUGGESTIONS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_SUGGESTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tz::frontend {

class Value;

/// "; did you mean 'x'?", or nothing if no candidate is near enough.
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates);

/// "; write x.to(dtype)" for `astype`: names of NumPy, PyTorch and Python that
/// many try first. Nothing for any other name.
std::string writtenHere(llvm::StringRef name);

/// Where a run-time value stands and a compile-time one is needed: how a number
/// stays one, if the value is a number. Else nothing.
std::string keepConstexpr(const Value &value);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_SUGGESTIONS_H
