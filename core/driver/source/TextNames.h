//===- TextNames.h - tile IR text, its names kept ---------------*- C++ -*-===//
//
// What   Parses tile IR text; what the text calls a kernel's arguments becomes
//        their `tile.name`, and a debugger gets its map: an op is a statement,
//        its results are names.
// Why    Who writes `%x` wants to say `--arg x=...` and `p x`, and IR forgets
//        the names of its values.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_TEXTNAMES_H
#define TERRAZZO_CORE_DRIVER_SOURCE_TEXTNAMES_H

#include "core/frontend/DebugMap.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tz::driver {

/// The verified module, or null with diagnostics to the context's handler. An
/// argument that has a `tile.name` keeps it; so does `%3` and `%arg3` the name
/// that it has without one. `debugMap`, if wanted, gets places of `file`.
mlir::OwningOpRef<mlir::ModuleOp>
parseNamedText(const frontend::SourceFile &file, mlir::MLIRContext &context,
               frontend::DebugMap *debugMap = nullptr);

} // namespace tz::driver

#endif // TERRAZZO_CORE_DRIVER_SOURCE_TEXTNAMES_H
