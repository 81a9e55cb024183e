//===- ManualCommand.cpp - tz(1) ------------------------------------------===//
//
// What   The commands, their options and what stands below their help, in roff.
// Why    See Completion.h: made from the options themselves.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/Completion.h"

#include <terrazzo/terrazzo.h>

#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

/// Text as roff prints it, word for word.
static std::string escaped(llvm::StringRef text) {
  std::string made;
  bool atStart = true;
  for (char c : text) {
    if (atStart && (c == '.' || c == '\'')) {
      made += "\\&"; // else it would be a command
    }
    made += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    atStart = c == '\n';
  }
  return made;
}

static std::string bold(const std::string &text) {
  return "\\fB" + escaped(text) + "\\fR";
}

/// "--seed UINT"
static std::string synopsis(const CLI::Option &option) {
  std::string names;
  for (const std::string &name : option.get_snames()) {
    names += (names.empty() ? "" : ", ") + bold("-" + name);
  }
  for (const std::string &name : option.get_lnames()) {
    names += (names.empty() ? "" : ", ") + bold("--" + name);
  }
  if (option.get_positional()) {
    return "\\fI" + escaped(option.get_name()) + "\\fR";
  }
  if (option.get_items_expected_max() > 0) {
    const std::string type =
        llvm::StringRef(option.get_type_name()).split(':').first.str();
    names += " \\fI" + escaped(type) + "\\fR";
  }
  return names;
}

static std::string optionsOf(const CLI::App &command) {
  std::string text;
  for (const CLI::Option *option : command.get_options()) {
    text +=
        ".TP\n" + synopsis(*option) + "\n" + escaped(option->get_description());
    std::string choices;
    for (const std::string &choice : choicesOf(*option)) {
      choices += (choices.empty() ? "" : ", ") + choice;
    }
    text +=
        (choices.empty() ? "" : "\n.br\nOne of: " + escaped(choices)) + "\n";
  }
  return text;
}

/// Lines as they are.
static std::string verbatim(const std::string &text) {
  return text.empty() ? "" : ".PP\n.nf\n" + escaped(text) + "\n.fi\n";
}

std::string manualPage(const CLI::App &app) {
  std::string text = ".TH TZ 1 \"\" \"Terrazzo " + escaped(tz_version()) +
                     "\" \"User Commands\"\n.SH NAME\ntz \\- compiles and "
                     "runs tile kernels on any target\n.SH SYNOPSIS\n" +
                     bold("tz") + " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += ".SH COMMANDS\n";
  for (const CLI::App *command : app.get_subcommands({})) {
    text += ".TP\n" + bold("tz " + command->get_name()) + "\n" +
            escaped(command->get_description()) + "\n";
  }
  text += ".SH OPTIONS\n" + optionsOf(app);
  for (const CLI::App *command : app.get_subcommands({})) {
    text += ".SH TZ " + escaped(llvm::StringRef(command->get_name()).upper()) +
            "\n" + escaped(command->get_description()) + "\n" +
            optionsOf(*command);
    for (const CLI::App *below : command->get_subcommands({})) {
      text += ".SS " +
              escaped("tz " + command->get_name() + " " + below->get_name()) +
              "\n" + escaped(below->get_description()) + "\n" +
              optionsOf(*below);
    }
    text += verbatim(command->get_footer());
  }
  text += ".SH EXAMPLES AND ENVIRONMENT" + std::string("\n") +
          verbatim(app.get_footer());
  return text + ".SH SEE ALSO\n" + bold("tz manual") + ", " +
         bold("tz COMMAND --help") + "\n";
}

} // namespace tz::tool
