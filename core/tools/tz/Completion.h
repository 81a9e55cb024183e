//===- Completion.h - what may follow on a command line -------------------===//
//
// What   The words that can complete a command line of tz, from the commands
//        and options that the program has; the scripts by which shells ask.
// Why    A list that is written beside the options would soon differ from them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_COMPLETION_H
#define TERRAZZO_CORE_TOOLS_TZ_COMPLETION_H

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tz::tool {

struct Completion {
  struct Word {
    std::string text, description; // the description may be empty
  };
  /// One that ends in '=', ':', ',' or '/' is not the end of a word.
  std::vector<Word> words;
  /// What the shell adds itself.
  enum class Paths { None, Files, Folders } paths = Paths::None;
};

/// `words` are those behind the program's name; the last one is completed and
/// may be empty. `app` has its commands.
Completion complete(CLI::App &app, const std::vector<std::string> &words);

/// As the scripts read it: a line "TEXT\tDESCRIPTION" for each word, and
/// ":files" or ":folders" as the last line.
std::string printed(const Completion &completion);

/// The script of "bash", "zsh" or "fish"; empty for another shell.
std::string_view completionScript(std::string_view shell);

/// The whole program as a manual page in roff.
std::string manualPage(const CLI::App &app);

/// "one of the words": the choices of an option; empty: any value.
std::vector<std::string> choicesOf(const CLI::Option &option);

} // namespace tz::tool

#endif
