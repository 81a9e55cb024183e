//===- FileCommand.cpp - a command that a kernel's file has ---------------===//
//
// What   See FileCommand.h.
// Why    See FileCommand.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/FileCommand.h"

#include "runtime/file/File.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

#include <CLI/CLI.hpp>

using namespace llvm;
using tz::runtime::Result;
using tz::runtime::Status;

namespace tz::tool {

std::optional<FileCommand> findCommand(StringRef text, StringRef kernel,
                                       StringRef verbs) {
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n');
  const Regex begin(("tz (" + verbs + ") [^ ]*::" + kernel + "( |$)").str());
  for (size_t i = 0; i < lines.size(); ++i) {
    SmallVector<StringRef, 3> parts;
    if (!begin.match(lines[i], &parts)) {
      continue;
    }
    std::string words;
    StringRef rest = lines[i].drop_front(
        size_t(parts[0].data() - lines[i].data()) + parts[0].size());
    for (size_t next = i;;) {
      rest = rest.rtrim();
      rest.consume_front("#");
      const bool goesOn = rest.consume_back("\\");
      words += " " + rest.trim().str();
      if (!goesOn || ++next >= lines.size()) {
        break;
      }
      rest = lines[next].ltrim();
    }
    // What stands around a command in a sentence or a string.
    return FileCommand{StringRef(words).trim().rtrim("`'").str(), i};
  }
  return std::nullopt;
}

/// Does a request say anything of what the kernel gets?
static bool saysArguments(const Request &request) {
  const Binding::Options &binding = request.binding;
  return !request.grid.empty() || !binding.args.empty() ||
         !binding.buffers.empty() || !binding.constexprs.empty() ||
         !binding.names.empty() || request.config != 0;
}

Result<std::string> takeFileCommand(Request &request) {
  const auto [path, kernel] = StringRef(request.kernel).split("::");
  if (!path.ends_with(".py") || kernel.empty() || saysArguments(request)) {
    return std::string();
  }
  // Of what cannot be read, the compilation says why. It reads pipes itself.
  constexpr uint64_t most = 64 << 20;
  auto file = runtime::readRegular(path.str(), most);
  auto command = file.ok() ? findCommand(*file, kernel, "run") : std::nullopt;
  if (!command) {
    return std::string();
  }
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(); // --compare and others
  Request said;
  addRequestOptions(app, said);
  app.get_option("kernel")->required(false);
  if (Status s = parseWords(app, command->words); !s.ok()) {
    return std::move(s).in("the command of line " +
                           std::to_string(command->line + 1) + " of " +
                           path.str());
  }
  request.grid = said.grid;
  request.config = said.config;
  request.binding.args = said.binding.args;
  request.binding.buffers = said.binding.buffers;
  request.binding.constexprs = said.binding.constexprs;
  request.binding.names = said.binding.names;
  if (request.binding.options.empty()) {
    request.binding.options = said.binding.options;
  }
  return command->words;
}

} // namespace tz::tool
