//===- Driver.h - source in, artifact out ---------------------------------===//
//
// What   The chain of one compilation: read, elaborate, neutral, prepared,
//        portable bytes, the vendor's compiler, artifact; with the cache in
//        front of it and the time of each phase.
// Why    libterrazzo, tz and the tests must compile in exactly the same way.
//        The runtime sees it as its CompilerService.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_DRIVER_H
#define TERRAZZO_CORE_DRIVER_DRIVER_H

#include "runtime/cache/Cache.h"
#include "runtime/loader/Registry.h"
#include "runtime/session/CompilerService.h"

namespace tz::driver {

/// How far a kernel is brought: as elaborated, after the passes that know no
/// target, after those that read the target's description (R2).
enum class Stage { Tile, Neutral, Prepared };

/// What a caller may want to know about one compilation.
struct CompileReport {
  struct Phase {
    std::string name; // "parse", "elaborate", "neutral" ...
    double milliseconds = 0;
  };
  std::vector<Phase> phases;
  /// What the cache spared: nothing, the target's compiler, or all that comes
  /// after the parser.
  enum class Cached { Nothing, Code, Everything };
  Cached cached = Cached::Nothing;
  std::string key;     // of the job, hex; empty without a cache
  std::string codeKey; // of the code; empty if the job failed before
};

struct Workspace;

/// What a launch gives for a parameter of a kernel.
struct LaunchValue {
  std::string parameter;
  runtime::KeyValue number; // of a scalar; the key is not used
  uint32_t element = 0;     // TZ_TYPE_* of an array's elements; 0: a scalar
  std::vector<int64_t> shape;
};

/// A kernel as IR, with the context that it lives in. Must not outlive the
/// driver; another compilation may run meanwhile.
class LoweredKernel {
public:
  LoweredKernel(LoweredKernel &&) noexcept;
  LoweredKernel &operator=(LoweredKernel &&) noexcept;
  ~LoweredKernel();

  /// The IR as a person reads it.
  std::string text() const;
  /// The portable form (core/wire).
  runtime::Result<std::string> portable() const;
  /// Parameter i of the kernel's IR is leaf userLeaves[i] of the job's
  /// arguments.
  std::vector<uint32_t> userLeaves;

  struct State;
  State &state() const { return *hidden; }

private:
  friend class Driver;
  LoweredKernel();
  std::shared_ptr<State> hidden; // a thread that was left may hold it too
};

/// All functions: any thread, concurrently.
class Driver final : public runtime::CompilerService {
public:
  /// `cache` may be null. Both outlive the driver.
  Driver(runtime::Registry &registry, runtime::Cache *cache);
  ~Driver() override;

  runtime::Result<runtime::KernelSignature>
  signature(const runtime::KernelSource &source,
            runtime::DiagnosticSink &diagnostics) override;
  runtime::Result<runtime::SpecializationRule>
  specializationRule(const runtime::KernelSource &source,
                     const std::vector<runtime::ArgumentSpec> &arguments,
                     runtime::DiagnosticSink &diagnostics) override;
  /// What triton.heuristics sets for a launch with these values: parameters
  /// that `arguments` (one per parameter) leave open, and options.
  runtime::Result<runtime::KernelConfiguration>
  heuristics(const runtime::KernelSource &source,
             const std::vector<runtime::ArgumentSpec> &arguments,
             const std::vector<LaunchValue> &values,
             runtime::DiagnosticSink &diagnostics);
  runtime::Result<std::shared_ptr<const runtime::Artifact>>
  compile(const runtime::CompileJob &job,
          runtime::DiagnosticSink &diagnostics) override {
    return compile(job, diagnostics, nullptr);
  }
  runtime::Result<std::shared_ptr<const runtime::Artifact>>
  compile(const runtime::CompileJob &job, runtime::DiagnosticSink &diagnostics,
          CompileReport *report);
  runtime::Result<std::string>
  stage(const runtime::CompileJob &job, const std::string &name,
        runtime::DiagnosticSink &diagnostics) override;

  /// The IR of a stage; only Prepared looks at the job's plugin and target.
  runtime::Result<LoweredKernel> lower(const runtime::CompileJob &job,
                                       Stage stage,
                                       runtime::DiagnosticSink &diagnostics,
                                       CompileReport *report = nullptr);

  /// Would the target's compiler take the job? Without compiling: what it has
  /// not goes to the diagnostics. TZ_E_UNIMPLEMENTED if it cannot say.
  runtime::Status check(const runtime::CompileJob &job,
                        runtime::DiagnosticSink &diagnostics,
                        CompileReport *report = nullptr);

  struct State;

private:
  std::unique_ptr<State> state;
};

/// Lets every session of this process compile (setCompilerFactory).
void registerDriver();

} // namespace tz::driver

#endif
