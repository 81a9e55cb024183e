//===- ExpressionParts.h - the parts of an expression -----------*- C++ -*-===//
//
// What   forEachPart visits what an expression is made of.
// Why    Walks over expressions name the kinds that they ask about alone.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_PARSE_EXPRESSIONPARTS_H
#define TERRAZZO_CORE_FRONTEND_PARSE_EXPRESSIONPARTS_H

#include "core/frontend/parse/AST.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::frontend::ast {

/// Each expression that stands directly in `expression`, in the order of
/// evaluation; none of a lambda, whose body is not run where it stands, and no
/// name that is set.
void forEachPart(const Expr *expression,
                 llvm::function_ref<void(const Expr *)> visit);

} // namespace tz::frontend::ast

#endif // TERRAZZO_CORE_FRONTEND_PARSE_EXPRESSIONPARTS_H
