//===- Scopes.cpp - assigned names, flattened values ----------------------===//
//
// What   Which names a block assigns, how it may be left; taking a value apart
//        into its SSA values and putting it together again.
// Why    These say what flows through a loop or an if, apart from how the
//        operations are built.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/WorkBudget.h"

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

  void block(Block body) {
    for (const Stmt *stmt : body) {
      statement(stmt);
    }
  }

  void statement(const Stmt *stmt) {
    switch (stmt->kind) {
    case StmtKind::Assign:
      for_each(cast<Assign>(stmt)->targets, [&](Expr *e) { target(e); });
      return;
    case StmtKind::AugAssign:
      target(cast<AugAssign>(stmt)->target);
      return;
    case StmtKind::AnnAssign:
      if (cast<AnnAssign>(stmt)->value) {
        target(cast<AnnAssign>(stmt)->target);
      }
      return;
    case StmtKind::If:
      for (const IfClause &clause : cast<If>(stmt)->clauses) {
        if (auto *named = dyn_cast<Named>(clause.condition)) {
          target(named->target);
        }
        block(clause.body);
      }
      block(cast<If>(stmt)->orElse);
      return;
    case StmtKind::While:
      block(cast<While>(stmt)->body);
      return;
    case StmtKind::For:
      target(cast<For>(stmt)->target);
      block(cast<For>(stmt)->body);
      return;
    case StmtKind::With:
      for (const WithItem &item : cast<With>(stmt)->items) {
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
  const Exits exits = exitsOf(block);
  return exits.breaks || exits.continues;
}
bool mayLeave(Block block) { return exitsOf(block).any(); }
bool mayLeave(const Stmt *stmt) { return exitsOf(stmt).any(); }

void Evaluator::flatten(const Value &value, SmallVectorImpl<mlir::Value> &out) {
  WorkBudget::Level level;
  if (!level) {
    return;
  }
  if (value.isTile()) {
    out.push_back(value.asTile().value);
  } else if (value.isSequence()) {
    for (const Value &item : value.items()) {
      flatten(item, out);
    }
    // A tuple that holds another twice, and so on, has 2^n parts.
    if (out.size() > Limits().sequenceLength) {
      WorkBudget::charge(WorkBudget::Steps);
    }
  }
}

Value Evaluator::rebuild(const Value &shape, mlir::ValueRange &values) {
  WorkBudget::Level level;
  if (!level) {
    return Value();
  }
  if (shape.isTile()) {
    if (values.empty()) { // the budget ended while they were collected
      return Value();
    }
    TileValue tile = shape.asTile();
    tile.value = values.front();
    values = values.drop_front();
    return Value::tile(std::move(tile));
  }
  if (shape.isSequence()) {
    auto copy = std::make_shared<SequenceObject>(shape.sequence());
    for (Value &item : copy->items) {
      item = rebuild(item, values);
    }
    return shape.is(ValueKind::Record) ? Value::record(copy)
           : shape.is(ValueKind::List) ? Value::list(std::move(copy->items))
                                       : Value::tuple(std::move(copy->items));
  }
  return shape;
}

bool Evaluator::sameShape(const Value &a, const Value &b) {
  WorkBudget::Level level;
  if (!level) {
    return false;
  }
  if (a.isTile() && b.isTile()) {
    return a.asTile().type == b.asTile().type;
  }
  if (a.isSequence() && b.isSequence()) {
    return a.is(ValueKind::Record) == b.is(ValueKind::Record) &&
           a.sequence().type == b.sequence().type &&
           a.items().size() == b.items().size() &&
           all_of(zip(a.items(), b.items()), [](auto pair) {
             return sameShape(std::get<0>(pair), std::get<1>(pair));
           });
  }
  return !a.isTile() && !b.isTile() && identical(a, b);
}

} // namespace tz::frontend
