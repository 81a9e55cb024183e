//===- PassSearch.h - the pass that changes a kernel's result -------------===//
//
// What   A kernel's IR behind each shared pass, and the search for the first
//        one behind which the interpreter computes something else.
// Why    IR is executable at every stage of the shared passes. So a kernel that
//        is compiled wrongly names the pass by itself.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EXECUTION_PASSSEARCH_H
#define TERRAZZO_CORE_EXECUTION_PASSSEARCH_H

#include "core/execution/ReferenceRun.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::tool {

/// A pass that has changed the kernel.
struct PassStep {
  std::string stage, pass; ///< "neutral", "hoist-invariants"
  std::string text;        ///< the IR behind it
  std::string portable;    ///< the same in portable form
};

/// Runs the passes that `build` adds and keeps the IR behind each one that
/// changed it. A failure: a pass failed, or the IR has no portable form.
runtime::Status
recordSteps(mlir::ModuleOp module, const std::string &stage,
            llvm::function_ref<void(mlir::OpPassManager &)> build,
            std::vector<PassStep> &to);

/// The smallest index for which `holds`, if it holds for count - 1 and, once it
/// holds, for all that follow: asks about log2(count) times.
runtime::Result<size_t>
firstThat(size_t count,
          llvm::function_ref<runtime::Result<bool>(size_t)> holds);

/// What the search has found.
struct PassVerdict {
  std::vector<PassStep> steps;
  std::string before;           ///< the IR as elaborated
  std::optional<size_t> guilty; ///< a step; nothing: all keep the result
  std::string array;            ///< whose content differs there
  std::string difference;       ///< how, as `tz run --compare` says it
};

/// Searches among steps in their order. `reference` has run the kernel before
/// the first of them.
runtime::Result<PassVerdict>
judgeSteps(std::vector<PassStep> steps, const runtime::CompileJob &job,
           const Binding &binding, const std::array<int64_t, 3> &grid,
           const Reference &reference, const Reference::Settings &settings,
           driver::Driver &driver, runtime::DiagnosticSink &sink);

/// Searches among the shared passes for the job's target. `reference` has run
/// the kernel as elaborated.
runtime::Result<PassVerdict>
searchPasses(const runtime::CompileJob &job, const Binding &binding,
             const std::array<int64_t, 3> &grid, const Reference &reference,
             const Reference::Settings &settings,
             const optimizer::TargetFacts &target, driver::Driver &driver,
             runtime::DiagnosticSink &sink);

} // namespace tz::tool

#endif
