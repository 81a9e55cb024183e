//===- FileAnalysis.h - what the compiler knows of an open file -*- C++ -*-===//
//
// What   Reads a text, elaborates each of its kernels and runs the neutral
//        passes: messages with ranges, the type of each name where it is set,
//        what calls give, where functions begin.
// Why    Everything that an editor asks about a file is answered from this, so
//        a file is compiled once a change and not once a question.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EDITOR_FILEANALYSIS_H
#define TERRAZZO_CORE_EDITOR_FILEANALYSIS_H

#include "core/driver/Driver.h"
#include "core/editor/KernelTypes.h"
#include "core/editor/TextPositions.h"

#include <memory>

namespace tz::editor {

enum class MessageKind : uint8_t { Error = 1, Warning, Information, Hint };

/// Lines from 0; bytes of the line.
struct FilePlace {
  std::string path; ///< empty: the file itself
  size_t line = 0, begin = 0, end = 0;
};

struct FileMessage {
  MessageKind kind = MessageKind::Error;
  FilePlace place;
  std::string text;
  std::string code; ///< a pass, of a remark
  std::vector<std::pair<FilePlace, std::string>> notes;
};

/// A name is set: an assignment, a parameter, a loop's variable.
struct NamedValue {
  std::string name;
  std::string type; ///< "fp32[64, 64]", or a constant's value
  bool isConstant = false;
  FilePlace place; ///< of the statement
  std::string kernel;
};

/// What an operation at a place of the source gives.
struct TypedPlace {
  size_t line = 0, byte = 0;
  std::string type;
};

/// A function of the file or of one that it imports.
struct FunctionPlace {
  std::string name, signature;
  FilePlace place;
};

struct FileAnalysis {
  std::vector<FileMessage> messages;
  std::vector<NamedValue> names;
  std::vector<TypedPlace> results;
  std::vector<FunctionPlace> functions;
};

/// Reads and compiles `text`; `path` is where it lies or will lie. `roots`:
/// folders of packages that it imports.
FileAnalysis analyse(driver::Driver &driver, const std::string &path,
                     const TextPositions &text,
                     const std::vector<std::string> &roots,
                     const KernelSettings &settings);

} // namespace tz::editor

#endif
