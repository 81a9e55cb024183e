//===- Lowering.h - from a source to the IR of a stage --------------------===//
//
// What   The signature of a kernel, its specialisation in the frontend's words,
//        and the IR at a stage.
// Why    Driver.cpp keeps the order of things, this the meaning of each step.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_LOWERING_H
#define TERRAZZO_CORE_DRIVER_LOWERING_H

#include "core/driver/Driver.h"
#include "core/driver/VendorCompiler.h"
#include "core/driver/Workspace.h"
#include "core/frontend/DebugMap.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/Pipeline.h"

namespace tz::driver {

struct LoweredKernel::State {
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

/// Adds the time since the last mark to what a name has; null: not wanted.
class PhaseClock {
public:
  explicit PhaseClock(CompileReport *report);
  void mark(std::string name);

private:
  CompileReport *report;
  std::chrono::steady_clock::time_point last;
};

/// The kernel that the source means: by name, or the only one.
runtime::Result<runtime::KernelSignature>
findSignature(Workspace &workspace, const ParsedSource &source,
              const std::string &function, runtime::DiagnosticSink &diagnostics,
              FirstError &first);

/// What triton.heuristics makes of a launch's values; as Driver::heuristics.
runtime::Result<runtime::KernelConfiguration>
findHeuristics(const ParsedSource &source, const std::string &function,
               const std::vector<runtime::ArgumentSpec> &arguments,
               const std::vector<LaunchValue> &values,
               runtime::DiagnosticSink &diagnostics, FirstError &first);

/// What the parameters become: arguments and constants of the frontend.
runtime::Result<frontend::Specialization>
specialize(const ParsedSource &source, const runtime::CompileJob &job,
           const std::string &function, runtime::DiagnosticSink &diagnostics,
           FirstError &first);

/// The tile IR of the job's kernel.
runtime::Result<mlir::OwningOpRef<mlir::ModuleOp>>
elaborateKernel(Workspace &workspace, const ParsedSource &source,
                const runtime::CompileJob &job, const std::string &function,
                runtime::DiagnosticSink &diagnostics, FirstError &first,
                frontend::DebugMap *debugMap = nullptr);

/// The leaves of a job's arguments; they point into the list.
std::vector<runtime::Leaf>
leavesOf(std::vector<runtime::ArgumentSpec> &arguments,
         const std::vector<runtime::KernelParameter> &parameters);
/// Which run-time values may matter, from types alone.
runtime::SpecializationRule ruleFor(const std::vector<runtime::Leaf> &leaves);
/// Which of them do: what the elaborated kernel makes of its integers (R8).
void narrowRule(runtime::SpecializationRule &rule, mlir::ModuleOp module,
                const std::vector<runtime::Leaf> &leaves);

/// The only kernel of a module; null if there is none or more.
tile::KernelOp kernelOf(mlir::ModuleOp module);

} // namespace tz::driver

#endif
