//===- TextView.cpp - a stage under the lines of the source ---------------===//
//
// What   See ViewModel.h.
// Why    Over ssh there is no browser, and a pipe wants plain text.
//===----------------------------------------------------------------------===//
#include "core/terminal/Terminal.h"
#include "core/view/ViewModel.h"

namespace tz::view {

namespace {
/// Lines of a stage by the user's line that they come from.
using ByLine = std::map<std::pair<std::string, unsigned>, std::vector<size_t>>;
} // namespace

static ByLine byUserLine(const Places &places, const Text &text) {
  ByLine lines;
  for (size_t i = 0; i < text.lines.size(); ++i) {
    for (int place : text.at[i]) {
      if (int user = places.ofUser(place); user >= 0) {
        const Place &at = places.all()[user];
        auto &here = lines[{places.fileOf(at), at.line}];
        if (here.empty() || here.back() != i) {
          here.push_back(i);
        }
      }
    }
  }
  return lines;
}

std::string toText(const Document &document, const Compilation &compilation,
                   const StageText &stage) {
  using tool::Style;
  const Text &text = stage.text;
  const ByLine lines = byUserLine(document.places, text);
  std::string made = tool::styled(Style::Bold, document.kernel) + " for " +
                     compilation.target + ", stage " + stage.name + "\n";
  for (const SourceText &source : document.sources) {
    llvm::SmallVector<llvm::StringRef, 0> texts;
    llvm::StringRef(source.text).rtrim('\n').split(texts, '\n');
    bool isFirst = true;
    for (size_t i = 0; i < texts.size(); ++i) {
      auto found = lines.find({source.path, unsigned(i) + source.firstLine});
      if (found == lines.end()) {
        continue;
      }
      if (isFirst) {
        made += "\n" + tool::styled(Style::Bold, source.path) + "\n";
        isFirst = false;
      }
      std::string number = std::to_string(found->first.second);
      number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
      made +=
          tool::styled(Style::Bold, number + "  " + texts[i].rtrim().str()) +
          "\n";
      size_t last = found->second.front();
      for (size_t line : found->second) {
        if (line > last + 1) {
          made += tool::styled(Style::Dim, "         ...") + "\n";
        }
        made += "         " + text.lines[line] + "\n";
        last = line;
      }
    }
  }
  size_t unknown = 0;
  for (const std::vector<int> &at : text.at) {
    unknown += at.empty() ? 1 : 0;
  }
  return made + "\n" + std::to_string(text.lines.size() - unknown) + " of " +
         std::to_string(text.lines.size()) + " lines of " + stage.name +
         " have a place in the source\n";
}

} // namespace tz::view
