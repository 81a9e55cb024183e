//===- DebugCommand.cpp - tz debug ----------------------------------------===//
//
// What   Runs a kernel in the checked interpreter under a debugger, with
//        commands from the terminal, the command line or a pipe.
// Why    A device cannot stop in a tile program and show a tile. The
//        interpreter runs the IR as the frontend made it, before any pass, so
//        lines and names are those of the source. With a target the kernel runs
//        there first, and the run stops where the target goes another way.
//===----------------------------------------------------------------------===//
#include "core/arguments/CompiledKernel.h"
#include "core/arguments/Request.h"
#include "core/debugger/Debugger.h"
#include "core/driver/LoweredKernel.h"
#include "core/tools/tz/Commands.h"
#include "core/tools/tz/DebugTarget.h"

#include "terrazzo/wire/Wire.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <unistd.h>

namespace tz::tool {

using namespace runtime;

namespace {
struct DebugOptions {
  Request request;
  std::vector<std::string> breaks, commands;
  std::string program, target;
  uint64_t seed = 0;
};

/// Commands of --command first; then those of a terminal, or of a pipe if
/// there were none.
class CommandReader {
public:
  explicit CommandReader(const std::vector<std::string> &given)
      : given(given), isTerminal(isatty(STDIN_FILENO)) {}

  std::optional<std::string> next() {
    constexpr const char *prompt = "(tz) ";
    if (at < given.size()) {
      std::printf("%s%s\n", prompt, given[at].c_str());
      return given[at++];
    }
    if (!given.empty() && !isTerminal) {
      return std::nullopt;
    }
    if (isTerminal) {
      std::fputs(prompt, stdout);
      std::fflush(stdout);
    }
    std::string line;
    if (!std::getline(std::cin, line)) {
      return std::nullopt;
    }
    if (!isTerminal) {
      std::printf("%s%s\n", prompt, line.c_str()); // a transcript reads well
    } else if (line.empty()) {
      line = last; // as in other debuggers
    }
    last = line;
    return line;
  }

private:
  const std::vector<std::string> &given;
  size_t at = 0;
  bool isTerminal;
  std::string last;
};
} // namespace

/// --program "3", "3,0" or "3,0,0".
static Result<std::optional<std::array<uint32_t, 3>>>
chosenProgram(const std::string &text, const std::array<int64_t, 3> &grid) {
  std::optional<std::array<uint32_t, 3>> program;
  if (text.empty()) {
    return program;
  }
  std::vector<std::string> parts = splitList(text);
  program.emplace();
  bool isValid = parts.size() <= 3;
  for (size_t axis = 0; isValid && axis < parts.size(); ++axis) {
    isValid = !llvm::StringRef(parts[axis]).getAsInteger(10, (*program)[axis]);
  }
  if (!isValid) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--program " + text +
                      ": write the ids of one program, such as 3,0,0");
  }
  for (int axis = 0; axis < 3; ++axis) {
    if ((*program)[axis] >= grid[axis]) {
      return Status(TZ_E_OUT_OF_RANGE, "--program " + text + ": the grid is " +
                                           std::to_string(grid[0]) + "," +
                                           std::to_string(grid[1]) + "," +
                                           std::to_string(grid[2]) +
                                           ", ids begin at 0");
    }
  }
  return program;
}

/// The run stops where the target has gone another way, if it has.
static void followTarget(const TargetOutcome &there, Debugger &debugger) {
  if (there.first) {
    debugger.stopAtStores(there.what);
    debugger.runToBreakpoint();
  } else if (there.interpreterFails ||
             (!there.failedAt.empty() &&
              debugger.addBreakpoint(there.failedAt).ok())) {
    debugger.runToBreakpoint();
  }
}

static int report(const Reference &reference, const Debugger &debugger,
                  const Status &outcome, const TargetOutcome &there,
                  uint64_t programs) {
  const interpreter::Report &run = reference.outcome();
  uint64_t errors = 0;
  for (const interpreter::Finding &finding : run.findings) {
    errors += finding.kind != interpreter::FindingKind::DivisionByZero;
  }
  if (!outcome.ok()) {
    return reportError(outcome.message());
  }
  if (there.first && !debugger.wasStored() && !debugger.wasQuit()) {
    std::printf("no statement that ran stores to %s\n", there.what.c_str());
  }
  std::printf("%llu of %llu programs have run to their end; %llu mistake%s\n",
              static_cast<unsigned long long>(run.programs),
              static_cast<unsigned long long>(programs),
              static_cast<unsigned long long>(errors), errors == 1 ? "" : "s");
  return errors || debugger.mistakes() || !there.isRight ? 1 : 0;
}

static int debug(DebugOptions &options) {
  TerminalSink sink;
  Session session(toolSession());
  driver::Driver driver(session.registry(), session.cache());
  // Before its arguments are asked for.
  Result<KernelSource> source =
      loadSource(parseKernel(options.request.kernel), options.request.imports);
  if (source && source->isIR && wire::isPortable(source->text)) {
    return reportError("tz debug needs a kernel's source: " + source->path +
                           " is the portable form, which has no names",
                       "'tz run --target interp' runs it with all checks");
  }
  if (source && isArtifact(*source)) {
    return reportError("tz debug needs the kernel's source: " + source->path +
                       " is an artifact, which holds the code of one target");
  }
  options.request.binding.debugLevel = 2;
  Result<Launch> launch = resolve(options.request, driver, sink);
  if (!launch) {
    return reportFailure(launch.status(), sink);
  }
  if (Status s = checkHasPrograms(*launch); !s.ok()) {
    return reportFailure(s, sink);
  }
  if (!launch->note.empty()) {
    std::printf("%s\n", launch->note.c_str());
  }
  noteMissingGrid(options.request);
  Result<std::optional<std::array<uint32_t, 3>>> program =
      chosenProgram(options.program, launch->grid);
  if (!program) {
    return reportFailure(program.status(), sink);
  }
  if (Status s = launch->binding.fill(options.seed); !s.ok()) {
    return reportFailure(s, sink);
  }
  TargetOutcome there;
  if (!options.target.empty() && options.target != "interp") {
    auto found = runOnTarget(session, driver, options.target, *launch, sink);
    if (!found) {
      return reportFailure(found.status(), sink);
    }
    there = std::move(*found);
  }
  Result<driver::LoweredKernel> lowered =
      driver.lower(launch->job, driver::Stage::Tile, sink);
  if (!lowered) {
    return reportFailure(lowered.status(), sink);
  }
  Reference reference;
  CommandReader reader(options.commands);
  Debugger debugger(*lowered->state().debugMap,
                    TileShower(launch->binding, reference),
                    [&reader] { return reader.next(); });
  for (const std::string &place : options.breaks) {
    if (Status s = debugger.addBreakpoint(place); !s.ok()) {
      return reportError("--break " + place + ": " + std::string(s.message()));
    }
    debugger.runToBreakpoint();
  }
  followTarget(there, debugger);
  Status outcome = reference.watch(*lowered, launch->binding, launch->grid,
                                   *program, there.first, debugger);
  const auto &grid = launch->grid;
  return report(reference, debugger, outcome, there,
                *program ? 1 : uint64_t(grid[0]) * grid[1] * grid[2]);
}

static std::string footer() {
  return std::string("Commands\n") + DebuggerHelp + R"help(
The run stops before the first statement, or at the first breakpoint that
--break gives; then commands are read: those of --command, in order, then from
the terminal, or from a pipe. Accesses out of bounds, reads of what was never
written, races between programs and broken promises stop the run at their line.
What runs is the IR as the frontend made it, before any pass.

With --target the kernel first runs on that target. Arrays, prints and the end
are compared with the interpreter's, within what the target may be off. The
session begins where the first element that differs is stored, or at the line
where the target failed.

Examples
  tz debug softmax.py::softmax_kernel --grid 4 --program 3
      --arg out=zeros:f32[4,61] --arg x=randn:f32[4,61] --arg n_cols=61
      --arg x_row_stride=61 --arg out_row_stride=61 --constexpr BLOCK=64
  tz debug kernel.py::k ... --break kernel.py:23 --command "p acc"
  tz debug kernel.py::k ... --command "b 23" --command c --command "stats acc"
  tz debug kernel.py::k ... --target cpu --command bt --command names
  tz debug kernel.py::k ... --break "23 if pid == 3 and any(acc != acc)"

Arguments are those of 'tz run --help'. Exit status: 0 no mistake was found,
1 a mistake, a target that differs, an error or a wrong command, 2 usage.)help";
}

void addDebugCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "debug", "Stop a kernel at its lines in the interpreter; print tiles");
  auto o = std::make_shared<DebugOptions>();
  addRequestOptions(*command, o->request);
  command
      ->add_option("--target", o->target,
                   "Run there first, and begin where its results differ: cpu, "
                   "cpu:0 ... (default: the interpreter alone)")
      ->type_name("TARGET");
  command->add_option("--program", o->program,
                      "X, X,Y or X,Y,Z: run this program only");
  command
      ->add_option("--break", o->breaks,
                   "FILE:LINE or LINE, also 'LINE if CONDITION'; the run goes "
                   "on to it at once")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--command", o->commands,
                   "A command for the first stops, in order; see below")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--seed", o->seed, "Of the random inputs (0)");
  command->footer(footer());
  command->callback([o, &status] { status = debug(*o); });
}

} // namespace tz::tool
