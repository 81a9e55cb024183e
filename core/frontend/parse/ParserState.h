//===- ParserState.h - the recursive-descent parser's class -----*- C++ -*-===//
//
// What   The Parser class: token cursor, arena, expression and statement
//        productions. Private to the files Parse*.cpp.
// Why    The grammar is one class in files of readable size.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_PARSE_PARSERSTATE_H
#define TERRAZZO_CORE_FRONTEND_PARSE_PARSERSTATE_H

#include "core/frontend/parse/AST.h"

#include "llvm/ADT/SmallVector.h"

namespace tz::frontend {

/// Productions return null after an error, which has then been reported; the
/// statement loop resynchronises. Recursion is bounded by `Nesting`.
class Parser {
public:
  Parser(const SourceFile &file, llvm::BumpPtrAllocator &arena,
         DiagnosticSink &sink, std::vector<Token> tokens)
      : file(file), arena(arena), sink(sink), tokens(std::move(tokens)) {}

  ast::Block parseModule();
  /// The expression of an f-string's replacement field, then the end.
  ast::Expr *parseField(unsigned enclosingDepth);

private:
  using Expr = ast::Expr;
  using Stmt = ast::Stmt;

  const SourceFile &file;
  llvm::BumpPtrAllocator &arena;
  DiagnosticSink &sink;
  std::vector<Token> tokens;
  size_t cursor = 0;
  unsigned nesting = 0;
  unsigned blockNesting = 0;

  // Tokens.
  const Token &token() const { return tokens[cursor]; }
  const Token &ahead(size_t n) const {
    return tokens[std::min(cursor + n, tokens.size() - 1)];
  }
  bool at(Tok kind) const { return token().kind == kind; }
  bool take(Tok kind);
  bool expect(Tok kind, llvm::StringRef context);
  const Token &next();
  SourceLoc loc() const { return loc(token()); }
  SourceLoc loc(const Token &t) const;
  llvm::StringRef spelling(const Token &t) const {
    return file.text().substr(t.offset, t.length);
  }
  std::nullptr_t unexpected(llvm::StringRef wanted);

  // Nodes.
  template <typename T>
  T *make(SourceLoc at) {
    T *node = new (arena.Allocate<T>()) T();
    node->loc = at;
    return node;
  }
  template <typename T>
  llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    if (items.empty()) {
      return {};
    }
    T *memory = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }
  llvm::StringRef keep(llvm::StringRef text);
  /// Sets the node's depth from its children; null (and an error) if too deep.
  template <typename T>
  T *deepen(T *node, std::initializer_list<const Expr *> children);

  class Nesting;

  // Expressions.
  Expr *expression();      // one, without commas
  Expr *namedExpression(); // expression [:= expression]
  Expr *expressionList();  // a, *b, c -> Tuple
  Expr *starOrNamed();     // *expr | named
  Expr *starredArgument(); // *expression
  Expr *boolean(Tok word, Expr *(Parser::*operand)());
  Expr *disjunction();
  Expr *conjunction();
  Expr *inversion();
  std::optional<ast::CompareOp> comparisonOperator() const;
  Expr *comparison();
  Expr *binary(unsigned minPrecedence);
  Expr *unary();
  Expr *power();
  Expr *primary();
  Expr *atom();
  Expr *parenthesised();
  Expr *listDisplay();
  Expr *braceDisplay();
  Expr *lambda();
  Expr *yieldExpression();
  Expr *callSuffix(Expr *callee);
  Expr *subscriptSuffix(Expr *base);
  Expr *sliceItem();
  Expr *number();
  Expr *strings();
  bool stringPieces(const Token &token, std::string &literal,
                    llvm::SmallVectorImpl<ast::JoinedPart> &parts);
  /// A place in a string: the line that holds it and where that begins.
  struct LineMark {
    size_t at, lineBegin;
    uint32_t line;
  };
  bool replacementField(const Token &token, LineMark &mark, size_t &pos,
                        size_t end,
                        llvm::SmallVectorImpl<ast::JoinedPart> &parts);
  bool generators(llvm::SmallVectorImpl<ast::Generator> &out);
  Expr *comprehension(ast::ComprehensionKind kind, Expr *element, Expr *value,
                      Tok close);
  bool parameters(llvm::SmallVectorImpl<ast::Parameter> &out, Tok close,
                  bool annotations);
  static bool endsList(Tok kind);
  Expr *targetList();
  bool checkTarget(const Expr *target, llvm::StringRef action);

  // Statements.
  bool statement(llvm::SmallVectorImpl<Stmt *> &out);
  bool simpleLine(llvm::SmallVectorImpl<Stmt *> &out);
  Stmt *simple();
  Stmt *expressionStatement();
  Stmt *ifStatement();
  Stmt *whileStatement();
  Stmt *forStatement();
  Stmt *tryStatement();
  Stmt *withStatement();
  void typeParameters();
  Stmt *functionDef(llvm::ArrayRef<Expr *> decorators);
  Stmt *classDef(llvm::ArrayRef<Expr *> decorators);
  Stmt *decorated();
  Stmt *importStatement();
  Stmt *importFrom();
  Stmt *opaqueStatement();
  Stmt *asyncStatement();
  bool startsOpaque() const;
  bool dottedName(llvm::StringRef &name);
  bool block(ast::Block &out, llvm::StringRef owner);
  void statements(llvm::SmallVectorImpl<Stmt *> &out, bool untilDedent);
  void skipStatement();
};

/// Counts one level of recursion while it lives.
class Parser::Nesting {
public:
  explicit Nesting(Parser &parser) : parser(parser) { ++parser.nesting; }
  ~Nesting() { --parser.nesting; }
  /// False, with an error the first time, when the limit is reached.
  bool allowed();

private:
  Parser &parser;
};

template <typename T>
T *Parser::deepen(T *node, std::initializer_list<const Expr *> children) {
  unsigned depth = 0;
  for (const Expr *child : children) {
    depth = std::max<unsigned>(depth, child ? child->depth : 0);
  }
  if (depth + 1 > ast::MaxExpressionDepth) {
    sink.error(node->loc,
               "expression is nested more than " +
                   llvm::Twine(ast::MaxExpressionDepth) +
                   " levels deep (limit of expression nesting); split it");
    return nullptr;
  }
  node->depth = depth + 1;
  return node;
}

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_PARSE_PARSERSTATE_H
