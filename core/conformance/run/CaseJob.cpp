//===- CaseJob.cpp - a case as a compile job ------------------------------===//
//
// What   See CaseJob.h.
// Why    See CaseJob.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/CaseJob.h"

#include "runtime/launch/LoadedKernel.h"

namespace tz::tool {

using namespace runtime;
using conformance::Case;

Status prepareCase(driver::Driver &driver, const Case &one,
                   DiagnosticSink &sink, CompileJob &job, Binding &binding,
                   std::array<int64_t, 3> &grid) {
  job.source.path = one.function + ".py";
  job.source.text = one.source;
  job.source.function = one.function;
  Result<KernelSignature> signature = driver.signature(job.source, sink);
  if (!signature) {
    return signature.takeStatus();
  }
  Binding::Options words;
  words.args = one.args;
  words.buffers = one.buffers;
  words.constexprs = one.constexprs;
  words.options = one.options;
  if (Status s = binding.bind(*signature, words); !s.ok()) {
    return s;
  }
  Result<std::array<int64_t, 3>> size = binding.grid(one.grid);
  if (!size) {
    return size.takeStatus();
  }
  grid = *size;
  if (Status s = checkGrid(grid, "grid"); !s.ok()) {
    return s;
  }
  Result<SpecializationRule> rule =
      driver.specializationRule(job.source, binding.specs, sink);
  if (!rule) {
    return rule.takeStatus();
  }
  binding.applyRule(*rule);
  job.arguments = binding.specs;
  job.options = binding.options;
  return binding.fill(one.seed);
}

/// A word as a shell takes it.
static std::string quoted(const std::string &word) {
  bool isPlain = word.find_first_not_of(
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789_-+=:,./[]") == std::string::npos;
  return isPlain ? word : "'" + word + "'";
}

std::string runCommand(const Case &one, const std::string &file) {
  std::string text = "tz run " + quoted(file + "::" + one.function) +
                     " --grid " + quoted(one.grid) + " --seed " +
                     std::to_string(one.seed);
  auto words = [&](const char *option, const std::vector<std::string> &list) {
    for (const std::string &word : list) {
      text += std::string(" ") + option + " " + quoted(word);
    }
  };
  words("--arg", one.args);
  words("--buffer", one.buffers);
  words("--constexpr", one.constexprs);
  words("--option", one.options);
  return text;
}

namespace {
/// Refusals are wanted here, their text is not.
struct SilentSink final : DiagnosticSink {
  void report(uint32_t, std::string_view) override {}
};
} // namespace

bool isAccepted(driver::Driver &driver, const Case &one) {
  SilentSink sink;
  CompileJob job;
  Binding binding;
  std::array<int64_t, 3> grid{};
  return prepareCase(driver, one, sink, job, binding, grid).ok() &&
         driver.lower(job, driver::Stage::Tile, sink).ok();
}

} // namespace tz::tool
