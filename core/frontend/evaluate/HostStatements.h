//===- HostStatements.h - a file's top level and host functions -*- C++ -*-===//
//
// What   Runs ordinary Python as far as kernels can depend on it: constants,
//        imports, definitions, decorators, functions that make configurations.
// Why    Host code is not the compiler's to judge: what it does not understand
//        becomes an Unknown with its reason, and is an error only if a kernel
//        uses it.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_HOSTSTATEMENTS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_HOSTSTATEMENTS_H

#include "core/frontend/evaluate/ControlFlow.h"

namespace tz::frontend {

class Evaluator;

class HostStatements {
public:
  explicit HostStatements(Evaluator &ev) : ev(ev) {}

  Flow block(ast::Block block);

private:
  Flow statement(const ast::Stmt *stmt);
  void annotated(const ast::AnnAssign *node);
  Flow branch(const ast::If *node);
  Flow loop(const ast::For *node);
  Flow loop(const ast::While *node);
  Flow with(const ast::With *node);
  /// The function has no value for `why`; at module level, what the block would
  /// have set has none for `whySet`.
  Flow giveUp(ast::Block body, SourceLoc loc, llvm::StringRef why,
              llvm::StringRef whySet);
  void eitherArm(const ast::If *node, SourceLoc loc);

  //===-- what names are made for (HostDefinitions.cpp) ------------------===//
  void define(const ast::FunctionDef *def);
  Value function(const ast::FunctionDef *def);
  void applyDecorators(llvm::ArrayRef<ast::Expr *> decorators,
                       const Value &value);
  void defineClass(const ast::ClassDef *def);
  void importModules(const ast::Import *node);
  void importNames(const ast::ImportFrom *node);
  void importAll(const std::shared_ptr<ModuleObject> &source);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_HOSTSTATEMENTS_H
