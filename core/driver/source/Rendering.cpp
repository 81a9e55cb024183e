//===- Rendering.cpp - diagnostics of all stages as text ------------------===//
//
// What   See Rendering.h.
// Why    The frontend's printer is the one that draws carets.
//===----------------------------------------------------------------------===//
#include "core/driver/source/Rendering.h"

#include "core/ir/CompileBudget.h"

#include "llvm/Support/raw_ostream.h"

namespace tz::driver {

void FirstError::note(std::string text, std::string where, uint32_t at) {
  if (any) {
    return;
  }
  any = true;
  message = std::move(text);
  file = std::move(where);
  line = at;
}

runtime::Status FirstError::status(int32_t code, std::string otherwise) const {
  if (!any) {
    return runtime::Status(code, std::move(otherwise));
  }
  std::string place = file;
  if (!place.empty() && line) {
    place += ":" + std::to_string(line);
  }
  runtime::Status status(code,
                         place.empty() ? message : place + ": " + message);
  if (!file.empty()) {
    status.with("file", file);
  }
  if (line) {
    status.with("line", std::to_string(line));
  }
  return status;
}

static uint32_t severityOf(frontend::Severity severity) {
  switch (severity) {
  case frontend::Severity::Error:
    return TZ_SEVERITY_ERROR;
  case frontend::Severity::Remark:
    return TZ_SEVERITY_REMARK;
  case frontend::Severity::Warning:
    return TZ_SEVERITY_WARNING;
  default:
    return TZ_SEVERITY_NOTE;
  }
}

static void send(const frontend::Diagnostic &diagnostic,
                 runtime::DiagnosticSink &to, FirstError &first) {
  if (diagnostic.severity == frontend::Severity::Error) {
    first.note(diagnostic.message,
               diagnostic.loc.file ? diagnostic.loc.file->path().str() : "",
               diagnostic.loc.line);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  frontend::printDiagnostic(diagnostic, os);
  to.report(severityOf(diagnostic.severity), text);
}

void forward(const frontend::DiagnosticSink &from, runtime::DiagnosticSink &to,
             FirstError &first) {
  if (CompileBudget::wasInterrupted()) {
    return; // nothing is wrong with the source
  }
  for (const frontend::Diagnostic &diagnostic : from.diagnostics()) {
    send(diagnostic, to, first);
  }
}

static frontend::SourceLoc locate(const Sources &sources, std::string_view file,
                                  uint32_t line, uint32_t column) {
  for (const auto &source : sources) {
    if (source->path() == llvm::StringRef(file.data(), file.size()) &&
        source->hasLine(line)) {
      return {source.get(), line, column, 0};
    }
  }
  return {};
}

void report(runtime::DiagnosticSink &to, const Sources &sources,
            uint32_t severity, std::string_view message, std::string_view file,
            uint32_t line, uint32_t column, FirstError &first) {
  frontend::Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.loc = locate(sources, file, line, column);
  diagnostic.severity =
      severity == TZ_SEVERITY_ERROR     ? frontend::Severity::Error
      : severity == TZ_SEVERITY_WARNING ? frontend::Severity::Warning
      : severity == TZ_SEVERITY_REMARK  ? frontend::Severity::Remark
                                        : frontend::Severity::Note;
  if (diagnostic.loc.isValid() && severity <= TZ_SEVERITY_WARNING) {
    send(diagnostic, to, first);
    return;
  }
  static constexpr std::string_view names[] = {"error", "warning", "remark",
                                               "note"};
  std::string text;
  if (!file.empty()) {
    text += std::string(file) + ":";
    text += line ? std::to_string(line) + ":" : "";
    text += line && column ? std::to_string(column) + ":" : "";
    text += " ";
  }
  text += std::string(names[std::min<uint32_t>(severity, 3)]) + ": ";
  text += message;
  if (severity == TZ_SEVERITY_ERROR) {
    first.note(std::string(message), std::string(file), line);
  }
  to.report(severity, text + "\n");
}

std::tuple<std::string, uint32_t, uint32_t> placeOf(mlir::Location location) {
  // Bounded: a chain of inlined calls is a chain of callers.
  for (int depth = 0; depth < 256; ++depth) {
    if (auto file = llvm::dyn_cast<mlir::FileLineColRange>(location)) {
      return {file.getFilename().str(), file.getStartLine(),
              file.getStartColumn()};
    }
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
      location = name.getChildLoc();
    } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
      location = call.getCallee();
    } else if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
               fused && !fused.getLocations().empty()) {
      location = fused.getLocations().front();
    } else {
      break;
    }
  }
  return {};
}

PassDiagnostics::PassDiagnostics(mlir::MLIRContext &context,
                                 runtime::DiagnosticSink &to,
                                 const Sources &sources, FirstError &first)
    : handler(&context, [&to, &sources, &first](mlir::Diagnostic &d) {
        uint32_t severity =
            d.getSeverity() == mlir::DiagnosticSeverity::Error
                ? TZ_SEVERITY_ERROR
            : d.getSeverity() == mlir::DiagnosticSeverity::Warning
                ? TZ_SEVERITY_WARNING
            : d.getSeverity() == mlir::DiagnosticSeverity::Remark
                ? TZ_SEVERITY_REMARK
                : TZ_SEVERITY_NOTE;
        auto [file, line, column] = placeOf(d.getLocation());
        report(to, sources, severity, d.str(), file, line, column, first);
        return mlir::success();
      }) {}

} // namespace tz::driver
