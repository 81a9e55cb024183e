//===- TextPositions.cpp - columns of bytes and columns of editors --------===//
//
// What   See TextPositions.h.
// Why    See TextPositions.h.
//===----------------------------------------------------------------------===//
#include "core/editor/TextPositions.h"

#include "llvm/ADT/StringExtras.h"

namespace tz::editor {

TextPositions::TextPositions(std::string text) : all(std::move(text)) {
  llvm::StringRef(all).split(lines, '\n');
  for (llvm::StringRef &line : lines) {
    line = line.rtrim('\r');
  }
}

/// Bytes of a letter by its first one, and its UTF-16 units.
static std::pair<size_t, size_t> letter(unsigned char first) {
  return first < 0xC0   ? std::pair<size_t, size_t>(1, 1)
         : first < 0xE0 ? std::pair<size_t, size_t>(2, 1)
         : first < 0xF0 ? std::pair<size_t, size_t>(3, 1)
                        : std::pair<size_t, size_t>(4, 2);
}

size_t TextPositions::byteOf(size_t number, size_t units) const {
  const llvm::StringRef text = line(number);
  size_t byte = 0;
  for (size_t seen = 0; byte < text.size() && seen < units;) {
    auto [bytes, wide] = letter(text[byte]);
    byte += bytes;
    seen += wide;
  }
  return std::min(byte, text.size());
}

size_t TextPositions::unitsOf(size_t number, size_t byte) const {
  const llvm::StringRef text = line(number).take_front(byte);
  size_t units = 0;
  for (size_t i = 0; i < text.size();) {
    auto [bytes, wide] = letter(text[i]);
    i += bytes;
    units += wide;
  }
  return units;
}

llvm::json::Object TextPositions::range(size_t number, size_t begin,
                                        size_t end) const {
  auto position = [&](size_t byte) {
    return llvm::json::Object{{"line", int64_t(number)},
                              {"character", int64_t(unitsOf(number, byte))}};
  };
  return llvm::json::Object{{"start", position(begin)}, {"end", position(end)}};
}

bool isNameLetter(char c) { return llvm::isAlnum(c) || c == '_'; }

NameAt TextPositions::nameAt(size_t number, size_t byte) const {
  const llvm::StringRef text = line(number);
  size_t begin = std::min(byte, text.size()), end = begin;
  while (begin > 0 && isNameLetter(text[begin - 1])) {
    --begin;
  }
  while (end < text.size() && isNameLetter(text[end])) {
    ++end;
  }
  if (begin == end || llvm::isDigit(text[begin])) {
    return {};
  }
  return {text.slice(begin, end), begin, end};
}

} // namespace tz::editor
