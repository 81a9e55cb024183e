//===- BlockAnalysis.cpp - what the syntax of a block says ----------------===//
//
// What   Which names a block assigns, how it may be left.
// Why    See BlockAnalysis.h; loops' variables are in LoopVariables.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"

#include "core/frontend/parse/ExpressionParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

namespace {

/// Recursion is bounded by the parser's limits on nesting.
struct NameCollector {
  SetVector<StringRef, std::vector<StringRef>, DenseSet<StringRef>> names;

  void target(const Expr *e) {
    switch (e->kind) {
    case ExprKind::Name:
      names.insert(cast<Name>(e)->id);
      return;
    case ExprKind::Tuple:
      for_each(cast<Tuple>(e)->elements, [&](Expr *x) { target(x); });
      return;
    case ExprKind::List:
      for_each(cast<List>(e)->elements, [&](Expr *x) { target(x); });
      return;
    case ExprKind::Starred:
      target(cast<Starred>(e)->value);
      return;
    default:
      return;
    }
  }

  /// What `:=` sets in it.
  void expression(const Expr *e) {
    if (!e) {
      return;
    }
    forEachPart(e, [&](const Expr *part) { expression(part); });
    if (auto *named = dyn_cast<Named>(e)) {
      target(named->target);
    }
  }

  void block(Block body) {
    for (const Stmt *stmt : body) {
      statement(stmt);
    }
  }

  void statement(const Stmt *stmt) {
    switch (stmt->kind) {
    case StmtKind::Expression:
      return expression(cast<ExprStmt>(stmt)->value);
    case StmtKind::Return:
      return expression(cast<Return>(stmt)->value);
    case StmtKind::Assert:
      expression(cast<Assert>(stmt)->condition);
      return expression(cast<Assert>(stmt)->message);
    case StmtKind::Assign:
      expression(cast<Assign>(stmt)->value);
      for_each(cast<Assign>(stmt)->targets, [&](Expr *e) { target(e); });
      return;
    case StmtKind::AugAssign:
      expression(cast<AugAssign>(stmt)->value);
      target(cast<AugAssign>(stmt)->target);
      return;
    case StmtKind::AnnAssign:
      expression(cast<AnnAssign>(stmt)->value);
      if (cast<AnnAssign>(stmt)->value) {
        target(cast<AnnAssign>(stmt)->target);
      }
      return;
    case StmtKind::If:
      for (const IfClause &clause : cast<If>(stmt)->clauses) {
        expression(clause.condition);
        block(clause.body);
      }
      block(cast<If>(stmt)->orElse);
      return;
    case StmtKind::While:
      expression(cast<While>(stmt)->condition);
      block(cast<While>(stmt)->body);
      return;
    case StmtKind::For:
      expression(cast<For>(stmt)->iterable);
      target(cast<For>(stmt)->target);
      block(cast<For>(stmt)->body);
      return;
    case StmtKind::With:
      for (const WithItem &item : cast<With>(stmt)->items) {
        expression(item.context);
        if (item.target) {
          target(item.target);
        }
      }
      block(cast<With>(stmt)->body);
      return;
    case StmtKind::Try: {
      auto *node = cast<Try>(stmt);
      block(node->body);
      for_each(node->handlers, [&](Block h) { block(h); });
      block(node->orElse);
      block(node->finally);
      return;
    }
    case StmtKind::FunctionDef:
      names.insert(cast<FunctionDef>(stmt)->name);
      return;
    case StmtKind::ClassDef:
      names.insert(cast<ClassDef>(stmt)->name);
      return;
    default:
      return;
    }
  }
};

} // namespace

std::vector<StringRef> assignedNames(Block block) {
  NameCollector collector;
  collector.block(block);
  return collector.names.takeVector();
}

std::vector<StringRef> assignedNames(const Expr *expression) {
  NameCollector collector;
  collector.expression(expression);
  return collector.names.takeVector();
}

namespace {

/// Statements that leave a block, and loops keep some of them.
struct Exits {
  bool returns = false, breaks = false, continues = false;

  bool any() const { return returns || breaks || continues; }
  Exits operator|(Exits other) const {
    return {returns || other.returns, breaks || other.breaks,
            continues || other.continues};
  }
};

Exits exitsOf(Block block);

Exits exitsOf(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Return:
    return {true, false, false};
  case StmtKind::Break:
    return {false, true, false};
  case StmtKind::Continue:
    return {false, false, true};
  case StmtKind::If: {
    Exits all = exitsOf(cast<If>(stmt)->orElse);
    for (const IfClause &clause : cast<If>(stmt)->clauses) {
      all = all | exitsOf(clause.body);
    }
    return all;
  }
  case StmtKind::For:
    return {exitsOf(cast<For>(stmt)->body).returns, false, false};
  case StmtKind::While:
    return {exitsOf(cast<While>(stmt)->body).returns, false, false};
  case StmtKind::With:
    return exitsOf(cast<With>(stmt)->body);
  default:
    return {};
  }
}

Exits exitsOf(Block block) {
  Exits all;
  for (const Stmt *stmt : block) {
    all = all | exitsOf(stmt);
  }
  return all;
}

} // namespace

bool containsReturn(Block block) { return exitsOf(block).returns; }
bool containsBreak(Block block) { return exitsOf(block).breaks; }
bool leavesLoop(Block block) {
  const Exits AllExits = exitsOf(block);
  return AllExits.breaks || AllExits.continues;
}
bool mayLeave(Block block) { return exitsOf(block).any(); }
bool mayLeave(const Stmt *stmt) { return exitsOf(stmt).any(); }

bool namesConstexpr(const Expr *annotation) {
  if (!annotation) {
    return false;
  }
  if (auto *text = dyn_cast<Constant>(annotation)) {
    return text->constant == ConstantKind::String &&
           text->text.ends_with("constexpr");
  }
  if (auto *name = dyn_cast<Name>(annotation)) {
    return name->id == "constexpr";
  }
  auto *attribute = dyn_cast<Attribute>(annotation);
  return attribute && attribute->name == "constexpr";
}

bool isConstexprParameter(const Parameter &param) {
  return namesConstexpr(param.annotation);
}

} // namespace tz::frontend
