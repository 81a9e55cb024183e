//===- Lexer.cpp - Python tokens ------------------------------------------===//
//
// What   One pass over the text; the stack of indentation widths makes Indent
//        and Dedent, the stack of brackets joins lines.
// Why    Written by hand: the errors of a lexer are the first that a user sees
//        (tabs, a quote that never closes), and each has its own words here.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// The text must fit 32-bit offsets with room to spare.
constexpr size_t MaxFileBytes = 16u << 20;
constexpr unsigned MaxIndentLevels = 100;
constexpr unsigned MaxBracketDepth = 200;

struct Spelling {
  Tok kind;
  StringRef text;
};

constexpr Spelling Operators[] = {
#define TZ_OPERATOR(id, text) {Tok::id, text},
#include "core/frontend/parse/Tokens.def"
};

const StringMap<Tok> &keywords() {
  static const StringMap<Tok> table = [] {
    StringMap<Tok> map;
#define TZ_KEYWORD(id, text) map[text] = Tok::Kw##id;
#include "core/frontend/parse/Tokens.def"
    return map;
  }();
  return table;
}

bool isNameStart(unsigned char c) {
  return isAlpha(c) || c == '_' || c >= 0x80;
}
bool isNameChar(unsigned char c) { return isNameStart(c) || isDigit(c); }

/// Length of a string prefix (r, b, f, u in any case and order) that is
/// followed by a quote; npos if this is not a string.
size_t stringPrefix(StringRef rest) {
  size_t n = 0;
  while (n < 2 && n < rest.size() && StringRef("rRbBfFuU").contains(rest[n])) {
    ++n;
  }
  if (n < rest.size() && (rest[n] == '"' || rest[n] == '\'')) {
    return n;
  }
  return StringRef::npos;
}

class Lexer {
public:
  Lexer(const SourceFile &file, LexRange range, DiagnosticSink &sink)
      : file(file), sink(sink), text(file.text().take_front(range.end)),
        pos(range.begin), line(range.line),
        lineStart(int64_t(range.begin) - (int64_t(range.column) - 1)),
        bracketed(range.bracketed) {}

  std::vector<Token> run();

private:
  const SourceFile &file;
  DiagnosticSink &sink;
  StringRef text;
  size_t pos;
  uint32_t line;
  int64_t lineStart; // may lie before the file for a range inside a line
  bool bracketed;
  std::vector<Token> tokens;
  /// Columns with tabs to every eighth, and with tabs as one: lines whose order
  /// depends on the width of a tab are an error, as in Python.
  struct Indentation {
    unsigned width = 0, narrow = 0;
  };
  SmallVector<Indentation, 8> indents{Indentation()};
  struct Bracket {
    char close;
    SourceLoc loc;
  };
  SmallVector<Bracket, 8> brackets;

  char peek(size_t ahead = 0) const {
    return pos + ahead < text.size() ? text[pos + ahead] : '\0';
  }
  SourceLoc loc(size_t offset, size_t length = 1) const {
    return {&file, line, uint32_t(int64_t(offset) - lineStart + 1),
            uint32_t(length)};
  }
  void push(Tok kind, size_t begin, size_t length) {
    tokens.push_back({kind, uint32_t(begin), uint32_t(length), line,
                      uint32_t(int64_t(begin) - lineStart + 1)});
  }
  void newLine() {
    ++line;
    lineStart = int64_t(pos);
  }
  bool joined() const { return bracketed || !brackets.empty(); }

  bool lineBegin();
  void indentation(Indentation found);
  bool lostBracket();
  void skipBlank();
  void lineEnd();
  void number();
  void string(size_t prefix);
  void name();
  void operatorToken();
  void bracket(char c, size_t at);
};

/// Reads the white space at the beginning of a logical line. Blank lines and
/// comment lines have no indentation and are swallowed. False at the end.
bool Lexer::lineBegin() {
  Indentation found;
  for (; pos < text.size(); ++pos) {
    char c = text[pos];
    if (c == ' ') {
      ++found.width;
      ++found.narrow;
    } else if (c == '\t') {
      found.width = (found.width / 8 + 1) * 8;
      ++found.narrow;
    } else if (c == '\f') {
      found = Indentation();
    } else {
      break;
    }
  }
  char c = peek();
  if (c == '#') {
    while (pos < text.size() && text[pos] != '\n') {
      ++pos;
    }
    c = peek();
  }
  if (c == '\r' && peek(1) == '\n') {
    ++pos;
    c = '\n';
  }
  if (c == '\n') {
    ++pos;
    newLine();
    return true;
  }
  if (pos >= text.size()) {
    return false;
  }
  indentation(found);
  return false;
}

void Lexer::indentation(Indentation found) {
  auto mixed = [&] {
    sink.error(loc(pos), "tabs and spaces are mixed so that the indentation "
                         "depends on the width of a tab; use spaces alone");
  };
  if (found.width > indents.back().width) {
    if (indents.size() >= MaxIndentLevels) {
      sink.error(loc(pos), "blocks are nested more than " +
                               Twine(MaxIndentLevels) +
                               " levels deep (limit of indentation levels)");
      pos = text.size(); // what follows has no place
      return;
    }
    if (found.narrow <= indents.back().narrow) {
      mixed();
    }
    indents.push_back(found);
    push(Tok::Indent, pos, 0);
    return;
  }
  while (found.width < indents.back().width) {
    indents.pop_back();
    push(Tok::Dedent, pos, 0);
  }
  if (found.width != indents.back().width) {
    sink.error(loc(pos), "indentation does not match any enclosing block: " +
                             Twine(found.width) + " columns, the block has " +
                             Twine(indents.back().width));
  } else if (found.narrow != indents.back().narrow) {
    mixed();
  }
}

/// At a line end inside brackets: a word that cannot stand in an expression
/// begins the next line, so a bracket was forgotten. Reports it and gives the
/// bracket up, which confines the mistake to its statement.
bool Lexer::lostBracket() {
  if (brackets.empty()) {
    return false;
  }
  StringRef word = text.substr(pos).ltrim(" \t\r\n").take_while(
      [](char c) { return isNameChar(static_cast<unsigned char>(c)); });
  if (!StringSwitch<bool>(word)
           .Cases({"def", "class", "return", "import", "while", "try"}, true)
           .Cases({"raise", "pass", "break", "continue", "assert"}, true)
           .Cases({"del", "global", "nonlocal", "with"}, true)
           .Default(false)) {
    return false;
  }
  sink.error(brackets.back().loc, "bracket is never closed");
  brackets.clear();
  return true;
}

void Lexer::skipBlank() {
  while (pos < text.size()) {
    char c = text[pos];
    if (c == ' ' || c == '\t' || c == '\f' || (c == '\r' && peek(1) == '\n')) {
      ++pos;
    } else if (c == '#') {
      while (pos < text.size() && text[pos] != '\n') {
        ++pos;
      }
    } else if (c == '\\' &&
               (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      pos += peek(1) == '\n' ? 2 : 3;
      newLine();
    } else if (c == '\n' && joined() && !lostBracket()) {
      ++pos;
      newLine();
    } else {
      return;
    }
  }
}

void Lexer::lineEnd() {
  if (!tokens.empty() && tokens.back().kind != Tok::Newline &&
      tokens.back().kind != Tok::Indent && tokens.back().kind != Tok::Dedent) {
    push(Tok::Newline, pos, 0);
  }
}

void Lexer::number() {
  size_t begin = pos;
  auto digits = [&](auto isValid) {
    while (isValid(peek()) || (peek() == '_' && isAlnum(peek(1)))) {
      ++pos;
    }
  };
  auto decimal = [](char c) { return isDigit(c); };
  Tok kind = Tok::Int;
  char second = toLower(peek(1));
  if (peek() == '0' && (second == 'x' || second == 'o' || second == 'b')) {
    pos += 2;
    digits([](char c) { return isHexDigit(c); });
    if (pos == begin + 2) {
      sink.error(loc(begin, 2), "number has no digits after its prefix");
    }
  } else {
    digits(decimal);
    if (peek() == '.') {
      kind = Tok::Float;
      ++pos;
      digits(decimal);
    }
    if (toLower(peek()) == 'e' &&
        (isDigit(peek(1)) ||
         ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
      kind = Tok::Float;
      pos += 2;
      digits(decimal);
    }
    if (toLower(peek()) == 'j') {
      kind = Tok::Imaginary;
      ++pos;
    }
  }
  push(kind, begin, pos - begin);
  // "1if x else y" is legal Python, "12abc" is not.
  if (isNameStart(peek())) {
    StringRef tail = text.substr(pos).take_while(
        [](char c) { return isNameChar(static_cast<unsigned char>(c)); });
    if (!keywords().count(tail)) {
      sink.error(loc(begin, pos - begin + tail.size()),
                 "invalid number '" + text.slice(begin, pos) + tail + "'");
      pos += tail.size();
    }
  }
}

void Lexer::string(size_t prefix) {
  size_t begin = pos;
  StringRef letters = text.substr(pos, prefix);
  bool raw = letters.contains_insensitive('r');
  bool format = letters.contains_insensitive('f');
  size_t end = findStringEnd(text, pos + prefix, raw, format);
  if (end == StringRef::npos) {
    bool triple = text.substr(pos + prefix).starts_with("\"\"\"") ||
                  text.substr(pos + prefix).starts_with("'''");
    sink.error(loc(begin, prefix + 1),
               triple ? "triple-quoted string is never closed"
                      : "string is not closed at the end of the line");
    // Go on at the end of the line (of the file, for triple quotes).
    pos = triple ? text.size() : std::min(text.find('\n', pos), text.size());
    return;
  }
  push(Tok::String, begin, end - begin);
  for (size_t i = begin; i < end; ++i) {
    if (text[i] == '\n') {
      ++line;
      lineStart = int64_t(i) + 1;
    }
  }
  pos = end;
}

void Lexer::name() {
  size_t begin = pos;
  while (pos < text.size() &&
         isNameChar(static_cast<unsigned char>(text[pos]))) {
    ++pos;
  }
  auto it = keywords().find(text.slice(begin, pos));
  push(it == keywords().end() ? Tok::Name : it->second, begin, pos - begin);
}

void Lexer::bracket(char c, size_t at) {
  switch (c) {
  case '(':
  case '[':
  case '{':
    if (brackets.size() == MaxBracketDepth) {
      sink.error(loc(at), "brackets are nested more than " +
                              Twine(MaxBracketDepth) +
                              " levels deep (limit of bracket nesting)");
      // Nothing after this can be matched: stop here.
      brackets.clear();
      pos = text.size();
      return;
    }
    brackets.push_back({c == '(' ? ')' : c == '[' ? ']' : '}', loc(at)});
    return;
  case ')':
  case ']':
  case '}':
    if (brackets.empty()) {
      sink.error(loc(at), "'" + Twine(c) + "' has no opening bracket");
    } else {
      if (brackets.back().close != c) {
        sink.error(loc(at), "'" + Twine(c) + "' does not match; expected '" +
                                Twine(brackets.back().close) + "'")
            .note(brackets.back().loc, "to close this bracket");
      }
      brackets.pop_back();
    }
    return;
  default:
    return;
  }
}

void Lexer::operatorToken() {
  StringRef rest = text.substr(pos);
  for (const Spelling &op : Operators) {
    if (rest.starts_with(op.text)) {
      push(op.kind, pos, op.text.size());
      size_t at = pos;
      pos += op.text.size();
      bracket(op.text[0], at);
      return;
    }
  }
  unsigned char c = text[pos];
  sink.error(loc(pos),
             c >= 0x20 && c < 0x7f
                 ? "unexpected character '" + Twine(char(c)) + "'"
                 : "unexpected character with code " + Twine(unsigned(c)));
  ++pos;
}

std::vector<Token> Lexer::run() {
  bool atLineBegin = !bracketed;
  while (pos < text.size()) {
    if (atLineBegin) {
      while (lineBegin()) {
      }
      atLineBegin = false;
      continue;
    }
    skipBlank();
    if (pos >= text.size()) {
      break;
    }
    char c = text[pos];
    if (c == '\n') {
      lineEnd();
      ++pos;
      newLine();
      atLineBegin = true;
      continue;
    }
    size_t prefix = stringPrefix(text.substr(pos));
    if (prefix != StringRef::npos) {
      string(prefix);
    } else if (isNameStart(static_cast<unsigned char>(c))) {
      name();
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
    } else {
      operatorToken();
    }
  }
  if (!brackets.empty()) {
    sink.error(brackets.back().loc, "bracket is never closed");
  }
  if (!bracketed) {
    lineEnd();
    while (indents.size() > 1) {
      indents.pop_back();
      push(Tok::Dedent, pos, 0);
    }
  }
  push(Tok::End, pos, 0);
  return std::move(tokens);
}

/// False (with an error) if the text cannot be lexed at all.
bool checkEncoding(const SourceFile &file, DiagnosticSink &sink) {
  StringRef text = file.text();
  if (text.size() > MaxFileBytes) {
    sink.error({&file, 1, 1, 0}, "file is larger than " +
                                     Twine(MaxFileBytes >> 20) +
                                     " MiB (limit of source size)");
    return false;
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    sink.error({&file, 1, 1, 0}, "file is UTF-16; save it as UTF-8");
    return false;
  }
  const auto *begin = reinterpret_cast<const UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const UTF8 *>(text.end());
  const UTF8 *at = begin;
  bool valid = isLegalUTF8String(&at, end);
  size_t bad = valid ? text.find('\0') : size_t(at - begin);
  const bool isText = bad == StringRef::npos;
  if (isText) {
    // Lines end in LF or CR LF; a CR alone would make the file one line.
    for (bad = text.find('\r'); bad != StringRef::npos &&
                                bad + 1 < text.size() &&
                                text[bad + 1] == '\n';) {
      bad = text.find('\r', bad + 1);
    }
    if (bad == StringRef::npos || bad + 1 == text.size()) {
      return true;
    }
  }
  uint32_t line = text.take_front(bad).count('\n') + file.firstLine();
  size_t lineBegin = text.rfind('\n', bad);
  lineBegin = lineBegin == StringRef::npos ? 0 : lineBegin + 1;
  sink.error({&file, line, uint32_t(bad - lineBegin + 1), 0},
             isText ? "carriage return without a line feed; save the file with "
                      "LF or CR LF line ends"
             : valid ? "file contains a NUL byte; is this a text file?"
                     : "byte 0x" +
                           utohexstr(static_cast<unsigned char>(text[bad])) +
                           " is not valid UTF-8; save the file as UTF-8");
  return false;
}

} // namespace

size_t findStringEnd(StringRef text, size_t offset, bool raw, bool format,
                     unsigned depth) {
  char quote = text[offset];
  bool triple = text.substr(offset, 3).count(quote) == 3;
  size_t pos = offset + (triple ? 3 : 1);
  unsigned braces = 0;
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\\' && (braces == 0 || raw)) {
      pos += 2;
      continue;
    }
    if (format && c == '{') {
      if (braces == 0 && text.substr(pos).starts_with("{{")) {
        pos += 2;
        continue;
      }
      ++braces;
    } else if (format && c == '}' && braces) {
      --braces;
    } else if (braces && (c == '"' || c == '\'') && depth < 4) {
      // A string inside a replacement field. The same quote closes the
      // f-string in older Python; take it as nested only if that works out.
      bool same = c == quote;
      size_t inner = findStringEnd(text, pos, false, false, depth + 1);
      if (!same && inner != StringRef::npos) {
        pos = inner;
        continue;
      }
      if (same && !triple && inner != StringRef::npos &&
          text.slice(inner, text.find('\n', inner)).contains('}')) {
        pos = inner;
        continue;
      }
    }
    if (c == quote && (!triple || text.substr(pos, 3).count(quote) == 3)) {
      return pos + (triple ? 3 : 1);
    }
    if (c == '\n' && !triple) {
      return StringRef::npos;
    }
    ++pos;
  }
  return StringRef::npos;
}

StringParts splitString(const SourceFile &file, const Token &token) {
  StringRef text = file.text().substr(token.offset, token.length);
  StringParts parts;
  size_t prefix = text.find_first_of("\"'");
  StringRef letters = text.take_front(prefix);
  parts.raw = letters.contains_insensitive('r');
  parts.bytes = letters.contains_insensitive('b');
  parts.format = letters.contains_insensitive('f');
  text = text.drop_front(prefix);
  parts.triple = text.size() >= 6 && text[0] == text[1] && text[0] == text[2];
  unsigned quotes = parts.triple ? 3 : 1;
  parts.begin = token.offset + prefix + quotes;
  parts.end = token.offset + token.length - quotes;
  return parts;
}

StringRef tokenName(Tok kind) {
  switch (kind) {
  case Tok::End:
    return "end of file";
  case Tok::Newline:
    return "end of line";
  case Tok::Indent:
    return "indentation";
  case Tok::Dedent:
    return "end of block";
  case Tok::Name:
    return "name";
  case Tok::Int:
  case Tok::Float:
  case Tok::Imaginary:
    return "number";
  case Tok::String:
    return "string";
#define TZ_KEYWORD(id, text)                                                   \
  case Tok::Kw##id:                                                            \
    return "'" text "'";
#define TZ_OPERATOR(id, text)                                                  \
  case Tok::id:                                                                \
    return "'" text "'";
#include "core/frontend/parse/Tokens.def"
  }
  return "token";
}

std::vector<Token> lexRange(const SourceFile &file, LexRange range,
                            DiagnosticSink &sink) {
  return Lexer(file, range, sink).run();
}

std::vector<Token> lexFile(const SourceFile &file, DiagnosticSink &sink) {
  if (!checkEncoding(file, sink)) {
    return {Token{Tok::End, 0, 0, 1, 1}};
  }
  LexRange range;
  range.end = file.text().size();
  range.line = file.firstLine();
  if (file.text().starts_with("\xef\xbb\xbf")) {
    range.begin = 3;
  }
  return lexRange(file, range, sink);
}

} // namespace tz::frontend
