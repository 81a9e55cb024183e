//===- Diagnostics.h - source files, places, messages -----------*- C++ -*-===//
//
// What   SourceFile and SourceLoc say where in the user's text something is;
//        DiagnosticSink collects errors, warnings and notes and prints them in
//        clang's style: file:line:col, the source line, a caret.
// Why    Every mistake of a user ends here as text and never as an abort. The
//        sink keeps the chain of inlined calls, so that an error inside a
//        callee says from where it was reached without each caller's help.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_DIAGNOSTICS_H
#define TERRAZZO_CORE_FRONTEND_DIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tz::frontend {

/// One text with the offsets of its lines. Locations point at it; a sink keeps
/// the files of its diagnostics.
class SourceFile {
public:
  /// `firstLine`: of the text, if it is only a part of the file.
  SourceFile(std::string path, std::string text, uint32_t firstLine = 0);

  llvm::StringRef path() const { return filePath; }
  llvm::StringRef text() const { return fileText; }
  /// The text of line `line` (from 1) without its line end; empty if none.
  llvm::StringRef line(uint32_t line) const;
  uint32_t lineCount() const { return lineStarts.size(); }
  /// Is the text a part of the file, as the host program gave it?
  bool isExcerpt() const { return first > 0; }
  uint32_t firstLine() const { return first ? first : 1; }
  bool hasLine(uint32_t line) const {
    return line >= firstLine() && line - firstLine() < lineStarts.size();
  }
  /// Is it of the library inside of the compiler, not of the user?
  bool isEmbedded() const { return path().starts_with("<terrazzo>/"); }
  /// Is it the text of the whole file `path`, rather than a part of one or the
  /// value of a name?
  bool isFile() const { return !isExcerpt() && !path().starts_with("<"); }

private:
  std::string filePath;
  std::string fileText;
  uint32_t first;
  std::vector<uint32_t> lineStarts;
};

/// A place in a source file. Lines and columns count from 1; `length` is the
/// number of characters the underlining covers on that line (0: caret only).
struct SourceLoc {
  const SourceFile *file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 0;

  bool isValid() const { return file && line; }
  bool operator==(const SourceLoc &) const = default;
};

enum class Severity : uint8_t { Error, Warning, Remark, Note };

struct Note {
  SourceLoc loc; // may be invalid: a note without a place
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceLoc loc;
  std::string message;
  std::vector<Note> notes;
};

/// Gives an error its notes: `sink.error(loc, "...").note(other, "...")`.
class DiagnosticBuilder {
public:
  explicit DiagnosticBuilder(Diagnostic *diagnostic) : target(diagnostic) {}
  DiagnosticBuilder &note(SourceLoc loc, const llvm::Twine &message);
  DiagnosticBuilder &note(const llvm::Twine &message) {
    return note(SourceLoc(), message);
  }

private:
  Diagnostic *target; // null once the sink is full
};

class DiagnosticSink {
public:
  /// After this many errors the rest is counted but not kept, and a kernel is
  /// not evaluated further.
  static constexpr unsigned MaxErrors = 64;
  /// A message is cut at this length: names have none.
  static constexpr unsigned MaxMessage = 4096;

  /// The returned builder is valid until the next call on the sink.
  DiagnosticBuilder error(SourceLoc loc, const llvm::Twine &message);
  DiagnosticBuilder warning(SourceLoc loc, const llvm::Twine &message);
  /// What a curious user may want to know; shown on request.
  DiagnosticBuilder remark(SourceLoc loc, const llvm::Twine &message);

  /// Keeps a file alive as long as the sink: its diagnostics point into it.
  void keep(std::shared_ptr<const SourceFile> file);

  /// Takes over what another sink has collected.
  void append(DiagnosticSink &&other);

  unsigned errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  bool isFull() const { return errors >= MaxErrors; }
  llvm::ArrayRef<Diagnostic> diagnostics() const { return kept; }

  /// Frames of inlined calls, outermost first. Every error reported while a
  /// frame is open gets a note at its place. What is wrong with a call of the
  /// embedded library is reported at that call.
  void pushFrame(SourceLoc loc, std::string message);
  void popFrame();

  /// Prints all diagnostics, and "N errors" at the end if there are any.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  void clear();

private:
  DiagnosticBuilder add(Severity severity, SourceLoc loc,
                        const llvm::Twine &message);

  std::vector<Diagnostic> kept;
  std::vector<Note> frames;
  std::vector<std::shared_ptr<const SourceFile>> files;
  unsigned errors = 0;
};

/// Prints one diagnostic: header line, source line, caret, then the notes.
void printDiagnostic(const Diagnostic &diagnostic, llvm::raw_ostream &os);

/// The candidate nearest to `name`, or empty if none is near enough to be what
/// the user meant (one edit, two in words of five letters, up to a third of
/// the length; exchanged letters).
llvm::StringRef nearestName(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_DIAGNOSTICS_H
