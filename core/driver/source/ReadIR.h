//===- ReadIR.h - kernels that are given as tile IR -----------------------===//
//
// What   Reads text or portable bytes, and verifies them.
// Why    A file of IR takes the place of the frontend; all behind it is the
// same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_READIR_H
#define TERRAZZO_CORE_DRIVER_SOURCE_READIR_H

#include "core/driver/source/Workspace.h"
#include "core/frontend/DebugMap.h"

#include "terrazzo/ir/Tile.h"

namespace tz::driver {

/// The only kernel of a module; null if there is none or more.
tile::KernelOp kernelOf(mlir::ModuleOp module);

/// The module of a file of IR, text or portable bytes: verified, with one
/// kernel. Text gives the debugger's map, if wanted.
runtime::Result<mlir::OwningOpRef<mlir::ModuleOp>>
readIR(Workspace &workspace, const ParsedSource &source,
       runtime::DiagnosticSink &diagnostics, FirstError &first,
       frontend::DebugMap *debugMap = nullptr);

} // namespace tz::driver

#endif
