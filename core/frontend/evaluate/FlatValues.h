//===- FlatValues.h - a value as its SSA values -----------------*- C++ -*-===//
//
// What   Taking a value apart into the SSA values of its tiles, and putting it
//        together again.
// Why    Results of an scf.if or a loop are single SSA values.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_FLATVALUES_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_FLATVALUES_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

/// The SSA values of a value's tiles, in order; sequences are walked.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out);
/// The same value with its tiles replaced, in order.
Value rebuild(const Value &shape, mlir::ValueRange &values);
/// Same structure and exactly the same types: can flow through one place.
bool sameShape(const Value &a, const Value &b);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_FLATVALUES_H
