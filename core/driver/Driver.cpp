//===- Driver.cpp - source in, artifact out -------------------------------===//
//
// What   The chain from a source to the IR of a stage.
// Why    See Driver.h; the compilation around it is in Compilation.cpp.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"

#include "core/driver/DriverState.h"
#include "core/driver/SharedPasses.h"
#include "core/driver/cache/CacheKey.h"
#include "core/driver/options/Budget.h"
#include "core/driver/options/DebugLevel.h"
#include "core/driver/options/Options.h"
#include "core/driver/options/PartRecords.h"
#include "core/driver/options/Sanitizers.h"
#include "core/driver/source/ElaborateKernel.h"
#include "core/driver/source/ReadIR.h"
#include "core/driver/source/Signature.h"
#include "core/driver/source/Specialization.h"
#include "core/driver/source/SpecializationRules.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tz::driver {

using namespace runtime;

LoweredKernel::LoweredKernel() : hidden(std::make_shared<State>()) {}
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
  return hidden->portable();
}

Driver::Driver(Registry &registry, Cache *cache)
    : state(new State{registry, cache, {}, {}, {}, {}}) {}
Driver::~Driver() = default;

/// What the parser said, or that it said nothing.
static Status unreadable(const KernelSource &source, const FirstError &first) {
  return first.status(TZ_E_INVALID_ARGUMENT,
                      source.path + ": cannot be read as a kernel file");
}

Result<KernelSignature>
Driver::signature(const KernelSource &source,
                  runtime::DiagnosticSink &diagnostics) {
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
  auto workspace = state->pool.take();
  FirstError first;
  auto parsed = workspace->parse(source, diagnostics, first);
  if (!parsed) {
    return settle(unreadable(source, first));
  }
  return settle(
      findSignature(*workspace, *parsed, source.function, diagnostics, first));
}

Result<SpecializationRule>
Driver::specializationRule(const KernelSource &source,
                           const std::vector<ArgumentSpec> &arguments,
                           runtime::DiagnosticSink &diagnostics) {
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
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
  if (CompileBudget::wasInterrupted()) {
    return settle(Status());
  }
  for (auto [leaf, made] :
       llvm::zip(leavesOf(job.arguments, known->parameters), rule.leaves)) {
    const KernelParameter &parameter = known->parameters[leaf.parameter];
    if (!parameter.specializeAlignment) {
      made.divisor = 0;
    }
    if (!parameter.specializeValue) {
      made.foldsOne = false;
    }
  }
  return rule;
}

Result<KernelConfiguration>
Driver::heuristics(const KernelSource &source,
                   const std::vector<ArgumentSpec> &arguments,
                   const std::vector<LaunchValue> &values,
                   runtime::DiagnosticSink &diagnostics) {
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
  auto workspace = state->pool.take();
  FirstError first;
  auto parsed = workspace->parse(source, diagnostics, first);
  if (!parsed) {
    return settle(unreadable(source, first));
  }
  return settle(findHeuristics(*parsed, source.function, arguments, values,
                               diagnostics, first));
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
Driver::State::rule(CompileJob &job,
                    const std::vector<KernelParameter> &parameters) {
  // Two functions of one text may read other names.
  std::string key =
      jobKey(job, {}, {}) + "#" + std::to_string(job.source.scope);
  {
    std::lock_guard guard(lock);
    if (auto known = rules.find(key); known != rules.end()) {
      return known->second;
    }
  }
  const std::vector<Leaf> leaves = leavesOf(job.arguments, parameters);
  SpecializationRule made = ruleFor(leaves);
  if (!job.source.isIR) {
    Unheard unheard;
    FirstError first;
    auto workspace = pool.take();
    if (auto source = workspace->parse(job.source, unheard, first)) {
      auto module = elaborateKernel(*workspace, *source, job,
                                    job.source.function, unheard, first);
      if (module && !CompileBudget::isSpent()) {
        narrowRule(made, **module, leaves);
      }
    }
  }
  if (CompileBudget::wasSpent()) {
    return made; // of this call alone
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

LoweredKernel Driver::State::begin(WorkspacePool::Lease workspace) {
  LoweredKernel lowered;
  lowered.hidden->workspace.emplace(std::move(workspace));
  return lowered;
}

Status Driver::State::lower(LoweredKernel &lowered, const CompileJob &job,
                            Stage stage, runtime::DiagnosticSink &diagnostics,
                            PhaseClock &clock) {
  FirstError first;
  LoweredKernel::State &held = *lowered.hidden;
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
  if (stage == Stage::Tile && debugLevel(job) == 2) {
    held.debugMap = std::make_unique<frontend::DebugMap>();
  }
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      elaborateKernel(workspace, *held.source, job, signature->function,
                      diagnostics, first, held.debugMap.get());
  if (!module) {
    return module.takeStatus();
  }
  held.module = std::move(*module);
  clock.mark("elaborate");
  if (stage != Stage::Tile) {
    if (Status s = optimize(held, job, diagnostics, clock); !s.ok()) {
      return s;
    }
  }
  return findUserLeaves(lowered, job, *signature);
}

/// The passes of the stage, for the job's target.
Status Driver::State::optimize(LoweredKernel::State &held,
                               const CompileJob &job,
                               runtime::DiagnosticSink &diagnostics,
                               PhaseClock &clock) {
  // The neutral passes get the description too and must not read it (R2).
  optimizer::TargetFacts facts;
  if (held.stage == Stage::Prepared || !job.plugin.empty()) {
    Result<TargetDescription> description =
        target(job.plugin, job.target, diagnostics);
    if (!description) {
      return description.takeStatus();
    }
    facts = std::move(description->facts);
    clock.mark("describe target");
  }
  // A target that wants kernels as they were written, to judge them.
  auto wanted = facts.properties.find("ir.stage");
  const bool asWritten = held.stage == Stage::Prepared &&
                         wanted != facts.properties.end() &&
                         wanted->second == "tile";
  if (Status s = sanitize(job, facts, asWritten, kernelOf(*held.module));
      !s.ok()) {
    return s;
  }
  recordParts(job, asWritten, kernelOf(*held.module));
  return asWritten ? checkModule(held)
                   : runPasses(held, std::move(facts), job, diagnostics, clock);
}

/// An argument that checks of memory have added.
static bool isArrayFact(const CompileJob &job, const std::string &name) {
  return !sanitizersOf(job).empty() && runtime::parseArrayFact(name);
}

/// Which of the user's arguments, of tuples each item, the kernel's are.
Status Driver::State::findUserLeaves(LoweredKernel &lowered,
                                     const CompileJob &job,
                                     const KernelSignature &signature) {
  tile::KernelOp kernel = kernelOf(*lowered.hidden->module);
  if (!kernel) {
    return Status(TZ_E_INTERNAL, "the module lost its kernel");
  }
  std::vector<ArgumentSpec> arguments = job.arguments;
  arguments.resize(signature.parameters.size());
  const std::vector<Leaf> leaves = leavesOf(arguments, signature.parameters);
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    std::string name = kernel.getArgName(i);
    auto at = llvm::find_if(
        leaves, [&](const Leaf &leaf) { return leaf.name == name; });
    if (at == leaves.end() && isArrayFact(job, name)) {
      continue; // the launcher finds them
    }
    if (at == leaves.end()) {
      return Status(TZ_E_INTERNAL, "the kernel has an argument '" + name +
                                       "' that is no parameter of its source");
    }
    lowered.userLeaves.push_back(uint32_t(at - leaves.begin()));
  }
  return Status();
}

Result<LoweredKernel> Driver::lower(const CompileJob &job, Stage stage,
                                    runtime::DiagnosticSink &diagnostics,
                                    CompileReport *report) {
  CompileBudget budget(budgetLimits(state->registry.interrupt()));
  PhaseClock clock(report);
  CompileJob settled = job;
  if (Status s = settleOptions(settled); !s.ok()) {
    return s;
  }
  LoweredKernel lowered = State::begin(state->pool.take());
  if (Status s = state->lower(lowered, settled, stage, diagnostics, clock);
      !s.ok()) {
    return settle(std::move(s));
  }
  return lowered;
}

static std::unique_ptr<CompilerService> makeDriver(Registry &registry,
                                                   Cache *cache) {
  return std::make_unique<Driver>(registry, cache);
}

void registerDriver() { setCompilerFactory(makeDriver); }

} // namespace tz::driver
