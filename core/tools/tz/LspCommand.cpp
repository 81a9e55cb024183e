//===- LspCommand.cpp - tz lsp --------------------------------------------===//
//
// What   Starts the language server on stdin and stdout.
// Why    Editors start a server as a command.
//===----------------------------------------------------------------------===//
#include "core/editor/LanguageServer.h"
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"

#include <terrazzo/terrazzo.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <unistd.h>

namespace tz::tool {

using namespace runtime;

static int serve() {
  // What is typed may be an endless loop; who gave a limit keeps it.
  (void)setenv("TERRAZZO_COMPILE_TIMEOUT", "10", /*overwrite=*/0);
  (void)std::signal(SIGPIPE, SIG_IGN);
  Cache cache;
  Registry registry({.wantsCompiler = true}, &cache);
  driver::Driver driver(registry, nullptr);
  editor::MessageStream stream(STDIN_FILENO, STDOUT_FILENO);
  return editor::LanguageServer(driver, stream, tz_version()).run();
}

static constexpr const char *Footer =
    R"help(Speaks the Language Server Protocol over stdin and stdout: mistakes in kernels while
they are typed, the type and shape of a name or call, where a name comes from,
types of assignments beside them, remarks of passes as hints.

A kernel is checked for the types that a comment above it gives, with words of
'tz compile', then a command of tz for it in the file's text, then the editor's
settings; else they are guessed, and mistakes are warnings:
  # tz: --sig "*fp16:16,*fp16:16,i32" --constexpr BLOCK=64

Editors: docs/guide/views.md. The extension for VS Code is made by
editors/vscode/package.)help";

void addLspCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "lsp", "Serve an editor: mistakes, types and definitions in kernels");
  auto isStdio =
      std::make_shared<bool>(true); // as clients say it; no other way
  command->add_flag("--stdio", *isStdio, "Over stdin and stdout, as always");
  command->footer(Footer);
  command->callback([isStdio, &status] { status = serve(); });
}

} // namespace tz::tool
