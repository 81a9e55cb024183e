//===- Request.cpp - what a command line asks for -------------------------===//
//
// What   See Request.h.
// Why    See Request.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/Request.h"

#include "core/arguments/CompiledKernel.h"
#include "runtime/launch/LoadedKernel.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool isWord = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      isWord = true;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      isWord = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (isWord) {
        words.push_back(std::move(word));
      }
      word.clear();
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (isWord) {
    words.push_back(std::move(word));
  }
  return words;
}

Status parseWords(CLI::App &options, std::string_view text) {
  std::vector<std::string> words = splitWords(text);
  std::reverse(words.begin(), words.end()); // as CLI11 takes them
  try {
    options.parse(std::move(words));
  } catch (const CLI::ParseError &error) {
    return Status(TZ_E_INVALID_ARGUMENT, error.what());
  }
  return Status();
}

SessionOptions toolSession() {
  SessionOptions made;
  made.useCompiler = false;
  made.plugins.wantsCompiler = true;
  made.plugins.catchFaults = environment("TERRAZZO_CATCH_FAULTS") != "0";
  return made;
}

void addRequestOptions(CLI::App &command, Request &request) {
  command
      .add_option("kernel", request.kernel,
                  "file.py::kernel, a tile IR file, or an artifact")
      ->type_name("KERNEL")
      ->required();
  addImportOptions(command, request.imports);
  command.add_option("--grid", request.grid,
                     "X, X,Y or X,Y,Z: numbers or expressions (1)");
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

Status addSignature(const std::string &text, const KernelSignature &signature,
                    Binding::Options &options) {
  std::vector<std::string> types;
  if (!text.empty()) {
    types = splitList(text);
  }
  size_t next = 0;
  for (const KernelParameter &parameter : signature.parameters) {
    if (!parameter.isConstexpr && next < types.size()) {
      options.args.push_back(parameter.name + "=" + types[next++]);
    }
  }
  if (next < types.size()) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--sig has " + std::to_string(types.size()) +
                      " types, but kernel '" + signature.function + "' takes " +
                      std::to_string(next) + " run-time arguments");
  }
  return Status();
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

static bool isNamed(const std::vector<std::string> &words,
                    const std::string &name) {
  return llvm::any_of(words, [&](const std::string &word) {
    return llvm::StringRef(word).split('=').first.trim() == name;
  });
}

/// Adds what triton.heuristics makes of the launch's values, where the command
/// line does not say it. Without values the compiler evaluates what it can.
static Status addHeuristics(const Launch &launch, const Request &request,
                            driver::Driver &driver,
                            runtime::DiagnosticSink &sink,
                            Binding::Options &given) {
  const std::vector<driver::LaunchValue> values =
      launch.binding.launchValues(launch.signature);
  for (auto [parameter, spec] :
       llvm::zip(launch.signature.parameters, launch.binding.specs)) {
    if (spec.kind == ArgumentSpec::Runtime &&
        llvm::none_of(values, [&](const driver::LaunchValue &value) {
          return value.parameter == parameter.name;
        })) {
      return Status();
    }
  }
  KernelSource source = launch.job.source;
  source.function = launch.signature.function;
  Result<KernelConfiguration> found =
      driver.heuristics(source, launch.binding.specs, values, sink);
  if (!found) {
    return found.takeStatus();
  }
  for (const auto &[name, value] : found->constants) {
    given.constexprs.push_back(name + "=" + value);
  }
  for (const auto &[name, value] : found->options) {
    if (!isNamed(request.binding.options, name)) {
      std::erase_if(given.options, [&name = name](const std::string &word) {
        return llvm::StringRef(word).split('=').first.trim() == name;
      });
      given.options.push_back(name + "=" + std::to_string(value));
    }
  }
  return Status();
}

Result<NamedKernel> loadKernel(const Request &request, driver::Driver &driver,
                               runtime::DiagnosticSink &sink) {
  NamedKernel made;
  const KernelText kernel = parseKernel(request.kernel);
  Result<KernelSource> source =
      request.text ? makeSource(kernel, *request.text, request.imports)
                   : loadSource(kernel, request.imports);
  if (!source) {
    return source.takeStatus();
  }
  made.source = std::move(*source);
  if (isArtifact(made.source)) {
    Result<Artifact> artifact = Artifact::read(made.source.text);
    if (!artifact) {
      return std::move(artifact.takeStatus()).in(made.source.path);
    }
    made.artifact = std::make_shared<const Artifact>(std::move(*artifact));
    made.signature = signatureOf(*made.artifact);
    const std::string &function = made.source.function;
    return function.empty() || function == made.signature.function
               ? Result<NamedKernel>(std::move(made))
               : Status(TZ_E_NOT_FOUND, made.source.path + " holds kernel '" +
                                            made.signature.function +
                                            "', not '" + function + "'");
  }
  Result<KernelSignature> found = driver.signature(made.source, sink);
  if (!found) {
    return found.takeStatus();
  }
  made.signature = std::move(*found);
  return made;
}

bool Launch::isEmpty() const { return llvm::is_contained(grid, 0); }

Status checkHasPrograms(const Launch &launch) {
  return checkGrid(launch.grid, "--grid");
}

Status checkHasSource(const Launch &launch) {
  return launch.artifact
             ? Status(TZ_E_INVALID_ARGUMENT,
                      "this command needs the kernel's source or its tile IR: "
                      "an artifact holds the code of one target")
             : Status();
}

void noteMissingGrid(const Request &request) {
  if (request.grid.empty()) {
    reportNote("there is no --grid, so one program runs; a grid is written "
               "as --grid \"cdiv(n,BLOCK)\"");
  }
}

/// The grid; an axis may be 0.
static Status findGrid(const Request &request, Launch &launch) {
  Result<std::array<int64_t, 3>> size =
      launch.binding.grid(request.grid.empty() ? "1" : request.grid);
  if (!size) {
    return size.takeStatus();
  }
  launch.grid = *size;
  for (int64_t &axis : *size) {
    axis = axis == 0 ? 1 : axis;
  }
  return checkGrid(*size, "--grid");
}

static Result<Launch> resolveCompiled(const Request &request,
                                      NamedKernel kernel) {
  Launch launch;
  launch.artifact = std::move(kernel.artifact);
  launch.signature = std::move(kernel.signature);
  Binding::Options given = request.binding;
  given.expressions.push_back(request.grid);
  Status s = request.config
                 ? Status(TZ_E_INVALID_ARGUMENT,
                          "--config: an artifact holds one configuration")
                 : completeFor(*launch.artifact, given);
  s = s.ok() ? launch.binding.bind(launch.signature, given) : std::move(s);
  s = s.ok() ? fitTo(*launch.artifact, launch.binding) : std::move(s);
  s = s.ok() ? findGrid(request, launch) : std::move(s);
  if (!s.ok()) {
    return s;
  }
  return launch;
}

Result<Launch> resolve(const Request &request, driver::Driver &driver,
                       runtime::DiagnosticSink &sink,
                       const std::function<void()> &afterParse) {
  Result<NamedKernel> kernel = loadKernel(request, driver, sink);
  if (!kernel) {
    return kernel.takeStatus();
  }
  if (afterParse) {
    afterParse();
  }
  if (kernel->artifact) {
    return resolveCompiled(request, std::move(*kernel));
  }
  Launch launch;
  CompileJob &job = launch.job;
  job.source = std::move(kernel->source);
  launch.signature = std::move(kernel->signature);
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
  if (bound.ok() && !launch.signature.heuristics.empty()) {
    bound = addHeuristics(launch, request, driver, sink, given);
    binding = Binding();
    bound =
        bound.ok() ? binding.bind(launch.signature, given) : std::move(bound);
  }
  bound = bound.ok() ? findGrid(request, launch) : std::move(bound);
  if (!bound.ok()) {
    return bound;
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
