//===- KernelTypes.cpp - for which types an editor elaborates -------------===//
//
// What   See KernelTypes.h.
// Why    See KernelTypes.h.
//===----------------------------------------------------------------------===//
#include "core/editor/KernelTypes.h"

#include "core/arguments/FileCommand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace tz::editor {

namespace {

SmallVector<StringRef, 0> linesOf(StringRef text) {
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n');
  return lines;
}

/// "# tz: WORDS" in comments and decorators directly above line `line` (from
/// 1).
bool findComment(ArrayRef<StringRef> lines, size_t line, KernelWords &found) {
  for (size_t i = line - 1; i-- > 0;) {
    StringRef text = lines[i].trim();
    if (text.consume_front("#")) {
      text = text.ltrim();
      if (text.consume_front("tz:")) {
        found.from = KernelWords::Comment;
        found.words = (text.trim() + " " + StringRef(found.words)).str();
        found.line = i;
      }
    } else if (!text.starts_with("@") && !text.starts_with(")") &&
               !text.ends_with(",") && !text.ends_with("(") &&
               !text.ends_with("[")) {
      break; // neither a comment nor a part of a decorator
    }
  }
  return found.from == KernelWords::Comment;
}

/// A command of tz for this kernel.
bool findCommand(StringRef text, StringRef kernel, KernelWords &found) {
  auto command =
      tool::findCommand(text, kernel, "run|compile|bench|explain|view|debug");
  if (command) {
    found.from = KernelWords::Command;
    found.words = std::move(command->words);
    found.line = command->line;
  }
  return command.has_value();
}

/// The text of a function: up to the next line that is not indented.
std::string bodyOf(ArrayRef<StringRef> lines, size_t line) {
  std::string body;
  for (size_t i = line; i < lines.size(); ++i) {
    StringRef text = lines[i];
    if (!text.empty() && !isSpace(text[0]) && text[0] != ')' &&
        text[0] != '#') {
      break;
    }
    body += (text.split('#').first + "\n").str();
  }
  return body;
}

/// Names that stand for addresses: what is loaded and stored through, and what
/// such names are computed from. `widely`: also what something is added to.
StringSet<> addressesIn(const std::string &body, bool widely) {
  StringSet<> names;
  const Regex used("(load|store|atomic_[a-z]+|make_block_ptr|prefetch|"
                   "make_tensor_descriptor)\\( *"
                   "(base *= *)?([A-Za-z_][A-Za-z0-9_]*)");
  SmallVector<StringRef, 4> parts;
  for (StringRef rest = body; used.match(rest, &parts);) {
    names.insert(parts[3]);
    rest = rest.drop_front(size_t(parts[3].end() - rest.data()));
  }
  const Regex added("[(=,] *([A-Za-z_][A-Za-z0-9_]*) *[+,]");
  for (StringRef rest = widely ? StringRef(body) : StringRef();
       added.match(rest, &parts);) {
    names.insert(parts[1]);
    rest = rest.drop_front(size_t(parts[1].end() - rest.data()));
  }
  // x_ptrs = x + ..., also x_ptrs += ...
  const Regex assigned("^ *([A-Za-z_][A-Za-z0-9_]*) *= *\\(?([A-Za-z_][A-Za-z0-"
                       "9_]*) *[+:]?");
  bool isNew = true;
  for (unsigned step = 0; isNew && step < 8; ++step) {
    isNew = false;
    for (StringRef line : linesOf(body)) {
      if (assigned.match(line, &parts) && names.contains(parts[1])) {
        isNew |= names.insert(parts[2]).second;
      }
    }
  }
  return names;
}

/// What a constant is, by its name, where there is no default.
std::string guessConstant(StringRef name, const char *number) {
  const std::string upper = name.upper();
  StringRef text = upper;
  for (const char *begin :
       {"IS_", "HAS_", "USE_", "WITH_", "EVEN_", "ALLOW_"}) {
    if (text.starts_with(begin)) {
      return "True";
    }
  }
  if (text.contains("CAUSAL")) {
    return "True";
  }
  if (text.contains("ACTIVATION")) {
    return "None";
  }
  if (text.contains("DTYPE")) {
    return "fp32";
  }
  if (text.contains("GROUP") || text.contains("STAGES")) {
    return "4";
  }
  return number; // BLOCK, HEAD_DIM ...
}

/// Is it a function that kernels call? A launch is NAME[grid](...).
bool isCalled(ArrayRef<StringRef> lines, const frontend::KernelInfo &kernel) {
  const std::string body = bodyOf(lines, kernel.loc.line);
  const Regex gives("^ +return +[^ \n]", Regex::Newline);
  if (gives.match(body)) {
    return true;
  }
  const Regex call("(^|[^A-Za-z0-9_.])" + kernel.name + " *\\(");
  return llvm::any_of(lines, [&](StringRef line) {
    return call.match(line.split('#').first) &&
           !line.ltrim().starts_with("def ");
  });
}

/// One way to guess.
struct Way {
  const char *pointer, *number; ///< type of pointers; what constants are
  bool widely;                  ///< see addressesIn
};

std::string guess(ArrayRef<StringRef> lines, const frontend::KernelInfo &kernel,
                  const Way &way) {
  const StringSet<> addresses =
      addressesIn(bodyOf(lines, kernel.loc.line), way.widely);
  std::string words;
  for (const frontend::ParamInfo &parameter : kernel.params) {
    const StringRef name = parameter.name;
    if (parameter.isConstexpr) {
      const bool isSet =
          parameter.defaultValue ||
          llvm::is_contained(kernel.heuristics, parameter.name) ||
          llvm::any_of(kernel.configs, [&](const frontend::ConfigInfo &one) {
            return one.constexprs.count(parameter.name) != 0;
          });
      if (!isSet) {
        words += " --constexpr " + parameter.name + "=" +
                 guessConstant(name, way.number);
      }
      continue;
    }
    if (parameter.defaultValue) {
      continue;
    }
    const bool isAddress = addresses.contains(name) || name.ends_with("ptr") ||
                           name.ends_with("Ptr");
    const bool isReal =
        StringSwitch<bool>(name.lower())
            .Cases({"eps", "epsilon", "alpha", "beta", "scale", "sm_scale", "p",
                    "lr", "dropout", "dropout_p", "slope"},
                   true)
            .Default(name.ends_with("_scale") || name.ends_with("eps"));
    words += " --arg " + parameter.name + "=" +
             (isAddress ? way.pointer
              : isReal  ? "fp32"
                        : "i32");
  }
  return words;
}

} // namespace

KernelWords wordsFor(StringRef text, const frontend::KernelInfo &kernel,
                     const KernelSettings &settings) {
  const SmallVector<StringRef, 0> lines = linesOf(text);
  KernelWords found;
  if (kernel.loc.line == 0 || kernel.loc.line > lines.size()) {
    return found;
  }
  if (findComment(lines, kernel.loc.line, found) ||
      findCommand(text, kernel.name, found)) {
    return found;
  }
  if (auto given = settings.find(kernel.name); given != settings.end()) {
    found.from = KernelWords::Settings;
    found.words = given->second;
    return found;
  }
  for (const Way &way : {Way{"*fp32:16", "64", false},
                         {"*fp32:16", "64", true},
                         {"*i32:16", "128", false},
                         {"*i32:16", "128", true}}) {
    found.guesses.push_back(guess(lines, kernel, way));
  }
  found.isCalled = isCalled(lines, kernel);
  return found;
}

} // namespace tz::editor
