//===- StatementSyntax.cpp - blocks and statements of one line ------------===//
//
// What   Blocks, simple statements, imports, and resynchronisation after an
//        error; statements that hold blocks are in CompoundSyntax.cpp.
// Why    A wrong statement costs its own lines only: the rest of the file is
//        parsed, so that one run shows all mistakes.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/Parser.h"
#include "core/frontend/parse/ParserState.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

/// Skips to behind the end of the statement that begins before the cursor,
/// its indented block included.
void Parser::skipStatement() {
  unsigned depth = 0;
  while (!at(Tok::End)) {
    switch (token().kind) {
    case Tok::Indent:
      ++depth;
      break;
    case Tok::Dedent:
      if (depth == 0) {
        return; // belongs to the enclosing block
      }
      if (--depth == 0) {
        next();
        return;
      }
      break;
    case Tok::Newline:
      if (depth == 0 && ahead(1).kind != Tok::Indent) {
        next();
        return;
      }
      break;
    default:
      break;
    }
    next();
  }
}

void Parser::statements(SmallVectorImpl<Stmt *> &out, bool untilDedent) {
  while (!at(Tok::End)) {
    if (at(Tok::Dedent)) {
      if (untilDedent) {
        return;
      }
      next(); // after an indentation error
      continue;
    }
    if (at(Tok::Newline)) {
      next();
      continue;
    }
    if (at(Tok::Indent)) {
      sink.error(loc(), "unexpected indentation");
      skipStatement();
      continue;
    }
    size_t before = cursor;
    if (!statement(out)) {
      skipStatement();
      // Clauses of the statement that was given up are not errors of their own.
      while (at(Tok::KwElif) || at(Tok::KwElse) || at(Tok::KwExcept) ||
             at(Tok::KwFinally)) {
        next();
        skipStatement();
      }
      if (cursor == before) {
        next(); // always make progress
      }
    }
  }
}

Block Parser::parseModule() {
  SmallVector<Stmt *, 32> list;
  statements(list, false);
  return copy<Stmt *>(list);
}

bool Parser::block(Block &out, StringRef owner) {
  SmallVector<Stmt *, 16> list;
  if (!expect(Tok::Colon, ("after " + owner).str())) {
    return false;
  }
  if (!take(Tok::Newline)) {
    if (!simpleLine(list)) {
      return false;
    }
    out = copy<Stmt *>(list);
    return true;
  }
  if (!at(Tok::Indent)) {
    sink.error(loc(), "expected an indented block after " + owner);
    return false;
  }
  if (blockNesting == MaxBlockDepth) {
    sink.error(loc(), "blocks are nested more than " + Twine(MaxBlockDepth) +
                          " levels deep (limit of block nesting)");
    return false;
  }
  next();
  ++blockNesting;
  statements(list, true);
  --blockNesting;
  take(Tok::Dedent);
  out = copy<Stmt *>(list);
  return true;
}

bool Parser::simpleLine(SmallVectorImpl<Stmt *> &out) {
  do {
    if (at(Tok::Newline) || at(Tok::End)) {
      break;
    }
    Stmt *stmt = simple();
    if (!stmt) {
      return false;
    }
    out.push_back(stmt);
  } while (take(Tok::Semicolon));
  if (take(Tok::Newline) || at(Tok::End) || at(Tok::Dedent)) {
    return true;
  }
  unexpected("end of line");
  return false;
}

/// `match x:` and `type X = ...` begin with words that are also names.
bool Parser::startsOpaque() const {
  if (!at(Tok::Name)) {
    return false;
  }
  StringRef word = spelling(token());
  Tok second = ahead(1).kind;
  bool operand = second == Tok::Name || second == Tok::Int ||
                 second == Tok::String || second == Tok::KwNone ||
                 second == Tok::LParen || second == Tok::LBracket ||
                 second == Tok::LBrace;
  if (word == "type") {
    return second == Tok::Name;
  }
  if (word != "match" || !operand) {
    return false;
  }
  // A match statement's line ends in ':' and a block follows.
  for (size_t i = cursor; i + 2 < tokens.size(); ++i) {
    if (tokens[i].kind == Tok::Newline) {
      return tokens[i - 1].kind == Tok::Colon &&
             tokens[i + 1].kind == Tok::Indent;
    }
  }
  return false;
}

Stmt *Parser::opaqueStatement() {
  auto *node = make<Opaque>(loc());
  node->word = spelling(token());
  skipStatement();
  return node;
}

/// `async for`, `async with`: coroutines of host code, of which nothing in a
/// kernel depends.
Stmt *Parser::asyncStatement() {
  auto *node = make<Opaque>(loc());
  next();
  if (!at(Tok::KwFor) && !at(Tok::KwWith)) {
    return unexpected("'def', 'for' or 'with' after 'async'");
  }
  node->word = at(Tok::KwFor) ? "async for" : "async with";
  skipStatement();
  return node;
}

bool Parser::statement(SmallVectorImpl<Stmt *> &out) {
  Stmt *stmt = nullptr;
  switch (token().kind) {
  case Tok::KwIf:
    stmt = ifStatement();
    break;
  case Tok::KwWhile:
    stmt = whileStatement();
    break;
  case Tok::KwFor:
    stmt = forStatement();
    break;
  case Tok::KwTry:
    stmt = tryStatement();
    break;
  case Tok::KwWith:
    stmt = withStatement();
    break;
  case Tok::KwDef:
    stmt = functionDef({});
    break;
  case Tok::KwAsync:
    stmt = ahead(1).kind == Tok::KwDef ? functionDef({}) : asyncStatement();
    break;
  case Tok::KwClass:
    stmt = classDef({});
    break;
  case Tok::At:
    stmt = decorated();
    break;
  default:
    if (startsOpaque()) {
      stmt = opaqueStatement();
      break;
    }
    return simpleLine(out);
  }
  if (!stmt) {
    return false;
  }
  out.push_back(stmt);
  return true;
}

Stmt *Parser::simple() {
  SourceLoc at = loc();
  switch (token().kind) {
  case Tok::KwPass:
    next();
    return make<Pass>(at);
  case Tok::KwBreak:
    next();
    return make<Break>(at);
  case Tok::KwContinue:
    next();
    return make<Continue>(at);
  case Tok::KwReturn: {
    auto *node = make<Return>(at);
    next();
    node->value = nullptr;
    if (!this->at(Tok::Newline) && !this->at(Tok::Semicolon) &&
        !this->at(Tok::End) && !(node->value = expressionList())) {
      return nullptr;
    }
    return node;
  }
  case Tok::KwRaise: {
    auto *node = make<Raise>(at);
    next();
    node->value = node->cause = nullptr;
    if (!this->at(Tok::Newline) && !this->at(Tok::Semicolon) &&
        !this->at(Tok::End)) {
      if (!(node->value = expression())) {
        return nullptr;
      }
      if (take(Tok::KwFrom) && !(node->cause = expression())) {
        return nullptr;
      }
    }
    return node;
  }
  case Tok::KwAssert: {
    auto *node = make<Assert>(at);
    next();
    node->message = nullptr;
    if (!(node->condition = expression()) ||
        (take(Tok::Comma) && !(node->message = expression()))) {
      return nullptr;
    }
    return node;
  }
  case Tok::KwGlobal:
  case Tok::KwNonlocal: {
    auto *node = make<ScopeStmt>(at);
    node->isGlobal = next().kind == Tok::KwGlobal;
    do {
      if (!expect(Tok::Name, "after global or nonlocal")) {
        return nullptr;
      }
    } while (take(Tok::Comma));
    return node;
  }
  case Tok::KwDel: {
    auto *node = make<Delete>(at);
    next();
    return expressionList() ? node : nullptr;
  }
  case Tok::KwImport:
    return importStatement();
  case Tok::KwFrom:
    return importFrom();
  default:
    return expressionStatement();
  }
}

static Tok plainOperator(Tok augmented) {
  switch (augmented) {
  case Tok::PlusEqual:
    return Tok::Plus;
  case Tok::MinusEqual:
    return Tok::Minus;
  case Tok::StarEqual:
    return Tok::Star;
  case Tok::SlashEqual:
    return Tok::Slash;
  case Tok::SlashSlashEqual:
    return Tok::SlashSlash;
  case Tok::PercentEqual:
    return Tok::Percent;
  case Tok::AmpEqual:
    return Tok::Amp;
  case Tok::PipeEqual:
    return Tok::Pipe;
  case Tok::CaretEqual:
    return Tok::Caret;
  case Tok::ShiftLeftEqual:
    return Tok::ShiftLeft;
  case Tok::ShiftRightEqual:
    return Tok::ShiftRight;
  case Tok::StarStarEqual:
    return Tok::StarStar;
  case Tok::AtEqual:
    return Tok::At;
  default:
    return Tok::End;
  }
}

Stmt *Parser::expressionStatement() {
  auto value = [&]() -> Expr * {
    return at(Tok::KwYield) ? yieldExpression() : expressionList();
  };
  Expr *first = value();
  if (!first) {
    return nullptr;
  }
  if (Tok op = plainOperator(token().kind); op != Tok::End) {
    auto *node = make<AugAssign>(loc());
    if (!isa<Name, Attribute, Subscript>(first)) {
      sink.error(first->loc, "augmented assignment needs a single target");
      return nullptr;
    }
    next();
    node->target = first;
    node->op = op;
    node->value = value();
    return node->value ? node : nullptr;
  }
  if (at(Tok::Colon) && isa<Name, Attribute, Subscript>(first)) {
    auto *node = make<AnnAssign>(first->loc);
    next();
    node->target = first;
    node->value = nullptr;
    if (!(node->annotation = expression()) ||
        (take(Tok::Equal) && !(node->value = value()))) {
      return nullptr;
    }
    return node;
  }
  if (!at(Tok::Equal)) {
    auto *node = make<ExprStmt>(first->loc);
    node->value = first;
    return node;
  }
  auto *node = make<Assign>(first->loc);
  SmallVector<Expr *, 2> chain{first};
  while (take(Tok::Equal)) {
    Expr *item = value();
    if (!item) {
      return nullptr;
    }
    chain.push_back(item);
  }
  node->value = chain.pop_back_val();
  for (Expr *target : chain) {
    if (!checkTarget(target, "assign to")) {
      return nullptr;
    }
  }
  node->targets = copy<Expr *>(chain);
  return node;
}

bool Parser::dottedName(StringRef &name) {
  if (!at(Tok::Name)) {
    unexpected("a module's name");
    return false;
  }
  size_t begin = token().offset;
  size_t end = begin + token().length;
  next();
  while (at(Tok::Dot) && ahead(1).kind == Tok::Name) {
    next();
    end = token().offset + token().length;
    next();
  }
  name = file.text().slice(begin, end);
  return true;
}

Stmt *Parser::importStatement() {
  auto *node = make<Import>(loc());
  next();
  SmallVector<Alias, 2> names;
  do {
    Alias alias;
    alias.loc = loc();
    if (!dottedName(alias.name)) {
      return nullptr;
    }
    if (take(Tok::KwAs)) {
      alias.as = spelling(token());
      if (!expect(Tok::Name, "after 'as'")) {
        return nullptr;
      }
    }
    names.push_back(alias);
  } while (take(Tok::Comma));
  node->names = copy<Alias>(names);
  return node;
}

Stmt *Parser::importFrom() {
  auto *node = make<ImportFrom>(loc());
  next();
  while (at(Tok::Dot) || at(Tok::Ellipsis)) {
    node->dots += at(Tok::Dot) ? 1 : 3;
    next();
  }
  if ((node->dots == 0 || at(Tok::Name)) && !dottedName(node->module)) {
    return nullptr;
  }
  if (!expect(Tok::KwImport, "in a 'from' import")) {
    return nullptr;
  }
  SmallVector<Alias, 4> names;
  if (at(Tok::Star)) {
    names.push_back({"*", {}, loc()});
    next();
    node->names = copy<Alias>(names);
    return node;
  }
  bool bracketed = take(Tok::LParen);
  do {
    if (bracketed && at(Tok::RParen)) {
      break;
    }
    Alias alias;
    alias.loc = loc();
    alias.name = spelling(token());
    if (!expect(Tok::Name, "after 'import'")) {
      return nullptr;
    }
    if (take(Tok::KwAs)) {
      alias.as = spelling(token());
      if (!expect(Tok::Name, "after 'as'")) {
        return nullptr;
      }
    }
    names.push_back(alias);
  } while (take(Tok::Comma));
  if (bracketed && !expect(Tok::RParen, "to close the imported names")) {
    return nullptr;
  }
  node->names = copy<Alias>(names);
  return node;
}

std::unique_ptr<ast::Module> parseFile(std::string path, std::string text,
                                       DiagnosticSink &sink,
                                       uint32_t firstLine) {
  auto module = std::make_unique<ast::Module>();
  if (firstLine && (text.starts_with(" ") || text.starts_with("\t"))) {
    // It stood in some block: in one of ours its columns stay what they are.
    text.insert(0, "if 1:\n");
    firstLine = std::max(firstLine, 2u) - 1;
  }
  module->file =
      std::make_shared<SourceFile>(std::move(path), std::move(text), firstLine);
  sink.keep(module->file);
  unsigned errors = sink.errorCount();
  std::vector<Token> tokens = lexFile(*module->file, sink);
  // After an error in the tokens (an open bracket, a lost quote) the grammar's
  // errors would be consequences of it.
  DiagnosticSink ignored;
  Parser parser(*module->file, module->arena,
                sink.errorCount() == errors ? sink : ignored,
                std::move(tokens));
  module->body = parser.parseModule();
  return module;
}

} // namespace tz::frontend
