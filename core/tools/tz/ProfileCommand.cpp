//===- ProfileCommand.cpp - tz profile, tz analyze ------------------------===//
//
// What   Hands the command to the Python package, in whose process the profiled
//        program runs, and which shows and explains what a profile holds.
// Why    Programs that are profiled are Python's; who has tz finds the commands
//        in its help, whether pip or an archive installed it.
//===----------------------------------------------------------------------===//
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"

#include "llvm/Support/Program.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tz::tool {

namespace {

constexpr const char *Install =
    "pip install terrazzo; TERRAZZO_PYTHON names another Python";

/// Exits with 0 if Python has the package.
constexpr const char *Look = "import importlib.util as u, sys; "
                             "sys.exit(u.find_spec('terrazzo') is None)";

/// Becomes Python; returns the exit status where that fails.
int becomePython(const std::string &command,
                 const std::vector<std::string> &words) {
  const char *said = std::getenv("TERRAZZO_PYTHON");
  llvm::ErrorOr<std::string> python =
      llvm::sys::findProgramByName(said && *said ? said : "python3");
  const int status =
      python ? llvm::sys::ExecuteAndWait(*python, {*python, "-c", Look}) : -1;
  if (status < 0) {
    return reportError("tz " + command + ": there is no Python", Install);
  }
  if (status > 0) {
    return reportError(
        "tz " + command + ": " + *python + " has no package terrazzo", Install);
  }
  std::vector<std::string> all{*python, "-m", "terrazzo.tools.tz_command",
                               command};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char *> arguments;
  for (std::string &word : all) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(python->c_str(), arguments.data());
  return reportError("tz " + command + ": " + *python + ": " +
                     std::strerror(errno));
}

/// All that follows the command's name is Python's.
void addHandedOn(CLI::App &app, int &status, const std::string &name,
                 const char *what, const char *footer) {
  CLI::App *command = app.add_subcommand(name, what);
  command->prefix_command();
  command->footer(footer);
  command->callback([command, name, &status] {
    status = becomePython(name, command->remaining());
  });
}

} // namespace

static constexpr const char *ProfileFooter =
    R"help(  tz profile [-n NAME] [-b BACKEND] [-c CONTEXT] [-m MODE] [-d DATA] [-k HOOK]
             (script.py | pytest | module) [arguments]
  tz profile view FILE       shows the tree of a profile

'tz profile' without words lists the options, 'tz profile view -l FILE' the
metrics. It needs the Python package. A kernel that 'tz run' can run needs none:
tz run --profile FILE. docs/guide/profiling.md.)help";

static constexpr const char *AnalyzeFooter =
    R"help(  tz analyze FILE [--peak-bytes B] [--peak-flops F] [--measure]

Each finding has the figures that show it, and a cure. It needs the Python
package. docs/guide/profiling.md.)help";

void addProfileCommands(CLI::App &app, int &status) {
  addHandedOn(app, status, "profile",
              "Run a Python program in a session of the profiler; show a "
              "profile",
              ProfileFooter);
  addHandedOn(app, status, "analyze",
              "Say from a profile what limits its kernels", AnalyzeFooter);
}

} // namespace tz::tool
