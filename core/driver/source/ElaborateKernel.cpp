//===- ElaborateKernel.cpp - the tile IR of a job's kernel ----------------===//
//
// What   See ElaborateKernel.h.
// Why    See ElaborateKernel.h.
//===----------------------------------------------------------------------===//
#include "core/driver/source/ElaborateKernel.h"

#include "core/driver/source/ReadIR.h"
#include "core/driver/source/Specialization.h"

namespace tz::driver {

using namespace runtime;

Result<mlir::OwningOpRef<mlir::ModuleOp>>
elaborateKernel(Workspace &workspace, const ParsedSource &source,
                const CompileJob &job, const std::string &function,
                runtime::DiagnosticSink &diagnostics, FirstError &first,
                frontend::DebugMap *debugMap) {
  if (source.isIR) {
    return readIR(workspace, source, diagnostics, first, debugMap);
  }
  Result<frontend::Specialization> spec =
      specialize(source, job, function, diagnostics, first);
  if (!spec) {
    return spec.takeStatus();
  }
  frontend::DiagnosticSink sink;
  mlir::OwningOpRef<mlir::ModuleOp> module = frontend::elaborate(
      *source.module, function, *spec, workspace.context, sink, debugMap);
  forward(sink, diagnostics, first);
  if (!module) {
    return first.status(TZ_E_INVALID_ARGUMENT,
                        "kernel '" + function + "' cannot be compiled");
  }
  return module;
}

} // namespace tz::driver
