//===- TzMain.cpp - the tz command ----------------------------------------===//
//
// What   The list of commands, the version, and usage errors in one form.
// Why    A user's first contact: `tz --help` must be enough to go on.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"
#include "core/frontend/Diagnostics.h"
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"
#include "core/tools/tz/Completion.h"

#include <terrazzo/ir/Tile.h>
#include <terrazzo/plugin.h>
#include <terrazzo/terrazzo.h>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>

static constexpr const char *Examples = R"help(Examples
  tz targets -v
  tz run softmax.py::softmax_kernel --grid 1823 --target cpu --compare interp
         --arg out=zeros:f32[1823,781] --arg x=randn:f32[1823,781]
         --arg x_row_stride=781 --arg out_row_stride=781 --arg n_cols=781
         --constexpr BLOCK=1024
  tz compile vector_add.py::add_kernel --target cpu --emit llvm
         --arg x=*fp32:16 --arg y=*fp32:16 --arg out=*fp32:16 --arg n=i32
         --constexpr BLOCK=1024
  tz run --help

Environment: TERRAZZO_TARGET, TERRAZZO_CACHE_DIR, TERRAZZO_PLUGIN_PATH,
TERRAZZO_PLUGIN_FILES, TERRAZZO_PLUGINS, TERRAZZO_IMPORT_PATH, TERRAZZO_LOG,
TERRAZZO_DEBUG_LEVEL; docs/guide/embedding.md.)help";

/// "; did you mean 'x'?", or nothing.
static std::string didYouMean(llvm::StringRef name,
                              const std::vector<std::string> &candidates) {
  llvm::SmallVector<llvm::StringRef> names(candidates.begin(),
                                           candidates.end());
  llvm::StringRef near = tz::frontend::nearestName(name, names);
  return near.empty() ? "" : "; did you mean '" + near.str() + "'?";
}

/// What is wrong with the first argument that the command did not take.
static std::string unexpectedArgument(const CLI::App &command) {
  std::vector<std::string> rest = command.remaining();
  auto option = llvm::find_if(
      rest, [](const std::string &text) { return text.starts_with("-"); });
  if (option == rest.end()) {
    return "argument '" + (rest.empty() ? "" : rest.front()) +
           "' is not expected";
  }
  std::vector<std::string> known;
  for (const CLI::Option *candidate : command.get_options()) {
    for (const std::string &name : candidate->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  std::string name = option->substr(0, option->find('='));
  return "no option '" + name + "'" + didYouMean(name, known);
}

/// What to say of an option that was given too often; else `message`.
static std::string repeatedOption(const CLI::App &command,
                                  const std::string &message) {
  for (const CLI::Option *option : command.get_options()) {
    if (option->get_items_expected_max() != 1 || option->count() < 2 ||
        !message.starts_with(option->get_name() + ":")) {
      continue;
    }
    std::string said = option->get_name() + " is given " +
                       std::to_string(option->count()) + " times";
    for (const std::string &value : option->results()) {
      said += (&value == &option->results().front() ? " (" : ", ") + value;
    }
    said += "); it is taken once";
    const bool isList =
        option->get_description().find("several") != std::string::npos;
    return isList ? said + ": write " + option->get_name() + " " +
                        llvm::join(option->results(), ",")
                  : said;
  }
  return message;
}

/// "tz 0.1.0 (tile IR 0.1, plugin ABI 0.2)".
static std::string versions() {
  auto number = [](unsigned major, unsigned minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  return std::string("tz ") + tz_version() + " (tile IR " +
         number(tz::tile::IrMajor, tz::tile::IrMinor) + ", plugin ABI " +
         number(TZ_ABI_MAJOR, TZ_ABI_MINOR) + ")";
}

static void addCommands(CLI::App &app, int &status) {
  app.set_version_flag("--version", versions());
  app.set_help_flag("-h,--help", "Show this help");
  app.require_subcommand(1);
  app.footer(Examples);
  tz::tool::addRunCommand(app, status);
  tz::tool::addBenchCommand(app, status);
  tz::tool::addCompileCommand(app, status);
  tz::tool::addDebugCommand(app, status);
  tz::tool::addExplainCommand(app, status);
  tz::tool::addViewCommand(app, status);
  tz::tool::addProfileCommands(app, status);
  tz::tool::addReplayCommand(app, status);
  tz::tool::addLspCommand(app, status);
  tz::tool::addConformCommand(app, status);
  tz::tool::addTargetsCommand(app, status);
  tz::tool::addCacheCommand(app, status);
  tz::tool::addCompletionCommand(app, status);
  tz::tool::addManualCommand(app, status);
}

static int runTool(int argc, char **argv) {
  CLI::App app("Compiles and runs tile kernels on any target.", "tz");
  int status = 0;
  addCommands(app, status);
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    // Of the shells' scripts; whatever is typed there is no mistake.
    std::fputs(
        tz::tool::printed(tz::tool::complete(app, {argv + 2, argv + argc}))
            .c_str(),
        stdout);
    return 0;
  }
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  std::string list = "there are " + llvm::join(names, ", ");
  if (argc > 1 && argv[1][0] != '-' && !llvm::is_contained(names, argv[1])) {
    std::string meant = didYouMean(argv[1], names);
    tz::tool::reportError("no command '" + std::string(argv[1]) + "'" +
                              (meant.empty() ? "; " + list : meant),
                          "see 'tz --help'");
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success); // --help, --version
  } catch (const CLI::ParseError &error) {
    std::string help = "tz", message = error.what();
    const CLI::App *at = &app;
    for (const CLI::App *command : app.get_subcommands()) {
      help += " " + command->get_name();
      at = command;
    }
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error)) {
      message = repeatedOption(*at, message);
    }
    if (dynamic_cast<const CLI::ExtrasError *>(&error) ||
        (at == &app && !app.remaining().empty())) {
      message = unexpectedArgument(*at);
    } else if (at == &app) {
      message = "a command is needed; " + list;
    }
    tz::tool::reportError(message, "see '" + help + " --help'");
    return 2;
  }
  return status;
}

static int runGuarded(int argc, char **argv) {
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    return tz::tool::reportError("out of memory");
  } catch (const std::exception &failure) {
    return tz::tool::reportError(failure.what());
  }
}

int main(int argc, char **argv) {
  tz::tool::reserveStandardFiles();
  return tz::tool::finishOutput(runGuarded(argc, argv));
}
