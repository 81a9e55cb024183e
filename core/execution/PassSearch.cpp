//===- PassSearch.cpp - the pass that changes a kernel's result -----------===//
//
// What   See PassSearch.h.
// Why    See PassSearch.h.
//===----------------------------------------------------------------------===//
#include "core/execution/PassSearch.h"

#include "core/driver/LoweredKernel.h"

#include "terrazzo/wire/Wire.h"

#include "mlir/Pass/PassInstrumentation.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tz::tool {

using namespace mlir;
using runtime::Result;
using runtime::Status;

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

namespace {
class StepKeeper final : public PassInstrumentation {
public:
  StepKeeper(ModuleOp module, std::string stage, std::vector<PassStep> &to,
             Status &status)
      : module(module), stage(std::move(stage)), last(textOf(module)), to(to),
        status(status) {}

  void runAfterPass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty() || !status.ok()) {
      return; // an adaptor of MLIR's
    }
    std::string text = textOf(module);
    if (text == last) {
      return;
    }
    last = text;
    llvm::Expected<std::string> form = wire::write(module);
    if (!form) {
      status =
          Status(TZ_E_INTERNAL, "behind pass '" + pass->getArgument().str() +
                                    "': " + llvm::toString(form.takeError()));
      return;
    }
    to.push_back(
        {stage, pass->getArgument().str(), std::move(text), std::move(*form)});
  }

private:
  ModuleOp module;
  std::string stage, last;
  std::vector<PassStep> &to;
  Status &status;
};
} // namespace

Status recordSteps(ModuleOp module, const std::string &stage,
                   llvm::function_ref<void(OpPassManager &)> build,
                   std::vector<PassStep> &to) {
  Status status;
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addInstrumentation(
      std::make_unique<StepKeeper>(module, stage, to, status));
  std::string error;
  // Remarks are those of a compilation, which has shown them.
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            error.empty()) {
          error = diagnostic.str();
        }
        return success();
      });
  build(manager);
  if (failed(manager.run(module))) {
    return Status(TZ_E_INTERNAL,
                  "stage " + stage + ": a pass failed: " + error);
  }
  return status;
}

Result<size_t> firstThat(size_t count,
                         llvm::function_ref<Result<bool>(size_t)> holds) {
  size_t low = 0, high = count - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    Result<bool> answer = holds(middle);
    if (!answer) {
      return answer.takeStatus();
    }
    (*answer ? high : low) = *answer ? middle : middle + 1;
  }
  return low;
}

namespace {
/// Runs IR and holds it against the reference.
class Judge {
public:
  Judge(const Binding &binding, const std::array<int64_t, 3> &grid,
        const Reference &reference, const Reference::Settings &settings,
        const runtime::CompileJob &job, driver::Driver &driver,
        runtime::DiagnosticSink &sink)
      : binding(binding), grid(grid), reference(reference), settings(settings),
        job(job), driver(driver), sink(sink) {
    this->settings.tracksErrors = false;
    this->settings.showsPrints = false;
  }

  /// Does the kernel compute something else behind this step? Then `array` and
  /// `difference` say what.
  Result<bool> differs(const PassStep &step) {
    runtime::CompileJob again = job;
    again.source = {};
    again.source.path = step.pass + ".tzir";
    again.source.text = step.portable;
    again.source.isIR = true;
    Result<driver::LoweredKernel> kernel =
        driver.lower(again, driver::Stage::Tile, sink);
    if (!kernel) {
      return kernel.takeStatus();
    }
    Reference run;
    if (!run.run(*kernel, binding, grid, settings)) {
      array = "";
      difference = "the interpreter stops with an error, which is told above";
      return true;
    }
    for (size_t i = 0; i < binding.buffers.size(); ++i) {
      interpreter::Tolerance tolerance;
      const interpreter::Comparison found =
          reference.judge(binding.buffers[i], i, run.content(i), tolerance);
      if (!found.matches()) {
        array = binding.buffers[i].name;
        difference = found.summary(tolerance);
        return true;
      }
    }
    return false;
  }
  std::string array, difference;

private:
  const Binding &binding;
  const std::array<int64_t, 3> &grid;
  const Reference &reference;
  Reference::Settings settings;
  const runtime::CompileJob &job;
  driver::Driver &driver;
  runtime::DiagnosticSink &sink;
};
} // namespace

Result<PassVerdict>
judgeSteps(std::vector<PassStep> steps, const runtime::CompileJob &job,
           const Binding &binding, const std::array<int64_t, 3> &grid,
           const Reference &reference, const Reference::Settings &settings,
           driver::Driver &driver, runtime::DiagnosticSink &sink) {
  PassVerdict verdict;
  verdict.steps = std::move(steps);
  if (verdict.steps.empty()) {
    return verdict;
  }
  Judge judge(binding, grid, reference, settings, job, driver, sink);
  Result<bool> last = judge.differs(verdict.steps.back());
  if (!last || !*last) {
    return last ? Result<PassVerdict>(std::move(verdict)) : last.takeStatus();
  }
  Result<size_t> found = firstThat(verdict.steps.size(), [&](size_t step) {
    return judge.differs(verdict.steps[step]);
  });
  if (!found) {
    return found.takeStatus();
  }
  // The search may have asked about other steps since.
  if (Result<bool> again = judge.differs(verdict.steps[*found]); !again) {
    return again.takeStatus();
  }
  verdict.guilty = *found;
  verdict.array = judge.array;
  verdict.difference = judge.difference;
  return verdict;
}

Result<PassVerdict>
searchPasses(const runtime::CompileJob &job, const Binding &binding,
             const std::array<int64_t, 3> &grid, const Reference &reference,
             const Reference::Settings &settings,
             const optimizer::TargetFacts &target, driver::Driver &driver,
             runtime::DiagnosticSink &sink) {
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Tile, sink);
  if (!lowered) {
    return lowered.takeStatus();
  }
  std::vector<PassStep> steps;
  ModuleOp module = *lowered->state().module;
  std::string before = textOf(module);
  Status s = recordSteps(
      module, "neutral",
      [&](OpPassManager &to) { optimizer::buildNeutral(to, target); }, steps);
  s = s.ok() ? recordSteps(
                   module, "prepared",
                   [&](OpPassManager &to) {
                     optimizer::buildPrepared(to, target);
                   },
                   steps)
             : std::move(s);
  if (!s.ok()) {
    return s;
  }
  Result<PassVerdict> verdict = judgeSteps(std::move(steps), job, binding, grid,
                                           reference, settings, driver, sink);
  if (verdict) {
    verdict->before = std::move(before);
  }
  return verdict;
}

} // namespace tz::tool
