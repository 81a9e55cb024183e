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
#include "llvm/Support/Path.h"

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

std::string readText(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

bool isExpectation(StringRef line) {
  return line.consume_front("# ") &&
         (line.starts_with("error@") || line.starts_with("warning@") ||
          line.starts_with("remark@") || line.starts_with("note@") ||
          line.starts_with("error:") || line.starts_with("note:"));
}

std::vector<KernelFile> readPrograms(const std::string &path) {
  std::vector<KernelFile> programs(1);
  programs[0].path = path;
  std::string text = readText(path);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  bool begun = false; // only comments stand before the first program
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef line = lines[i];
    if (line.consume_front("# -----")) {
      if (std::exchange(begun, true)) {
        programs.emplace_back().path = path;
        programs.back().text.assign(i, '\n');
      }
      programs.back().title = line.trim("- ").str();
    }
    begun |= !lines[i].empty() && !lines[i].starts_with("#");
    if (line = lines[i]; line.consume_front("# run:")) {
      programs.back().runs.push_back(parseRun(line.trim()));
    } else if (isExpectation(line)) {
      programs.back().diagnostics.push_back(line.drop_front(2).rtrim().str());
    }
    programs.back().text += lines[i];
    programs.back().text += i + 1 < lines.size() ? "\n" : "";
  }
  return programs;
}

KernelFile readKernelFile(const std::string &path) {
  return readPrograms(path)[0];
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

std::vector<std::string> diagnosticLines(const DiagnosticSink &sink,
                                         StringRef path) {
  std::vector<std::string> lines;
  auto add = [&](StringRef severity, SourceLoc loc, StringRef message) {
    std::string line = severity.str();
    if (loc.file) {
      line += "@";
      if (loc.file->path() != path) {
        line += sys::path::filename(loc.file->path()).str() + ":";
      }
      line += place(loc);
    } else {
      line += ": ";
    }
    lines.push_back(line + message.str());
  };
  for (const Diagnostic &d : sink.diagnostics()) {
    add(d.severity == Severity::Error     ? "error"
        : d.severity == Severity::Warning ? "warning"
                                          : "remark",
        d.loc, d.message);
    for (const Note &note : d.notes) {
      add("note", note.loc, note.message);
    }
  }
  return lines;
}

} // namespace tz::frontend::test
