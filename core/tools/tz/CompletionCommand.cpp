//===- CompletionCommand.cpp - what may follow on a command line ----------===//
//
// What   See Completion.h. What a value can be is told by the option's
//        choices and by the name of its type in the help: FILE, FOLDER,
//        TARGET, KERNEL.
// Why    See Completion.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/Binding.h"
#include "core/driver/options/Options.h"
#include "core/frontend/Frontend.h"
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"
#include "core/tools/tz/Completion.h"
#include "runtime/loader/Registry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace tz::tool {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<Completion::Word>;

/// The first sentence, or what stands before a colon or a parenthesis.
std::string shortText(llvm::StringRef description) {
  description = description.take_until(
      [](char c) { return c == ';' || c == '\n' || c == '('; });
  return description.trim().str();
}

bool takesValue(const CLI::Option &option) {
  return option.get_items_expected_max() > 0;
}

class Completer {
public:
  Completer(CLI::App &app, const std::vector<std::string> &words)
      : command(&app), words(words) {}

  Completion run() {
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      read(words[i]);
    }
    const std::string last = words.empty() ? "" : words.back();
    if (pending) {
      addValues(*pending, "", last);
    } else if (size_t equals = last.find('=');
               last.starts_with("--") && equals != std::string::npos) {
      if (const CLI::Option *option = optionNamed(last.substr(0, equals))) {
        addValues(*option, last.substr(0, equals + 1), last.substr(equals + 1));
      }
    } else if (last.starts_with("-")) {
      addOptions(last);
    } else if (hasCommands()) {
      addCommands(last);
    } else if (const CLI::Option *next = positional()) {
      addValues(*next, "", last);
    }
    return std::move(made);
  }

private:
  const CLI::Option *optionNamed(const std::string &name) const {
    for (const CLI::Option *option : command->get_options()) {
      if (!option->get_positional() && option->check_name(name)) {
        return option;
      }
    }
    return nullptr;
  }

  CLI::App *commandNamed(const std::string &name) const {
    for (CLI::App *one : command->get_subcommands({})) {
      if (one->check_name(name)) {
        return one;
      }
    }
    return nullptr;
  }

  /// A word that stands before the one that is completed.
  void read(const std::string &word) {
    if (pending) {
      pending = nullptr;
    } else if (word.starts_with("-")) {
      const CLI::Option *option = optionNamed(word.substr(0, word.find('=')));
      given.push_back(option);
      if (option && takesValue(*option) &&
          word.find('=') == std::string::npos) {
        pending = option;
      }
    } else if (CLI::App *next = commandNamed(word)) {
      command = next;
      given.clear();
    } else {
      arguments.push_back(word);
    }
  }

  bool hasCommands() const {
    return arguments.empty() && !command->get_subcommands({}).empty();
  }

  const CLI::Option *positional() const {
    size_t number = 0;
    for (const CLI::Option *option : command->get_options()) {
      if (option->get_positional() && number++ == arguments.size()) {
        return option;
      }
    }
    return nullptr;
  }

  void add(std::string text, std::string description = {}) {
    made.words.push_back({std::move(text), std::move(description)});
  }

  void addCommands(const std::string &prefix) {
    for (const CLI::App *one : command->get_subcommands({})) {
      if (llvm::StringRef(one->get_name()).starts_with(prefix)) {
        add(one->get_name(), shortText(one->get_description()));
      }
    }
  }

  void addOptions(const std::string &prefix) {
    for (const CLI::Option *option : command->get_options()) {
      const bool isRepeated =
          option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
      if (option->get_positional() ||
          (llvm::is_contained(given, option) && !isRepeated)) {
        continue;
      }
      for (const std::string &name : option->get_lnames()) {
        if (("--" + name).starts_with(prefix)) {
          add("--" + name, shortText(option->get_description()));
        }
      }
    }
  }

  void addValues(const CLI::Option &option, const std::string &before,
                 const std::string &prefix) {
    const std::string type =
        llvm::StringRef(option.get_type_name()).split(':').first.str();
    for (const std::string &choice : choicesOf(option)) {
      if (choice.starts_with(prefix)) {
        add(before + choice);
      }
    }
    if (type == "FILE") {
      made.paths = Completion::Paths::Files;
    } else if (type == "FOLDER") {
      made.paths = Completion::Paths::Folders;
    } else if (type == "TARGET") {
      addTargets(before, prefix);
    } else if (type == "KERNEL") {
      addKernels(prefix);
    } else if (option.check_lname("arg") || option.check_lname("constexpr") ||
               option.check_lname("vary")) {
      addParameters(option, before, prefix);
    } else if (option.check_lname("option")) {
      for (const driver::OptionInfo &one : driver::languageOptions()) {
        addIf(before, one.name + "=", prefix, one.help);
      }
    }
  }

  void addIf(const std::string &before, const std::string &text,
             const std::string &prefix, const std::string &description = {}) {
    if (text.starts_with(prefix)) {
      add(before + text, shortText(description));
    }
  }

  /// Of a list that is divided by commas the last one is completed.
  void addTargets(const std::string &before, const std::string &prefix) {
    const size_t comma = prefix.rfind(',');
    const std::string kept =
        comma == std::string::npos ? "" : prefix.substr(0, comma + 1);
    const std::string rest = prefix.substr(kept.size());
    runtime::Registry registry({.wantsCompiler = true});
    for (runtime::Plugin *plugin : registry.plugins()) {
      addIf(before + kept, plugin->name(), rest, plugin->description().vendor);
      runtime::Result<const runtime::Plugin::CompilerHalf *> half =
          plugin->compiler();
      for (size_t i = 0; half && i < (*half)->targets.size(); ++i) {
        const std::string &id = (*half)->targets[i];
        addIf(before + kept,
              id.find(':') == std::string::npos ? plugin->name() + ":" + id
                                                : id,
              rest);
      }
    }
    addIf(before + kept, "interp", rest, "the reference interpreter");
  }

  static std::optional<frontend::Module> parse(const std::string &path) {
    runtime::Result<std::string> text = readFile(path);
    if (!text) {
      return std::nullopt;
    }
    frontend::DiagnosticSink unheard;
    return frontend::parseModule(path, std::move(*text), unheard);
  }

  void addKernelsOf(const std::string &path, const std::string &prefix) {
    if (std::optional<frontend::Module> module = parse(path)) {
      for (const frontend::KernelInfo &kernel : module->kernels()) {
        addIf(path + "::", kernel.name, prefix);
      }
    }
  }

  /// Files that can hold a kernel; of a Python file, its kernels.
  void addKernels(const std::string &prefix) {
    if (size_t at = prefix.rfind("::"); at != std::string::npos) {
      addKernelsOf(prefix.substr(0, at), prefix.substr(at + 2));
      return;
    }
    const size_t slash = prefix.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "" : prefix.substr(0, slash + 1);
    std::error_code error;
    std::vector<std::string> found;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end;
         !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      std::error_code unreadable;
      const bool isFolder = at->is_directory(unreadable);
      const std::string kind = at->path().extension().string();
      const bool isFile =
          llvm::is_contained({".py", ".mlir", ".tzir", ".tzo"}, kind);
      if ((isFolder || isFile) && (name[0] != '.' || prefix != folder) &&
          (folder + name).starts_with(prefix)) {
        found.push_back(folder + name +
                        (isFolder        ? "/"
                         : kind == ".py" ? "::"
                                         : ""));
      }
    }
    llvm::sort(found);
    if (found.size() == 1 && found[0].ends_with("::")) {
      addKernelsOf(found[0].substr(0, found[0].size() - 2), "");
    } else {
      for (std::string &one : found) {
        add(std::move(one));
      }
    }
  }

  /// "NAME=" of the kernel's parameters that have no value yet.
  void addParameters(const CLI::Option &option, const std::string &before,
                     const std::string &prefix) {
    if (arguments.empty() || prefix.find('=') != std::string::npos) {
      return;
    }
    const KernelText kernel = parseKernel(arguments.front());
    std::optional<frontend::Module> module = parse(kernel.path);
    const frontend::KernelInfo *info =
        !module                     ? nullptr
        : !kernel.function.empty()  ? module->kernel(kernel.function)
        : module->kernels().empty() ? nullptr
                                    : &module->kernels().front();
    for (size_t i = 0; info && i < info->params.size(); ++i) {
      const frontend::ParamInfo &parameter = info->params[i];
      const bool isGiven = llvm::any_of(words, [&](const std::string &word) {
        return word.starts_with(parameter.name + "=");
      });
      const bool fits =
          option.check_lname("vary") ||
          parameter.isConstexpr == option.check_lname("constexpr");
      if (fits && !isGiven) {
        addIf(before, parameter.name + "=", prefix);
      }
    }
  }

  CLI::App *command;
  const std::vector<std::string> &words;
  const CLI::Option *pending = nullptr; // whose value comes next
  std::vector<const CLI::Option *> given;
  std::vector<std::string> arguments; // words that are no options or commands
  Completion made;
};

} // namespace

std::vector<std::string> choicesOf(const CLI::Option &option) {
  // CLI11 tells of a set as "TEXT:{auto,swept,warm}".
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> choices;
  if (open != std::string::npos && close != std::string::npos && open < close) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(type).slice(open + 1, close).split(parts, ',');
    for (llvm::StringRef part : parts) {
      choices.push_back(part.trim().str());
    }
  }
  return choices;
}

Completion complete(CLI::App &app, const std::vector<std::string> &words) {
  return Completer(app, words).run();
}

std::string printed(const Completion &completion) {
  std::string text;
  for (const Completion::Word &word : completion.words) {
    text += word.text + "\t" + word.description + "\n";
  }
  switch (completion.paths) {
  case Completion::Paths::None:
    return text;
  case Completion::Paths::Files:
    return text + ":files\n";
  case Completion::Paths::Folders:
    return text + ":folders\n";
  }
  return text;
}

static int showCompletion(const std::string &shell) {
  std::fputs(std::string(completionScript(shell)).c_str(), stdout);
  return 0;
}

void addCompletionCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "completion", "Print a shell's script that completes commands of tz");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "Which shell")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Commands, options, their values, targets, kernels of a file and their\n"
      "parameters are completed. An installation has the scripts where the\n"
      "shells look for them; without one:\n"
      "\n"
      "Examples\n"
      "  source <(tz completion bash)                 in ~/.bashrc\n"
      "  tz completion zsh > ~/.zfunc/_tz             a folder of $fpath\n"
      "  tz completion fish > ~/.config/fish/completions/tz.fish");
  command->callback([shell, &status] { status = showCompletion(*shell); });
}

void addManualCommand(CLI::App &app, int &status) {
  CLI::App *command =
      app.add_subcommand("manual", "Print the manual page of tz, in roff");
  command->footer("Examples\n"
                  "  tz manual | man -l -                      read it\n"
                  "  tz manual > ~/.local/share/man/man1/tz.1  keep it");
  command->callback([&app, &status] {
    std::fputs(manualPage(app).c_str(), stdout);
    status = 0;
  });
}

} // namespace tz::tool
