//===- Compilation.cpp - one job, from the cache or made ------------------===//
//
// What   Driver::compile: looks for the outcome of the job, then, with the IR
//        at hand, for its code, and asks the vendor's compiler when neither is
//        known; keeps what came of it, failures included. Driver::check asks
//        it only whether it would.
// Why    Which failure may be kept, and what is told again from the cache, is
//        decided here and nowhere else.
//===----------------------------------------------------------------------===//
#include "core/driver/DriverState.h"
#include "core/driver/SharedPasses.h"
#include "core/driver/cache/BuildId.h"
#include "core/driver/cache/CacheKey.h"
#include "core/driver/options/Budget.h"
#include "core/driver/options/DebugLevel.h"
#include "core/driver/source/Signature.h"
#include "core/driver/source/SpecializationRules.h"

#include "terrazzo/wire/Wire.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tz::driver {

using namespace runtime;

namespace {

/// Longer outcomes are not kept: a wall of remarks is no small entry.
constexpr size_t MaxOutcomeBytes = size_t(1) << 20;

/// Hands on what it hears, and keeps it.
struct Recorder final : runtime::DiagnosticSink {
  explicit Recorder(runtime::DiagnosticSink &to) : to(to) {}
  void report(uint32_t severity, std::string_view rendered) override {
    errors += severity == TZ_SEVERITY_ERROR;
    kept.push_back({severity, std::string(rendered)});
    to.report(severity, rendered);
  }
  runtime::DiagnosticSink &to;
  std::vector<Message> kept;
  unsigned errors = 0;
};

/// What a vendor says, printed; and the status of its answer.
class Vendor {
public:
  Vendor(runtime::DiagnosticSink &to, const Sources &sources)
      : to(to), sources(sources) {}
  void print(const VendorMessage &message) {
    report(to, sources, message.severity, message.text, message.place.file,
           message.place.line, message.place.column, first);
  }
  /// Of a failed call: the first error that was reported, or else its own
  /// message, which is reported then.
  Status failure(const Status &answer) {
    if (!first.any) {
      print({TZ_SEVERITY_ERROR, answer.message(), {}});
    }
    return first.status(answer.code(), answer.message());
  }
  bool saidError() const { return first.any; }

private:
  runtime::DiagnosticSink &to;
  const Sources &sources;
  FirstError first;
};

class Compilation {
public:
  Compilation(Driver::State &state, const CompileJob &given,
              runtime::DiagnosticSink &diagnostics, CompileReport &report)
      : state(state), job(given), diagnostics(diagnostics),
        recorder(diagnostics), report(report), clock(&report) {}

  Result<std::shared_ptr<const Artifact>> run();

private:
  using Made = Result<std::shared_ptr<const Artifact>>;

  std::optional<Made> findOutcome();
  Made make(WorkspacePool::Lease workspace, const ParsedSource &source);
  Result<CompiledCode> code(const LoweredKernel &lowered,
                            const Sources &sources, bool &mayKeepFailure);
  Made finish(Artifact artifact, const std::vector<uint32_t> &userLeaves);
  Made keepFailure(Status failure, const ParsedSource &source);
  void keep(const CompileOutcome &outcome);

  Driver::State &state;
  CompileJob job;
  runtime::DiagnosticSink &diagnostics;
  Recorder recorder;
  CompileReport &report;
  PhaseClock clock;
  Plugin *plugin = nullptr;
  KernelSignature signature;
  std::string fingerprintText;
};

} // namespace

/// What the compiler says of this source and these options, whenever it is
/// asked; not what became of memory, time, files or a defect of ours.
static bool isVerdict(const Status &failure) {
  switch (failure.code()) {
  case TZ_E_INVALID_ARGUMENT:
  case TZ_E_NOT_FOUND:
  case TZ_E_UNIMPLEMENTED:
  case TZ_E_UNSUPPORTED_OP:
  case TZ_E_RESOURCE_LIMIT:
    break;
  default:
    return false;
  }
  return llvm::none_of(failure.payload(), [](const auto &fact) {
    return fact.first == "transient" || fact.first == "sticky";
  });
}

static bool has(const CompileJob &job, std::string_view key) {
  return llvm::any_of(job.options,
                      [&](const KeyValue &given) { return given.key == key; });
}

/// The option `checked`: of the environment, if the target has it. Checked code
/// holds the lines of its accesses, so it has a debug level.
static Status settleChecked(Registry &registry, CompileJob &job) {
  std::optional<std::string> text = environment("TERRAZZO_CHECKED");
  if (text && *text != "" && *text != "0" && *text != "1") {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "TERRAZZO_CHECKED is '" + *text + "'; it is 0 or 1");
  }
  auto number = [](const char *key, uint32_t kind) {
    KeyValue option;
    option.key = key;
    option.kind = kind;
    option.i64 = 1;
    return option;
  };
  if (text == "1" && !has(job, "checked")) {
    Result<Plugin *> plugin = registry.find(job.plugin);
    if (!plugin) {
      return plugin.takeStatus();
    }
    Result<std::optional<std::vector<OptionInfo>>> listed =
        listOptions(**plugin, job.target);
    if (!listed) {
      return listed.takeStatus();
    }
    if (*listed && llvm::any_of(**listed, [](const OptionInfo &one) {
          return one.name == "checked";
        })) {
      job.options.push_back(number("checked", TZ_KV_BOOL));
    }
  }
  const bool isChecked = llvm::any_of(job.options, [](const KeyValue &given) {
    return given.key == "checked" && given.i64 != 0;
  });
  if (isChecked && !has(job, "debug_level")) {
    job.options.push_back(number("debug_level", TZ_KV_I64));
  }
  return Status();
}

static Status refuseOptions(Plugin &plugin, const CompileJob &job,
                            const KernelSignature &signature,
                            runtime::DiagnosticSink &diagnostics) {
  Result<std::optional<std::vector<OptionInfo>>> listed =
      listOptions(plugin, job.target);
  if (!listed) {
    return listed.takeStatus();
  }
  Status s = checkOptions(job, *listed, diagnostics);
  return s.ok() ? checkConfigurations(job, signature, *listed, diagnostics) : s;
}

Result<std::shared_ptr<const Artifact>> Compilation::run() {
  if (Status s = settleOptions(job); !s.ok()) {
    return s;
  }
  if (Status s = settleChecked(state.registry, job); !s.ok()) {
    return s;
  }
  if (Status s = settleDebugLevel(job); !s.ok()) {
    return s;
  }
  WorkspacePool::Lease workspace = state.pool.take();
  FirstError first;
  std::shared_ptr<ParsedSource> source =
      workspace->parse(job.source, diagnostics, first);
  if (!source) {
    return first.status(TZ_E_INVALID_ARGUMENT,
                        job.source.path + ": cannot be read as a kernel file");
  }
  Result<KernelSignature> known = findSignature(
      *workspace, *source, job.source.function, diagnostics, first);
  if (!known) {
    return known.takeStatus();
  }
  signature = std::move(*known);
  job.source.function = signature.function;
  job.arguments.resize(signature.parameters.size());
  clock.mark("parse");
  Result<Plugin *> found = state.registry.find(job.plugin);
  if (!found) {
    return found.takeStatus();
  }
  plugin = *found;
  if (state.cache) {
    Result<std::string> print = fingerprint(*plugin, job, state.cache);
    if (!print) {
      return print.takeStatus();
    }
    fingerprintText = std::move(*print);
    report.key = jobKey(job, fingerprintText, buildId());
    std::optional<Made> outcome = findOutcome();
    clock.mark("cache");
    if (outcome) {
      return std::move(*outcome);
    }
  }
  return make(std::move(workspace), *source);
}

/// The job as it ended before, with all that was said.
std::optional<Compilation::Made> Compilation::findOutcome() {
  std::optional<std::string> bytes = state.cache->get(report.key);
  if (!bytes) {
    return std::nullopt;
  }
  std::optional<CompileOutcome> outcome = CompileOutcome::read(*bytes);
  if (!outcome || !outcome->imports.hold(surroundingsOf(job.source))) {
    return std::nullopt;
  }
  std::optional<Made> result;
  if (!outcome->failure.ok()) {
    result = std::move(outcome->failure);
  } else {
    std::optional<std::string> code = state.cache->get(outcome->codeKey);
    std::optional<Artifact> artifact =
        code ? CompiledCode::readArtifact(*code) : std::nullopt;
    if (!artifact || artifact->logSites.size() != outcome->sites.size()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < outcome->sites.size(); ++i) {
      artifact->logSites[i].file = outcome->sites[i].file;
      artifact->logSites[i].line = outcome->sites[i].line;
      artifact->logSites[i].col = outcome->sites[i].column;
    }
    Made finished = finish(std::move(*artifact), outcome->userLeaves);
    if (!finished) {
      return std::nullopt;
    }
    report.codeKey = outcome->codeKey;
    result = std::move(finished);
  }
  for (const Message &message : outcome->messages) {
    diagnostics.report(message.severity, message.text);
  }
  report.cached = CompileReport::Cached::Everything;
  return result;
}

Compilation::Made Compilation::make(WorkspacePool::Lease workspace,
                                    const ParsedSource &source) {
  LoweredKernel lowered = Driver::State::begin(std::move(workspace));
  if (Status s = refuseOptions(*plugin, job, signature, recorder); !s.ok()) {
    return keepFailure(std::move(s), source);
  }
  // Not of this job: what is said of the target itself is not kept.
  if (Result<TargetDescription> target =
          state.target(job.plugin, job.target, diagnostics);
      !target) {
    return target.takeStatus();
  }
  clock.mark("describe target");
  if (Status s = state.lower(lowered, job, Stage::Prepared, recorder, clock);
      !s.ok()) {
    return keepFailure(std::move(s), source);
  }
  const Sources sources = source.files();
  bool mayKeepFailure = false;
  Result<CompiledCode> made = code(lowered, sources, mayKeepFailure);
  if (!made) {
    return mayKeepFailure ? keepFailure(made.takeStatus(), source)
                          : Made(made.takeStatus());
  }
  CompileOutcome outcome;
  outcome.codeKey = report.codeKey;
  outcome.userLeaves = lowered.userLeaves;
  for (const LogSite &site : made->artifact.logSites) {
    outcome.sites.push_back({site.file, site.line, site.col});
  }
  Made finished = finish(std::move(made->artifact), lowered.userLeaves);
  if (finished && state.cache) {
    outcome.imports = Imports::of(source);
    outcome.messages = recorder.kept;
    keep(outcome);
    clock.mark("store in cache");
  }
  return finished;
}

/// The code of a lowered kernel: known from any source, or made.
Result<CompiledCode> Compilation::code(const LoweredKernel &lowered,
                                       const Sources &sources,
                                       bool &mayKeepFailure) {
  Result<PortableKernel> portable =
      writePortable(lowered.state(), state.cache != nullptr, job, recorder);
  if (!portable) {
    mayKeepFailure = true;
    return portable.takeStatus();
  }
  clock.mark("portable form");
  Vendor vendor(recorder, sources);
  const std::string &locations = portable->codeAndLocations;
  if (state.cache) {
    Result<TargetDescription> target =
        state.target(job.plugin, job.target, diagnostics);
    if (!target) {
      return target.takeStatus();
    }
    report.codeKey = codeKey(job, wantsLines(job) ? locations : portable->code,
                             fingerprintText, target->facts);
    std::optional<std::string> known = state.cache->get(report.codeKey);
    std::optional<CompiledCode> found =
        known ? CompiledCode::read(*known, *portable->places, locations)
              : std::nullopt;
    clock.mark("cache of code");
    if (found) {
      for (const VendorMessage &message : found->messages) {
        vendor.print(message);
      }
      report.cached = CompileReport::Cached::Code;
      return std::move(*found);
    }
  }
  std::vector<VendorMessage> messages;
  Result<Artifact> artifact = compilePortable(
      *plugin, job, portable->bytes, [&](const VendorMessage &message) {
        vendor.print(message);
        messages.push_back(message);
      });
  if (!artifact && artifact.status().code() == TZ_E_CANCELLED) {
    letGo(lowered.state(), std::move(*portable));
    return artifact.takeStatus(); // nothing is wrong with the kernel
  }
  if (!artifact) {
    mayKeepFailure = vendor.saidError() && isVerdict(artifact.status());
    return vendor.failure(artifact.status());
  }
  clock.mark("compile for " + job.target);
  CompiledCode made{std::move(*artifact), std::move(messages)};
  if (state.cache) {
    state.cache->put(report.codeKey, made.write(*portable->places, locations),
                     "code of " + signature.function + " for " + job.target);
  }
  return made;
}

/// What only the host knows of an artifact.
Compilation::Made Compilation::finish(Artifact artifact,
                                      const std::vector<uint32_t> &userLeaves) {
  artifact.plugin = job.plugin;
  artifact.target = job.target;
  artifact.function = signature.function;
  artifact.userLeaves = userLeaves;
  if (llvm::any_of(job.options, [](const KeyValue &option) {
        return option.key == "launch_cooperative_grid" && option.i64 != 0;
      })) {
    for (Variant &variant : artifact.variants) {
      variant.flags |= TZ_KERNEL_COOPERATIVE;
    }
  }
  artifact.parameters.clear();
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    artifact.parameters.push_back(
        {signature.parameters[i].name, job.arguments[i]});
  }
  artifact.userTypes.clear();
  const std::vector<Leaf> leaves =
      leavesOf(job.arguments, signature.parameters);
  for (uint32_t index : userLeaves) {
    if (index >= leaves.size()) {
      return Status(TZ_E_INTERNAL,
                    "a user argument of leaf " + std::to_string(index));
    }
    artifact.userTypes.push_back(leaves[index].spec->type);
  }
  if (Status s = artifact.verify(); !s.ok()) {
    return std::move(s).in("plugin '" + job.plugin + "'");
  }
  return std::make_shared<const Artifact>(std::move(artifact));
}

Compilation::Made Compilation::keepFailure(Status failure,
                                           const ParsedSource &source) {
  bool wasRead = !source.module || source.module->readAll();
  if (state.cache && recorder.errors && wasRead && isVerdict(failure) &&
      !CompileBudget::wasSpent()) {
    CompileOutcome outcome;
    outcome.imports = Imports::of(source);
    outcome.messages = recorder.kept;
    outcome.failure = failure;
    keep(outcome);
  }
  return failure;
}

void Compilation::keep(const CompileOutcome &outcome) {
  std::string bytes = outcome.write();
  if (bytes.size() <= MaxOutcomeBytes) {
    state.cache->put(report.key, bytes,
                     (outcome.failure.ok() ? "" : "failure of ") +
                         signature.function + " for " + job.target);
  }
}

Status Driver::check(const CompileJob &given,
                     runtime::DiagnosticSink &diagnostics,
                     CompileReport *report) {
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
  PhaseClock clock(report);
  CompileJob job = given;
  if (Status s = settleOptions(job); !s.ok()) {
    return s;
  }
  if (Status s = settleChecked(state->registry, job); !s.ok()) {
    return s;
  }
  if (Status s = settleDebugLevel(job); !s.ok()) {
    return s;
  }
  Result<Plugin *> plugin = state->registry.find(job.plugin);
  if (!plugin) {
    return plugin.takeStatus();
  }
  Result<KernelSignature> known = signature(job.source, diagnostics);
  if (!known) {
    return known.takeStatus();
  }
  if (Status s = refuseOptions(**plugin, job, *known, diagnostics); !s.ok()) {
    return s;
  }
  LoweredKernel lowered = State::begin(state->pool.take());
  if (Status s =
          state->lower(lowered, job, Stage::Prepared, diagnostics, clock);
      !s.ok()) {
    return settle(std::move(s));
  }
  Result<PortableKernel> portable =
      writePortable(lowered.state(), false, job, diagnostics);
  if (!portable) {
    return settle(portable.takeStatus());
  }
  clock.mark("portable form");
  const Sources sources = lowered.state().source->files();
  Vendor vendor(diagnostics, sources);
  Status answer = checkPortable(
      **plugin, job, portable->bytes,
      [&](const VendorMessage &message) { vendor.print(message); });
  clock.mark("check for " + job.target);
  bool cannotSay = answer.code() == TZ_E_UNIMPLEMENTED && !vendor.saidError();
  return answer.ok() || cannotSay ? answer : vendor.failure(answer);
}

/// The text with the place of each operation, as `loc(#loc3)` and, below,
/// `#loc3 = loc("file":18:4)`: programs look there for lines.
static std::string textWithLocations(LoweredKernel &lowered) {
  std::string text;
  llvm::raw_string_ostream os(text);
  lowered.state().module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}

Result<std::string> Driver::stage(const CompileJob &given,
                                  const std::string &name,
                                  runtime::DiagnosticSink &diagnostics) {
  for (auto [text, stage] : {std::pair("tile", Stage::Tile),
                             {"neutral", Stage::Neutral},
                             {"prepared", Stage::Prepared}}) {
    if (name == text) {
      Result<LoweredKernel> lowered = lower(given, stage, diagnostics);
      return lowered ? Result<std::string>(textWithLocations(*lowered))
                     : lowered.takeStatus();
    }
  }
  CompileJob job = given;
  job.emit = {name};
  Result<std::shared_ptr<const Artifact>> artifact =
      compile(job, diagnostics, nullptr);
  if (!artifact) {
    return artifact.takeStatus();
  }
  if (const Blob *blob = (*artifact)->findBlob(name)) {
    return blob->bytes;
  }
  return Status(TZ_E_NOT_FOUND,
                "target '" + job.target + "' has no stage '" + name + "'");
}

Result<std::shared_ptr<const Artifact>>
Driver::compile(const CompileJob &job, runtime::DiagnosticSink &diagnostics,
                CompileReport *report) {
  CompileReport unwanted;
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
  return settle(
      Compilation(*state, job, diagnostics, report ? *report : unwanted).run());
}

} // namespace tz::driver
