//===- ReplayCommand.cpp - tz replay --------------------------------------===//
//
// What   Runs launches that TERRAZZO_CAPTURE has written to files: as they
//        were, on other targets, against the interpreter; finds the shared pass
//        that changes a result.
// Why    A failure in a program of many launches becomes one command.
//===----------------------------------------------------------------------===//
#include "core/arguments/ReplayedLaunch.h"
#include "core/driver/ArgumentTypes.h"
#include "core/driver/options/Sanitizers.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/execution/PassSearch.h"
#include "core/tools/tz/Commands.h"
#include "core/tools/tz/Runner.h"
#include "runtime/file/File.h"

#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

namespace {
struct ReplayOptions {
  std::vector<std::string> files;
  std::vector<std::string> options;
  std::string extractTo;
  RunOptions run;
  bool bisect = false, show = false;
};
} // namespace

/// "cpu" of "cpu:x86-64-v4"
static std::string pluginOf(const std::string &target) {
  return target.substr(0, target.find(':'));
}

static std::string valueText(const CapturedArgument &argument) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&argument.bits);
  return formatValue(argument.type, bytes, /*hex=*/false);
}

static void show(const CapturedLaunch &launch) {
  std::printf("%s of %s on %s (%s%s%s), grid %s, %s\n  %s\n",
              styled(Style::Bold, launch.kernel).c_str(), launch.source.c_str(),
              launch.target.c_str(), launch.device.c_str(),
              launch.driver.empty() ? "" : ", ", launch.driver.c_str(),
              gridText(launch.grid).c_str(), launch.version.c_str(),
              launch.reason.c_str());
  for (const CapturedArgument &argument : launch.arguments) {
    if (argument.type != TZ_TYPE_PTR) {
      std::printf("  %-12s %s %s\n", argument.name.c_str(),
                  std::string(driver::languageName(argument.type)).c_str(),
                  valueText(argument).c_str());
      continue;
    }
    std::printf("  %-12s *%s", argument.name.c_str(),
                std::string(driver::languageName(argument.element)).c_str());
    if (argument.array == CapturedArgument::Unknown) {
      std::printf(" into memory that was not known\n");
      continue;
    }
    const CapturedArray &array = launch.arrays[size_t(argument.array)];
    std::printf(" %llu bytes into array %lld of %llu bytes%s\n",
                (unsigned long long)argument.bits, (long long)argument.array,
                (unsigned long long)array.bytes,
                array.hasContent ? "" : ", of which statistics are kept");
  }
  for (const KeyValue &option : launch.options) {
    std::printf("  option %s=%s\n", option.key.c_str(),
                option.kind == TZ_KV_STR ? option.str.c_str()
                : option.kind == TZ_KV_F64
                    ? std::to_string(option.f64).c_str()
                    : std::to_string(option.i64).c_str());
  }
}

/// What the target's own compiler does to the result is known by running it.
static void tellNoPass(size_t steps, const std::string &target) {
  std::printf("the interpreter computes the same behind each of the %zu shared "
              "passes that change the kernel: what differs on '%s' comes from "
              "its own passes, its compiler or its machine\n",
              steps, target.c_str());
}

static Status writeSteps(const PassVerdict &verdict, const std::string &to) {
  if (int error = makeFolders(to)) {
    return Status(TZ_E_UNAVAILABLE,
                  to + " cannot be made: " + describeError(error));
  }
  const size_t at = *verdict.guilty;
  Status s = replaceFile(to + "/before.mlir",
                         at ? verdict.steps[at - 1].text : verdict.before);
  return s.ok() ? replaceFile(to + "/after.mlir", verdict.steps[at].text)
                : std::move(s);
}

namespace {
/// --bisect of one file.
class Bisection {
public:
  Bisection(const CapturedLaunch &captured, const ReplayOptions &options)
      : captured(captured), options(options), session(toolSession()),
        driver(session.registry(), session.cache()) {}
  int run();

private:
  Status search(PassVerdict &verdict);

  const CapturedLaunch &captured;
  const ReplayOptions &options;
  TerminalSink sink;
  Session session;
  driver::Driver driver;
  std::string target;
};
} // namespace

Status Bisection::search(PassVerdict &verdict) {
  Result<Launch> launch = options.run.launch(driver, sink);
  if (!launch) {
    return launch.takeStatus();
  }
  if (launch->artifact) {
    return checkHasSource(*launch);
  }
  Result<ResolvedTarget> known =
      session.registry().resolve(options.run.target, /*needsDevice=*/false);
  if (!known) {
    return known.takeStatus();
  }
  CompileJob &job = launch->job;
  job.plugin = known->plugin->name();
  job.target = target = known->id;
  Result<driver::TargetDescription> about =
      driver::describeTarget(*known->plugin, known->id);
  if (!about) {
    return about.takeStatus();
  }
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Tile, sink);
  if (!lowered) {
    return lowered.takeStatus();
  }
  Reference::Settings settings{.tracksErrors = true,
                               .defaultIsTf32 =
                                   optimizer::defaultIsTf32(about->facts),
                               .races = Races::Warn};
  Reference reference;
  if (!reference.run(*lowered, launch->binding, launch->grid, settings)) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "the kernel is wrong as it is written: the interpreter stops "
                  "with the error above");
  }
  Result<PassVerdict> found =
      searchPasses(job, launch->binding, launch->grid, reference, settings,
                   about->facts, driver, sink);
  if (!found) {
    return found.takeStatus();
  }
  verdict = std::move(*found);
  return Status();
}

int Bisection::run() {
  PassVerdict verdict;
  Progress progress("searching the passes of " + captured.kernel);
  if (Status s = search(verdict); !s.ok()) {
    return reportFailure(s, sink);
  }
  if (!verdict.guilty) {
    tellNoPass(verdict.steps.size(), target);
    return 0;
  }
  const PassStep &step = verdict.steps[*verdict.guilty];
  std::printf("pass %s of stage %s (change %zu of %zu) changes what the kernel "
              "computes\n  %s%s%s\n",
              styled(Style::Bad, step.pass).c_str(), step.stage.c_str(),
              *verdict.guilty + 1, verdict.steps.size(), verdict.array.c_str(),
              verdict.array.empty() ? "" : ": ", verdict.difference.c_str());
  if (!options.extractTo.empty()) {
    if (Status s = writeSteps(verdict, options.extractTo); !s.ok()) {
      return reportFailure(s, sink);
    }
    std::printf("  the IR before and after it: %s/before.mlir, after.mlir\n",
                options.extractTo.c_str());
  }
  return 1;
}

static int replayFile(const std::string &path, const ReplayOptions &given) {
  TerminalSink sink;
  Result<CapturedLaunch> captured = loadCapture(path);
  if (!captured) {
    return reportFailure(captured.status(), sink);
  }
  show(*captured);
  if (!given.extractTo.empty()) {
    if (Status s = extract(*captured, given.extractTo); !s.ok()) {
      return reportFailure(s, sink);
    }
  }
  if (given.show) {
    return 0;
  }
  ReplayOptions options = given;
  if (options.run.target.empty()) {
    options.run.target = pluginOf(captured->target);
  }
  ReplayChoices choices{.options = options.options, .seed = options.run.seed};
  for (const std::string &target : splitList(options.run.target)) {
    choices.isElsewhere |=
        target != "interp" && pluginOf(target) != pluginOf(captured->target);
  }
  if (!options.run.request.binding.sanitize.empty()) {
    choices.options.push_back("sanitize='" +
                              options.run.request.binding.sanitize + "'");
  }
  options.run.launch = [&](driver::Driver &driver, DiagnosticSink &to) {
    return replayed(*captured, choices, driver, to);
  };
  return options.bisect ? Bisection(*captured, options).run()
                        : Runner(options.run).run();
}

static constexpr const char *Footer = R"help(A program writes the files:
  TERRAZZO_CAPTURE=FOLDER python train.py      launches that fail
  TERRAZZO_CAPTURE_WHEN=fail,slow:5,all        also slower than 5 ms; all

Examples
  tz replay folder/*.tzcapture                       as they were
  tz replay k.tzcapture --target cpu --compare interp
  tz replay k.tzcapture --check                      where does it go wrong?
  tz replay k.tzcapture --bisect --extract out       which pass is wrong?
  tz replay k.tzcapture --show --extract out         what was launched?

Exit status: 0 all results within tolerance, 1 an error, a mismatch or, with
--bisect, a pass that changes the result, 2 usage.)help";

void addReplayCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "replay", "Run launches that a program has written to files");
  auto o = std::make_shared<ReplayOptions>();
  command->add_option("FILES", o->files, "Captured launches")->required();
  command
      ->add_option("--target", o->run.target,
                   "cpu, interp, or several: cpu,interp (default: the plugin "
                   "of the capture)")
      ->type_name("TARGET");
  command->add_option("--compare", o->run.compare,
                      "interp: compare with the reference interpreter");
  command->add_flag("--check", o->run.check,
                    "Check bounds, uninitialised reads and races in the "
                    "interpreter before running");
  command
      ->add_option("--sanitize", o->run.request.binding.sanitize,
                   "Checks in the compiled code, a comma list: " +
                       driver::sanitizerNames())
      ->type_name("LIST");
  command
      ->add_option("--option", o->options,
                   "NAME=VALUE: in the place of the captured one")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--save", o->run.save,
                   "NAME=FILE: write an array's bytes after the run")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--races", o->run.races,
                   "What the interpreter makes of races between programs: "
                   "error, same-value, warn (error)")
      ->check(CLI::IsMember({"error", "same-value", "warn"}));
  command->add_option("--seed", o->run.seed,
                      "Of elements drawn by their statistics (0)");
  command->add_option("--repeat", o->run.repeat, "How many timed launches")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--bisect", o->bisect,
                    "Find the first shared pass behind which the interpreter "
                    "computes something else");
  command->add_flag("--show", o->show, "Show what was captured and end");
  command
      ->add_option("--extract", o->extractTo,
                   "Write the kernel and the arrays as files; with --bisect "
                   "also the IR before and after the pass")
      ->type_name("FOLDER");
  command->add_flag("--time", o->run.time, "Show what each phase took");
  command->add_flag("--remarks", o->run.remarks,
                    "Show what passes have to say");
  command->footer(Footer);
  command->callback([o, &status] {
    for (const std::string &file : o->files) {
      status = std::max(status, replayFile(file, *o));
    }
  });
}

} // namespace tz::tool
