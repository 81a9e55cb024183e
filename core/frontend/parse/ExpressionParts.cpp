//===- ExpressionParts.cpp - the parts of an expression -------------------===//
//
// What   One case for each kind of expression.
// Why    See ExpressionParts.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/ExpressionParts.h"

using namespace llvm;

namespace tz::frontend::ast {

static void comprehensionParts(const Comprehension *node,
                               function_ref<void(const Expr *)> each) {
  for (const Generator &generator : node->generators) {
    each(generator.iterable);
    for (const Expr *condition : generator.conditions) {
      each(condition);
    }
  }
  each(node->element);
  each(node->value);
}

static void callParts(const Call *node, function_ref<void(const Expr *)> each) {
  each(node->callee);
  for (const Expr *argument : node->args) {
    each(argument);
  }
  for (const Keyword &keyword : node->keywords) {
    each(keyword.value);
  }
}

void forEachPart(const Expr *e, function_ref<void(const Expr *)> visit) {
  auto each = [&](const Expr *part) {
    if (part) {
      visit(part);
    }
  };
  auto all = [&](ArrayRef<Expr *> parts) {
    for (const Expr *part : parts) {
      each(part);
    }
  };
  switch (e->kind) {
  case ExprKind::JoinedString:
    for (const JoinedPart &part : cast<JoinedString>(e)->parts) {
      each(part.value);
    }
    return;
  case ExprKind::Tuple:
    return all(cast<Tuple>(e)->elements);
  case ExprKind::List:
    return all(cast<List>(e)->elements);
  case ExprKind::Set:
    return all(cast<Set>(e)->elements);
  case ExprKind::Dict:
    all(cast<Dict>(e)->keys);
    return all(cast<Dict>(e)->values);
  case ExprKind::Comprehension:
    return comprehensionParts(cast<Comprehension>(e), each);
  case ExprKind::Attribute:
    return each(cast<Attribute>(e)->base);
  case ExprKind::Subscript:
    each(cast<Subscript>(e)->base);
    return each(cast<Subscript>(e)->index);
  case ExprKind::Slice:
    each(cast<Slice>(e)->lower);
    each(cast<Slice>(e)->upper);
    return each(cast<Slice>(e)->step);
  case ExprKind::Call:
    return callParts(cast<Call>(e), each);
  case ExprKind::Unary:
    return each(cast<Unary>(e)->operand);
  case ExprKind::Binary:
    each(cast<Binary>(e)->lhs);
    return each(cast<Binary>(e)->rhs);
  case ExprKind::Compare:
    each(cast<Compare>(e)->first);
    return all(cast<Compare>(e)->rest);
  case ExprKind::Bool:
    return all(cast<Bool>(e)->operands);
  case ExprKind::Conditional:
    each(cast<Conditional>(e)->condition);
    each(cast<Conditional>(e)->whenTrue);
    return each(cast<Conditional>(e)->whenFalse);
  case ExprKind::Await:
    return each(cast<Await>(e)->value);
  case ExprKind::Yield:
    return each(cast<Yield>(e)->value);
  case ExprKind::Starred:
    return each(cast<Starred>(e)->value);
  case ExprKind::Named:
    return each(cast<Named>(e)->value);
  case ExprKind::Name:
  case ExprKind::Constant:
  case ExprKind::Lambda:
    return;
  }
}

} // namespace tz::frontend::ast
