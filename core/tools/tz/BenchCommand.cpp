//===- BenchCommand.cpp - tz bench ----------------------------------------===//
//
// What   Times a kernel with made inputs: on several targets, over sizes, over
//        the configurations that its source lists for autotuning.
// Why    Whether a kernel is quick, where, and with which configuration, is
//        asked before any program around it exists.
//===----------------------------------------------------------------------===//
#include "core/arguments/Request.h"
#include "core/arguments/Variations.h"
#include "core/driver/ArgumentTypes.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/execution/GuardedMemory.h"
#include "core/execution/Upload.h"
#include "core/tools/tz/BenchCheck.h"
#include "core/tools/tz/BenchOrigin.h"
#include "core/tools/tz/BenchReport.h"
#include "core/tools/tz/Commands.h"

#include "llvm/ADT/STLExtras.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>

namespace tz::tool {

using namespace runtime;
using Clock = std::chrono::steady_clock;

namespace {

struct BenchOptions {
  Request request;
  std::vector<std::string> vary;
  std::string configs, target, caches = "auto", bytes, flops, json, plot;
  double seconds = 0.3;
  uint64_t seed = 0;
  bool check = false;
};

/// Keeps what the compiler says until it is known whether anybody wants it.
class HeldDiagnostics final : public DiagnosticSink {
public:
  void report(uint32_t severity, std::string_view rendered) override {
    held.emplace_back(severity, rendered);
  }
  void tell(DiagnosticSink &to) {
    for (const auto &[severity, text] : held) {
      to.report(severity, text);
    }
    held.clear();
  }
  /// Those that are not among `told`, to which they are added.
  void tellNew(DiagnosticSink &to, std::set<std::string> &told) {
    for (const auto &[severity, text] : held) {
      if (told.insert(text).second) {
        to.report(severity, text);
      }
    }
    held.clear();
  }
  void forget() { held.clear(); }

private:
  std::vector<std::pair<uint32_t, std::string>> held;
};

/// A device, and memory on it that goes with this.
struct Place {
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Stopwatch> stopwatch;
  std::vector<tz_dptr> memory;
  /// Holds `memory` where the device works in host memory.
  std::unique_ptr<GuardedMemory> guarded;

  void release() {
    for (tz_dptr at : memory) {
      if (!guarded) {
        (void)device->free(at);
      }
    }
    memory.clear();
    guarded.reset();
  }
};

/// What kernels print goes to stderr: stdout holds figures.
SessionOptions benchSession() {
  SessionOptions made = toolSession();
  made.print = [](std::string_view line) {
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s\n", int(line.size()), line.data());
  };
  return made;
}

class Bench {
public:
  explicit Bench(const BenchOptions &options)
      : options(options), session(benchSession()),
        driver(session.registry(), session.cache()) {}
  int run();

private:
  Status makeRows();
  Status checkFirst();
  Status openPlaces();
  bool sweeps(const Device &device) const {
    return options.caches == "auto" ? !device.isHostMemory()
                                    : options.caches == "swept";
  }
  std::string how() const;
  bool showsTable() const { return options.json != "-"; }
  Result<Launch> launchOf(size_t row);
  Status countWork(const Binding &binding, Measurement &to) const;
  Status writeResults() const;
  Status measureRow(size_t row);
  Status measure(Launch &launch, Place &place, Measurement &to);
  Status timeOn(Launch &launch, const CompileJob &job, Place &place,
                const std::shared_ptr<const Artifact> &artifact,
                Measurement &to);
  int finish(const Status &status);

  const BenchOptions &options;
  TerminalSink sink;
  Session session;
  driver::Driver driver;
  KernelSignature signature;
  std::string defaultTarget;     // of an artifact
  std::vector<Request> requests; // of each row
  std::vector<Place> places;     // of each target
  std::set<std::string> told;    // why rows do not compile
  BenchReport report;
};

/// Adds a value to what the command line says of the launch.
void give(Request &request, const KernelSignature &signature,
          const std::string &name, const std::string &value) {
  auto parameter =
      llvm::find_if(signature.parameters, [&](const KernelParameter &one) {
        return one.name == name;
      });
  Binding::Options &given = request.binding;
  (parameter == signature.parameters.end() ? given.names
   : parameter->isConstexpr                ? given.constexprs
                                           : given.args)
      .push_back(name + "=" + value);
}

Status Bench::makeRows() {
  Result<NamedKernel> kernel = loadKernel(options.request, driver, sink);
  if (!kernel) {
    return kernel.takeStatus();
  }
  signature = std::move(kernel->signature);
  if (options.target.empty() && kernel->artifact) {
    defaultTarget = kernel->artifact->plugin;
  }
  std::vector<Variation> variations;
  for (const std::string &text : options.vary) {
    Result<Variation> one = parseVariation(text);
    if (!one) {
      return one.takeStatus();
    }
    variations.push_back(std::move(*one));
  }
  auto values = combinations(variations);
  if (!values) {
    return values.takeStatus();
  }
  std::vector<unsigned> configurations = {0};
  if (!options.configs.empty()) {
    auto chosen =
        parseConfigurations(options.configs, signature.configurations.size());
    if (!chosen) {
      return chosen.takeStatus();
    }
    configurations = std::move(*chosen);
  }
  for (const std::vector<std::string> &combination : *values) {
    for (unsigned configuration : configurations) {
      BenchRow row;
      Request request = options.request;
      request.binding.expressions = {options.bytes, options.flops};
      for (const Variation &variation : variations) {
        llvm::append_range(request.binding.expressions, variation.values);
      }
      for (auto [variation, value] : llvm::zip_equal(variations, combination)) {
        row.values.emplace_back(variation.name, value);
        give(request, signature, variation.name, value);
      }
      if (configuration) {
        request.config = row.configuration = configuration;
        row.configurationText =
            configurationText(signature.configurations[configuration - 1]);
      }
      report.rows.push_back(std::move(row));
      requests.push_back(std::move(request));
    }
  }
  report.function = signature.function;
  report.countsEachBufferOnce = options.bytes.empty();
  return Status();
}

/// Mistakes on the command line, before any device is asked.
Status Bench::checkFirst() {
  if (!options.plot.empty()) {
    if (Status s = checkPicture(options.plot); !s.ok()) {
      return s;
    }
  }
  const std::filesystem::path folder =
      std::filesystem::path(options.json).parent_path();
  if (std::error_code error;
      !folder.empty() && !std::filesystem::is_directory(folder, error)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--json " + options.json + ": there is no such folder");
  }
  Result<Launch> launch = resolve(requests.front(), driver, sink);
  if (!launch) {
    return launch.takeStatus();
  }
  if (options.check && launch->artifact) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--check: the interpreter cannot run an artifact, which "
                  "holds the code of one target; name the kernel's source");
  }
  if (!launch->note.empty() && showsTable()) {
    std::printf("%s\n", launch->note.c_str());
  }
  noteMissingGrid(options.request);
  Measurement unused;
  return countWork(launch->binding, unused);
}

Status Bench::openPlaces() {
  for (const std::string &target :
       splitList(defaultTarget.empty() ? options.target : defaultTarget)) {
    if (target == "interp") {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "the interpreter says what is right, not what is quick: "
                    "leave 'interp' out, or see tz run --compare interp");
    }
    Place place;
    Result<std::shared_ptr<Device>> device = session.device(target);
    if (!device) {
      return device.takeStatus();
    }
    place.device = std::move(*device);
    if (place.device->isSimulator()) {
      reportNote(place.device->target() +
                 " is simulated: times are those of the simulator, and say "
                 "nothing of a device");
    }
    Result<std::unique_ptr<Stream>> stream = session.stream(*place.device);
    if (!stream) {
      return stream.takeStatus();
    }
    place.stream = std::move(*stream);
    auto stopwatch = Stopwatch::make(*place.stream, sweeps(*place.device));
    if (!stopwatch) {
      return stopwatch.takeStatus();
    }
    place.stopwatch = std::move(*stopwatch);
    report.targets.push_back({place.device->target(), place.device->name()});
    places.push_back(std::move(place));
  }
  return Status();
}

std::string Bench::how() const {
  const bool first = sweeps(*places.front().device);
  const bool same = llvm::all_of(places, [&](const Place &place) {
    return sweeps(*place.device) == first;
  });
  return std::string(!same   ? "caches of devices swept before each launch, "
                               "the host's as the launch before left them"
                     : first ? "caches swept before each launch"
                             : "caches as the launch before left them");
}

Result<Launch> Bench::launchOf(size_t row) {
  Result<Launch> launch = resolve(requests[row], driver, sink);
  if (!launch) {
    return launch;
  }
  Status s = launch->isEmpty() ? Status() : checkHasPrograms(*launch);
  s = s.ok() ? launch->binding.fill(options.seed) : std::move(s);
  if (!s.ok()) {
    return s;
  }
  return launch;
}

Status Bench::timeOn(Launch &launch, const CompileJob &job, Place &place,
                     const std::shared_ptr<const Artifact> &artifact,
                     Measurement &to) {
  Result<std::unique_ptr<LoadedKernel>> kernel =
      LoadedKernel::load(place.device, artifact);
  if (!kernel) {
    return kernel.takeStatus();
  }
  if (place.device->isHostMemory()) {
    place.guarded =
        std::make_unique<GuardedMemory>(GuardedMemory::Margins::Wide);
  }
  Status s = upload(
      launch.binding, *place.stream,
      [&](const BoundBuffer &buffer) {
        const size_t bytes = buffer.content.size();
        return place.guarded
                   ? place.guarded->allocate(buffer.name, bytes)
                   : place.device->allocate(std::max<size_t>(bytes, 1));
      },
      place.memory);
  if (!s.ok()) {
    return s;
  }
  const std::vector<ArgValue> values =
      launchValues(*artifact, launch.binding, place.memory);
  if (options.check) {
    s = checkAgainstReference(driver, job, launch.binding, launch.grid,
                              **kernel, *place.stream, values, place.memory,
                              sink);
    if (!s.ok()) {
      return s;
    }
  }
  Result<Times> times = place.stopwatch->time(
      [&] { return (*kernel)->launch(*place.stream, launch.grid, values); },
      TimingEffort{.seconds = options.seconds}, /*showsPrints=*/true);
  if (!times) {
    return times.takeStatus();
  }
  if (s = place.guarded ? place.guarded->check() : Status(); !s.ok()) {
    return s;
  }
  to.times = *times;
  to.registers = artifact->variants.front().regs;
  to.spillBytes = artifact->variants.front().spillBytes;
  return Status();
}

Status Bench::countWork(const Binding &binding, Measurement &to) const {
  for (const BoundBuffer &buffer : binding.buffers) {
    to.bytes += double(buffer.count) * driver::elementBytes(buffer.type);
  }
  for (auto [text, value] : {std::pair(&options.bytes, &to.bytes),
                             std::pair(&options.flops, &to.flops)}) {
    if (!text->empty()) {
      Result<int64_t> found = binding.evaluate(*text);
      if (!found) {
        return std::move(found.takeStatus())
            .in(text == &options.bytes ? "--bytes" : "--flops");
      }
      *value = double(*found);
    }
  }
  return Status();
}

Status Bench::measure(Launch &launch, Place &place, Measurement &to) {
  CompileJob job = launch.job;
  job.plugin = place.device->plugin().name();
  job.target = place.device->target();
  if (launch.isEmpty()) {
    to.hasPrograms = false;
    return Status();
  }
  if (Status s = countWork(launch.binding, to); !s.ok()) {
    return s;
  }
  HeldDiagnostics held;
  const Clock::time_point start = Clock::now();
  Result<std::shared_ptr<const Artifact>> artifact =
      launch.artifact ? launch.artifact : driver.compile(job, held);
  to.compileMilliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  Status s = artifact ? timeOn(launch, job, place, *artifact, to)
                      : artifact.takeStatus();
  place.release();
  if (!artifact && s.code() != TZ_E_RESOURCE_LIMIT && requests.size() > 1) {
    // The others may compile; what is wrong with several is said once.
    to.notCompiled = llvm::StringRef(s.message()).split('\n').first.str();
    held.tellNew(sink, told);
    return Status();
  }
  if (s.code() == TZ_E_RESOURCE_LIMIT && !options.configs.empty()) {
    // Lists of configurations are made for more than one device.
    to.tooLarge = s.message();
    held.forget();
    return Status();
  }
  held.tell(sink);
  return s;
}

Status Bench::measureRow(size_t row) {
  std::optional<Launch> launch;
  for (size_t i = 0; i < places.size(); ++i) {
    Measurement measurement;
    measurement.row = row;
    measurement.target = i;
    Status s = [&] {
      Progress progress(std::to_string(row + 1) + " of " +
                        std::to_string(report.rows.size()) + ": " +
                        report.function + " " + report.rows[row].label() +
                        " on " + report.targets[i].id);
      if (!launch) {
        Result<Launch> made = launchOf(row);
        if (!made) {
          return made.takeStatus();
        }
        launch.emplace(std::move(*made));
      }
      return measure(*launch, places[i], measurement);
    }();
    if (!s.ok()) {
      return s;
    }
    report.measurements.push_back(std::move(measurement));
    if (showsTable()) {
      report.showLast();
    }
  }
  return Status();
}

Status Bench::writeResults() const {
  const bool onHost = places.front().device->isHostMemory();
  const std::string text =
      report.json(benchOrigin(parseKernel(options.request.kernel).path,
                              onHost ? "" : report.targets.front().device));
  Status s;
  if (!options.json.empty()) {
    s = writeFile(options.json, text);
  }
  return s.ok() && !options.plot.empty() ? drawPicture(options.plot, text)
                                         : std::move(s);
}

/// What was measured before a failure is kept.
int Bench::finish(const Status &status) {
  if (status.ok() && showsTable()) {
    report.showBest();
  }
  Status written;
  if (!report.measurements.empty() &&
      (!options.json.empty() || !options.plot.empty())) {
    written = writeResults();
  }
  if (!status.ok() || !written.ok()) {
    return reportFailure(status.ok() ? written : status, sink);
  }
  if (std::string names = report.namesOfNotCompiled(); !names.empty()) {
    return reportError("does not compile, and was not measured: " + names);
  }
  if (llvm::all_of(report.measurements,
                   [](const Measurement &one) { return !one.hasPrograms; })) {
    return reportError("nothing was measured: no grid has programs");
  }
  if (llvm::all_of(report.measurements, [](const Measurement &one) {
        return !one.tooLarge.empty();
      })) {
    return reportError("no configuration fits the device",
                       "fewer stages or smaller tiles need less");
  }
  return 0;
}

int Bench::run() {
  Status s = makeRows();
  s = s.ok() ? checkFirst() : std::move(s);
  s = s.ok() ? openPlaces() : std::move(s);
  if (!s.ok()) {
    return reportFailure(s, sink);
  }
  if (showsTable()) {
    report.showHeader(how());
  }
  for (size_t row = 0; s.ok() && row < report.rows.size(); ++row) {
    s = measureRow(row);
  }
  return finish(s);
}

} // namespace

static constexpr const char *Footer = R"help(Values of --vary
  n=1024,4096,16384      one after the other; also of a constexpr
  n=1024..65536*2        each twice the one before
  M=512..4096+512        each 512 more
  Arguments may follow from it: --vary n=... --arg x=randn:f32[n]. Several
  --vary give all combinations.

Examples
  tz bench vector_add.py::add_kernel --grid "cdiv(n,BLOCK)" --target cpu
      --arg x=randn:f32[n] --arg y=randn:f32[n] --arg out=zeros:f32[n]
      --vary n=65536..16777216*4 --constexpr BLOCK=1024
  tz bench matmul.py::matmul_kernel ... --configs all --flops "2*M*N*K"
  tz bench kernel.py::k ... --target cpu:x86-64-v4,cpu:x86-64-v3
      --json times.json
  tz bench kernel.py::k ... --configs all --plot times.html

A launch is timed by the device's events, on the host by its clock. The median
is of all samples of --seconds; a tenth took less than the first percentage
says, a tenth more than the second. Arguments are those of 'tz run --help'.
What a kernel prints is shown of its first launch in each row, on stderr. Where
several rows are measured, one that does not compile is named and passed over.
--check ends at the first row whose results are wrong, before it is timed.
Exit status: 0 measured, 1 an error or a row that does not compile, 2 usage.)help";

void addBenchCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "bench", "Time a kernel over sizes, configurations and targets");
  auto o = std::make_shared<BenchOptions>();
  addRequestOptions(*command, o->request);
  command
      ->add_option(
          "--vary", o->vary,
          "NAME=VALUES: an argument, a constexpr or a name as of --let "
          "that takes each of several values, see below")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--configs", o->configs,
                   "Which of the source's autotune configurations: all, 2 or "
                   "1,3-5")
      ->excludes(command->get_option("--config"));
  command
      ->add_option("--target", o->target,
                   "cpu, cpu:0, or several, compared with the first: "
                   "cpu:x86-64-v4,cpu:x86-64-v3 (default: "
                   "TERRAZZO_TARGET, else the best there is)")
      ->type_name("TARGET");
  command
      ->add_option("--caches", o->caches,
                   "swept before each launch, warm, or auto: swept on devices "
                   "with memory of their own (auto)")
      ->check(CLI::IsMember({"auto", "swept", "warm"}));
  command->add_option("--seconds", o->seconds, "How long each is timed (0.3)")
      ->check(CLI::Range(0.001, 3600.0));
  command->add_option("--seed", o->seed, "Of the random inputs (0)");
  command->add_flag("--check", o->check,
                    "Compare each row's results with the reference "
                    "interpreter's before it is timed");
  command->add_option("--bytes", o->bytes,
                      "Bytes that a launch moves, an expression (each buffer "
                      "once)");
  command->add_option("--flops", o->flops,
                      "Operations of a launch, an expression");
  command
      ->add_option("--json", o->json,
                   "Write the figures to this file; '-': to stdout, "
                   "instead of the table")
      ->type_name("FILE");
  command
      ->add_option("--plot", o->plot,
                   "Draw the figures to this file, .html, .svg or .png: "
                   "lines over sizes, bars over configurations and targets "
                   "(pip install 'terrazzo[plot]')")
      ->type_name("FILE");
  command->footer(Footer);
  command->callback([o, &status] { status = Bench(*o).run(); });
}

} // namespace tz::tool
