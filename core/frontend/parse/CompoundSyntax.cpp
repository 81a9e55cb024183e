//===- CompoundSyntax.cpp - statements that hold blocks -------------------===//
//
// What   if, while, for, try, with, def and class, with their clauses.
// Why    Each is parsed whole or given up whole: a caller that gets nothing
//        skips the statement with all its blocks (StatementSyntax.cpp).
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/ParserState.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Stmt *Parser::ifStatement() {
  auto *node = make<If>(loc());
  SmallVector<IfClause, 2> clauses;
  do {
    IfClause clause;
    clause.loc = loc();
    StringRef word = at(Tok::KwIf) ? "'if' condition" : "'elif' condition";
    next();
    if (!(clause.condition = namedExpression()) || !block(clause.body, word)) {
      return nullptr;
    }
    clauses.push_back(clause);
  } while (at(Tok::KwElif));
  node->clauses = copy<IfClause>(clauses);
  if (take(Tok::KwElse) && !block(node->orElse, "'else'")) {
    return nullptr;
  }
  return node;
}

Stmt *Parser::whileStatement() {
  auto *node = make<While>(loc());
  next();
  if (!(node->condition = namedExpression()) ||
      !block(node->body, "'while' condition") ||
      (take(Tok::KwElse) && !block(node->orElse, "'else'"))) {
    return nullptr;
  }
  return node;
}

Stmt *Parser::forStatement() {
  auto *node = make<For>(loc());
  next();
  if (!(node->target = targetList()) ||
      !expect(Tok::KwIn, "after the loop variable") ||
      !(node->iterable = expressionList()) ||
      !block(node->body, "the 'for' line") ||
      (take(Tok::KwElse) && !block(node->orElse, "'else'"))) {
    return nullptr;
  }
  return node;
}

Stmt *Parser::tryStatement() {
  auto *node = make<Try>(loc());
  next();
  if (!block(node->body, "'try'")) {
    return nullptr;
  }
  SmallVector<Block, 2> handlers;
  while (take(Tok::KwExcept)) {
    take(Tok::Star);
    if (!at(Tok::Colon)) {
      if (!expressionList()) {
        return nullptr;
      }
      if (take(Tok::KwAs) && !expect(Tok::Name, "after 'as'")) {
        return nullptr;
      }
    }
    Block handler;
    if (!block(handler, "'except'")) {
      return nullptr;
    }
    handlers.push_back(handler);
  }
  if (take(Tok::KwElse) && !block(node->orElse, "'else'")) {
    return nullptr;
  }
  bool hasFinally = take(Tok::KwFinally);
  if (hasFinally && !block(node->finally, "'finally'")) {
    return nullptr;
  }
  if (handlers.empty() && !hasFinally) {
    return unexpected("'except' or 'finally' after the 'try' block");
  }
  node->handlers = copy<Block>(handlers);
  return node;
}

Stmt *Parser::withStatement() {
  auto *node = make<With>(loc());
  next();
  SmallVector<WithItem, 1> items;
  auto item = [&] {
    WithItem result{expression(), nullptr};
    if (!result.context) {
      return false;
    }
    if (take(Tok::KwAs)) {
      result.target = binary(1);
      if (!result.target || !checkTarget(result.target, "assign to")) {
        return false;
      }
    }
    items.push_back(result);
    return true;
  };
  // `with (a as b, c as d):` looks like a tuple until the first `as`.
  size_t start = cursor;
  bool grouped = false;
  if (at(Tok::LParen)) {
    unsigned depth = 0;
    for (size_t i = cursor; i < tokens.size(); ++i) {
      Tok kind = tokens[i].kind;
      depth +=
          kind == Tok::LParen || kind == Tok::LBracket || kind == Tok::LBrace;
      if (kind == Tok::RParen || kind == Tok::RBracket || kind == Tok::RBrace) {
        if (--depth == 0) {
          grouped = i + 1 < tokens.size() && tokens[i + 1].kind == Tok::Colon;
          break;
        }
      } else if (kind == Tok::Newline || kind == Tok::End) {
        break;
      }
    }
  }
  cursor = start;
  if (grouped) {
    next();
  }
  do {
    if (grouped && at(Tok::RParen)) {
      break;
    }
    if (!item()) {
      return nullptr;
    }
  } while (take(Tok::Comma));
  if (grouped && !expect(Tok::RParen, "to close the 'with' items")) {
    return nullptr;
  }
  node->items = copy<WithItem>(items);
  return block(node->body, "the 'with' line") ? node : nullptr;
}

Stmt *Parser::decorated() {
  SmallVector<Expr *, 2> decorators;
  while (take(Tok::At)) {
    Expr *decorator = namedExpression();
    if (!decorator || !expect(Tok::Newline, "after a decorator")) {
      return nullptr;
    }
    decorators.push_back(decorator);
  }
  if (at(Tok::KwDef) || at(Tok::KwAsync)) {
    return functionDef(copy<Expr *>(decorators));
  }
  if (at(Tok::KwClass)) {
    return classDef(copy<Expr *>(decorators));
  }
  return unexpected("'def' or 'class' after the decorators");
}

/// `def f[T](...)`: nothing in a kernel depends on them.
void Parser::typeParameters() {
  unsigned depth = 0;
  while (at(Tok::LBracket) || (depth && !at(Tok::End) && !at(Tok::Newline))) {
    depth += at(Tok::LBracket);
    depth -= at(Tok::RBracket);
    next();
  }
}

Stmt *Parser::functionDef(ArrayRef<Expr *> decorators) {
  auto *node = make<FunctionDef>(loc());
  node->isAsync = take(Tok::KwAsync);
  if (!expect(Tok::KwDef, "after 'async'")) {
    return nullptr;
  }
  node->decorators = decorators;
  if (!at(Tok::Name)) {
    return unexpected("the function's name after 'def'");
  }
  node->nameLoc = loc();
  node->name = spelling(next());
  SmallVector<Parameter, 16> params;
  typeParameters();
  if (!expect(Tok::LParen, "after the function's name") ||
      !parameters(params, Tok::RParen, true) ||
      !expect(Tok::RParen, "after the parameters")) {
    return nullptr;
  }
  node->params = copy<Parameter>(params);
  if (take(Tok::Arrow) && !(node->returns = expressionList())) {
    return nullptr;
  }
  return block(node->body, "the 'def' line") ? node : nullptr;
}

Stmt *Parser::classDef(ArrayRef<Expr *> decorators) {
  auto *node = make<ClassDef>(loc());
  next();
  node->decorators = decorators;
  if (!at(Tok::Name)) {
    return unexpected("the class's name after 'class'");
  }
  auto *name = make<Name>(loc());
  node->name = name->id = spelling(next());
  typeParameters();
  if (at(Tok::LParen)) {
    Expr *bases = callSuffix(name);
    if (!bases) {
      return nullptr;
    }
    node->bases = cast<Call>(bases)->args;
    node->keywords = cast<Call>(bases)->keywords;
  }
  return block(node->body, "the 'class' line") ? node : nullptr;
}

} // namespace tz::frontend
