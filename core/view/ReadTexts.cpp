//===- ReadTexts.cpp - texts of LLVM and of assemblers, with their lines --===//
//
// What   See LinePlaces.h.
// Why    A plugin has an LLVM of its own, of any version: what crosses the ABI
//        is text. Only the few records that say where a line comes from are
//        read; a text that has them in another form loses its links, no more.
//===----------------------------------------------------------------------===//
#include "core/view/ViewModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <tuple>

using namespace llvm;

namespace tz::view {

namespace {

/// Calls deeper than this are cut: a text may name itself.
constexpr unsigned MaxCalls = 64;

void addLine(Text &to, StringRef line, std::vector<int> at = {}) {
  to.lines.push_back(line.str());
  to.at.push_back(std::move(at));
}

SmallVector<StringRef, 0> linesOf(StringRef text) {
  SmallVector<StringRef, 0> lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

/// The value of `key: ` in a record: up to a comma or the end.
StringRef field(StringRef record, StringRef key) {
  size_t at = 0;
  while ((at = record.find(key, at)) != StringRef::npos) {
    const StringRef before = record.take_front(at);
    at += key.size();
    if ((before.ends_with("(") || before.ends_with(" ")) &&
        record.substr(at).consume_front(": ")) {
      StringRef value = record.substr(at + 2);
      if (value.consume_front("\"")) {
        return value.take_until([](char c) { return c == '"'; });
      }
      return value.take_until([](char c) { return c == ',' || c == ')'; });
    }
  }
  return {};
}

unsigned number(StringRef text) {
  unsigned value = 0;
  return text.getAsInteger(10, value) ? 0 : value;
}

/// The records `!7 = ...` of a module.
class Metadata {
public:
  Metadata(ArrayRef<StringRef> lines, Places &places) : places(places) {
    for (StringRef line : lines) {
      if (line.starts_with("!")) {
        auto [name, record] = line.split(" = ");
        records[name] = record;
      }
    }
  }
  /// Does the line belong to debug information alone?
  static bool isDebug(StringRef line) {
    if (!line.starts_with("!")) {
      return false;
    }
    auto [name, record] = line.split(" = ");
    record.consume_front("distinct ");
    return name == "!llvm.dbg.cu" || record.starts_with("!DI");
  }
  int place(StringRef name, unsigned depth = 0) {
    if (name.empty() || depth > MaxCalls) {
      return -1;
    }
    if (auto at = known.find(name); at != known.end()) {
      return at->second;
    }
    const StringRef record = records.lookup(name);
    if (!record.contains("!DILocation(")) {
      return -1;
    }
    const int caller = place(field(record, "inlinedAt"), depth + 1);
    const unsigned line = number(field(record, "line"));
    const StringRef file = fileOf(field(record, "scope"));
    const int made =
        line && !file.empty()
            ? places.add(file, line, number(field(record, "column")), caller)
            : caller;
    known[name] = made;
    return made;
  }

private:
  StringRef fileOf(StringRef scope) const {
    for (unsigned step = 0; step < MaxCalls; ++step) {
      const StringRef record = records.lookup(scope);
      if (StringRef file = field(record, "file"); !file.empty()) {
        return field(records.lookup(file), "filename");
      }
      scope = field(record, "scope");
    }
    return {};
  }

  Places &places;
  StringMap<StringRef> records;
  StringMap<int> known;
};

/// Takes `!dbg !7` from the end of a line or from before its brace; gives the
/// name, or nothing.
StringRef takeDebug(std::string &line, StringRef original) {
  const size_t at = original.find("!dbg !");
  if (at == StringRef::npos) {
    return {};
  }
  StringRef name = original.substr(at + 5).take_while(
      [](char c) { return c == '!' || isDigit(c); });
  StringRef before = original.take_front(at),
            rest = original.substr(at + 5 + name.size());
  before = before.rtrim();
  before.consume_back(",");
  line = (before + rest).str();
  return name;
}

//===----------------------------------------------------------------------===//
// Assemblers
//===----------------------------------------------------------------------===//

class Assembly {
public:
  explicit Assembly(Places &places) : places(places) {}

  void read(StringRef line, Text &to) {
    const StringRef words = line.trim();
    if (words.starts_with(".section") || words == ".text") {
      isHidden = words.contains(".debug_");
    }
    if (isHidden || words.starts_with(".cfi_")) {
      return;
    }
    if (words.starts_with(".file")) {
      return;
    }
    if (words.starts_with(".loc") && words.size() > 4 && isSpace(words[4])) {
      setPlace(words);
      return;
    }
    if (takeLineInstruction(words)) {
      return;
    }
    if (words.starts_with(".Ltmp") || words.starts_with("$L__tmp")) {
      return; // labels of the tables alone
    }
    if (words.starts_with(".type ") || words.starts_with(".type\t")) {
      functions.insert(words.drop_front(6).split(',').first);
    }
    if (functions.contains(words.drop_back(words.ends_with(":"))) ||
        words.starts_with(".visible") || words.starts_with(".entry")) {
      here.clear(); // another function
    }
    addLine(to, line.rtrim(), isCode(words) ? here : std::vector<int>());
  }

  /// No directive, label, comment or brace. What is indented says nothing:
  /// inline assembly may begin anywhere.
  static bool isCode(StringRef words) {
    return !words.empty() && !words.ends_with(":") &&
           words.find_first_not_of("{}() ;") != StringRef::npos &&
           !StringRef(".#;").contains(words[0]) && !words.starts_with("//");
  }

  /// .file 1 "folder" "name", or %7 = OpString "name"
  void addFile(StringRef words) {
    if (words.starts_with("%") && words.contains(" = OpString \"")) {
      auto [id, rest] = words.split(" = OpString \"");
      named[id] = rest.drop_back(rest.ends_with("\"")).str();
      return;
    }
    if (!words.starts_with(".file")) {
      return;
    }
    SmallVector<StringRef, 8> parts;
    words.split(parts, '"');
    const unsigned at = number(parts[0].drop_front(5).trim());
    if (parts.size() < 3 || !isDigit(parts[0].rtrim().back())) {
      return; // the name of the module
    }
    const bool hasFolder = parts.size() > 4 && parts[2].trim().empty();
    files[at] = hasFolder && !parts[3].starts_with("/")
                    ? (parts[1] + "/" + parts[3]).str()
                : hasFolder ? parts[3].str()
                            : parts[1].str();
  }

private:
  /// Lines as instructions: OpLine %7 18 5 holds up to the end of the block.
  /// What is for debuggers alone is not shown.
  bool takeLineInstruction(StringRef words) {
    const StringRef code =
        words.starts_with("%") ? words.split(" = ").second : words;
    if (code.starts_with("OpLabel") || code.starts_with("OpFunction ") ||
        code.starts_with("OpFunctionEnd")) {
      here.clear();
    } else if (code.starts_with("OpLine ")) {
      SmallVector<StringRef, 4> parts;
      SplitString(code, parts);
      if (parts.size() == 4) {
        stand(named[parts[1]], number(parts[2]), number(parts[3]));
      }
      return true;
    }
    return (code.starts_with("OpExtInst ") && code.contains(" Debug")) ||
           code.starts_with("OpString ");
  }
  /// Who called is not said; what was compiled before does.
  void stand(const std::string &file, unsigned line, unsigned column) {
    here = places.standingAt(file, line, column);
    if (here.empty()) {
      here = {places.add(file, line, column)};
    }
  }

  /// .loc 1 18 5 [, function_name label, inlined_at 1 30 4]
  void setPlace(StringRef words) {
    auto [own, rest] = words.drop_front(4).split(',');
    const Position position = positionIn(own);
    const size_t inlined = rest.find("inlined_at ");
    here.clear();
    if (position.line == 0) {
      return;
    }
    const std::string &file = files[position.file];
    if (inlined != StringRef::npos) {
      const Position call = positionIn(rest.substr(inlined + 11));
      const auto caller = seen.find(call);
      const int outer =
          caller != seen.end()
              ? caller->second
              : places.add(files[call.file], call.line, call.column);
      here = {places.add(file, position.line, position.column, outer)};
    } else if (words.contains("function_name")) {
      here = {places.add(file, position.line, position.column)};
    } else {
      stand(file, position.line, position.column);
    }
    seen[position] = here.front();
  }

  struct Position {
    unsigned file = 0, line = 0, column = 0;
    auto operator<=>(const Position &) const = default;
  };
  static Position positionIn(StringRef text) {
    SmallVector<StringRef, 8> numbers;
    SplitString(text, numbers);
    numbers.resize(std::max<size_t>(numbers.size(), 3));
    return {number(numbers[0]), number(numbers[1]), number(numbers[2])};
  }

  Places &places;
  StringSet<> functions;
  std::map<unsigned, std::string> files;
  StringMap<std::string> named; ///< files by the name of their text
  std::map<Position, int> seen;
  std::vector<int> here;
  bool isHidden = false;
};

/// Texts of several modules, one behind the other: each begins as the first one
/// does.
SmallVector<ArrayRef<StringRef>, 2> modulesOf(ArrayRef<StringRef> lines) {
  SmallVector<ArrayRef<StringRef>, 2> modules;
  size_t begin = 0;
  for (size_t i = 1; i <= lines.size(); ++i) {
    if (i == lines.size() ||
        (lines[i] == lines[0] && lines[0].size() > 2 && lines[i] != "//") ||
        (lines[i] == "//" && lines[0] == "//" && i + 1 < lines.size() &&
         lines[i + 1] == lines[1])) {
      modules.push_back(lines.slice(begin, i - begin));
      begin = i;
    }
  }
  return modules;
}

} // namespace

Text readLlvm(StringRef text, Places &places) {
  const SmallVector<StringRef, 0> lines = linesOf(text);
  Metadata metadata(lines, places);
  Text result;
  for (StringRef original : lines) {
    if (Metadata::isDebug(original)) {
      continue;
    }
    std::string line = original.str();
    const StringRef name = takeDebug(line, original);
    const int place =
        original.starts_with("define") ? -1 : metadata.place(name);
    addLine(result, line, place < 0 ? std::vector<int>() : std::vector{place});
  }
  return result;
}

Text readAssembly(StringRef text, Places &places) {
  Text result;
  const SmallVector<StringRef, 0> lines = linesOf(text);
  for (ArrayRef<StringRef> module : modulesOf(lines)) {
    Assembly reader(places);
    for (StringRef line : module) { // some name their files at the end
      reader.addFile(line.trim());
    }
    for (StringRef line : module) {
      reader.read(line, result);
    }
  }
  return result;
}

Text readPlain(StringRef text) {
  Text result;
  for (StringRef line : linesOf(text)) {
    addLine(result, line);
  }
  return result;
}

} // namespace tz::view
