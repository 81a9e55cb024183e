//===- FileAnalysis.cpp - what the compiler knows of an open file ---------===//
//
// What   See FileAnalysis.h.
// Why    The driver compiles, with its limits of time and memory: what is typed
//        may be an endless loop.
//===----------------------------------------------------------------------===//
#include "core/editor/FileAnalysis.h"

#include "core/arguments/Request.h"
#include "core/driver/LoweredKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace tz::editor {

using namespace runtime;

namespace {

/// Keeps what is reported, as it is printed.
struct Heard final : runtime::DiagnosticSink {
  void report(uint32_t severity, std::string_view rendered) override {
    all.emplace_back(severity, rendered);
  }
  std::vector<std::pair<uint32_t, std::string>> all;
};

class Analyser {
public:
  Analyser(driver::Driver &driver, const std::string &path,
           const TextPositions &text, const std::vector<std::string> &roots,
           const KernelSettings &settings)
      : driver(driver), path(path), text(text), roots(roots),
        settings(settings) {}

  FileAnalysis run();

private:
  void addKernel(const frontend::KernelInfo &kernel);
  void addWith(const frontend::KernelInfo &kernel, const KernelWords &words);
  void addGuesses(const frontend::KernelInfo &kernel, KernelWords words);
  void compile(const frontend::KernelInfo &kernel, tool::Request request,
               const std::string &signature, const KernelWords &words);
  void addHeard(const Heard &heard, bool isGuess);
  void add(FileMessage message);
  void addNames(const driver::LoweredKernel::State &state,
                const std::string &kernel);
  void addResults(mlir::ModuleOp module);
  void addRemarks(const driver::LoweredKernel::State &state);
  void addFunctions(const driver::Sources &sources);
  /// A status that belongs to the kernel's first line.
  void addStatus(const frontend::KernelInfo &kernel, const Status &status,
                 const KernelWords &words);

  FilePlace placeAt(std::string_view file, uint32_t line, uint32_t column,
                    uint32_t length) const;
  bool isThisFile(llvm::StringRef file) const { return file == path; }

  driver::Driver &driver;
  const std::string &path;
  const TextPositions &text;
  const std::vector<std::string> &roots;
  const KernelSettings &settings;
  FileAnalysis made;
};

} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// `line` and `column` from 1. Without a length the name that stands there.
FilePlace Analyser::placeAt(std::string_view file, uint32_t line,
                            uint32_t column, uint32_t length) const {
  FilePlace place;
  if (!isThisFile(file)) {
    place.path = file;
  }
  place.line = line ? line - 1 : 0;
  place.begin = column ? column - 1 : 0;
  place.end = place.begin + std::max(length, 1u);
  if (place.path.empty()) {
    const size_t most = text.line(place.line).size();
    const NameAt name = text.nameAt(place.line, place.begin);
    if (length <= 1 && !name.text.empty() && name.begin == place.begin) {
      place.end = name.end;
    }
    place.begin = std::min(place.begin, most);
    place.end = std::min(place.end, most);
  }
  return place;
}

void Analyser::add(FileMessage message) {
  auto isSame = [&](const FileMessage &one) {
    return one.text == message.text && one.place.line == message.place.line &&
           one.place.begin == message.place.begin &&
           one.place.path == message.place.path;
  };
  if (llvm::none_of(made.messages, isSame)) {
    made.messages.push_back(std::move(message));
  }
}

namespace {
/// "file:12:3: error: text" and, two lines below, a caret and tildes.
struct RenderedLine {
  std::string file, severity, text;
  uint32_t line = 0, column = 0, length = 0;
};
} // namespace

static std::vector<RenderedLine> readRendered(llvm::StringRef rendered) {
  std::vector<RenderedLine> all;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  rendered.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    const llvm::StringRef marks = line.ltrim();
    if (marks.starts_with("^") && marks.ltrim("^~").trim().empty()) {
      if (!all.empty() && all.back().length == 0) {
        all.back().length = uint32_t(marks.rtrim().size());
      }
      continue;
    }
    for (const char *severity : {"error", "warning", "remark", "note"}) {
      const std::string mark = std::string(severity) + ": ";
      const size_t at = line.find(mark);
      if (at == llvm::StringRef::npos ||
          (at > 0 && !line.take_front(at).ends_with(": ")) ||
          line.starts_with(" ")) {
        continue;
      }
      RenderedLine one;
      one.severity = severity;
      one.text = line.drop_front(at + mark.size()).str();
      auto [upToLine, column] = line.take_front(at).rtrim(": ").rsplit(':');
      auto [file, number] = upToLine.rsplit(':');
      if (!column.getAsInteger(10, one.column) &&
          !number.getAsInteger(10, one.line)) {
        one.file = file.str();
      }
      all.push_back(std::move(one));
      break;
    }
  }
  return all;
}

void Analyser::addHeard(const Heard &heard, bool isGuess) {
  for (const auto &[severity, rendered] : heard.all) {
    const std::vector<RenderedLine> lines = readRendered(rendered);
    if (lines.empty() || severity == TZ_SEVERITY_REMARK) {
      continue; // passes' remarks come with the pass's name
    }
    const RenderedLine &main = lines.front();
    FileMessage message;
    message.place = placeAt(main.file, main.line, main.column, main.length);
    message.kind = severity == TZ_SEVERITY_ERROR
                       ? (isGuess ? MessageKind::Warning : MessageKind::Error)
                       : MessageKind::Warning;
    message.text = main.text;
    for (const RenderedLine &note : llvm::drop_begin(lines)) {
      message.notes.emplace_back(
          placeAt(note.file, note.line, note.column, note.length), note.text);
    }
    // A mistake in an imported file is shown at the line that leads there.
    if (!message.place.path.empty()) {
      auto here = llvm::find_if(message.notes, [](const auto &note) {
        return note.first.path.empty();
      });
      const FilePlace there = message.place;
      message.place = here == message.notes.end() ? FilePlace() : here->first;
      message.notes.insert(message.notes.begin(), {there, message.text});
    }
    add(std::move(message));
  }
}

void Analyser::addStatus(const frontend::KernelInfo &kernel,
                         const Status &status, const KernelWords &words) {
  FileMessage message;
  const bool isWritten =
      words.from == KernelWords::Comment || words.from == KernelWords::Command;
  message.kind = words.from == KernelWords::Guess ? MessageKind::Information
                                                  : MessageKind::Error;
  message.text = words.from == KernelWords::Guess
                     ? "kernel '" + kernel.name +
                           "' is not checked: " + status.message() +
                           "; say its types in a comment above it: # tz: " +
                           "--sig ... --constexpr ..."
                     : status.message();
  message.place = isWritten ? placeAt(path, uint32_t(words.line + 1), 1,
                                      uint32_t(text.line(words.line).size()))
                            : placeAt(path, kernel.loc.line, kernel.loc.column,
                                      uint32_t(kernel.name.size()));
  add(std::move(message));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void Analyser::addKernel(const frontend::KernelInfo &kernel) {
  const KernelWords words = wordsFor(text.text(), kernel, settings);
  if (words.isCalled) {
    return; // the kernels that call it tell its mistakes
  }
  words.from == KernelWords::Guess ? addGuesses(kernel, words)
                                   : addWith(kernel, words);
}

static unsigned warningsIn(const FileAnalysis &analysis) {
  return unsigned(llvm::count_if(analysis.messages, [](const FileMessage &one) {
    return one.kind == MessageKind::Warning;
  }));
}

/// Several guesses: the best one gives types, and a mistake is told if it is
/// one under each of them.
void Analyser::addGuesses(const frontend::KernelInfo &kernel,
                          KernelWords words) {
  std::vector<FileAnalysis> parts;
  for (const std::string &guess : words.guesses) {
    words.words = guess;
    FileAnalysis before = std::exchange(made, FileAnalysis());
    addWith(kernel, words);
    parts.push_back(std::exchange(made, std::move(before)));
    if (warningsIn(parts.back()) == 0) {
      break;
    }
  }
  auto best = std::min_element(parts.begin(), parts.end(),
                               [](const auto &a, const auto &b) {
                                 return warningsIn(a) < warningsIn(b);
                               });
  auto isEverywhere = [&](const FileMessage &message) {
    return llvm::all_of(parts, [&](const FileAnalysis &part) {
      return llvm::any_of(part.messages, [&](const FileMessage &one) {
        return one.text == message.text &&
               one.place.line == message.place.line &&
               one.place.begin == message.place.begin;
      });
    });
  };
  for (FileMessage &message : best->messages) {
    if (message.kind != MessageKind::Warning || isEverywhere(message)) {
      add(std::move(message));
    }
  }
  llvm::append_range(made.names, best->names);
  llvm::append_range(made.results, best->results);
  llvm::append_range(made.functions, best->functions);
}

void Analyser::addWith(const frontend::KernelInfo &kernel,
                       const KernelWords &words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(); // of tz run: --compare and others
  tool::Request request;
  std::string signature;
  tool::addRequestOptions(app, request);
  app.get_option("kernel")->required(false);
  app.add_option("--sig", signature);
  if (Status s = tool::parseWords(app, words.words); !s.ok()) {
    addStatus(kernel, s, words);
    return;
  }
  request.kernel = path + "::" + kernel.name;
  request.text = text.text();
  llvm::append_range(request.imports.roots, roots);
  request.binding.allowTypes = true;
  request.grid.clear(); // its names may need numbers that types do not have
  compile(kernel, std::move(request), signature, words);
}

void Analyser::compile(const frontend::KernelInfo &kernel,
                       tool::Request request, const std::string &signature,
                       const KernelWords &words) {
  const bool isGuess = words.from == KernelWords::Guess;
  Heard heard;
  if (!signature.empty()) {
    Result<tool::NamedKernel> named = tool::loadKernel(request, driver, heard);
    Status s =
        named ? tool::addSignature(signature, named->signature, request.binding)
              : named.takeStatus();
    if (!s.ok()) {
      heard.all.empty() ? addStatus(kernel, s, words)
                        : addHeard(heard, isGuess);
      return;
    }
  }
  Result<tool::Launch> launch = tool::resolve(request, driver, heard);
  if (!launch) {
    heard.all.empty() ? addStatus(kernel, launch.status(), words)
                      : addHeard(heard, isGuess);
    return;
  }
  KeyValue level;
  level.key = "debug_level";
  level.kind = TZ_KV_I64;
  level.i64 = 2;
  launch->job.options.push_back(level);
  Result<driver::LoweredKernel> tile =
      driver.lower(launch->job, driver::Stage::Tile, heard);
  addHeard(heard, isGuess);
  if (!tile) {
    if (heard.all.empty()) {
      addStatus(kernel, tile.status(), words);
    }
    return;
  }
  addNames(tile->state(), kernel.name);
  addResults(*tile->state().module);
  addFunctions(tile->state().source->files());
  Heard remarks;
  Result<driver::LoweredKernel> neutral =
      driver.lower(launch->job, driver::Stage::Neutral, remarks);
  if (neutral) {
    addRemarks(neutral->state());
  }
}

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

void Analyser::addNames(const driver::LoweredKernel::State &state,
                        const std::string &kernel) {
  if (!state.debugMap) {
    return;
  }
  auto addEvents = [&](llvm::ArrayRef<frontend::DebugEvent> events) {
    for (const frontend::DebugEvent &event : events) {
      if (event.kind != frontend::DebugEvent::Name || !event.loc.isValid() ||
          !isThisFile(event.loc.file->path())) {
        continue;
      }
      NamedValue value;
      value.name = event.name;
      value.kernel = kernel;
      value.isConstant = true;
      for (const frontend::DebugPart &part : event.parts) {
        value.type += value.type.empty() ? "" : ", ";
        value.type += part.path.empty() ? "" : part.path + ": ";
        value.type += part.value ? part.type.str() : part.text;
        value.isConstant &= !part.value;
      }
      value.place =
          placeAt(path, event.loc.line, event.loc.column, event.loc.length);
      made.names.push_back(std::move(value));
    }
  };
  const frontend::DebugMap &map = *state.debugMap;
  mlir::ModuleOp module = *state.module;
  module->walk([&](mlir::Block *block) {
    addEvents(map.after(block, nullptr));
    for (mlir::Operation &op : *block) {
      addEvents(map.after(block, &op));
    }
  });
}

/// "fp32[64, 64]", as the language prints it.
static std::string languageType(mlir::Type type) {
  std::string shape, element;
  for (int64_t extent : tile::shapeOf(type)) {
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  }
  llvm::raw_string_ostream(element) << tile::elementType(type);
  llvm::StringRef text = element;
  std::string name = text.consume_front("!tile.ptr<") ? "*" : "";
  text = text.rtrim('>');
  name += text == "bf16"          ? "bf16"
          : text.starts_with("f") ? "fp" + text.drop_front().str()
          : text.starts_with("i")
              ? (text == "i1" ? "int1" : "int" + text.drop_front().str())
              : text.str();
  return shape.empty() ? name : name + "[" + shape + "]";
}

void Analyser::addResults(mlir::ModuleOp module) {
  module->walk([&](mlir::Operation *op) {
    if (op->getNumResults() == 0) {
      return;
    }
    // The place itself, and all calls that led there: a call gives what its
    // last operation gives.
    op->getLoc()->walk([&](mlir::Location part) {
      auto range = llvm::dyn_cast<mlir::FileLineColRange>(part);
      if (range && isThisFile(range.getFilename().getValue()) &&
          range.getStartLine() > 0 && range.getStartColumn() > 0) {
        made.results.push_back({size_t(range.getStartLine() - 1),
                                size_t(range.getStartColumn() - 1),
                                languageType(op->getResult(0).getType())});
      }
      return mlir::WalkResult::advance();
    });
  });
}

void Analyser::addRemarks(const driver::LoweredKernel::State &state) {
  for (const optimizer::Remark &remark : state.remarks) {
    FileMessage message;
    bool isPlaced = false;
    remark.location->walk([&](mlir::Location part) {
      auto range = llvm::dyn_cast<mlir::FileLineColRange>(part);
      if (range && isThisFile(range.getFilename().getValue())) {
        message.place =
            placeAt(path, range.getStartLine(), range.getStartColumn(), 1);
        isPlaced = true;
        return mlir::WalkResult::interrupt();
      }
      return mlir::WalkResult::advance();
    });
    if (isPlaced) {
      message.kind = MessageKind::Hint;
      message.text = remark.message;
      message.code = remark.pass;
      add(std::move(message));
    }
  }
}

/// Every "def NAME(" of a text.
static void addDefinitions(llvm::StringRef text, const std::string &path,
                           std::vector<FunctionPlace> &to) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    llvm::StringRef line = lines[i].ltrim();
    const size_t indent = lines[i].size() - line.size();
    if (!line.consume_front("def ")) {
      continue;
    }
    llvm::StringRef name = line.take_while(isNameLetter);
    std::string signature = "def " + line.trim().str();
    for (size_t next = i + 1; next < lines.size() && next < i + 24 &&
                              !llvm::StringRef(signature).ends_with(":");
         ++next) {
      signature += " " + lines[next].trim().str();
    }
    to.push_back({name.str(),
                  llvm::StringRef(signature).rtrim(':').str(),
                  {path, i, indent + 4, indent + 4 + name.size()}});
  }
}

void Analyser::addFunctions(const driver::Sources &sources) {
  for (const auto &source : sources) {
    auto isIt = [&](const FunctionPlace &one) {
      return one.place.path == source->path();
    };
    if (source->isFile() && !isThisFile(source->path()) &&
        llvm::none_of(made.functions, isIt)) {
      addDefinitions(source->text(), source->path().str(), made.functions);
    }
  }
}

FileAnalysis Analyser::run() {
  frontend::DiagnosticSink sink;
  frontend::Surroundings around;
  around.importRoots = roots;
  const frontend::Module module =
      frontend::parseModule(path, text.text(), sink, std::move(around));
  for (const frontend::Diagnostic &one : sink.diagnostics()) {
    FileMessage message;
    message.kind = one.severity == frontend::Severity::Error
                       ? MessageKind::Error
                       : MessageKind::Warning;
    message.text = one.message;
    message.place = one.loc.isValid()
                        ? placeAt(one.loc.file->path(), one.loc.line,
                                  one.loc.column, one.loc.length)
                        : FilePlace();
    add(std::move(message));
  }
  addDefinitions(text.text(), "", made.functions);
  // After a mistake in the file's own text each kernel would tell it again.
  if (!sink.hasErrors()) {
    for (const frontend::KernelInfo &kernel : module.kernels()) {
      addKernel(kernel);
    }
  }
  addFunctions(module.sources());
  return std::move(made);
}

FileAnalysis analyse(driver::Driver &driver, const std::string &path,
                     const TextPositions &text,
                     const std::vector<std::string> &roots,
                     const KernelSettings &settings) {
  return Analyser(driver, path, text, roots, settings).run();
}

} // namespace tz::editor
