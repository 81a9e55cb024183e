//===- Builtins.h - all built-in functions of the language ------*- C++ -*-===//
//
// What   The filled table, and the functions that fill its parts.
// Why    The evaluator is given the table; it names no function of it.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_BUILTINS_BUILTINS_H
#define TERRAZZO_CORE_FRONTEND_BUILTINS_BUILTINS_H

#include "core/frontend/evaluate/BuiltinRegistry.h"

namespace tz::frontend {

/// Of the process; made on first use, by any thread.
const Registry &languageBuiltins();

// Each fills its part of the table.
void bindPythonFunctions(Registry &registry); // len, range ...
void bindPythonMethods(Registry &registry);   // of str, list, dict
void bindPythonModules(Registry &registry);   // math, os.environ ...
void bindArrays(Registry &registry);          // torch.float16, numpy.finfo ...
void bindDecorators(Registry &registry); // triton.jit, autotune, Config ...
void bindTypes(Registry &registry);      // tl.float32, pointer_type, constexpr
void bindAggregates(Registry &registry); // aggregate, core.extern
void bindTargets(Registry &registry);    // tl.target_info
void bindProfilerScopes(Registry &registry);
void bindTiles(Registry &registry); // tl.load ... through OpEmitter

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_BUILTINS_BUILTINS_H
