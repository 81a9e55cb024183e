//===- BuiltinCalls.h - calls of built-in functions -------------*- C++ -*-===//
//
// What   Matches a call's arguments to a built-in's parameters and runs it.
// Why    A wrong count, keyword or type reads the same for every built-in, and
//        no built-in writes its own checks.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINCALLS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINCALLS_H

#include "core/frontend/evaluate/BuiltinRegistry.h"

namespace tz::frontend {

/// Unknown, with the reason, where host code calls what only kernels may.
Value callBuiltin(Evaluator &ev, const Builtin &builtin, const CallArgs &args,
                  SourceLoc loc);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINCALLS_H
