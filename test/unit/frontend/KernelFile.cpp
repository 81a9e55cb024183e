//===- KernelFile.cpp - test files with directives ------------------------===//
//
// What   Reading of directives; the printed form of diagnostics.
// Why    See KernelFile.h.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>

using namespace llvm;

namespace tz::frontend::test {

KernelRun parseRun(StringRef run) {
  KernelRun result;
  SmallVector<StringRef> words;
  run.split(words, ' ', -1, false);
  result.kernel = words.empty() ? "" : words[0].str();
  for (StringRef word : ArrayRef(words).drop_front(words.empty() ? 0 : 1)) {
    if (auto [name, value] = word.split(":="); word.contains(":=")) {
      result.spec.constexprs[name.str()] = ConstValue::parse(value);
      continue;
    }
    auto [name, type] = word.split('=');
    ArgSpec arg;
    arg.name = name.str();
    auto [spelled, hint] = type.split(':');
    arg.type = spelled.str();
    arg.divisibleBy16 = hint == "16";
    arg.equalsOne = hint == "1";
    result.spec.args.push_back(std::move(arg));
  }
  return result;
}

KernelFile readKernelFile(const std::string &path) {
  KernelFile file;
  file.path = path;
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) {
    return file;
  }
  file.text = (*buffer)->getBuffer().str();
  SmallVector<StringRef> lines;
  StringRef(file.text).split(lines, '\n');
  for (StringRef line : lines) {
    size_t at = line.find("# ");
    if (at == StringRef::npos) {
      continue;
    }
    StringRef directive = line.substr(at + 2);
    if (directive.consume_front("run:")) {
      file.runs.push_back(parseRun(directive.trim()));
    } else if (directive.consume_front("error@")) {
      file.errors.push_back(directive.trim().str());
    } else if (directive.consume_front("note@")) {
      file.notes.push_back(directive.trim().str());
    }
  }
  return file;
}

std::vector<std::string> kernelFiles(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TERRAZZO_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() == ".py") {
      files.push_back(entry.path().string());
    }
  }
  llvm::sort(files);
  return files;
}

static std::string place(SourceLoc loc) {
  return std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": ";
}

std::vector<std::string> errorLines(const DiagnosticSink &sink) {
  std::vector<std::string> lines;
  for (const Diagnostic &d : sink.diagnostics()) {
    if (d.severity == Severity::Error) {
      lines.push_back(place(d.loc) + d.message);
    }
  }
  return lines;
}

std::vector<std::string> noteLines(const DiagnosticSink &sink) {
  std::vector<std::string> lines;
  for (const Diagnostic &d : sink.diagnostics()) {
    for (const Note &note : d.notes) {
      lines.push_back(place(note.loc) + note.message);
    }
  }
  return lines;
}

} // namespace tz::frontend::test
