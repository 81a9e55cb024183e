//===- Driver.cpp - source in, artifact out -------------------------------===//
//
// What   The order of a compilation, with the cache before it.
// Why    See Driver.h.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"

#include "core/driver/BuildId.h"
#include "core/driver/CacheKey.h"
#include "core/driver/DebugLevel.h"
#include "core/driver/Lowering.h"

#include "terrazzo/wire/Wire.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace tz::driver {

using namespace runtime;

struct Driver::State {
  Registry &registry;
  Cache *cache;
  WorkspacePool pool;
  std::mutex lock;
  // Targets do not change while a process runs.
  std::map<std::pair<std::string, std::string>, TargetDescription> targets;

  // Of each set of types and constants, from one elaboration without hints.
  std::map<std::string, SpecializationRule> rules;
  static constexpr size_t MaxRules = 4096;

  SpecializationRule rule(const CompileJob &job,
                          const std::vector<KernelParameter> &parameters);
  /// Says once which features of the target nobody knows.
  Result<TargetDescription> target(const std::string &plugin,
                                   const std::string &id,
                                   runtime::DiagnosticSink &diagnostics);
  Result<LoweredKernel> lower(const CompileJob &job, Stage stage,
                              runtime::DiagnosticSink &diagnostics,
                              PhaseClock &clock);
  Result<std::string> keyOf(const CompileJob &job);
  std::shared_ptr<const Artifact> find(const std::string &key,
                                       const CompileJob &job);
  Status finish(Artifact &artifact, const CompileJob &job,
                const LoweredKernel &lowered,
                const std::vector<KernelParameter> &parameters);
};

LoweredKernel::LoweredKernel() : hidden(std::make_unique<State>()) {}
LoweredKernel::LoweredKernel(LoweredKernel &&) noexcept = default;
LoweredKernel &LoweredKernel::operator=(LoweredKernel &&) noexcept = default;
LoweredKernel::~LoweredKernel() = default;

std::string LoweredKernel::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  mlir::OpPrintingFlags flags;
  hidden->module->print(os, flags);
  return result;
}

Result<std::string> LoweredKernel::portable() const {
  wire::WriteOptions options;
  options.stage = hidden->stage == Stage::Prepared ? wire::Stage::Prepared
                                                   : wire::Stage::Neutral;
  llvm::Expected<std::string> bytes = wire::write(*hidden->module, options);
  if (!bytes) {
    return Status(TZ_E_UNIMPLEMENTED, "the kernel has no portable form: " +
                                          llvm::toString(bytes.takeError()));
  }
  return std::move(*bytes);
}

Driver::Driver(Registry &registry, Cache *cache)
    : state(new State{registry, cache, {}, {}, {}, {}}) {}
Driver::~Driver() = default;

Result<KernelSignature>
Driver::signature(const KernelSource &source,
                  runtime::DiagnosticSink &diagnostics) {
  auto workspace = state->pool.take();
  FirstError first;
  auto parsed = workspace->parse(source, diagnostics, first);
  if (!parsed) {
    return first.status(TZ_E_INVALID_ARGUMENT,
                        source.path + ": cannot be read as a kernel file");
  }
  return findSignature(*workspace, *parsed, source.function, diagnostics,
                       first);
}

Result<SpecializationRule>
Driver::specializationRule(const KernelSource &source,
                           const std::vector<ArgumentSpec> &arguments,
                           runtime::DiagnosticSink &diagnostics) {
  Result<KernelSignature> known = signature(source, diagnostics);
  if (!known) {
    return known.takeStatus();
  }
  CompileJob job;
  job.source = source;
  job.source.function = known->function;
  job.arguments = arguments;
  job.arguments.resize(known->parameters.size());
  SpecializationRule rule = state->rule(job, known->parameters);
  for (size_t i = 0; i < rule.parameters.size(); ++i) {
    bool exists = i < known->parameters.size();
    if (!exists || !known->parameters[i].specializeAlignment) {
      rule.parameters[i].divisor = 0;
    }
    if (!exists || !known->parameters[i].specializeValue) {
      rule.parameters[i].foldsOne = false;
    }
  }
  return rule;
}

namespace {
/// What an analysis has to say, a compilation will say again.
struct Unheard final : runtime::DiagnosticSink {
  void report(uint32_t, std::string_view) override {}
};
} // namespace

/// The kernel is elaborated once with nothing known of its integers, to see
/// what it makes of them. Where that fails (some kernels compile only with a
/// stride that is 1), the rule is the one of the types.
SpecializationRule
Driver::State::rule(const CompileJob &job,
                    const std::vector<KernelParameter> &parameters) {
  std::string key = jobKey(job, {}, {});
  {
    std::lock_guard guard(lock);
    if (auto known = rules.find(key); known != rules.end()) {
      return known->second;
    }
  }
  SpecializationRule made = ruleFor(job.arguments);
  if (!job.source.isIR) {
    Unheard unheard;
    FirstError first;
    auto workspace = pool.take();
    if (auto source = workspace->parse(job.source, unheard, first)) {
      auto module = elaborateKernel(*workspace, *source, job,
                                    job.source.function, unheard, first);
      if (module) {
        narrowRule(made, **module, parameters);
      }
    }
  }
  std::lock_guard guard(lock);
  if (rules.size() >= MaxRules) {
    rules.clear();
  }
  return rules.try_emplace(std::move(key), std::move(made)).first->second;
}

Result<TargetDescription>
Driver::State::target(const std::string &plugin, const std::string &id,
                      runtime::DiagnosticSink &diagnostics) {
  std::pair<std::string, std::string> name(plugin, id);
  {
    std::lock_guard guard(lock);
    if (auto known = targets.find(name); known != targets.end()) {
      return known->second;
    }
  }
  Result<Plugin *> found = registry.find(plugin);
  if (!found) {
    return found.takeStatus();
  }
  Result<TargetDescription> description = describeTarget(**found, id);
  if (!description) {
    return description;
  }
  bool isNew;
  {
    std::lock_guard guard(lock);
    isNew = targets.try_emplace(std::move(name), *description).second;
  }
  if (isNew) {
    for (const std::string &feature : description->unknownFeatures) {
      FirstError first;
      report(diagnostics, {}, TZ_SEVERITY_WARNING,
             "plugin '" + plugin + "', target '" + id +
                 "': " + unknownFeature(feature),
             {}, 0, 0, first);
    }
  }
  return description;
}

Result<LoweredKernel> Driver::State::lower(const CompileJob &job, Stage stage,
                                           runtime::DiagnosticSink &diagnostics,
                                           PhaseClock &clock) {
  FirstError first;
  LoweredKernel lowered;
  LoweredKernel::State &held = *lowered.hidden;
  held.workspace.emplace(pool.take());
  held.stage = stage;
  Workspace &workspace = **held.workspace;
  held.source = workspace.parse(job.source, diagnostics, first);
  if (!held.source) {
    return first.status(TZ_E_INVALID_ARGUMENT,
                        job.source.path + ": cannot be read as a kernel file");
  }
  Result<KernelSignature> signature = findSignature(
      workspace, *held.source, job.source.function, diagnostics, first);
  if (!signature) {
    return signature.takeStatus();
  }
  clock.mark("parse");
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = elaborateKernel(
      workspace, *held.source, job, signature->function, diagnostics, first);
  if (!module) {
    return module.takeStatus();
  }
  held.module = std::move(*module);
  clock.mark("elaborate");
  Sources sources = held.source->files();
  if (stage != Stage::Tile) {
    // The neutral passes get the description too and must not read it (R2).
    optimizer::TargetFacts facts;
    if (stage == Stage::Prepared || !job.plugin.empty()) {
      Result<TargetDescription> description =
          target(job.plugin, job.target, diagnostics);
      if (!description) {
        return description.takeStatus();
      }
      facts = std::move(description->facts);
      clock.mark("describe target");
    }
    optimizer::RemarkSink remarks;
    PassDiagnostics handler(workspace.context, diagnostics, sources, first);
    if (mlir::failed(optimizer::runNeutral(*held.module, &remarks, facts))) {
      return first.status(TZ_E_INTERNAL, "the shared passes failed");
    }
    clock.mark("neutral");
    if (stage == Stage::Prepared) {
      if (mlir::failed(optimizer::runPrepared(*held.module, facts, &remarks))) {
        return first.status(TZ_E_INTERNAL, "the target's passes failed");
      }
      clock.mark("prepared");
    }
    if (mlir::failed(mlir::verify(*held.module))) {
      return first.status(TZ_E_INTERNAL, "the passes left invalid IR");
    }
    for (const optimizer::Remark &remark : remarks.remarks) {
      auto [file, line, column] = placeOf(remark.location);
      report(diagnostics, sources, TZ_SEVERITY_REMARK, remark.message, file,
             line, column, first);
    }
  }
  tile::KernelOp kernel = kernelOf(*held.module);
  if (!kernel) {
    return Status(TZ_E_INTERNAL, "the module lost its kernel");
  }
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    std::string name = kernel.getArgName(i);
    auto at = llvm::find_if(signature->parameters,
                            [&](const KernelParameter &parameter) {
                              return parameter.name == name;
                            });
    if (at == signature->parameters.end()) {
      return Status(TZ_E_INTERNAL, "the kernel has an argument '" + name +
                                       "' that is no parameter of its source");
    }
    lowered.userParameters.push_back(
        uint32_t(at - signature->parameters.begin()));
  }
  return lowered;
}

Result<LoweredKernel> Driver::lower(const CompileJob &job, Stage stage,
                                    runtime::DiagnosticSink &diagnostics,
                                    CompileReport *report) {
  PhaseClock clock(report);
  return state->lower(job, stage, diagnostics, clock);
}

Result<std::string> Driver::State::keyOf(const CompileJob &job) {
  Result<Plugin *> plugin = registry.find(job.plugin);
  if (!plugin) {
    return plugin.takeStatus();
  }
  Result<std::string> print = fingerprint(**plugin, job, cache);
  if (!print) {
    return print.takeStatus();
  }
  return jobKey(job, *print, buildId());
}

Result<std::string> Driver::cacheKey(const CompileJob &given,
                                     runtime::DiagnosticSink &) {
  CompileJob job = given;
  if (Status s = settleDebugLevel(job); !s.ok()) {
    return s;
  }
  return state->keyOf(job);
}

std::shared_ptr<const Artifact> Driver::State::find(const std::string &key,
                                                    const CompileJob &job) {
  std::optional<std::string> bytes = cache->get(key);
  if (!bytes) {
    return nullptr;
  }
  Result<Artifact> read = Artifact::read(*bytes);
  if (!read || !dependenciesHold(*read, job.source.path)) {
    cache->remove(key);
    return nullptr;
  }
  setSourcePath(*read, job.source.path);
  return std::make_shared<const Artifact>(std::move(*read));
}

/// What only the host knows of an artifact.
Status Driver::State::finish(Artifact &artifact, const CompileJob &job,
                             const LoweredKernel &lowered,
                             const std::vector<KernelParameter> &parameters) {
  artifact.plugin = job.plugin;
  artifact.target = job.target;
  artifact.function = kernelOf(*lowered.state().module).getSymName().str();
  artifact.userParameters = lowered.userParameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    SpecializedParameter parameter;
    parameter.name = parameters[i].name;
    if (i < job.arguments.size()) {
      parameter.spec = job.arguments[i];
    }
    artifact.parameters.push_back(std::move(parameter));
  }
  for (uint32_t index : artifact.userParameters) {
    artifact.userTypes.push_back(artifact.parameters[index].spec.type);
  }
  setSourcePath(artifact, job.source.path);
  namespace fs = std::filesystem;
  for (const auto &file : lowered.state().source->files()) {
    std::string path = file->path().str();
    if (path == job.source.path) {
      continue;
    }
    std::error_code failed;
    fs::path folder = fs::absolute(fs::path(job.source.path), failed)
                          .lexically_normal()
                          .parent_path();
    fs::path relative = fs::absolute(fs::path(path), failed)
                            .lexically_normal()
                            .lexically_relative(folder);
    addDependency(artifact, {relative.string(),
                             toHex(sha256(std::string_view(
                                 file->text().data(), file->text().size())))});
  }
  return artifact.verify();
}

static Status refuseOptions(Plugin &plugin, const CompileJob &job,
                            runtime::DiagnosticSink &diagnostics) {
  Result<std::optional<std::vector<OptionInfo>>> listed =
      listOptions(plugin, job.target);
  return listed ? checkOptions(job, *listed, diagnostics) : listed.takeStatus();
}

static Result<std::string> portableBytes(const LoweredKernel &lowered,
                                         const CompileJob &job,
                                         runtime::DiagnosticSink &diagnostics) {
  Result<std::string> bytes = lowered.portable();
  if (!bytes) {
    FirstError first;
    report(diagnostics, {}, TZ_SEVERITY_ERROR, bytes.status().message(),
           job.source.path, 0, 0, first);
  }
  return bytes;
}

Status Driver::check(const CompileJob &given,
                     runtime::DiagnosticSink &diagnostics,
                     CompileReport *report) {
  PhaseClock clock(report);
  CompileJob job = given;
  if (Status s = settleDebugLevel(job); !s.ok()) {
    return s;
  }
  Result<Plugin *> plugin = state->registry.find(job.plugin);
  if (!plugin) {
    return plugin.takeStatus();
  }
  if (Status s = refuseOptions(**plugin, job, diagnostics); !s.ok()) {
    return s;
  }
  Result<LoweredKernel> lowered =
      state->lower(job, Stage::Prepared, diagnostics, clock);
  if (!lowered) {
    return lowered.takeStatus();
  }
  Result<std::string> bytes = portableBytes(*lowered, job, diagnostics);
  if (!bytes) {
    return bytes.takeStatus();
  }
  clock.mark("portable form");
  Status s = checkPortable(**plugin, job, *bytes, diagnostics,
                           lowered->state().source->files());
  clock.mark("check for " + job.target);
  return s;
}

Result<std::shared_ptr<const Artifact>>
Driver::compile(const CompileJob &given, runtime::DiagnosticSink &diagnostics,
                CompileReport *report) {
  PhaseClock clock(report);
  CompileJob job = given;
  if (Status s = settleDebugLevel(job); !s.ok()) {
    return s;
  }
  Result<KernelSignature> known = signature(job.source, diagnostics);
  if (!known) {
    return known.takeStatus();
  }
  job.source.function = known->function;
  job.arguments.resize(known->parameters.size());
  std::string key;
  if (state->cache) {
    Result<std::string> made = state->keyOf(job);
    if (!made) {
      return made.takeStatus();
    }
    key = std::move(*made);
    std::shared_ptr<const Artifact> found = state->find(key, job);
    clock.mark("cache");
    if (report) {
      report->key = key;
      report->fromCache = found != nullptr;
    }
    if (found) {
      return found;
    }
  }
  Result<Plugin *> plugin = state->registry.find(job.plugin);
  if (!plugin) {
    return plugin.takeStatus();
  }
  if (Status s = refuseOptions(**plugin, job, diagnostics); !s.ok()) {
    return s;
  }
  Result<LoweredKernel> lowered =
      state->lower(job, Stage::Prepared, diagnostics, clock);
  if (!lowered) {
    return lowered.takeStatus();
  }
  Result<std::string> bytes = portableBytes(*lowered, job, diagnostics);
  if (!bytes) {
    return bytes.takeStatus();
  }
  clock.mark("portable form");
  Result<Artifact> artifact = compilePortable(
      **plugin, job, *bytes, diagnostics, lowered->state().source->files());
  if (!artifact) {
    return artifact.takeStatus();
  }
  clock.mark("compile for " + job.target);
  Status s = state->finish(*artifact, job, *lowered, known->parameters);
  if (!s.ok()) {
    return std::move(s).in("plugin '" + job.plugin + "'");
  }
  if (state->cache) {
    state->cache->put(key, artifact->write());
    clock.mark("store in cache");
  }
  return std::make_shared<const Artifact>(std::move(*artifact));
}

static std::unique_ptr<CompilerService> makeDriver(Registry &registry,
                                                   Cache *cache) {
  return std::make_unique<Driver>(registry, cache);
}

void registerDriver() { setCompilerFactory(makeDriver); }

} // namespace tz::driver
