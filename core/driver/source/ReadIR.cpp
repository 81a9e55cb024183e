//===- ReadIR.cpp - kernels that are given as tile IR ---------------------===//
//
// What   See ReadIR.h.
// Why    See ReadIR.h.
//===----------------------------------------------------------------------===//
#include "core/driver/source/ReadIR.h"

#include "core/driver/source/TextNames.h"
#include "core/driver/source/TextNesting.h"

#include "terrazzo/wire/Wire.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Error.h"

namespace tz::driver {

using namespace runtime;

tile::KernelOp kernelOf(mlir::ModuleOp module) {
  tile::KernelOp found;
  for (tile::KernelOp kernel : module.getOps<tile::KernelOp>()) {
    if (found) {
      return {};
    }
    found = kernel;
  }
  return found;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
readIR(Workspace &workspace, const ParsedSource &source,
       runtime::DiagnosticSink &diagnostics, FirstError &first,
       frontend::DebugMap *debugMap) {
  Sources files = source.files();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (wire::isPortable(source.text)) {
    auto read = wire::read(source.text, workspace.context);
    if (!read) {
      report(diagnostics, files, TZ_SEVERITY_ERROR,
             llvm::toString(read.takeError()), source.path, 0, 0, first);
      return first.status(TZ_E_DATA_LOSS, "the portable file is damaged");
    }
    module = std::move(*read);
  } else if (auto place = findTooDeep(source.text)) {
    report(diagnostics, files, TZ_SEVERITY_ERROR,
           "the text nests more than " + std::to_string(MaxTextNesting) +
               " levels deep (limit of text nesting)",
           source.path, place->line, place->column, first);
    return first.status(TZ_E_INVALID_ARGUMENT,
                        source.path + ": is nested too deep");
  } else {
    PassDiagnostics handler(workspace.context, diagnostics, files, first);
    module = parseNamedText(*source.file, workspace.context, debugMap);
    if (!module) {
      return first.status(TZ_E_INVALID_ARGUMENT,
                          source.path + ": is not tile IR");
    }
  }
  if (!kernelOf(*module)) {
    report(diagnostics, files, TZ_SEVERITY_ERROR,
           "tile IR must hold exactly one tile.kernel", source.path, 0, 0,
           first);
    return first.status(TZ_E_INVALID_ARGUMENT, "no tile.kernel");
  }
  // What a text holds must be tile IR before any pass sees it.
  if (llvm::Error error = wire::write(*module).takeError()) {
    PassDiagnostics handler(workspace.context, diagnostics, files, first);
    llvm::handleAllErrors(
        std::move(error),
        [](const wire::NotPortable &found) {
          mlir::emitError(found.location, found.what);
        },
        [&](const llvm::ErrorInfoBase &other) {
          mlir::emitError(module->getLoc(), other.message());
        });
    return first.status(TZ_E_INVALID_ARGUMENT,
                        source.path + ": is not tile IR");
  }
  return module;
}

} // namespace tz::driver
