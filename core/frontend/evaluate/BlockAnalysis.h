//===- BlockAnalysis.h - what the syntax of a block says --------*- C++ -*-===//
//
// What   The names that a block sets or reads, how it may be left, and whether
// an
//        annotation is tl.constexpr.
// Why    What flows through a loop or an if is known before it is run.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_BLOCKANALYSIS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_BLOCKANALYSIS_H

#include "core/frontend/parse/AST.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace tz::frontend {

/// Whether an annotation, which may be null, is tl.constexpr.
bool namesConstexpr(const ast::Expr *annotation);
/// Whether the parameter is annotated tl.constexpr.
bool isConstexprParameter(const ast::Parameter &param);
/// Names that a block or an expression assigns, in order of first appearance;
/// those of `:=` are among them.
std::vector<llvm::StringRef> assignedNames(ast::Block block);
std::vector<llvm::StringRef> assignedNames(const ast::Expr *expression);
/// Whether a return statement stands in the block (not in nested functions).
bool containsReturn(ast::Block block);
/// Whether a break stands in the block that ends the loop around it.
bool containsBreak(ast::Block block);
/// Whether a break or continue stands in the block that the loop around it has.
bool leavesLoop(ast::Block block);
/// Whether the block or statement may be left before its end: by return, or by
/// break or continue of a loop around it.
bool mayLeave(ast::Block block);
bool mayLeave(const ast::Stmt *stmt);
/// Names that are read in a function outside of the loops whose variable they
/// are (LoopVariables.cpp).
llvm::DenseSet<llvm::StringRef> readBehindLoops(ast::Block function);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_BLOCKANALYSIS_H
