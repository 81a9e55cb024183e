//===- LoopVariables.cpp - loop variables that are read later -------------===//
//
// What   Which names a function reads where no loop that they are the variable
//        of is around.
// Why    Only such a loop variable has to be carried out of its loop; others
//        may have another type in the next loop.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/parse/ExpressionParts.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

namespace {

/// Recursion is bounded by the parser's limits on nesting.
class Reads {
public:
  DenseSet<StringRef> found;

  void block(Block body) {
    for (const Stmt *stmt : body) {
      statement(stmt);
    }
  }

private:
  SmallVector<StringRef> loops; // variables of the loops around

  void all(ArrayRef<Expr *> list) {
    for (const Expr *e : list) {
      expression(e);
    }
  }

  void within(const Expr *target, function_ref<void()> body) {
    const size_t before = loops.size();
    if (auto *name = dyn_cast<Name>(target)) {
      loops.push_back(name->id);
    }
    body();
    loops.truncate(before);
  }

  void statement(const Stmt *stmt);
  void expression(const Expr *e);
  void comprehension(const Comprehension *node, size_t generator);
};

void Reads::comprehension(const Comprehension *node, size_t generator) {
  if (generator == node->generators.size()) {
    expression(node->element);
    expression(node->value);
    return;
  }
  const Generator &one = node->generators[generator];
  expression(one.iterable);
  within(one.target, [&] {
    all(one.conditions);
    comprehension(node, generator + 1);
  });
}

void Reads::expression(const Expr *e) {
  if (!e) {
    return;
  }
  switch (e->kind) {
  case ExprKind::Name:
    if (!is_contained(loops, cast<Name>(e)->id)) {
      found.insert(cast<Name>(e)->id);
    }
    return;
  case ExprKind::Comprehension:
    return comprehension(cast<Comprehension>(e), 0);
  default:
    forEachPart(e, [&](const Expr *part) { expression(part); });
  }
}

void Reads::statement(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Expression:
    return expression(cast<ExprStmt>(stmt)->value);
  case StmtKind::Assign:
    return expression(cast<Assign>(stmt)->value);
  case StmtKind::AugAssign:
    expression(cast<AugAssign>(stmt)->target);
    return expression(cast<AugAssign>(stmt)->value);
  case StmtKind::AnnAssign:
    return expression(cast<AnnAssign>(stmt)->value);
  case StmtKind::If:
    for (const IfClause &clause : cast<If>(stmt)->clauses) {
      expression(clause.condition);
      block(clause.body);
    }
    return block(cast<If>(stmt)->orElse);
  case StmtKind::While:
    expression(cast<While>(stmt)->condition);
    block(cast<While>(stmt)->body);
    return block(cast<While>(stmt)->orElse);
  case StmtKind::For: {
    auto *node = cast<For>(stmt);
    expression(node->iterable);
    within(node->target, [&] { block(node->body); });
    return block(node->orElse);
  }
  case StmtKind::Return:
    return expression(cast<Return>(stmt)->value);
  case StmtKind::Assert:
    expression(cast<Assert>(stmt)->condition);
    return expression(cast<Assert>(stmt)->message);
  case StmtKind::With:
    for (const WithItem &item : cast<With>(stmt)->items) {
      expression(item.context);
    }
    return block(cast<With>(stmt)->body);
  default:
    return;
  }
}

} // namespace

DenseSet<StringRef> readBehindLoops(Block function) {
  Reads reads;
  reads.block(function);
  return std::move(reads.found);
}

} // namespace tz::frontend
