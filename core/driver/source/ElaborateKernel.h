//===- ElaborateKernel.h - the tile IR of a job's kernel ------------------===//
//
// What   From a source, by the frontend, or from a file of IR.
// Why    Behind it nobody asks which it was.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_ELABORATEKERNEL_H
#define TERRAZZO_CORE_DRIVER_SOURCE_ELABORATEKERNEL_H

#include "core/driver/source/Workspace.h"
#include "core/frontend/DebugMap.h"

#include "terrazzo/ir/Tile.h"

namespace tz::driver {

/// The tile IR of the job's kernel.
runtime::Result<mlir::OwningOpRef<mlir::ModuleOp>>
elaborateKernel(Workspace &workspace, const ParsedSource &source,
                const runtime::CompileJob &job, const std::string &function,
                runtime::DiagnosticSink &diagnostics, FirstError &first,
                frontend::DebugMap *debugMap = nullptr);

} // namespace tz::driver

#endif
