//===- RunCommand.cpp - tz run --------------------------------------------===//
//
// What   Runs a kernel on targets with made inputs, compares the results with
//        the reference interpreter, measures.
// Why    The demo, the bug-report tool and a user's first contact are one
//        command.
//===----------------------------------------------------------------------===//
#include "core/arguments/FileCommand.h"
#include "core/driver/ArgumentTypes.h"
#include "core/driver/options/Options.h"
#include "core/driver/options/Sanitizers.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/tools/tz/Commands.h"
#include "core/tools/tz/Runner.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;
using Clock = std::chrono::steady_clock;

void Runner::mark(std::string name) {
  auto now = Clock::now();
  phases.emplace_back(
      std::move(name),
      std::chrono::duration<double, std::milli>(now - last).count());
  last = now;
}

int Runner::listConfigurations() {
  Result<NamedKernel> kernel = loadKernel(options.request, driver, sink);
  if (!kernel) {
    return fail(kernel.status());
  }
  const KernelSignature *found = &kernel->signature;
  if (found->configurations.empty()) {
    std::printf("%s has no autotune configurations\n", found->function.c_str());
  }
  for (size_t i = 0; i < found->configurations.size(); ++i) {
    std::printf("%3zu  %s\n", i + 1,
                configurationText(found->configurations[i]).c_str());
  }
  return 0;
}

/// Finds the buffers that --save names.
Status Runner::chooseSaved() {
  for (const std::string &text : options.save) {
    auto assignment = parseAssignment(text, "--save");
    if (!assignment) {
      return assignment.takeStatus();
    }
    const auto &[name, file] = *assignment;
    auto buffer =
        llvm::find_if(binding.buffers, [&name = name](const BoundBuffer &one) {
          return one.name == name;
        });
    if (buffer == binding.buffers.end() || file.empty()) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "--save " + text + ": " +
                        (file.empty() ? "the file is missing"
                                      : "there is no buffer '" + name + "'") +
                        "; write 'out=out.bin' for a buffer 'out'");
    }
    saved[size_t(buffer - binding.buffers.begin())] = file;
  }
  return Status();
}

/// Writes a buffer's bytes as the run has left them, if --save names it.
Status Runner::saveContent(size_t buffer, const uint8_t *content) const {
  auto file = saved.find(buffer);
  if (file == saved.end()) {
    return Status();
  }
  return writeFile(file->second,
                   std::string_view(reinterpret_cast<const char *>(content),
                                    binding.buffers[buffer].content.size()));
}

int Runner::prepare() {
  Request request = options.request;
  if (!options.launch) {
    Result<std::string> words = takeFileCommand(request);
    if (!words) {
      return fail(words.status());
    }
    if (!words->empty()) {
      reportNote("as the file says: " + *words);
    }
  }
  request.binding.expressions = {options.bytes, options.flops};
  auto parsed = [this] { mark("read and parse"); };
  Result<Launch> launch = options.launch
                              ? options.launch(driver, sink)
                              : resolve(request, driver, sink, parsed);
  if (!launch) {
    return fail(launch.status());
  }
  if (!launch->note.empty()) {
    std::printf("%s\n", launch->note.c_str());
  }
  if (!options.launch) {
    noteMissingGrid(request);
  }
  job = std::move(launch->job);
  compiled = std::move(launch->artifact);
  signature = std::move(launch->signature);
  binding = std::move(launch->binding);
  grid = launch->grid;
  if (Status s = chooseSaved(); !s.ok()) {
    return fail(s);
  }
  return 0;
}

std::string gridText(const std::array<int64_t, 3> &grid) {
  std::string text = std::to_string(grid[0]);
  for (int axis = 1; axis < 3; ++axis) {
    if (grid[1] > 1 || grid[2] > 1) {
      text += "x" + std::to_string(grid[axis]);
    }
  }
  return text;
}

int Runner::interpret(bool isReference) {
  driver::CompileReport report;
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Tile, sink, &report);
  if (!lowered) {
    return fail(lowered.status());
  }
  Result<std::string> form = lowered->portable();
  if (!form) {
    return fail(form.status());
  }
  if (isReference && reference && *form == referenceForm) {
    return 0; // what the last target was held against serves this one too
  }
  referenceForm = std::move(*form);
  reference.emplace();
  if (!reference->run(*lowered, binding, grid,
                      {.tracksErrors = isReference && !options.compare.empty(),
                       .defaultIsTf32 = defaultIsTf32,
                       .races = options.races == "warn" ? Races::Warn
                                : options.races == "same-value"
                                    ? Races::SameValue
                                    : Races::Error,
                       // The target prints the same.
                       .showsPrints = !isReference})) {
    return 1;
  }
  mark("interpreter");
  if (!isReference) {
    std::printf("%s on interp, grid %s\n",
                styled(Style::Bold, signature.function).c_str(),
                gridText(grid).c_str());
    for (size_t i = 0; i < binding.buffers.size(); ++i) {
      const BoundBuffer &buffer = binding.buffers[i];
      if (elementsWritten(i).value_or(0) && buffer.addressesOf.empty()) {
        std::printf("  %-10s %-20s written, no finding  %s\n",
                    buffer.name.c_str(), buffer.typeText().c_str(),
                    styled(Style::Good, "ok").c_str());
        showWritten(i);
      }
      if (Status s = saveContent(i, reference->content(i)); !s.ok()) {
        return fail(s);
      }
    }
    std::printf("  time %s (1 run)\n",
                timeText(1e6 * reference->milliseconds()).c_str());
    warnOfGaps();
    showPhases(report);
  }
  return 0;
}

/// The full names of targets, before anything is filled or compiled.
Status Runner::findTargets(llvm::ArrayRef<std::string> targets,
                           std::vector<std::string> &ids) {
  for (const std::string &target : targets) {
    if (target == "interp") {
      ids.push_back(target);
      continue;
    }
    Result<ResolvedTarget> known = session.registry().resolve(target);
    if (!known) {
      return known.takeStatus();
    }
    Result<driver::TargetDescription> about =
        driver::describeTarget(*known->plugin, known->id);
    if (!about) {
      return about.takeStatus();
    }
    defaultIsTf32 |= optimizer::defaultIsTf32(about->facts);
    ids.push_back(known->id);
  }
  return Status();
}

int Runner::run() {
  sink.showRemarks = options.remarks;
  if (!options.compare.empty() && options.compare != "interp") {
    return reportError("--compare " + options.compare +
                           ": results are compared with 'interp' only",
                       "list several targets after --target to run each "
                       "against the interpreter");
  }
  if (options.listConfigs) {
    return listConfigurations();
  }
  const llvm::StringRef profile = options.profile;
  const bool isTree =
      profile.ends_with(".hatchet") || profile.ends_with(".hatchet_msgpack");
  if (!profile.empty() && !isTree && !profile.ends_with(".chrome_trace")) {
    return reportError("--profile " + options.profile +
                           ": the name says no format",
                       "let it end with .hatchet (a tree), .hatchet_msgpack or "
                       ".chrome_trace (each launch)");
  }
  if (options.samplePeriod && !isTree) {
    return reportError("--sample needs --profile with a tree",
                       "write --profile FILE.hatchet");
  }
  if (int status = prepare()) {
    return status;
  }
  std::vector<std::string> targets = splitList(
      options.target.empty() && compiled ? compiled->plugin : options.target);
  bool alone = targets.size() == 1 && targets[0] == "interp";
  bool wantsReference = !options.compare.empty() || options.check ||
                        llvm::is_contained(targets, "interp");
  if (wantsReference && compiled) {
    return reportError("the interpreter cannot run an artifact, which holds "
                       "the code of one target",
                       "name the kernel's source or its tile IR, or leave out "
                       "--compare, --check and the target 'interp'");
  }
  std::vector<std::string> ids;
  if (Status s = findTargets(targets, ids); !s.ok()) {
    return fail(s);
  }
  if (Status s = binding.fill(options.seed); !s.ok()) {
    return fail(s);
  }
  mark("fill buffers");
  for (const std::string *text : {&options.bytes, &options.flops}) {
    if (!text->empty()) {
      Result<int64_t> value = binding.evaluate(*text);
      if (!value) {
        return fail(value.status());
      }
    }
  }
  if (alone) {
    job.target = "interp"; // has no options but the language's
    Status s =
        driver::checkOptions(job, std::vector<driver::OptionInfo>(), sink);
    s = s.ok() ? driver::checkConfigurations(
                     job, signature, std::vector<driver::OptionInfo>(), sink)
               : std::move(s);
    s = s.ok() ? driver::settleOptions(job) : std::move(s); // and variables
    s = s.ok() ? driver::checkAsWritten(job) : std::move(s);
    if (!s.ok()) {
      return fail(s);
    }
  }
  int status = 0;
  for (auto [target, id] : llvm::zip_equal(targets, ids)) {
    job.target = id; // the reference, too, answers tl.target_info for it
    if (wantsReference) {
      if (int wrong = interpret(!alone)) {
        return wrong;
      }
    }
    if (target != "interp") {
      status = std::max(status, runNative(target));
    }
  }
  return status;
}

/// The names of types behind "types:", in lines of the help.
static std::string typeLines() {
  constexpr size_t widest = 80;
  std::string text;
  size_t column = strlen("  types:");
  for (std::string_view names = driver::knownTypeNames(); !names.empty();) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (column + 1 + name.size() > widest) {
      text += "\n        ";
      column = strlen("        ");
    }
    text += " " + std::string(name);
    column += 1 + name.size();
  }
  return text;
}

static constexpr const char *Footer = R"help(Arguments
  x=randn:f32[4096,n]    a buffer: initialiser, element type, sizes.
                         zeros ones empty arange randn uniform full(v)
                         randint(low,high) values:i32[1,2,3] file(path)
                         edges: limits, NaN, -0, denormals, then random bits
                         sparse(16): 1 or -1 at random, one of 16, else 0
  n=i32:1234  n=1234     a number; expressions over other names are fine:
                         m=i32:cdiv(n,2)+next_power_of_2(k)
  p=ptrs:a0,a1           int64 addresses of the buffers a0, a1 (see --buffer)
  d=desc:randn:f16[512,256]:block[64,64]
                         a tensor descriptor over a buffer, or over another one
                         by its name (desc:x:block[8,8]). Also :nan (padding),
                         :shape[..] :strides[..] :offset[..] in elements
  t=(randn:f32[n], 3)    a tuple; t=(x=randn:f32[n], n=3) with names
  b=None  c=constexpr:3  known to the compiler
  types:TYPES

Without any of --arg, --buffer, --constexpr, --let, --config and --grid they are
those of the first 'tz run FILE::KERNEL ...' in the text of KERNEL's file.

Examples
  tz run vector_add.py::add_kernel --grid "cdiv(n,BLOCK)" --target cpu
      --arg x=randn:f32[n] --arg y=randn:f32[n] --arg out=zeros:f32[n]
      --arg n=100003 --constexpr BLOCK=1024 --compare interp
  tz run matmul.py::matmul_kernel ... --repeat 50 --flops "2*M*N*K" --time
  tz run kernel.py::k ... --target interp        the reference alone, checked
  tz run kernel.py::k ... --check                checked first, then native

Exit status: 0 all results within tolerance, 1 an error, a mismatch or results
that cannot be compared, 2 usage.)help";

void addRunCommand(CLI::App &app, int &status) {
  CLI::App *command =
      app.add_subcommand("run", "Run a kernel with made inputs; compare, time");
  auto o = std::make_shared<RunOptions>();
  addRequestOptions(*command, o->request);
  command->add_flag("--list-configs", o->listConfigs,
                    "List the source's autotune configurations and end");
  command
      ->add_option("--target", o->target,
                   "cpu, cpu:0, interp, or several: cpu,interp "
                   "(default: TERRAZZO_TARGET, else the best there is)")
      ->type_name("TARGET");
  command->add_option("--compare", o->compare,
                      "interp: compare with the reference interpreter");
  command->add_flag("--check", o->check,
                    "Check bounds, uninitialised reads and races in the "
                    "interpreter before running");
  command->add_flag_callback(
      "--checked", [o] { o->request.binding.options.push_back("checked=1"); },
      "On cpu: test each access against the buffers while the kernel runs");
  command
      ->add_option("--sanitize", o->request.binding.sanitize,
                   "Checks in the compiled code, a comma list: " +
                       driver::sanitizerNames() +
                       " (default: TERRAZZO_SANITIZE)")
      ->type_name("LIST");
  command
      ->add_option("--save", o->save,
                   "NAME=FILE: write a buffer's bytes after the run on "
                   "the last target; file(FILE) reads them again")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--races", o->races,
                   "What the interpreter makes of races between programs: "
                   "error, same-value (none where the value is there already), "
                   "warn (error)")
      ->check(CLI::IsMember({"error", "same-value", "warn"}));
  command->add_option("--seed", o->seed, "Of the random inputs (0)");
  command->add_option("--repeat", o->repeat, "How many timed launches")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--bytes", o->bytes,
                      "Bytes moved, an expression, for GB/s");
  command->add_option("--flops", o->flops,
                      "Operations, an expression, for GFLOP/s");
  command
      ->add_option("--debug-level", o->request.binding.debugLevel,
                   "1: line tables for gdb and perf, 2: also names of "
                   "arguments (default: TERRAZZO_DEBUG_LEVEL, else 0)")
      ->check(CLI::Range(0, 2));
  command
      ->add_option("--profile", o->profile,
                   "Profile --repeat launches (100) on the last target into "
                   "this file, .hatchet, .hatchet_msgpack or .chrome_trace; "
                   "TERRAZZO_RECORDS adds parts")
      ->type_name("FILE");
  command
      ->add_option("--sample", o->samplePeriod,
                   "With --profile FILE.hatchet: instructions by line, each "
                   "core's every so many cycles")
      ->check(CLI::PositiveNumber);
  command->add_flag("--time", o->time, "Show what each phase took");
  command->add_flag("--remarks", o->remarks, "Show what passes have to say");
  std::string footer = Footer;
  footer.replace(footer.find("TYPES"), strlen("TYPES"), typeLines());
  command->footer(std::move(footer));
  command->callback([o, &status] {
    if (o->samplePeriod && !o->request.binding.debugLevel) {
      o->request.binding.debugLevel = 1; // samples have lines
    }
    status = Runner(*o).run();
  });
}

} // namespace tz::tool
