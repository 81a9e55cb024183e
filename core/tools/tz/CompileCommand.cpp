//===- CompileCommand.cpp - tz compile ------------------------------------===//
//
// What   Compiles one specialisation of a kernel and writes what is asked for:
//        IR of a stage, portable bytes, the target's text or object, artifact.
// Why    To look at what the compiler does, and to compile ahead of time.
//===----------------------------------------------------------------------===//
#include "core/arguments/Binding.h"
#include "core/arguments/CompiledKernel.h"
#include "core/arguments/Request.h"
#include "core/frontend/KnownVendors.h"
#include "core/tools/tz/Commands.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace tz::tool {

using namespace runtime;

namespace {
struct CompileOptions {
  std::string kernel, target, emit = "artifact", output, signature;
  Binding::Options binding;
  ImportOptions imports;
  bool time = false, remarks = false, checks = false;
  unsigned repeat = 1;
};
} // namespace

static void showPhases(const driver::CompileReport &report) {
  for (const auto &phase : report.phases) {
    std::fprintf(stderr, "%-24s %9.3f ms\n", phase.name.c_str(),
                 phase.milliseconds);
  }
  if (!report.key.empty()) {
    using Cached = driver::CompileReport::Cached;
    const char *what = report.cached == Cached::Everything ? "hit"
                       : report.cached == Cached::Code     ? "hit (code)"
                                                           : "miss";
    std::fprintf(stderr, "cache %s %s\n", what, report.key.c_str());
  }
}

static Result<std::string> emitIR(driver::Driver &driver, const CompileJob &job,
                                  const std::string &what, TerminalSink &sink,
                                  driver::CompileReport &report) {
  driver::Stage stage = what == "tile"       ? driver::Stage::Tile
                        : what == "prepared" ? driver::Stage::Prepared
                                             : driver::Stage::Neutral;
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, stage, sink, &report);
  if (!lowered) {
    return lowered.takeStatus();
  }
  return what == "portable" ? lowered->portable() : lowered->text();
}

/// By its name, or by its format: of the variant without a guard, if that has
/// it.
static const Blob *findCode(const Artifact &artifact, const std::string &what) {
  const Blob *main = artifact.findBlob("main");
  if (what == "obj" || (main && main->format == what)) {
    return main;
  }
  const Blob *named = artifact.findBlob(what);
  auto formatted = llvm::find_if(
      artifact.blobs, [&](const Blob &blob) { return blob.format == what; });
  return named                               ? named
         : formatted == artifact.blobs.end() ? nullptr
                                             : &*formatted;
}

/// Our name of what --emit asks for, on a vendor's targets.
static Result<std::string> stageOf(const std::string &emit,
                                   const std::string &vendor) {
  auto isIt = [&](const frontend::KnownStage &one) { return one.name == emit; };
  const std::vector<frontend::KnownStage> here = frontend::knownStages(vendor);
  if (auto found = llvm::find_if(here, isIt); found != here.end()) {
    return found->ours;
  }
  for (const frontend::KnownVendor &other : frontend::knownVendors()) {
    if (llvm::any_of(frontend::knownStages(other.folder), isIt)) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "--emit " + emit + ": target '" + vendor +
                        "' has no such code; --target " + other.folder +
                        " has it, and --emit asm is the text of any target");
    }
  }
  return emit;
}

static Result<std::string> emitCode(driver::Driver &driver, CompileJob job,
                                    const std::string &what, TerminalSink &sink,
                                    driver::CompileReport &report) {
  job.makeAhead();
  if (what == "simt" || what == "llvm" || what == "asm" || what == "machine") {
    job.emit = {what};
  }
  Result<std::shared_ptr<const Artifact>> artifact =
      driver.compile(job, sink, &report);
  if (!artifact) {
    return artifact.takeStatus();
  }
  if (what == "artifact") {
    return (*artifact)->write();
  }
  const Blob *blob = findCode(**artifact, what);
  if (!blob) {
    std::string names;
    for (const Blob &one : (*artifact)->blobs) {
      names += (names.empty() ? "" : ", ") + one.name;
    }
    return Status(TZ_E_UNIMPLEMENTED, "target '" + job.target + "' gives no '" +
                                          what + "'; its artifact holds " +
                                          names);
  }
  return blob->bytes;
}

/// --check
static int check(driver::Driver &driver, const CompileJob &job,
                 const CompileOptions &options, TerminalSink &sink) {
  driver::CompileReport report;
  if (Status s = driver.check(job, sink, &report); !s.ok()) {
    return reportFailure(s, sink);
  }
  if (options.time) {
    showPhases(report);
  }
  std::printf("%s: %s is supported on %s\n", job.source.path.c_str(),
              job.source.function.c_str(), job.target.c_str());
  return 0;
}

/// The kernel, its arguments and options; 0, or the exit status after an error.
static int makeJob(driver::Driver &driver, CompileOptions &options,
                   TerminalSink &sink, CompileJob &job) {
  Result<KernelSource> source =
      loadSource(parseKernel(options.kernel), options.imports);
  if (!source) {
    return reportFailure(source.status(), sink);
  }
  if (isArtifact(*source)) {
    return reportError(source->path + " is an artifact: it is compiled already",
                       "'tz run " + source->path + "' launches it");
  }
  job.source = std::move(*source);
  Result<KernelSignature> signature = driver.signature(job.source, sink);
  if (!signature) {
    return reportFailure(signature.status(), sink);
  }
  Binding binding;
  options.binding.allowTypes = true;
  Status s = addSignature(options.signature, *signature, options.binding);
  if (s.ok()) {
    s = job.source.isIR ? binding.bindOptions(options.binding)
                        : binding.bind(*signature, options.binding);
  }
  if (!s.ok()) {
    return reportFailure(s, sink);
  }
  Result<SpecializationRule> rule =
      driver.specializationRule(job.source, binding.specs, sink);
  if (!rule) {
    return reportFailure(rule.status(), sink);
  }
  binding.applyRule(*rule);
  job.source.function = signature->function;
  job.arguments = binding.specs;
  job.options = binding.options;
  return 0;
}

static int compile(CompileOptions &options) {
  TerminalSink sink;
  sink.showRemarks = options.remarks;
  Cache cache;
  Registry registry({.wantsCompiler = true}, &cache);
  // What other tools say changes when they are installed.
  driver::Driver driver(registry, options.emit == "machine" ? nullptr : &cache);
  CompileJob job;
  if (int status = makeJob(driver, options, sink, job)) {
    return status;
  }
  auto isNeutral = [&](llvm::StringRef stage) {
    return !options.checks &&
           (stage == "tile" || stage == "neutral" || stage == "portable");
  };
  const Result<std::string> common = stageOf(options.emit, "any");
  if (!common || !isNeutral(*common)) {
    Result<ResolvedTarget> target = registry.resolve(options.target, false);
    if (!target) {
      return reportFailure(target.status(), sink);
    }
    job.plugin = target->plugin->name();
    job.target = target->id;
  }
  const Result<std::string> stage =
      job.plugin.empty() ? common : stageOf(options.emit, job.plugin);
  if (!stage) {
    return reportFailure(stage.status(), sink);
  }
  const std::string &what = *stage;
  if (options.checks) {
    return check(driver, job, options, sink);
  }
  const bool isText = llvm::is_contained(
      {"tile", "neutral", "prepared", "simt", "llvm", "asm", "machine"}, what);
  if (!isText && options.output.empty() && isatty(STDOUT_FILENO)) {
    return reportError("--emit " + options.emit + " is binary",
                       "name a file with -o, or write to a pipe with -o -");
  }
  Result<std::string> result = std::string();
  for (unsigned i = 0; i < options.repeat; ++i) {
    driver::CompileReport report;
    result = isNeutral(what) || what == "prepared"
                 ? emitIR(driver, job, what, sink, report)
                 : emitCode(driver, job, what, sink, report);
    if (!result) {
      return reportFailure(result.status(), sink);
    }
    if (options.time) {
      showPhases(report);
    }
  }
  if (Status written = writeFile(options.output, *result); !written.ok()) {
    return reportFailure(written, sink);
  }
  return 0;
}

static constexpr const char *Footer =
    R"help(Arguments are types, or values as for 'tz run':
  x=*fp16:16   pointer to fp16, its address divisible by 16
  x=*fp32      pointer, nothing known of its address
  n=i32        integer        n=i32:16  divisible by 16      n=i32:1  is 1
  d=tensordesc<fp16[64, 64]>:16   tensor descriptor, base and strides multiples
               of 16 bytes; tensordesc<fp16[64, 64], nan> pads with NaN
  t=(*fp32, i32, constexpr:3)     tuple; (x=*fp32, n=i32) with names

Emit
  tile       the IR as elaborated         neutral   after the shared passes
  prepared   as the target gets it        portable  bytes of the neutral IR
  simt       with layouts and pipelines, where the target is a GPU
  llvm, asm  texts of the target          obj       the target's object
  machine    instructions of the machine, where a tool on this computer shows them
  artifact   for tz_kernel_load of programs, for tz run and tz bench (default)

Options (--option) are those of the language, and the target's own: both are in
'tz targets -v'.

Examples
  tz compile vector_add.py::add_kernel --emit tile --sig "*fp32:16,*fp32:16,*fp32:16,i32"
      --constexpr BLOCK=1024
  tz compile softmax.py::softmax_kernel --target cpu --emit asm --arg out=*fp32:16
      --arg x=*fp32:16 --arg x_row_stride=i32:16 --arg out_row_stride=i32:16
      --arg n_cols=i32 --constexpr BLOCK=1024 -o softmax.s
  tz compile softmax.py::softmax_kernel --target cpu --check
      --sig "*fp32:16,*fp32:16,i32:16,i32:16,i32" --constexpr BLOCK=1024)help";

/// Our own names, then those of the language.
static std::vector<std::string> emitNames() {
  std::vector<std::string> names = {"tile", "neutral", "prepared", "portable",
                                    "simt", "llvm",    "asm",      "machine",
                                    "obj",  "artifact"};
  for (const frontend::KnownStage &stage : frontend::knownStages("")) {
    if (!llvm::is_contained(names, stage.name)) {
      names.push_back(stage.name);
    }
  }
  return names;
}

/// "ttir is neutral, ...", for the help.
static std::string aliases() {
  std::string text;
  for (const frontend::KnownStage &stage : frontend::knownStages("")) {
    text += (text.empty() ? "" : ", ") + stage.name +
            (stage.name == stage.ours ? "" : " (" + stage.ours + ")");
  }
  return text;
}

void addCompileCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "compile", "Compile a kernel: IR, assembly, object, artifact");
  auto o = std::make_shared<CompileOptions>();
  command->add_option("kernel", o->kernel, "file.py::kernel, or a tile IR file")
      ->type_name("KERNEL")
      ->required();
  addImportOptions(*command, o->imports);
  command
      ->add_option("--target", o->target,
                   "cpu, cpu:x86-64-v3 ... (default: TERRAZZO_TARGET)")
      ->type_name("TARGET");
  CLI::Option *emit = command->add_option(
      "--emit", o->emit,
      "What to write: tile, neutral, prepared, portable, simt (GPUs only), "
      "llvm, asm, machine, obj or artifact. Triton's names work where the "
      "target has "
      "the stage: " +
          aliases());
  emit->check(CLI::IsMember(emitNames()));
  CLI::Option *output =
      command->add_option("-o,--output", o->output, "File; '-' is stdout")
          ->type_name("FILE");
  command
      ->add_flag("--check", o->checks,
                 "Only say whether the target supports the kernel; compile "
                 "nothing")
      ->excludes(emit, output);
  command->add_option("--sig", o->signature,
                      "Types of all run-time arguments, in order");
  command->add_option("--arg", o->binding.args, "NAME=TYPE or NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--constexpr", o->binding.constexprs, "NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--option", o->binding.options,
                   "num_warps=4, num_stages=3, opt_level=3 ... ('tz targets "
                   "-v' lists them)")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--debug-level", o->binding.debugLevel,
                   "1: line tables for gdb and perf, 2: also names of "
                   "arguments (default: TERRAZZO_DEBUG_LEVEL, else 0)")
      ->check(CLI::Range(0, 2));
  command->add_flag("--time", o->time, "Show what each phase took");
  command
      ->add_option("--repeat", o->repeat,
                   "Compile so often in this process; --time shows each "
                   "(TERRAZZO_CACHE_DIR=off: or else the first alone compiles)")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--remarks", o->remarks, "Show what passes have to say");
  command->footer(Footer);
  command->callback([o, &status] { status = compile(*o); });
}

} // namespace tz::tool
