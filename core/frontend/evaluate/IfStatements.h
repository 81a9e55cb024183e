//===- IfStatements.h - if, early return, conditional values ----*- C++ -*-===//
//
// What   A run-time `if` becomes scf.if whose results are the names that its
//        arms set; so does a run-time conditional expression.
// Why    Control flow stays structured, and what follows an `if` is elaborated
//        once:
//        * an arm leaves, one path falls through (`if c: return`): what
//          follows moves to that path, up to the end of the function or of the
//          loop's body;
//        * an arm leaves, several paths fall through: the scf.if tells whether
//          it left, and a second one on that flag holds what follows.
//        To leave is to return, break or continue.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_IFSTATEMENTS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_IFSTATEMENTS_H

#include "core/frontend/evaluate/RuntimeBranches.h"

#include "llvm/ADT/DenseMap.h"

namespace tz::frontend {

class KernelStatements;

class IfStatements {
public:
  IfStatements(Evaluator &ev, KernelStatements &statements,
               RuntimeBranches &branches)
      : ev(ev), statements(statements), branches(branches) {}

  /// From `clause` on. `rest` and block[index..] are what follows the if. If
  /// they were run here, the answer is not Normal.
  Flow run(const ast::If *node, size_t clause, ast::Block block, size_t index,
           Continuation rest);
  Value conditional(const ast::Conditional *node);

private:
  /// Entry i: of clauses i, i + 1, ... and else.
  struct Clauses {
    std::vector<std::vector<llvm::StringRef>> names; // that they assign
    std::vector<bool> leaves;   // some arm may leave the statement's block
    std::vector<unsigned> ways; // to fall through: 0, 1, 2 = several
  };
  const Clauses &clausesOf(const ast::If *node);
  Flow runtimeIf(const ast::If *node, size_t clause, const Value &condition,
                 ast::Block block, size_t index, Continuation rest);

  Evaluator &ev;
  KernelStatements &statements;
  RuntimeBranches &branches;
  llvm::DenseMap<const ast::If *, std::unique_ptr<Clauses>> clauses;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_IFSTATEMENTS_H
