//===- ConstValues.h - public constants and evaluator values ----*- C++ -*-===//
//
// What   Conversions between ConstValue and Value, and argument type names.
// Why    Callers of the frontend do not see the evaluator's values.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_ELABORATE_CONSTVALUES_H
#define TERRAZZO_CORE_FRONTEND_ELABORATE_CONSTVALUES_H

#include "core/frontend/Frontend.h"
#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

/// Empty for what the public form cannot hold.
std::optional<ConstValue> toConstValue(const Value &value);
/// Functions are looked up in `module`; empty if there is none of that name.
std::optional<Value> fromConstValue(const ConstValue &value,
                                    ModuleObject &module, Evaluator &evaluator);
/// "*fp16", "i32" ...; empty if it is no type of an argument.
std::optional<TileType> argumentType(llvm::StringRef text);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_ELABORATE_CONSTVALUES_H
