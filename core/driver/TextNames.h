//===- TextNames.h - tile IR text, its names kept ---------------*- C++ -*-===//
//
// What   Parses tile IR text; what the text calls a kernel's arguments becomes
//        their `tile.name`.
// Why    Who writes `%x` wants to say `--arg x=...`, and IR forgets the names
//        of its values.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_TEXTNAMES_H
#define TERRAZZO_CORE_DRIVER_TEXTNAMES_H

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tz::driver {

/// The verified module, or null with diagnostics to the context's handler. An
/// argument that has a `tile.name` keeps it; so does `%3` and `%arg3` the name
/// that it has without one.
mlir::OwningOpRef<mlir::ModuleOp> parseNamedText(llvm::StringRef text,
                                                 llvm::StringRef path,
                                                 mlir::MLIRContext &context);

} // namespace tz::driver

#endif // TERRAZZO_CORE_DRIVER_TEXTNAMES_H
