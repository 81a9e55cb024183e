//===- Runner.h - one run of a kernel, for tz run ---------------*- C++ -*-===//
//
// What   The state of `tz run`: its options, what was bound, what was measured.
//        RunCommand.cpp prepares, RunLaunches.cpp launches, RunResults.cpp prints.
// Why    Private to these files.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_RUNNER_H
#define TERRAZZO_CORE_TOOLS_TZ_RUNNER_H

#include "core/arguments/Request.h"
#include "core/execution/GuardedMemory.h"
#include "core/execution/ReferenceRun.h"
#include "core/execution/Stopwatch.h"
#include "runtime/launch/LoadedKernel.h"
#include "runtime/session/RuntimeSession.h"

#include <chrono>

namespace tz::tool {

/// Gives the launch that runs, for a command that has no request.
using FindLaunch = std::function<runtime::Result<Launch>(
    driver::Driver &, runtime::DiagnosticSink &)>;

struct RunOptions {
  Request request;
  FindLaunch launch; ///< empty: what the request says
  std::string target, compare, bytes, flops, profile;
  uint64_t samplePeriod = 0;
  std::vector<std::string> save;
  std::string races = "error";
  uint64_t seed = 0;
  unsigned repeat = 0;
  bool time = false, check = false, remarks = false, listConfigs = false;
};

/// "12" or "12x3x1"
std::string gridText(const std::array<int64_t, 3> &grid);

class Runner {
public:
  explicit Runner(const RunOptions &options)
      : options(options), session(toolSession()),
        driver(session.registry(), session.cache()) {}
  int run();

private:
  int fail(const runtime::Status &status) {
    return reportFailure(status, sink);
  }
  int prepare();
  runtime::Status findTargets(llvm::ArrayRef<std::string> targets,
                              std::vector<std::string> &ids);
  runtime::Status chooseSaved();
  runtime::Status saveContent(size_t buffer, const uint8_t *content) const;
  int listConfigurations();
  int interpret(bool isReference);
  runtime::Status locate(runtime::Status fault,
                         const runtime::LoadedKernel &kernel,
                         const std::shared_ptr<runtime::Device> &device);
  void tellArrays(runtime::Stream &stream);
  int runNative(const std::string &target);
  std::vector<std::string> checkedCommand() const;
  bool hasPrograms() const;
  bool canInterpret() const { return !compiled; }
  runtime::Status uploadAll(runtime::Device &device, runtime::Stream &stream,
                            GuardedMemory::Margins margins);
  runtime::Status download(runtime::Stream &stream);
  int launchFirst(runtime::LoadedKernel &kernel, runtime::Stream &stream,
                  const runtime::Artifact &artifact);
  runtime::Status launchAgain(runtime::LoadedKernel &kernel,
                              runtime::Stream &stream,
                              const runtime::Artifact &artifact);
  runtime::Status
  profileLaunches(runtime::LoadedKernel &kernel, runtime::Stream &stream,
                  const std::shared_ptr<const runtime::Artifact> &artifact);
  runtime::Status countWritten(runtime::LoadedKernel &kernel,
                               runtime::Stream &stream,
                               const std::vector<runtime::ArgValue> &args);
  std::optional<uint64_t> elementsWritten(size_t buffer) const;
  int showResults();
  int showComparison(size_t buffer);
  void showWritten(size_t buffer) const;
  void warnOfGaps() const;
  void showVerdict(const BoundBuffer &buffer,
                   const interpreter::Comparison &verdict,
                   const interpreter::Tolerance &tolerance);
  void showRates(double nanoseconds, unsigned count, const char *what);
  void showPhases(const driver::CompileReport &report);
  void mark(std::string name);

  const RunOptions &options;
  std::chrono::steady_clock::time_point started =
      std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last = started;
  std::vector<std::pair<std::string, double>> phases;
  TerminalSink sink;
  runtime::Session session;
  driver::Driver driver;
  runtime::CompileJob job;
  std::shared_ptr<const runtime::Artifact> compiled; // of the command line
  runtime::KernelSignature signature;
  Binding binding;
  std::array<int64_t, 3> grid{};
  std::optional<Reference> reference;
  std::string referenceForm; ///< portable form of the kernel that it ran
  /// One of the targets rounds to tf32 by default; its bound holds for the
  /// others as well.
  bool defaultIsTf32 = false;
  std::map<size_t, std::string> saved; // files by buffer
  std::vector<tz_dptr> memory;
  /// Holds `memory` where the device works in host memory.
  std::optional<GuardedMemory> guarded;
  std::vector<std::vector<uint8_t>> results; // what the first launch has left
  /// Elements that the target has written, by buffer, where that is known.
  std::vector<std::optional<uint64_t>> written;
  Times times; // of the launches after it
};

} // namespace tz::tool

#endif
