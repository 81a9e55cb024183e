//===- LoweredKernel.h - what a lowered kernel holds ----------------------===//
//
// What   The hidden part of LoweredKernel.
// Why    Driver.h is free of MLIR; commands that look at the IR include this.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_LOWEREDKERNEL_H
#define TERRAZZO_CORE_DRIVER_LOWEREDKERNEL_H

#include "core/driver/Driver.h"
#include "core/driver/source/Workspace.h"
#include "core/frontend/DebugMap.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/TilePipeline.h"

#include <memory>

namespace tz::driver {

struct LoweredKernel::State : std::enable_shared_from_this<State> {
  runtime::Result<std::string> portable() const;

  // The lease ends after the module that lives in its context.
  std::optional<WorkspacePool::Lease> workspace;
  std::shared_ptr<ParsedSource> source;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Stage stage = Stage::Tile;
  /// Of a source or a text at Stage::Tile and debug level 2; else null.
  std::unique_ptr<frontend::DebugMap> debugMap;
  /// What the shared passes did not do and why, in their order.
  std::vector<optimizer::Remark> remarks;
};

} // namespace tz::driver

#endif
