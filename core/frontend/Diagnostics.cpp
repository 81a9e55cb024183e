//===- Diagnostics.cpp - collecting and printing messages -----------------===//
//
// What   The sink and the printed form of a diagnostic.
// Why    One place decides how an error looks, so that the command line, the
//        C API and the tests show the same text.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tz::frontend {

SourceFile::SourceFile(std::string path, std::string text, uint32_t firstLine)
    : filePath(std::move(path)), fileText(std::move(text)), first(firstLine) {
  lineStarts.push_back(0);
  for (size_t i = 0; i < fileText.size(); ++i) {
    if (fileText[i] == '\n') {
      lineStarts.push_back(i + 1);
    }
  }
}

StringRef SourceFile::line(uint32_t line) const {
  if (!hasLine(line)) {
    return {};
  }
  line -= firstLine() - 1;
  size_t begin = lineStarts[line - 1];
  size_t end = line < lineStarts.size() ? lineStarts[line] : fileText.size();
  return StringRef(fileText).substr(begin, end - begin).rtrim("\r\n");
}

DiagnosticBuilder &DiagnosticBuilder::note(SourceLoc loc,
                                           const Twine &message) {
  if (target) {
    target->notes.push_back({loc, message.str()});
  }
  return *this;
}

DiagnosticBuilder DiagnosticSink::add(Severity severity, SourceLoc loc,
                                      const Twine &message) {
  Diagnostic diagnostic{severity, loc, message.str(), {}};
  if (diagnostic.message.size() > MaxMessage) {
    diagnostic.message.resize(MaxMessage);
    diagnostic.message += "...";
  }
  // Innermost frame first: that is the order in which a person looks.
  size_t outer = frames.size();
  if (loc.file && loc.file->isEmbedded()) {
    while (outer > 0 && frames[outer - 1].loc.file->isEmbedded()) {
      --outer;
    }
    if (outer > 0) {
      diagnostic.loc = frames[--outer].loc;
      diagnostic.notes.push_back({loc, "in the source of the library"});
    }
  }
  // The iterations of an unrolled loop and the calls of one function say it
  // once.
  for (const Diagnostic &other : kept) {
    if (other.severity == severity && other.loc == diagnostic.loc &&
        other.message == diagnostic.message) {
      return DiagnosticBuilder(nullptr);
    }
  }
  if (severity == Severity::Error && ++errors > MaxErrors) {
    return DiagnosticBuilder(nullptr);
  }
  for (const Note &frame : reverse(ArrayRef(frames).take_front(outer))) {
    if (diagnostic.notes.size() == 8) {
      diagnostic.notes.push_back({SourceLoc(), "outer calls are not shown"});
      break;
    }
    diagnostic.notes.push_back(frame);
  }
  kept.push_back(std::move(diagnostic));
  if (severity == Severity::Error && errors == MaxErrors) {
    kept.back().notes.push_back(
        {SourceLoc(), "further errors are not shown (limit of errors)"});
  }
  return DiagnosticBuilder(&kept.back());
}

DiagnosticBuilder DiagnosticSink::error(SourceLoc loc, const Twine &message) {
  return add(Severity::Error, loc, message);
}

DiagnosticBuilder DiagnosticSink::warning(SourceLoc loc, const Twine &message) {
  return add(Severity::Warning, loc, message);
}

DiagnosticBuilder DiagnosticSink::remark(SourceLoc loc, const Twine &message) {
  return add(Severity::Remark, loc, message);
}

void DiagnosticSink::keep(std::shared_ptr<const SourceFile> file) {
  if (!is_contained(files, file)) {
    files.push_back(std::move(file));
  }
}

void DiagnosticSink::append(DiagnosticSink &&other) {
  for (Diagnostic &diagnostic : other.kept) {
    if (diagnostic.severity != Severity::Error || errors < MaxErrors) {
      errors += diagnostic.severity == Severity::Error;
      kept.push_back(std::move(diagnostic));
    } else {
      ++errors;
    }
  }
  for (auto &file : other.files) {
    keep(file);
  }
}

void DiagnosticSink::pushFrame(SourceLoc loc, std::string message) {
  frames.push_back({loc, std::move(message)});
}

void DiagnosticSink::popFrame() { frames.pop_back(); }

void DiagnosticSink::clear() {
  kept.clear();
  frames.clear();
  errors = 0;
}

static void printPlace(SourceLoc loc, raw_ostream &os) {
  if (!loc.file) {
    return;
  }
  os << loc.file->path() << ':';
  if (loc.line) {
    os << loc.line << ':' << loc.column << ':';
  }
  os << ' ';
}

/// The source line and a caret below it. Tabs are kept in the second line so
/// that the caret stands under its character whatever the tab width is.
static void printSnippet(SourceLoc loc, raw_ostream &os) {
  if (!loc.isValid()) {
    return;
  }
  StringRef text = loc.file->line(loc.line);
  if (text.empty()) {
    return;
  }
  // A very long line is cut to a window around the column.
  size_t column =
      std::min<size_t>(loc.column ? loc.column - 1 : 0, text.size());
  size_t begin = column > 120 ? column - 80 : 0;
  StringRef shown = text.substr(begin, 200);
  os << "  ";
  for (char c : shown) {
    os << (static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c);
  }
  os << "\n  ";
  for (char c : shown.take_front(column - begin)) {
    // Continuation bytes of UTF-8 take no column of their own.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      os << (c == '\t' ? '\t' : ' ');
    }
  }
  os << '^';
  size_t rest = shown.size() - std::min(shown.size(), column - begin);
  for (size_t i = 1; i < std::min<size_t>(loc.length, rest); ++i) {
    os << '~';
  }
  os << '\n';
}

void printDiagnostic(const Diagnostic &diagnostic, raw_ostream &os) {
  printPlace(diagnostic.loc, os);
  os << (diagnostic.severity == Severity::Error     ? "error: "
         : diagnostic.severity == Severity::Warning ? "warning: "
         : diagnostic.severity == Severity::Remark  ? "remark: "
                                                    : "note: ")
     << diagnostic.message << '\n';
  printSnippet(diagnostic.loc, os);
  for (const Note &note : diagnostic.notes) {
    printPlace(note.loc, os);
    os << "note: " << note.message << '\n';
    printSnippet(note.loc, os);
  }
}

void DiagnosticSink::print(raw_ostream &os) const {
  for (const Diagnostic &diagnostic : kept) {
    printDiagnostic(diagnostic, os);
  }
  if (errors) {
    os << errors << (errors == 1 ? " error" : " errors");
    os << '\n';
  }
}

std::string DiagnosticSink::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

StringRef nearestName(StringRef name, ArrayRef<StringRef> candidates) {
  if (name.size() < 2) {
    return {}; // everything is near
  }
  unsigned best =
      std::max<unsigned>(name.size() < 5 ? 1 : 2, name.size() / 3) + 1;
  auto letters = [](StringRef text) {
    std::string sorted = text.str();
    sort(sorted);
    return sorted;
  };
  const std::string own = letters(name);
  StringRef nearest;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, best + 1);
    // A swap of two letters counts as two edits and is one slip.
    if (distance == 2 && own == letters(candidate)) {
      distance = 1;
    }
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace tz::frontend
