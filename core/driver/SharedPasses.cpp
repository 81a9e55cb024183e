//===- SharedPasses.cpp - from elaborated IR to bytes ---------------------===//
//
// What   See SharedPasses.h.
// Why    See SharedPasses.h.
//===----------------------------------------------------------------------===//
#include "core/driver/SharedPasses.h"

#include "core/driver/LeftThreads.h"
#include "core/driver/source/ReadIR.h"
#include "core/ir/CompileBudget.h"

#include "terrazzo/wire/Wire.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Error.h"

namespace tz::driver {

using namespace runtime;

/// Shorter kernels take a few milliseconds, and no thread is worth those.
static constexpr unsigned LongKernel = 2000;

static bool isLong(mlir::ModuleOp module) {
  unsigned count = 0;
  return module
      ->walk([&](mlir::Operation *) {
        return ++count > LongKernel ? mlir::WalkResult::interrupt()
                                    : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// They hold names of the calling program, which only its thread may let go.
static void letGoSources(LoweredKernel::State &held) {
  held.source.reset();
  (*held.workspace)->parsed.clear();
}

/// Work on a module, which may be left (runLeavable): then the answer is false
/// and the module is that thread's alone. `work` owns all else that it touches.
static bool workOn(LoweredKernel::State &held,
                   std::function<void(LoweredKernel::State &)> work) {
  if (!isLong(*held.module)) {
    work(held);
    return true;
  }
  auto shared = held.shared_from_this();
  if (runLeavable([shared, work = std::move(work)] { work(*shared); })) {
    return true;
  }
  letGoSources(held);
  return false;
}

void letGo(LoweredKernel::State &held, PortableKernel portable) {
  if (!isLong(*held.module)) {
    return;
  }
  letGoSources(held);
  struct Parts {
    std::shared_ptr<LoweredKernel::State> held;
    PortableKernel portable;
  };
  auto parts =
      std::make_shared<Parts>(held.shared_from_this(), std::move(portable));
  const std::optional<pthread_t> thread = startThread([parts] {
    parts->held->module = nullptr;
    parts->held.reset();
    parts->portable = {};
  });
  if (thread) {
    leaveThread(*thread);
  }
}

Status stageFailure(FirstError &first, const char *otherwise,
                    const CompileJob &job,
                    runtime::DiagnosticSink &diagnostics) {
  if (CompileBudget::wasSpent() && !CompileBudget::wasInterrupted()) {
    report(diagnostics, {}, TZ_SEVERITY_ERROR,
           CompileBudget::current()->reason(), job.source.path, 0, 0, first);
  }
  return first.status(first.any ? TZ_E_UNSUPPORTED_OP : TZ_E_INTERNAL,
                      otherwise);
}

namespace {
/// What passes say, for the thread that waits for them.
struct Messages final : runtime::DiagnosticSink {
  void report(uint32_t severity, std::string_view rendered) override {
    all.emplace_back(severity, rendered);
  }
  std::vector<std::pair<uint32_t, std::string>> all;
};

/// The passes of a stage, and what came of them.
struct PassRun {
  void run(LoweredKernel::State &held);

  optimizer::TargetFacts facts;
  Sources sources;
  const char *failed = nullptr; ///< which passes
  FirstError first;
  Messages messages;
  CompileReport times;
};
} // namespace

void PassRun::run(LoweredKernel::State &held) {
  PhaseClock clock(&times);
  optimizer::RemarkSink remarks;
  PassDiagnostics handler((*held.workspace)->context, messages, sources, first);
  if (mlir::failed(optimizer::runNeutral(*held.module, &remarks, facts))) {
    failed = "the shared passes failed";
    return;
  }
  clock.mark("neutral");
  if (held.stage == Stage::Prepared) {
    if (mlir::failed(optimizer::runPrepared(*held.module, facts, &remarks))) {
      failed = "the target's passes failed";
      return;
    }
    clock.mark("prepared");
  }
  for (const optimizer::Remark &remark : remarks.remarks) {
    auto [file, line, column] = placeOf(remark.location);
    report(messages, sources, TZ_SEVERITY_REMARK, remark.message, file, line,
           column, first);
  }
  held.remarks = std::move(remarks.remarks);
}

Status runPasses(LoweredKernel::State &held, optimizer::TargetFacts facts,
                 const CompileJob &job, runtime::DiagnosticSink &diagnostics,
                 PhaseClock &clock) {
  auto run = std::make_shared<PassRun>();
  run->facts = std::move(facts);
  run->sources = held.source->files();
  if (!workOn(held,
              [run](LoweredKernel::State &theirs) { run->run(theirs); })) {
    return Status(TZ_E_CANCELLED, "the shared passes were left");
  }
  for (const auto &[severity, text] : run->messages.all) {
    diagnostics.report(severity, text);
  }
  clock.add(run->times);
  return run->failed ? stageFailure(run->first, run->failed, job, diagnostics)
                     : Status();
}

Status checkModule(LoweredKernel::State &held) {
  return mlir::failed(mlir::verify(*held.module))
             ? Status(TZ_E_INTERNAL, "the kernel's IR is not valid")
             : Status();
}

static Status noPortableForm(llvm::Error error) {
  const int32_t code =
      error.isA<wire::NotPortable>() ? TZ_E_UNIMPLEMENTED : TZ_E_RESOURCE_LIMIT;
  return Status(code, "the kernel has no portable form: " +
                          llvm::toString(std::move(error)));
}

Result<std::string> LoweredKernel::State::portable() const {
  wire::WriteOptions options;
  options.stage =
      stage == Stage::Prepared ? wire::Stage::Prepared : wire::Stage::Neutral;
  llvm::Expected<std::string> bytes = wire::write(*module, options);
  if (!bytes) {
    return noPortableForm(bytes.takeError());
  }
  return std::move(*bytes);
}

static Result<PortableKernel> makePortable(const LoweredKernel::State &held,
                                           bool forCache) {
  Result<std::string> bytes = held.portable();
  if (!bytes) {
    return bytes.takeStatus();
  }
  PortableKernel made;
  made.bytes = std::move(*bytes);
  if (forCache) {
    made.places.emplace(*held.module);
    made.code = llvm::cantFail(wire::codeHash(made.bytes));
    made.codeAndLocations = llvm::cantFail(wire::codeHash(made.bytes, true));
  }
  return made;
}

Result<PortableKernel> writePortable(LoweredKernel::State &held, bool forCache,
                                     const CompileJob &job,
                                     runtime::DiagnosticSink &diagnostics) {
  auto made = std::make_shared<std::optional<Result<PortableKernel>>>();
  if (!workOn(held, [made, forCache](LoweredKernel::State &theirs) {
        made->emplace(makePortable(theirs, forCache));
      })) {
    return Status(TZ_E_CANCELLED, "the portable form was left");
  }
  Result<PortableKernel> &result = **made;
  if (!result) {
    FirstError first;
    if (!CompileBudget::wasSpent()) {
      report(diagnostics, {}, TZ_SEVERITY_ERROR, result.status().message(),
             job.source.path, 0, 0, first);
      return result.takeStatus();
    }
    return stageFailure(first, "the portable form was not written", job,
                        diagnostics);
  }
  return std::move(result);
}

} // namespace tz::driver
