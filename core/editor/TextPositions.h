//===- TextPositions.h - columns of bytes and columns of editors *- C++ -*-===//
//
// What   The lines of a text; between the compiler's columns, which count bytes
//        from 1, and the protocol's, which count UTF-16 units from 0. The name
//        at a position.
// Why    A line with letters beyond ASCII would be marked in a wrong place.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EDITOR_TEXTPOSITIONS_H
#define TERRAZZO_CORE_EDITOR_TEXTPOSITIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace tz::editor {

/// A name in a line: bytes from `begin` up to `end`.
struct NameAt {
  llvm::StringRef text;
  size_t begin = 0, end = 0;
};

class TextPositions {
public:
  explicit TextPositions(std::string text);
  TextPositions(const TextPositions &) = delete;

  const std::string &text() const { return all; }
  size_t lineCount() const { return lines.size(); }
  /// From 0; empty if there is none.
  llvm::StringRef line(size_t number) const {
    return number < lines.size() ? lines[number] : llvm::StringRef();
  }
  /// Bytes before a column of the protocol, and back.
  size_t byteOf(size_t line, size_t units) const;
  size_t unitsOf(size_t line, size_t byte) const;
  /// The protocol's range of bytes in a line.
  llvm::json::Object range(size_t line, size_t begin, size_t end) const;
  /// The identifier that stands there; empty if there is none.
  NameAt nameAt(size_t line, size_t byte) const;

private:
  std::string all;
  llvm::SmallVector<llvm::StringRef, 0> lines;
};

bool isNameLetter(char c);

} // namespace tz::editor

#endif
