//===- Request.cpp - what a command line asks for -------------------------===//
//
// What   See Request.h.
// Why    See Request.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/Request.h"

#include "runtime/launch/Kernel.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

SessionOptions toolSession() {
  SessionOptions made;
  made.useCompiler = false;
  made.plugins.wantsCompiler = true;
  return made;
}

void addRequestOptions(CLI::App &command, Request &request) {
  command
      .add_option("kernel", request.kernel,
                  "file.py::kernel, or a tile IR file")
      ->required();
  addImportOptions(command, request.imports);
  command.add_option("--grid", request.grid,
                     "X, X,Y or X,Y,Z: numbers or expressions");
  command.add_option("--arg", request.binding.args, "NAME=VALUE, see below")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--buffer", request.binding.buffers,
                  "A buffer that is no argument, for ptrs:")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--constexpr", request.binding.constexprs,
                  "NAME=VALUE: 128, True, 0.5, fp16, text, a function")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--let", request.binding.names,
                  "NAME=VALUE: a number for the expressions, which the kernel "
                  "does not take")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--option", request.binding.options,
                  "num_warps=4, num_stages=3, and those of the target")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--config", request.config,
                  "Which of the source's autotune configurations gives the "
                  "constexprs that --constexpr does not (1)")
      ->check(CLI::Range(1, 1000000));
}

/// "BLOCK=128 num_warps=4 num_stages=3"; num_ctas only where it is not 1.
std::string configurationText(const KernelConfiguration &configuration) {
  std::string text;
  for (const auto &[name, value] : configuration.constants) {
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  for (const auto &[name, value] : configuration.options) {
    if (name != "num_ctas" || value != 1) {
      text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
    }
  }
  return text;
}

/// Puts one configuration of autotune beside what the command line says, which
/// wins; says which one where the choice was not the user's.
static Status chooseConfiguration(const KernelSignature &signature,
                                  unsigned config, Binding::Options &given,
                                  std::string &note) {
  const auto &all = signature.configurations;
  if (config > all.size()) {
    return Status(
        TZ_E_OUT_OF_RANGE,
        "--config " + std::to_string(config) + ": '" + signature.function +
            "' has " +
            (all.empty() ? std::string("no") : std::to_string(all.size())) +
            " autotune configurations; see --list-configs");
  }
  if (all.empty()) {
    return Status();
  }
  auto names = [](const std::vector<std::string> &words,
                  const std::string &name) {
    return llvm::any_of(words, [&](const std::string &word) {
      return llvm::StringRef(word).starts_with(name + "=");
    });
  };
  const KernelConfiguration &chosen = all[std::max(config, 1u) - 1];
  bool isUsed = false;
  for (const auto &[name, value] : chosen.constants) {
    bool isConstexpr = llvm::any_of(
        signature.parameters, [&name = name](const KernelParameter &parameter) {
          return parameter.name == name && parameter.isConstexpr;
        });
    if (isConstexpr && !names(given.constexprs, name)) {
      given.constexprs.push_back(name + "=" + value);
      isUsed = true;
    }
  }
  for (const auto &[name, value] : chosen.options) {
    if (!names(given.options, name)) {
      given.options.push_back(name + "=" + std::to_string(value));
    }
  }
  if (isUsed && config == 0) {
    note = "autotune: configuration 1 of " + std::to_string(all.size()) + " (" +
           configurationText(chosen) +
           "); others by --config N, --list-configs";
  }
  return Status();
}

Result<Launch> resolve(const Request &request, driver::Driver &driver,
                       TerminalSink &sink,
                       const std::function<void()> &afterParse) {
  Launch launch;
  CompileJob &job = launch.job;
  Result<KernelSource> source =
      loadSource(parseKernel(request.kernel), request.imports);
  if (!source) {
    return source.takeStatus();
  }
  job.source = std::move(*source);
  Result<KernelSignature> found = driver.signature(job.source, sink);
  if (!found) {
    return found.takeStatus();
  }
  launch.signature = std::move(*found);
  if (afterParse) {
    afterParse();
  }
  Binding::Options given = request.binding;
  if (Status s = chooseConfiguration(launch.signature, request.config, given,
                                     launch.note);
      !s.ok()) {
    return s;
  }
  given.expressions.push_back(request.grid);
  Binding &binding = launch.binding;
  // Types alone: the IR has them already.
  Status bound = job.source.isIR && given.allowTypes
                     ? binding.bindOptions(given)
                     : binding.bind(launch.signature, given);
  if (!bound.ok()) {
    return bound;
  }
  Result<std::array<int64_t, 3>> size = binding.grid(request.grid);
  if (!size) {
    return size.takeStatus();
  }
  launch.grid = *size;
  if (Status s = checkGrid(launch.grid, "--grid"); !s.ok()) {
    return s;
  }
  Result<SpecializationRule> rule =
      driver.specializationRule(job.source, binding.specs, sink);
  if (!rule) {
    return rule.takeStatus();
  }
  binding.applyRule(*rule);
  job.source.function = launch.signature.function;
  job.arguments = binding.specs;
  job.options = binding.options;
  return launch;
}

} // namespace tz::tool
