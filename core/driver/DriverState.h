//===- DriverState.h - what a driver keeps between compilations -----------===//
//
// What   The hidden part of Driver and the steps on it.
// Why    Shared by the chain to the IR of a stage (Driver.cpp) and the
//        compilation with its cache (Compilation.cpp).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_DRIVERSTATE_H
#define TERRAZZO_CORE_DRIVER_DRIVERSTATE_H

#include "core/driver/LoweredKernel.h"
#include "core/driver/PhaseClock.h"
#include "core/driver/vendor/VendorCompiler.h"

namespace tz::driver {

struct Driver::State {
  runtime::Registry &registry;
  runtime::Cache *cache;
  WorkspacePool pool;
  std::mutex lock;
  // Targets do not change while a process runs.
  std::map<std::pair<std::string, std::string>, TargetDescription> targets;

  // Of each set of types and constants, from one elaboration without hints.
  std::map<std::string, runtime::SpecializationRule> rules;
  static constexpr size_t MaxRules = 4096;

  runtime::SpecializationRule
  rule(runtime::CompileJob &job,
       const std::vector<runtime::KernelParameter> &parameters);
  /// Says once which features of the target nobody knows.
  runtime::Result<TargetDescription>
  target(const std::string &plugin, const std::string &id,
         runtime::DiagnosticSink &diagnostics);
  /// A kernel to be lowered. It holds the workspace, so its source may be read
  /// after a failure too.
  static LoweredKernel begin(WorkspacePool::Lease workspace);
  runtime::Status lower(LoweredKernel &lowered, const runtime::CompileJob &job,
                        Stage stage, runtime::DiagnosticSink &diagnostics,
                        PhaseClock &clock);
  runtime::Status optimize(LoweredKernel::State &held,
                           const runtime::CompileJob &job,
                           runtime::DiagnosticSink &diagnostics,
                           PhaseClock &clock);
  static runtime::Status
  findUserLeaves(LoweredKernel &lowered, const runtime::CompileJob &job,
                 const runtime::KernelSignature &signature);
};

} // namespace tz::driver

#endif
