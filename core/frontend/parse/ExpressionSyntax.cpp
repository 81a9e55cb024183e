//===- ExpressionSyntax.cpp - expressions ---------------------------------===//
//
// What   The expression grammar: precedence climbing for binary operators,
//        one function for each other production (numbers and strings:
//        LiteralSyntax.cpp; lists, brackets, targets: ListSyntax.cpp).
// Why    Precedence climbing keeps the C++ stack shallow: a level of brackets
//        costs a handful of frames, and levels are counted.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/ParserState.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

bool Parser::Nesting::allowed() {
  if (parser.nesting <= MaxExpressionDepth) {
    return true;
  }
  parser.sink.error(parser.loc(), "expression is nested more than " +
                                      Twine(MaxExpressionDepth) +
                                      " levels deep (limit of expression "
                                      "nesting); split it");
  return false;
}

SourceLoc Parser::loc(const Token &t) const {
  return {&file, t.line, t.column, t.length};
}

const Token &Parser::next() {
  const Token &t = tokens[cursor];
  if (cursor + 1 < tokens.size()) {
    ++cursor;
  }
  return t;
}

bool Parser::take(Tok kind) {
  if (!at(kind)) {
    return false;
  }
  next();
  return true;
}

bool Parser::expect(Tok kind, StringRef context) {
  if (take(kind)) {
    return true;
  }
  unexpected((tokenName(kind) + " " + context).str());
  return false;
}

std::nullptr_t Parser::unexpected(StringRef wanted) {
  std::string found = at(Tok::Name) ? "name '" + spelling(token()).str() + "'"
                      : at(Tok::Equal) ? "'='; '==' compares"
                                       : tokenName(token().kind).str();
  sink.error(loc(), "expected " + wanted + ", found " + found);
  return nullptr;
}

StringRef Parser::keep(StringRef text) {
  char *memory = arena.Allocate<char>(text.size());
  std::copy(text.begin(), text.end(), memory);
  return {memory, text.size()};
}

Expr *Parser::expression() {
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  if (at(Tok::KwLambda)) {
    return lambda();
  }
  Expr *value = disjunction();
  if (!value || !at(Tok::KwIf)) {
    return value;
  }
  auto *node = make<Conditional>(value->loc);
  next();
  node->whenTrue = value;
  node->condition = disjunction();
  if (!node->condition || !expect(Tok::KwElse, "in a conditional expression")) {
    return nullptr;
  }
  node->whenFalse = expression();
  if (!node->whenFalse) {
    return nullptr;
  }
  return deepen(node, {value, node->condition, node->whenFalse});
}

Expr *Parser::namedExpression() {
  if (at(Tok::Name) && ahead(1).kind == Tok::ColonEqual) {
    auto *target = make<Name>(loc());
    target->id = spelling(next());
    auto *node = make<Named>(target->loc);
    next();
    node->target = target;
    node->value = expression();
    return node->value ? deepen(node, {node->value}) : nullptr;
  }
  return expression();
}

Expr *Parser::starOrNamed() {
  if (at(Tok::Star)) {
    auto *node = make<Starred>(loc());
    next();
    node->value = binary(1);
    return node->value ? deepen(node, {node->value}) : nullptr;
  }
  return namedExpression();
}

/// In a call any expression follows the star, `f(*x if c else y)` too.
Expr *Parser::starredArgument() {
  auto *node = make<Starred>(loc());
  next();
  node->value = expression();
  return node->value ? deepen(node, {node->value}) : nullptr;
}

Expr *Parser::expressionList() {
  Expr *first = starOrNamed();
  if (!first || !at(Tok::Comma)) {
    return first;
  }
  SmallVector<Expr *, 4> elements{first};
  auto *node = make<Tuple>(first->loc);
  while (take(Tok::Comma) && !endsList(token().kind)) {
    Expr *element = starOrNamed();
    if (!element) {
      return nullptr;
    }
    node->depth = std::max(node->depth, element->depth);
    elements.push_back(element);
  }
  node->elements = copy<Expr *>(elements);
  return deepen(node, {first, node});
}

/// operand {word operand}: one node for the whole chain.
Expr *Parser::boolean(Tok word, Expr *(Parser::*operand)()) {
  Expr *first = (this->*operand)();
  if (!first || !at(word)) {
    return first;
  }
  auto *node = make<ast::Bool>(first->loc);
  node->isAnd = word == Tok::KwAnd;
  SmallVector<Expr *, 4> operands{first};
  while (take(word)) {
    Expr *next = (this->*operand)();
    if (!next) {
      return nullptr;
    }
    node->depth = std::max(node->depth, next->depth);
    operands.push_back(next);
  }
  node->operands = copy<Expr *>(operands);
  return deepen(node, {first, node});
}

Expr *Parser::disjunction() { return boolean(Tok::KwOr, &Parser::conjunction); }

Expr *Parser::conjunction() { return boolean(Tok::KwAnd, &Parser::inversion); }

Expr *Parser::inversion() {
  if (!at(Tok::KwNot)) {
    return comparison();
  }
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  auto *node = make<Unary>(loc());
  node->op = next().kind;
  node->operand = inversion();
  return node->operand ? deepen(node, {node->operand}) : nullptr;
}

/// What comparison begins here; nothing if none does.
std::optional<CompareOp> Parser::comparisonOperator() const {
  switch (token().kind) {
  case Tok::EqualEqual:
    return CompareOp::Eq;
  case Tok::NotEqual:
    return CompareOp::Ne;
  case Tok::Less:
    return CompareOp::Lt;
  case Tok::LessEqual:
    return CompareOp::Le;
  case Tok::Greater:
    return CompareOp::Gt;
  case Tok::GreaterEqual:
    return CompareOp::Ge;
  case Tok::KwIn:
    return CompareOp::In;
  case Tok::KwIs:
    return ahead(1).kind == Tok::KwNot ? CompareOp::IsNot : CompareOp::Is;
  case Tok::KwNot:
    return ahead(1).kind == Tok::KwIn ? std::optional(CompareOp::NotIn)
                                      : std::nullopt;
  default:
    return std::nullopt;
  }
}

Expr *Parser::comparison() {
  Expr *first = binary(1);
  if (!first) {
    return nullptr;
  }
  SmallVector<CompareOp, 2> ops;
  SmallVector<Expr *, 2> rest;
  unsigned depth = 0;
  while (std::optional<CompareOp> op = comparisonOperator()) {
    next();
    if (op == CompareOp::IsNot || op == CompareOp::NotIn) {
      next();
    }
    Expr *operand = binary(1);
    if (!operand) {
      return nullptr;
    }
    depth = std::max<unsigned>(depth, operand->depth);
    ops.push_back(*op);
    rest.push_back(operand);
  }
  if (ops.empty()) {
    return first;
  }
  auto *node = make<Compare>(first->loc);
  node->first = first;
  node->ops = copy<CompareOp>(ops);
  node->rest = copy<Expr *>(rest);
  node->depth = depth;
  return deepen(node, {first, node});
}

static unsigned precedence(Tok kind) {
  switch (kind) {
  case Tok::Pipe:
    return 1;
  case Tok::Caret:
    return 2;
  case Tok::Amp:
    return 3;
  case Tok::ShiftLeft:
  case Tok::ShiftRight:
    return 4;
  case Tok::Plus:
  case Tok::Minus:
    return 5;
  case Tok::Star:
  case Tok::Slash:
  case Tok::SlashSlash:
  case Tok::Percent:
  case Tok::At:
    return 6;
  default:
    return 0;
  }
}

Expr *Parser::binary(unsigned minPrecedence) {
  Expr *lhs = unary();
  while (lhs) {
    unsigned level = precedence(token().kind);
    if (level < minPrecedence || level == 0) {
      return lhs;
    }
    auto *node = make<Binary>(lhs->loc);
    node->opLoc = loc();
    node->op = next().kind;
    node->lhs = lhs;
    node->rhs = binary(level + 1);
    if (!node->rhs) {
      return nullptr;
    }
    lhs = deepen(node, {lhs, node->rhs});
  }
  return nullptr;
}

Expr *Parser::unary() {
  Tok kind = token().kind;
  if (kind != Tok::Plus && kind != Tok::Minus && kind != Tok::Tilde) {
    return power();
  }
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  auto *node = make<Unary>(loc());
  node->op = next().kind;
  node->operand = unary();
  return node->operand ? deepen(node, {node->operand}) : nullptr;
}

Expr *Parser::power() {
  Expr *base;
  if (at(Tok::KwAwait)) {
    auto *node = make<Await>(loc());
    next();
    node->value = primary();
    base = node->value ? deepen(node, {node->value}) : nullptr;
  } else {
    base = primary();
  }
  if (!base || !at(Tok::StarStar)) {
    return base;
  }
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  auto *node = make<Binary>(base->loc);
  node->opLoc = loc();
  node->op = next().kind;
  node->lhs = base;
  node->rhs = unary();
  return node->rhs ? deepen(node, {base, node->rhs}) : nullptr;
}

Expr *Parser::primary() {
  Expr *value = atom();
  while (value) {
    if (at(Tok::Dot)) {
      auto *node = make<Attribute>(value->loc);
      next();
      if (!at(Tok::Name)) {
        return unexpected("an attribute's name after '.'");
      }
      node->base = value;
      node->nameLoc = loc();
      node->name = spelling(next());
      value = deepen(node, {value});
    } else if (at(Tok::LParen)) {
      value = callSuffix(value);
    } else if (at(Tok::LBracket)) {
      value = subscriptSuffix(value);
    } else {
      return value;
    }
  }
  return nullptr;
}

Expr *Parser::callSuffix(Expr *callee) {
  auto *node = make<Call>(callee->loc);
  node->callee = callee;
  next();
  SmallVector<Expr *, 8> args;
  SmallVector<Keyword, 8> keywords;
  bool closed = false; // a generator argument takes the bracket itself
  while (!at(Tok::RParen)) {
    if (at(Tok::StarStar)) {
      Keyword keyword{{}, loc(), nullptr};
      next();
      keyword.value = expression();
      keywords.push_back(keyword);
    } else if (at(Tok::Name) && ahead(1).kind == Tok::Equal) {
      Keyword keyword{spelling(token()), loc(), nullptr};
      next();
      next();
      keyword.value = expression();
      keywords.push_back(keyword);
    } else {
      Expr *arg = at(Tok::Star) ? starredArgument() : namedExpression();
      if (arg && at(Tok::KwFor)) {
        arg = comprehension(ComprehensionKind::Generator, arg, nullptr,
                            Tok::RParen);
        if (!arg) {
          return nullptr;
        }
        args.push_back(arg);
        node->depth = std::max(node->depth, arg->depth);
        closed = true;
        break;
      }
      if (arg && !keywords.empty() && !isa<Starred>(arg) &&
          !keywords.back().name.empty()) {
        sink.error(arg->loc, "positional argument follows keyword argument");
        return nullptr;
      }
      args.push_back(arg);
    }
    Expr *last = args.empty() ? nullptr : args.back();
    if ((last == nullptr && !args.empty()) ||
        (!keywords.empty() && !keywords.back().value)) {
      return nullptr;
    }
    node->depth = std::max(
        {node->depth, last ? last->depth : uint16_t(0),
         keywords.empty() ? uint16_t(0) : keywords.back().value->depth});
    if (!take(Tok::Comma)) {
      break;
    }
  }
  if (!closed && !expect(Tok::RParen, "to close the argument list")) {
    return nullptr;
  }
  node->args = copy<Expr *>(args);
  node->keywords = copy<Keyword>(keywords);
  return deepen(node, {callee, node});
}

Expr *Parser::sliceItem() {
  if (at(Tok::Star)) {
    return starOrNamed();
  }
  SourceLoc start = loc();
  Expr *lower = nullptr;
  if (!at(Tok::Colon)) {
    lower = namedExpression();
    if (!lower || !at(Tok::Colon)) {
      return lower;
    }
  }
  auto *node = make<Slice>(lower ? lower->loc : start);
  next();
  auto present = [&] {
    return !at(Tok::Colon) && !at(Tok::Comma) && !at(Tok::RBracket);
  };
  node->lower = lower;
  if (present() && !(node->upper = expression())) {
    return nullptr;
  }
  if (take(Tok::Colon) && present() && !(node->step = expression())) {
    return nullptr;
  }
  return deepen(node, {node->lower, node->upper, node->step});
}

Expr *Parser::subscriptSuffix(Expr *base) {
  auto *node = make<Subscript>(base->loc);
  node->base = base;
  next();
  Expr *first = sliceItem();
  if (!first) {
    return nullptr;
  }
  node->index = first;
  if (at(Tok::Comma)) {
    auto *tuple = make<Tuple>(first->loc);
    SmallVector<Expr *, 4> elements{first};
    while (take(Tok::Comma) && !at(Tok::RBracket)) {
      Expr *element = sliceItem();
      if (!element) {
        return nullptr;
      }
      tuple->depth = std::max(tuple->depth, element->depth);
      elements.push_back(element);
    }
    tuple->elements = copy<Expr *>(elements);
    node->index = deepen(tuple, {first, tuple});
    if (!node->index) {
      return nullptr;
    }
  }
  if (!expect(Tok::RBracket, "to close the subscript")) {
    return nullptr;
  }
  return deepen(node, {base, node->index});
}

Expr *Parser::atom() {
  SourceLoc at = loc();
  auto constant = [&](ConstantKind kind) {
    auto *node = make<Constant>(at);
    node->constant = kind;
    next();
    return node;
  };
  switch (token().kind) {
  case Tok::Name: {
    auto *node = make<Name>(at);
    node->id = spelling(next());
    return node;
  }
  case Tok::KwNone:
    return constant(ConstantKind::None);
  case Tok::KwTrue:
    return constant(ConstantKind::True);
  case Tok::KwFalse:
    return constant(ConstantKind::False);
  case Tok::Ellipsis:
    return constant(ConstantKind::Ellipsis);
  case Tok::Int:
  case Tok::Float:
  case Tok::Imaginary:
    return number();
  case Tok::String:
    return strings();
  case Tok::LParen:
    return parenthesised();
  case Tok::LBracket:
    return listDisplay();
  case Tok::LBrace:
    return braceDisplay();
  default:
    return unexpected("an expression");
  }
}

bool Parser::parameters(SmallVectorImpl<Parameter> &out, Tok close,
                        bool annotations) {
  Parameter::Kind kind = Parameter::Plain;
  bool sawDefault = false;
  DenseMap<StringRef, SourceLoc> seen;
  while (!at(close)) {
    if (take(Tok::Slash)) {
      for (Parameter &p : out) {
        p.kind = Parameter::PositionalOnly;
      }
    } else if (at(Tok::Star) &&
               (ahead(1).kind == Tok::Comma || ahead(1).kind == close)) {
      next();
      kind = Parameter::KeywordOnly;
    } else {
      Parameter param;
      param.kind = kind;
      if (take(Tok::Star)) {
        param.kind = Parameter::VarArgs;
        kind = Parameter::KeywordOnly;
      } else if (take(Tok::StarStar)) {
        param.kind = Parameter::VarKeywords;
      }
      if (!at(Tok::Name)) {
        unexpected("a parameter's name");
        return false;
      }
      param.loc = loc();
      param.name = spelling(next());
      auto [first, isNew] = seen.try_emplace(param.name, param.loc);
      if (!isNew) {
        sink.error(param.loc, "parameter '" + param.name + "' appears twice")
            .note(first->second, "the first is here");
        return false;
      }
      if (annotations && take(Tok::Colon) &&
          !(param.annotation = starOrNamed())) {
        return false;
      }
      if (take(Tok::Equal)) {
        if (!(param.defaultValue = expression())) {
          return false;
        }
        sawDefault = true;
      } else if (sawDefault && param.kind == Parameter::Plain) {
        sink.error(param.loc, "parameter '" + param.name +
                                  "' without default follows one with default");
        return false;
      }
      out.push_back(param);
    }
    if (!take(Tok::Comma)) {
      return true;
    }
  }
  return true;
}

Expr *Parser::lambda() {
  auto *node = make<Lambda>(loc());
  next();
  SmallVector<Parameter, 4> params;
  if (!parameters(params, Tok::Colon, false) ||
      !expect(Tok::Colon, "after the parameters of lambda")) {
    return nullptr;
  }
  node->params = copy<Parameter>(params);
  node->body = expression();
  return node->body ? deepen(node, {node->body}) : nullptr;
}

} // namespace tz::frontend
