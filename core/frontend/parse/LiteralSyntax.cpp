//===- LiteralSyntax.cpp - numbers and strings ----------------------------===//
//
// What   Numbers, string literals with their escapes, and the fields of
//        f-strings, which hold expressions again.
// Why    Their rules are about characters, those of ExpressionSyntax.cpp about
//        tokens.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/ParserState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Expr *Parser::number() {
  auto *node = make<Constant>(loc());
  const Token &t = next();
  std::string digits;
  for (char c : spelling(t)) {
    if (c != '_') {
      digits += c;
    }
  }
  StringRef text = digits;
  if (t.kind == Tok::Int) {
    node->constant = ConstantKind::Int;
    unsigned radix = 10;
    if (text.size() > 1 && text[0] == '0' && isAlpha(text[1])) {
      char c = toLower(text[1]);
      radix = c == 'x' ? 16 : c == 'o' ? 8 : 2;
      text = text.drop_front(2);
    } else if (text.size() > 1 && text[0] == '0' &&
               text.find_first_not_of('0') != StringRef::npos) {
      sink.error(node->loc, "number has leading zeros; octal is written 0o" +
                                text.ltrim('0'));
      return nullptr;
    }
    __int128 value = 0;
    for (char c : text) {
      unsigned digit = hexDigitValue(c);
      if (digit >= radix) {
        sink.error(node->loc, "digit '" + Twine(c) + "' in a number of base " +
                                  Twine(radix));
        return nullptr;
      }
      if (__builtin_mul_overflow(value, __int128(radix), &value) ||
          __builtin_add_overflow(value, __int128(digit), &value)) {
        node->constant = ConstantKind::BigInt; // an error only when used
        break;
      }
    }
    node->integer = value;
    return node;
  }
  node->constant = ConstantKind::Float;
  if (t.kind == Tok::Imaginary) {
    node->constant = ConstantKind::Imaginary;
    text = text.drop_back();
  }
  node->number = std::strtod(text.str().c_str(), nullptr);
  return node;
}

/// Appends one code point; false if the value is none.
static bool appendCodePoint(uint32_t value, std::string &out) {
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  if (value >= 0xD800 && value <= 0xDFFF) {
    value = 0xFFFD; // a lone surrogate has no UTF-8
  }
  if (!ConvertCodePointToUTF8(value, end)) {
    return false;
  }
  out.append(buffer, end);
  return true;
}

/// Resolves the escape whose backslash is at `pos`; moves `pos` behind it.
static bool appendEscape(StringRef text, size_t &pos, size_t end, bool bytes,
                         std::string &out) {
  char c = pos + 1 < end ? text[pos + 1] : '\\';
  pos += 2;
  StringRef simple = "abfnrtv\\'\"";
  StringRef values = "\a\b\f\n\r\t\v\\'\"";
  if (size_t i = simple.find(c); i != StringRef::npos) {
    out += values[i];
    return true;
  }
  if (c == '\n') {
    return true;
  }
  if (c == '\r' && pos < end && text[pos] == '\n') {
    ++pos;
    return true;
  }
  if (c >= '0' && c <= '7') {
    unsigned value = c - '0';
    for (int i = 0; i < 2 && pos < end && text[pos] >= '0' && text[pos] <= '7';
         ++i) {
      value = value * 8 + (text[pos++] - '0');
    }
    return bytes ? (out += char(value), true) : appendCodePoint(value, out);
  }
  unsigned digits = c == 'x' ? 2 : bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits) {
    StringRef hex = text.slice(pos, std::min<size_t>(pos + digits, end));
    uint32_t value;
    if (hex.size() != digits || hex.getAsInteger(16, value)) {
      return false;
    }
    pos += digits;
    return bytes ? (out += char(value), true) : appendCodePoint(value, out);
  }
  if (c == 'N' && !bytes && pos < end && text[pos] == '{') {
    // Character names mean nothing to a kernel: kept as they are written.
    size_t close = text.slice(0, end).find('}', pos);
    if (close == StringRef::npos) {
      return false;
    }
    out += text.slice(pos - 2, close + 1);
    pos = close + 1;
    return true;
  }
  out += '\\'; // unknown escapes stay, as in Python
  out += c;
  return true;
}

/// The end of an f-string's expression: a top-level '!', ':', '=' or '}'; or
/// where a string begins that has no end.
static size_t fieldEnd(StringRef text, size_t begin, size_t end) {
  unsigned depth = 0;
  size_t stop = begin;
  for (; stop < end; ++stop) {
    char c = text[stop];
    if (c == '"' || c == '\'') {
      size_t close = findStringEnd(text.take_front(end), stop, false, false);
      if (close == StringRef::npos) {
        break;
      }
      stop = close - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth && (c == ')' || c == ']' || c == '}')) {
      --depth;
    } else if (!depth && (c == '}' || c == ':')) {
      break;
    } else if (!depth && c == '!' && stop + 1 < end && text[stop + 1] != '=') {
      break;
    }
  }
  return stop;
}

/// The end of a field's format, which may hold fields of its own.
static size_t formatEnd(StringRef text, size_t begin, size_t end) {
  size_t stop = begin;
  for (unsigned depth = 0; stop < end && (depth || text[stop] != '}'); ++stop) {
    depth += text[stop] == '{';
    depth -= text[stop] == '}';
  }
  return stop;
}

bool Parser::replacementField(const Token &t, LineMark &mark, size_t &pos,
                              size_t end, SmallVectorImpl<JoinedPart> &parts) {
  StringRef text = file.text();
  const size_t begin = pos + 1;
  size_t stop = fieldEnd(text, begin, end);
  SourceLoc place = loc(t);
  if (stop >= end || text[stop] == '"' || text[stop] == '\'') {
    sink.error(place, "'{' in f-string is never closed");
    return false;
  }
  JoinedPart part;
  StringRef source = text.slice(begin, stop);
  StringRef trimmed = source.rtrim();
  if (trimmed.ends_with("=") && !trimmed.ends_with("==") &&
      !trimmed.ends_with("!=") && !trimmed.ends_with("<=") &&
      !trimmed.ends_with(">=")) {
    part.debug = source;
    trimmed = trimmed.drop_back();
  }
  // Where the field is: lines inside triple quotes are counted.
  for (; mark.at < begin; ++mark.at) {
    if (text[mark.at] == '\n') {
      ++mark.line;
      mark.lineBegin = mark.at + 1;
    }
  }
  LexRange range;
  range.begin = begin;
  range.end = begin + trimmed.size();
  range.line = mark.line;
  range.column = begin - mark.lineBegin + 1;
  range.bracketed = true;
  if (trimmed.trim().empty()) {
    sink.error({&file, range.line, range.column, 0},
               "f-string has an empty expression");
    return false;
  }
  unsigned errors = sink.errorCount();
  Parser field(file, arena, sink, lexRange(file, range, sink));
  if (sink.errorCount() != errors) {
    return false;
  }
  part.value = field.parseField(nesting);
  if (!part.value) {
    return false;
  }
  if (text[stop] == '!') {
    part.conversion = text[stop + 1];
    stop += 2;
  }
  if (stop < end && text[stop] == ':') {
    const size_t format = stop + 1;
    stop = formatEnd(text, format, end);
    part.format = text.slice(format, stop);
  }
  if (stop >= end || text[stop] != '}') {
    sink.error(place, "'{' in f-string is never closed");
    return false;
  }
  pos = stop + 1;
  parts.push_back(part);
  return true;
}

bool Parser::stringPieces(const Token &t, std::string &literal,
                          SmallVectorImpl<JoinedPart> &parts) {
  StringParts info = splitString(file, t);
  StringRef text = file.text();
  size_t pos = info.begin;
  LineMark mark{t.offset, t.offset - (t.column - 1), t.line};
  while (pos < info.end) {
    char c = text[pos];
    if (c == '\\' && !info.raw) {
      if (!appendEscape(text, pos, info.end, info.bytes, literal)) {
        sink.error(loc(t), "invalid escape sequence in string");
        return false;
      }
    } else if (info.format && (c == '{' || c == '}')) {
      if (pos + 1 < info.end && text[pos + 1] == c) {
        literal += c;
        pos += 2;
      } else if (c == '}') {
        sink.error(loc(t), "single '}' in f-string; write '}}'");
        return false;
      } else {
        if (!literal.empty()) {
          parts.emplace_back().literal = keep(literal);
          literal.clear();
        }
        if (!replacementField(t, mark, pos, info.end, parts)) {
          return false;
        }
      }
    } else {
      literal += c;
      ++pos;
    }
  }
  return true;
}

Expr *Parser::strings() {
  SourceLoc first = loc();
  std::string literal;
  SmallVector<JoinedPart, 4> parts;
  bool format = false;
  bool bytes = splitString(file, token()).bytes;
  while (at(Tok::String)) {
    StringParts info = splitString(file, token());
    format |= info.format;
    if (info.bytes != bytes) {
      sink.error(loc(), "bytes and text strings cannot be joined");
      return nullptr;
    }
    if (!stringPieces(token(), literal, parts)) {
      next();
      return nullptr;
    }
    next();
  }
  if (!format) {
    auto *node = make<Constant>(first);
    node->constant = bytes ? ConstantKind::Bytes : ConstantKind::String;
    node->text = keep(literal);
    return node;
  }
  if (!literal.empty()) {
    parts.emplace_back().literal = keep(literal);
  }
  auto *node = make<JoinedString>(first);
  for (const JoinedPart &part : parts) {
    if (part.value) {
      node->depth = std::max(node->depth, part.value->depth);
    }
  }
  node->parts = copy<JoinedPart>(parts);
  return deepen(node, {node});
}

Expr *Parser::parseField(unsigned enclosingDepth) {
  nesting = enclosingDepth;
  Nesting guard(*this);
  if (!guard.allowed()) {
    return nullptr;
  }
  Expr *value = at(Tok::KwYield) ? yieldExpression() : expressionList();
  if (value && !at(Tok::End)) {
    return unexpected("the end of the f-string's expression");
  }
  return value;
}

} // namespace tz::frontend
