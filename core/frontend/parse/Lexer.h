//===- Lexer.h - Python tokens ----------------------------------*- C++ -*-===//
//
// What   Turns a source text into Python tokens: indentation, line joining,
//        numbers, all string prefixes, operators, keywords.
// Why    A kernel file is an ordinary Python file; host code around a kernel
//        must pass through here unharmed, so the whole of Python is lexed.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_PARSE_LEXER_H
#define TERRAZZO_CORE_FRONTEND_PARSE_LEXER_H

#include "core/frontend/Diagnostics.h"

namespace tz::frontend {

enum class Tok : uint8_t {
  End,
  Newline,
  Indent,
  Dedent,
  Name,
  Int,
  Float,
  Imaginary,
  String,
#define TZ_KEYWORD(id, text) Kw##id,
#define TZ_OPERATOR(id, text) id,
#include "core/frontend/parse/Tokens.def"
};

struct Token {
  Tok kind = Tok::End;
  uint32_t offset = 0; // into the file's text
  uint32_t length = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

/// How a token kind is called in a message: "'if'", "name", "end of line".
llvm::StringRef tokenName(Tok kind);

/// A region of a file to lex: the whole of it, or the expression inside the
/// braces of an f-string, where line ends mean nothing.
struct LexRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t line = 1;
  uint32_t column = 1;
  bool bracketed = false;
};

/// All tokens of the file, the last one End. Errors go to the sink; what is
/// wrong is left out of the list, so that the parser can go on.
std::vector<Token> lexFile(const SourceFile &file, DiagnosticSink &sink);
std::vector<Token> lexRange(const SourceFile &file, LexRange range,
                            DiagnosticSink &sink);

/// The parts of a string token: its prefix letters and what is between the
/// quotes, as offsets into the file.
struct StringParts {
  bool raw = false, bytes = false, format = false;
  bool triple = false;
  uint32_t begin = 0, end = 0;
};
StringParts splitString(const SourceFile &file, const Token &token);

/// One past the end of the string literal whose opening quotes are at `offset`
/// (npos if it never ends). Replacement fields of f-strings may hold strings.
size_t findStringEnd(llvm::StringRef text, size_t offset, bool raw, bool format,
                     unsigned depth = 0);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_PARSE_LEXER_H
