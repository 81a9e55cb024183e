//===- ListSyntax.cpp - brackets, comprehensions, targets -----------------===//
//
// What   (a, b), [a, b], {a: b}, comprehensions, yield, and lists of targets
//        with the check that they can be assigned to.
// Why    These are expressions separated by commas up to a closing token, apart
//        from operators and their precedence.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/ParserState.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

bool Parser::endsList(Tok kind) {
  switch (kind) {
  case Tok::Newline:
  case Tok::End:
  case Tok::RParen:
  case Tok::RBracket:
  case Tok::RBrace:
  case Tok::Equal:
  case Tok::Colon:
  case Tok::Semicolon:
  case Tok::KwIn:
  case Tok::KwFor:
    return true;
  default:
    return kind >= Tok::StarStarEqual && kind <= Tok::ShiftRightEqual;
  }
}

Expr *Parser::yieldExpression() {
  auto *node = make<Yield>(loc());
  next();
  node->value = nullptr;
  if (take(Tok::KwFrom)) {
    node->value = expression();
    return node->value ? deepen(node, {node->value}) : nullptr;
  }
  if (endsList(token().kind)) {
    return node;
  }
  node->value = expressionList();
  return node->value ? deepen(node, {node->value}) : nullptr;
}

Expr *Parser::parenthesised() {
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  SourceLoc open = loc();
  next();
  if (take(Tok::RParen)) {
    auto *node = make<Tuple>(open);
    return node;
  }
  Expr *value = at(Tok::KwYield) ? yieldExpression() : starOrNamed();
  if (!value) {
    return nullptr;
  }
  if (at(Tok::KwFor) || at(Tok::KwAsync)) {
    return comprehension(ComprehensionKind::Generator, value, nullptr,
                         Tok::RParen);
  }
  if (at(Tok::Comma)) {
    SmallVector<Expr *, 4> elements{value};
    auto *node = make<Tuple>(open);
    while (take(Tok::Comma) && !at(Tok::RParen)) {
      Expr *element = starOrNamed();
      if (!element) {
        return nullptr;
      }
      node->depth = std::max(node->depth, element->depth);
      elements.push_back(element);
    }
    node->elements = copy<Expr *>(elements);
    value = deepen(node, {value, node});
    if (!value) {
      return nullptr;
    }
  }
  return expect(Tok::RParen, "to close '('") ? value : nullptr;
}

Expr *Parser::listDisplay() {
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  auto *node = make<List>(loc());
  next();
  SmallVector<Expr *, 4> elements;
  while (!at(Tok::RBracket)) {
    Expr *element = starOrNamed();
    if (!element) {
      return nullptr;
    }
    if (elements.empty() && (at(Tok::KwFor) || at(Tok::KwAsync))) {
      return comprehension(ComprehensionKind::List, element, nullptr,
                           Tok::RBracket);
    }
    node->depth = std::max(node->depth, element->depth);
    elements.push_back(element);
    if (!take(Tok::Comma)) {
      break;
    }
  }
  if (!expect(Tok::RBracket, "to close '['")) {
    return nullptr;
  }
  node->elements = copy<Expr *>(elements);
  return deepen(node, {node});
}

Expr *Parser::braceDisplay() {
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  SourceLoc open = loc();
  next();
  SmallVector<Expr *, 4> keys, values;
  bool isDict = at(Tok::RBrace) || at(Tok::StarStar);
  uint16_t depth = 1;
  while (!at(Tok::RBrace)) {
    Expr *key = nullptr, *value = nullptr;
    if (take(Tok::StarStar)) {
      value = binary(1);
    } else {
      key = starOrNamed();
      if (!key) {
        return nullptr;
      }
      if (keys.empty()) {
        isDict = at(Tok::Colon);
      }
      value = key;
      if (isDict) {
        if (!expect(Tok::Colon, "after a key of the dictionary")) {
          return nullptr;
        }
        value = expression();
      }
      if (value && keys.empty() && (at(Tok::KwFor) || at(Tok::KwAsync))) {
        return comprehension(isDict ? ComprehensionKind::Dict
                                    : ComprehensionKind::Set,
                             key, isDict ? value : nullptr, Tok::RBrace);
      }
    }
    if (!value) {
      return nullptr;
    }
    depth = std::max({depth, value->depth, key ? key->depth : uint16_t(0)});
    keys.push_back(key);
    values.push_back(value);
    if (!take(Tok::Comma)) {
      break;
    }
  }
  if (!expect(Tok::RBrace, "to close '{'")) {
    return nullptr;
  }
  if (!isDict) {
    auto *node = make<ast::Set>(open);
    node->elements = copy<Expr *>(keys);
    node->depth = depth;
    return deepen(node, {node});
  }
  auto *node = make<Dict>(open);
  node->keys = copy<Expr *>(keys);
  node->values = copy<Expr *>(values);
  node->depth = depth;
  return deepen(node, {node});
}

bool Parser::generators(SmallVectorImpl<ast::Generator> &out) {
  while (at(Tok::KwFor) || at(Tok::KwAsync)) {
    take(Tok::KwAsync);
    if (!expect(Tok::KwFor, "in a comprehension")) {
      return false;
    }
    ast::Generator generator;
    generator.target = targetList();
    if (!generator.target || !expect(Tok::KwIn, "in a comprehension")) {
      return false;
    }
    generator.iterable = disjunction();
    if (!generator.iterable) {
      return false;
    }
    SmallVector<Expr *, 2> conditions;
    while (take(Tok::KwIf)) {
      Expr *condition = disjunction();
      if (!condition) {
        return false;
      }
      conditions.push_back(condition);
    }
    generator.conditions = copy<Expr *>(conditions);
    out.push_back(generator);
  }
  return true;
}

Expr *Parser::comprehension(ComprehensionKind kind, Expr *element, Expr *value,
                            Tok close) {
  auto *node = make<ast::Comprehension>(element->loc);
  node->comprehension = kind;
  node->element = element;
  node->value = value;
  SmallVector<ast::Generator, 1> list;
  if (!generators(list) || !expect(close, "to close the comprehension")) {
    return nullptr;
  }
  node->generators = copy<ast::Generator>(list);
  for (const ast::Generator &generator : list) {
    node->depth = std::max(node->depth, generator.iterable->depth);
    for (Expr *condition : generator.conditions) {
      node->depth = std::max(node->depth, condition->depth);
    }
  }
  return deepen(node, {element, value, node});
}

Expr *Parser::targetList() {
  // `for a, *b in`: operands stop before 'in', which binary() does not take.
  SmallVector<Expr *, 2> elements;
  SourceLoc start = loc();
  bool tuple = false;
  do {
    if (endsList(token().kind) && token().kind == Tok::KwIn) {
      break;
    }
    Expr *element;
    if (at(Tok::Star)) {
      auto *star = make<Starred>(loc());
      next();
      star->value = binary(1);
      element = star->value ? star : nullptr;
    } else {
      element = binary(1);
    }
    if (!element || !checkTarget(element, "assign to")) {
      return nullptr;
    }
    elements.push_back(element);
    tuple |= at(Tok::Comma);
  } while (take(Tok::Comma));
  if (elements.empty()) {
    return unexpected("a loop variable");
  }
  if (!tuple) {
    return elements[0];
  }
  auto *node = make<Tuple>(start);
  node->elements = copy<Expr *>(elements);
  for (Expr *element : elements) {
    node->depth = std::max(node->depth, element->depth);
  }
  return deepen(node, {node});
}

bool Parser::checkTarget(const Expr *target, StringRef action) {
  switch (target->kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Starred:
    return checkTarget(cast<Starred>(target)->value, action);
  case ExprKind::Tuple:
    return all_of(cast<Tuple>(target)->elements,
                  [&](Expr *e) { return checkTarget(e, action); });
  case ExprKind::List:
    return all_of(cast<List>(target)->elements,
                  [&](Expr *e) { return checkTarget(e, action); });
  case ExprKind::Compare:
    sink.error(target->loc, "cannot " + action +
                                " a comparison; '=' is assignment, '==' "
                                "compares");
    return false;
  case ExprKind::Call:
    sink.error(target->loc, "cannot " + action + " a call");
    return false;
  case ExprKind::Constant:
    sink.error(target->loc, "cannot " + action + " a constant");
    return false;
  default:
    sink.error(target->loc, "cannot " + action + " an expression");
    return false;
  }
}

} // namespace tz::frontend
