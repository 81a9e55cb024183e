//===- Rendering.h - diagnostics of all stages as text --------------------===//
//
// What   Errors of the frontend, of MLIR's passes and of a vendor's compiler in
//        one form: file:line:col, source line, caret.
// Why    A person should not see from which stage a message comes by its look.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_RENDERING_H
#define TERRAZZO_CORE_DRIVER_SOURCE_RENDERING_H

#include "core/frontend/Diagnostics.h"
#include "runtime/session/CompilerService.h"

#include "mlir/IR/Diagnostics.h"

namespace tz::driver {

using Sources = std::vector<std::shared_ptr<const frontend::SourceFile>>;

/// "file:line: message" of the first error, and facts for programs.
struct FirstError {
  bool any = false;
  std::string message, file;
  uint32_t line = 0;

  void note(std::string text, std::string where, uint32_t at);
  /// A failing status with that error, or with `otherwise`.
  runtime::Status status(int32_t code, std::string otherwise) const;
};

/// Hands what the frontend has found to the sink, oldest first.
void forward(const frontend::DiagnosticSink &from, runtime::DiagnosticSink &to,
             FirstError &first);

/// One message at a place that is known by name only.
void report(runtime::DiagnosticSink &to, const Sources &sources,
            uint32_t severity, std::string_view message, std::string_view file,
            uint32_t line, uint32_t column, FirstError &first);

/// While it lives, what passes report about the context goes to the sink.
class PassDiagnostics {
public:
  PassDiagnostics(mlir::MLIRContext &context, runtime::DiagnosticSink &to,
                  const Sources &sources, FirstError &first);

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// The place in the source that a location means: the innermost file location.
std::tuple<std::string, uint32_t, uint32_t> placeOf(mlir::Location location);

} // namespace tz::driver

#endif
