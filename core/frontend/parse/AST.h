//===- AST.h - syntax tree of a Python module -------------------*- C++ -*-===//
//
// What   One struct a kind of expression and statement, all of Python that a
//        kernel file may hold. Nodes live in the module's arena.
// Why    Nodes are trivially destructible and point into the source text, so
//        that parsing a file is a few allocations. `depth` bounds recursion of
//        everything that walks the tree, left-deep chains included.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_PARSE_AST_H
#define TERRAZZO_CORE_FRONTEND_PARSE_AST_H

#include "core/frontend/parse/Lexer.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <memory>

namespace tz::frontend::ast {

/// No expression is deeper than this, no block nested deeper than blocks.
constexpr unsigned MaxExpressionDepth = 200;
constexpr unsigned MaxBlockDepth = 64;

enum class ExprKind : uint8_t {
  Name,
  Constant,
  JoinedString,
  Tuple,
  List,
  Set,
  Dict,
  Comprehension,
  Attribute,
  Subscript,
  Slice,
  Call,
  Unary,
  Binary,
  Compare,
  Bool,
  Conditional,
  Lambda,
  Await,
  Yield,
  Starred,
  Named,
};

struct Expr {
  ExprKind kind;
  uint16_t depth = 1;
  SourceLoc loc;
};

/// Gives each node its kind and the classof that llvm::cast needs.
template <ExprKind K>
struct ExprOf : Expr {
  ExprOf() { kind = K; }
  static bool classof(const Expr *e) { return e->kind == K; }
};

struct Name : ExprOf<ExprKind::Name> {
  llvm::StringRef id;
};

enum class ConstantKind : uint8_t {
  None,
  False,
  True,
  Ellipsis,
  Int,
  BigInt,
  Float,
  Imaginary,
  String,
  Bytes
};
struct Constant : ExprOf<ExprKind::Constant> {
  ConstantKind constant;
  __int128 integer = 0;
  double number = 0;
  llvm::StringRef text; // strings: with escapes resolved
};

/// f-string: literal pieces and replacement fields in order.
struct JoinedPart {
  llvm::StringRef literal;
  Expr *value = nullptr; // null for a literal piece
  llvm::StringRef format;
  char conversion = 0;   // 'r', 's', 'a' or 0
  llvm::StringRef debug; // the text of `{x=}`, else empty
};
struct JoinedString : ExprOf<ExprKind::JoinedString> {
  llvm::ArrayRef<JoinedPart> parts;
};

struct Tuple : ExprOf<ExprKind::Tuple> {
  llvm::ArrayRef<Expr *> elements;
};
struct List : ExprOf<ExprKind::List> {
  llvm::ArrayRef<Expr *> elements;
};
struct Set : ExprOf<ExprKind::Set> {
  llvm::ArrayRef<Expr *> elements;
};
struct Dict : ExprOf<ExprKind::Dict> {
  llvm::ArrayRef<Expr *> keys; // null key: **value
  llvm::ArrayRef<Expr *> values;
};

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };
struct Generator {
  Expr *target;
  Expr *iterable;
  llvm::ArrayRef<Expr *> conditions;
};
struct Comprehension : ExprOf<ExprKind::Comprehension> {
  ComprehensionKind comprehension;
  Expr *element;         // or the key of a dict
  Expr *value = nullptr; // dict only
  llvm::ArrayRef<Generator> generators;
};

struct Attribute : ExprOf<ExprKind::Attribute> {
  Expr *base;
  llvm::StringRef name;
  SourceLoc nameLoc;
};
struct Subscript : ExprOf<ExprKind::Subscript> {
  Expr *base;
  Expr *index;
};
struct Slice : ExprOf<ExprKind::Slice> {
  Expr *lower = nullptr, *upper = nullptr, *step = nullptr;
};
struct Keyword {
  llvm::StringRef name; // empty: **value
  SourceLoc loc;
  Expr *value;
};
struct Call : ExprOf<ExprKind::Call> {
  Expr *callee;
  llvm::ArrayRef<Expr *> args; // Starred for *value
  llvm::ArrayRef<Keyword> keywords;
};
struct Unary : ExprOf<ExprKind::Unary> {
  Tok op; // Plus Minus Tilde KwNot
  Expr *operand;
};
struct Binary : ExprOf<ExprKind::Binary> {
  Tok op; // the operator's token, without the '=' of augmented assignment
  SourceLoc opLoc;
  Expr *lhs, *rhs;
};
enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
struct Compare : ExprOf<ExprKind::Compare> {
  Expr *first;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<Expr *> rest;
};
struct Bool : ExprOf<ExprKind::Bool> {
  bool isAnd;
  llvm::ArrayRef<Expr *> operands;
};
struct Conditional : ExprOf<ExprKind::Conditional> {
  Expr *condition, *whenTrue, *whenFalse;
};

struct Parameter {
  enum Kind : uint8_t {
    Plain,
    PositionalOnly,
    KeywordOnly,
    VarArgs,
    VarKeywords
  };
  Kind kind = Plain;
  llvm::StringRef name;
  SourceLoc loc;
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
};
struct Lambda : ExprOf<ExprKind::Lambda> {
  llvm::ArrayRef<Parameter> params;
  Expr *body;
};
struct Await : ExprOf<ExprKind::Await> {
  Expr *value;
};
struct Yield : ExprOf<ExprKind::Yield> {
  Expr *value; // may be null
};
struct Starred : ExprOf<ExprKind::Starred> {
  Expr *value;
};
struct Named : ExprOf<ExprKind::Named> {
  Name *target;
  Expr *value;
};

enum class StmtKind : uint8_t {
  Expression,
  Assign,
  AugAssign,
  AnnAssign,
  If,
  While,
  For,
  FunctionDef,
  ClassDef,
  Return,
  Import,
  ImportFrom,
  Pass,
  Break,
  Continue,
  Assert,
  Raise,
  Try,
  With,
  Scope,
  Delete,
  Opaque,
};

struct Stmt {
  StmtKind kind;
  SourceLoc loc;
};
template <StmtKind K>
struct StmtOf : Stmt {
  StmtOf() { kind = K; }
  static bool classof(const Stmt *s) { return s->kind == K; }
};

using Block = llvm::ArrayRef<Stmt *>;

struct ExprStmt : StmtOf<StmtKind::Expression> {
  Expr *value;
};
struct Assign : StmtOf<StmtKind::Assign> {
  llvm::ArrayRef<Expr *> targets; // a = b = value
  Expr *value;
};
struct AugAssign : StmtOf<StmtKind::AugAssign> {
  Expr *target;
  Tok op;
  Expr *value;
};
struct AnnAssign : StmtOf<StmtKind::AnnAssign> {
  Expr *target;
  Expr *annotation;
  Expr *value; // may be null
};
struct IfClause {
  SourceLoc loc;
  Expr *condition;
  Block body;
};
struct If : StmtOf<StmtKind::If> {
  llvm::ArrayRef<IfClause> clauses; // if, then each elif
  Block orElse;
};
struct While : StmtOf<StmtKind::While> {
  Expr *condition;
  Block body, orElse;
};
struct For : StmtOf<StmtKind::For> {
  Expr *target, *iterable;
  Block body, orElse;
};
struct FunctionDef : StmtOf<StmtKind::FunctionDef> {
  bool isAsync = false;
  llvm::StringRef name;
  SourceLoc nameLoc;
  llvm::ArrayRef<Expr *> decorators;
  llvm::ArrayRef<Parameter> params;
  Expr *returns = nullptr;
  Block body;
};
struct ClassDef : StmtOf<StmtKind::ClassDef> {
  llvm::StringRef name;
  llvm::ArrayRef<Expr *> decorators;
  llvm::ArrayRef<Expr *> bases;
  llvm::ArrayRef<Keyword> keywords;
  Block body;
};
struct Return : StmtOf<StmtKind::Return> {
  Expr *value; // may be null
};
struct Alias {
  llvm::StringRef name; // dotted, or "*"
  llvm::StringRef as;   // empty if none
  SourceLoc loc;
};
struct Import : StmtOf<StmtKind::Import> {
  llvm::ArrayRef<Alias> names;
};
struct ImportFrom : StmtOf<StmtKind::ImportFrom> {
  llvm::StringRef module; // without the leading dots
  unsigned dots = 0;
  llvm::ArrayRef<Alias> names;
};
struct Pass : StmtOf<StmtKind::Pass> {};
struct Break : StmtOf<StmtKind::Break> {};
struct Continue : StmtOf<StmtKind::Continue> {};
struct Assert : StmtOf<StmtKind::Assert> {
  Expr *condition;
  Expr *message; // may be null
};
struct Raise : StmtOf<StmtKind::Raise> {
  Expr *value, *cause; // may be null
};
struct Try : StmtOf<StmtKind::Try> {
  Block body;
  llvm::ArrayRef<Block> handlers;
  Block orElse, finally;
};
struct WithItem {
  Expr *context;
  Expr *target; // may be null
};
struct With : StmtOf<StmtKind::With> {
  llvm::ArrayRef<WithItem> items;
  Block body;
};
/// global and nonlocal.
struct ScopeStmt : StmtOf<StmtKind::Scope> {
  bool isGlobal;
};
struct Delete : StmtOf<StmtKind::Delete> {};
/// A statement that was skipped by token structure (match, type aliases, async
/// for and with).
struct Opaque : StmtOf<StmtKind::Opaque> {
  llvm::StringRef word;
};

/// A parsed file: the text, the arena and the statements.
struct Module {
  std::shared_ptr<SourceFile> file;
  llvm::BumpPtrAllocator arena;
  Block body;
};

} // namespace tz::frontend::ast

#endif // TERRAZZO_CORE_FRONTEND_PARSE_AST_H
