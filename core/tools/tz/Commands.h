//===- Commands.h - the commands of tz ------------------------------------===//
//
// What   Each function adds one sub-command with its options to the program and
//        lets `status` become its exit status when it runs.
// Why    One file a command; TzMain.cpp only lists them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_COMMANDS_H
#define TERRAZZO_CORE_TOOLS_TZ_COMMANDS_H

namespace CLI {
class App;
}

namespace tz::tool {

void addTargetsCommand(CLI::App &app, int &status);
void addCacheCommand(CLI::App &app, int &status);
void addCompileCommand(CLI::App &app, int &status);
void addRunCommand(CLI::App &app, int &status);
void addBenchCommand(CLI::App &app, int &status);
void addDebugCommand(CLI::App &app, int &status);
void addExplainCommand(CLI::App &app, int &status);
void addViewCommand(CLI::App &app, int &status);
void addProfileCommands(CLI::App &app, int &status);
void addReplayCommand(CLI::App &app, int &status);
void addLspCommand(CLI::App &app, int &status);
void addConformCommand(CLI::App &app, int &status);
void addCompletionCommand(CLI::App &app, int &status);
void addManualCommand(CLI::App &app, int &status);

} // namespace tz::tool

#endif
