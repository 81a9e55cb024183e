//===- KernelTypes.h - for which types an editor elaborates -----*- C++ -*-===//
//
// What   The words of a command line that give a kernel's arguments types and
//        its constants values: from a comment above it, from a command in the
//        file's text, from the editor's settings, else guessed from its text.
// Why    A kernel has no types before it is launched, and an editor wants to
//        say what is wrong with it while it is typed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EDITOR_KERNELTYPES_H
#define TERRAZZO_CORE_EDITOR_KERNELTYPES_H

#include "core/frontend/Frontend.h"

#include <map>
#include <string>
#include <vector>

namespace tz::editor {

/// What the editor's settings say: words by the kernel's name.
using KernelSettings = std::map<std::string, std::string>;

struct KernelWords {
  enum From { Comment, Command, Settings, Guess } from = Guess;
  /// Under a guess: others call it, or it gives a value, so it is no kernel.
  bool isCalled = false;
  std::string words; ///< as `tz compile` takes them, without the kernel
  std::vector<std::string> guesses; ///< of a Guess: words, the likeliest first
  size_t line = 0;                  ///< of a comment or command, from 0
};

/// In this order: "# tz: WORDS" in the lines above the kernel; a command
/// `tz ... FILE::KERNEL WORDS` anywhere in the text; the settings; a guess.
KernelWords wordsFor(llvm::StringRef text, const frontend::KernelInfo &kernel,
                     const KernelSettings &settings);

} // namespace tz::editor

#endif
