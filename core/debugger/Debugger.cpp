//===- Debugger.cpp - stops a kernel in the interpreter and looks ---------===//
//
// What   See Debugger.h.
// Why    See Debugger.h.
//===----------------------------------------------------------------------===//
#include "core/debugger/Debugger.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tz::tool {

using frontend::DebugEvent;
using frontend::SourceLoc;
using runtime::Status;

const char *const DebuggerHelp =
    R"help(  b [FILE:]LINE    break before the statement there, or the next one after it
  b LINE if COND   the same, where COND holds: b 14 if pid == 3 and any(x > 9)
  b                list breakpoints and watches
  d N              delete breakpoint or watch N
  c                continue to the next breakpoint or mistake
  n, s             next line; step: also into called functions of the user
  finish           continue until the function returns
  w NAME           watch: stop after each statement that changes the value
  p NAME           print a tile or scalar; p NAME[3, 0:16] a part of it,
                   p NAME.shape, .dtype, .numel
  p EXPRESSION     Python's operators over them, element by element:
                   p row + 1, p acc[0] / n, p any(x != x); abs, all, any, exp,
                   isinf, isnan, log, max, mean, min, sqrt, sum. pid is
                   program_id(0), where the function has no name pid
  full NAME        print all elements; also of an expression
  stats NAME       smallest, largest, mean, NaN, infinite and zero elements;
                   of a part or an expression as well
  names            the names of the function and what they are
  bt               the calls that lead here; up, down, frame N choose one
  l [LINE]         list the source
  q                end the run
)help";

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

//===----------------------------------------------------------------------===//
// Following the run
//===----------------------------------------------------------------------===//

bool Debugger::startProgram(const std::array<uint32_t, 3> &next) {
  program = next;
  frames.clear();
  changed.clear();
  combining = 0;
  stopDepth = mode == Mode::Finish ? 0 : SIZE_MAX;
  return !quitting;
}

static bool isCombine(mlir::Block &block) {
  mlir::Operation *parent = block.getParentOp();
  return llvm::isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(parent);
}

bool Debugger::enterBlock(mlir::Block &block, Lookup values) {
  combining += isCombine(block);
  return follow(&block, nullptr, values);
}

bool Debugger::beforeOp(mlir::Operation &op, Lookup values) {
  storing = nullptr;
  mlir::Operation *previous = op.getPrevNode();
  return !previous || follow(op.getBlock(), previous, values);
}

bool Debugger::leaveBlock(mlir::Block &block, Lookup values) {
  mlir::Operation *last = block.getTerminator()->getPrevNode();
  const bool on = !last || follow(&block, last, values);
  combining -= isCombine(block);
  return on;
}

bool Debugger::follow(mlir::Block *block, mlir::Operation *previous,
                      Lookup values) {
  if (combining) {
    return !quitting;
  }
  for (const DebugEvent &event : map.after(block, previous)) {
    switch (event.kind) {
    case DebugEvent::Enter:
      frames.push_back({event.name, event.loc, {}});
      break;
    case DebugEvent::Leave:
      frames.pop_back();
      break;
    case DebugEvent::Name:
      setName(event, values);
      break;
    case DebugEvent::Statement:
      frames.back().at = event.loc;
      if (shouldStop(event.loc)) {
        stop();
      }
      break;
    }
    if (quitting) {
      return false;
    }
  }
  return !quitting;
}

void Debugger::setName(const DebugEvent &event, Lookup values) {
  std::vector<Name> &names = frames.back().names;
  auto known = llvm::find_if(
      names, [&](const Name &name) { return name.name == event.name; });
  if (known == names.end()) {
    known = names.insert(known, Name{event.name, {}});
  }
  const std::vector<Part> before = std::move(known->parts);
  known->parts.clear();
  for (const frontend::DebugPart &part : event.parts) {
    Part made{&part, {}};
    if (const interpreter::TileValue *value =
            part.value ? values(part.value) : nullptr) {
      made.value = *value;
    }
    known->parts.push_back(std::move(made));
  }
  noteChange(*known, before);
}

static bool isLibrary(const SourceLoc &at) {
  return at.file && at.file->path().starts_with("<");
}

bool Debugger::shouldStop(const SourceLoc &at) {
  if (silent) {
    return false;
  }
  const bool isWatched = !changed.empty();
  std::fputs(changed.c_str(), stdout);
  changed.clear();
  selected = frames.size() - 1; // whose names conditions are about
  for (Breakpoint &breakpoint : breakpoints) {
    if (breakpoint.file == at.file && breakpoint.line == at.line &&
        holds(breakpoint)) {
      ++breakpoint.hits;
      return true;
    }
  }
  if (isWatched) {
    return true;
  }
  switch (mode) {
  case Mode::Step:
    return inLibrary || !isLibrary(at);
  case Mode::Next:
    return frames.size() <= stopDepth;
  case Mode::Finish:
    return frames.size() < stopDepth;
  case Mode::Continue:
    return false;
  }
  return false;
}

/// A condition that cannot be evaluated stops as well, and says why.
bool Debugger::holds(const Breakpoint &breakpoint) {
  if (breakpoint.condition.empty()) {
    return true;
  }
  runtime::Result<DebugValue> value = evaluateDebug(
      breakpoint.condition, [this](llvm::StringRef name, llvm::StringRef rest) {
        return valueOf(name, rest);
      });
  std::string wrong;
  if (!value) {
    wrong = value.status().message();
  } else if (!value->shape.empty()) {
    wrong = "it is a tile; write any(...) or all(...)";
  } else {
    return value->isTrue(0);
  }
  std::printf("breakpoint %u: the condition has no answer here: %s\n",
              breakpoint.number, wrong.c_str());
  return true;
}

void Debugger::found(mlir::Operation &, const interpreter::Finding &finding) {
  const bool isError = finding.kind != interpreter::FindingKind::DivisionByZero;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s%s\n  in program (%u, %u, %u)\n",
               finding.location.c_str(),
               styled(isError ? Style::Bad : Style::Bold,
                      isError ? "error: " : "warning: ", true)
                   .c_str(),
               finding.message.c_str(), program[0], program[1], program[2]);
  if (isError && !silent && !frames.empty()) {
    stop();
  }
}

void Debugger::stores(mlir::Operation &op) {
  isStored = true;
  if (quitting || silent || frames.empty() || storing == &op) {
    return;
  }
  storing = &op;
  std::printf("stores to %s\n", watchedElement.c_str());
  stop();
}

void Debugger::failed(mlir::Operation &, llvm::StringRef message) {
  if (quitting || silent || frames.empty()) {
    return;
  }
  std::printf("the program fails here: %s\n", message.str().c_str());
  stop();
}

//===----------------------------------------------------------------------===//
// Where it is
//===----------------------------------------------------------------------===//

static std::string placeText(const SourceLoc &at) {
  return at.isValid() ? at.file->path().str() + ":" + std::to_string(at.line)
                      : "unknown place";
}

/// The line with its number, and a caret below it.
static void showLine(const SourceLoc &at) {
  if (!at.isValid()) {
    return;
  }
  llvm::StringRef line = at.file->line(at.line);
  std::string caret;
  for (char c : line.take_front(at.column ? at.column - 1 : 0)) {
    // Continuation bytes of UTF-8 take no column of their own.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      caret += c == '\t' ? '\t' : ' ';
    }
  }
  std::printf("%5u  %s\n       %s%s\n", at.line, line.str().c_str(),
              caret.c_str(), styled(Style::Good, "^").c_str());
}

void Debugger::showPlace() const {
  const Frame &frame = frames[selected];
  std::printf("program (%u, %u, %u), %s, %s\n", program[0], program[1],
              program[2], styled(Style::Bold, frame.function).c_str(),
              placeText(frame.at).c_str());
  showLine(frame.at);
}

void Debugger::showBacktrace() const {
  for (size_t i = frames.size(); i-- > 0;) {
    std::printf("%s#%zu  %s at %s\n", i == selected ? "* " : "  ",
                frames.size() - 1 - i, frames[i].function.c_str(),
                placeText(frames[i].at).c_str());
  }
}

void Debugger::list(std::string_view argument) const {
  const SourceLoc &at = frames[selected].at;
  if (!at.isValid()) {
    return;
  }
  uint32_t around = at.line;
  (void)llvm::StringRef(argument).getAsInteger(10, around);
  const uint32_t first = around > 5 ? around - 5 : 1;
  const uint32_t last = std::min(at.file->lineCount(), around + 5);
  for (uint32_t line = first; line <= last; ++line) {
    const bool breaks = llvm::any_of(breakpoints, [&](const Breakpoint &b) {
      return b.file == at.file && b.line == line;
    });
    std::printf("%c%c%4u  %s\n", line == at.line ? '>' : ' ',
                breaks ? '*' : ' ', line, at.file->line(line).str().c_str());
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

Status Debugger::complain(Status status) {
  if (!status.ok()) {
    ++wrongCommands;
    reportError(status.message());
  }
  return status;
}

void Debugger::stop() {
  selected = frames.size() - 1;
  showPlace();
  while (true) {
    std::optional<std::string> line = commands();
    if (!line) {
      silent = true; // no one is there to look
      return;
    }
    if (obey(*line)) {
      inLibrary = isLibrary(frames.back().at);
      return;
    }
  }
}

/// True if the run goes on.
bool Debugger::obey(const std::string &line) {
  auto [word, rest] = llvm::StringRef(line).trim().split(' ');
  const std::string_view argument = rest.trim();
  auto is = [&word = word](std::initializer_list<llvm::StringRef> names) {
    return llvm::is_contained(names, word);
  };
  auto go = [&](Mode next) {
    mode = next;
    stopDepth = frames.size();
    return true;
  };
  if (is({"c", "continue"})) {
    return go(Mode::Continue);
  }
  if (is({"n", "next"})) {
    return go(Mode::Next);
  }
  if (is({"s", "step"})) {
    return go(Mode::Step);
  }
  if (is({"finish"})) {
    return go(Mode::Finish);
  }
  if (is({"q", "quit"})) {
    quitting = true;
    return true;
  }
  if (word.empty()) {
    return false;
  }
  if (is({"p", "print"})) {
    (void)complain(print(argument, false, false));
  } else if (is({"full"})) {
    (void)complain(print(argument, true, false));
  } else if (is({"stats"})) {
    (void)complain(print(argument, false, true));
  } else if (is({"names", "locals"})) {
    showNames();
  } else if (is({"bt", "backtrace", "where"})) {
    showBacktrace();
  } else if (is({"up", "down", "frame"})) {
    if (complain(select(line)).ok()) {
      showPlace();
    }
  } else if (is({"l", "list"})) {
    list(argument);
  } else if (is({"b", "break"})) {
    if (argument.empty()) {
      showBreakpoints();
    } else {
      (void)complain(addBreakpoint(argument));
    }
  } else if (is({"w", "watch"})) {
    if (argument.empty()) {
      showBreakpoints();
    } else {
      (void)complain(addWatch(argument));
    }
  } else if (is({"d", "delete"})) {
    (void)complain(remove(argument));
  } else if (is({"h", "help", "?"})) {
    std::fputs(DebuggerHelp, stdout);
  } else {
    (void)complain(invalid("no command '" + word.str() +
                           "'; 'help' lists the commands of the debugger"));
  }
  return false;
}

/// Chooses the frame that names and places are of.
Status Debugger::select(std::string_view line) {
  auto [word, argument] = llvm::StringRef(line).trim().split(' ');
  size_t wanted = selected;
  if (word == "up") {
    wanted = selected - 1;
  } else if (word == "down") {
    wanted = selected + 1;
  } else {
    size_t number = 0;
    if (argument.trim().getAsInteger(10, number)) {
      return invalid("'frame' takes the number of a frame, as 'bt' shows it");
    }
    wanted = frames.size() - 1 - number;
  }
  if (wanted >= frames.size()) {
    return invalid("there is no such frame; 'bt' lists them");
  }
  selected = wanted;
  return Status();
}

static std::string conditionText(const std::string &condition) {
  return condition.empty() ? "" : ", if " + condition;
}

Status Debugger::addBreakpoint(std::string_view text) {
  auto [place, condition] = llvm::StringRef(text).trim().split(" if ");
  if (Status s =
          condition.trim().empty() ? Status() : checkDebugExpression(condition);
      !s.ok()) {
    return s;
  }
  llvm::StringRef rest = place.trim();
  llvm::StringRef file;
  if (size_t colon = rest.rfind(':'); colon != llvm::StringRef::npos) {
    file = rest.take_front(colon);
    rest = rest.drop_front(colon + 1);
  }
  uint32_t line = 0;
  if (rest.getAsInteger(10, line) || line == 0) {
    return invalid("a breakpoint is LINE or FILE:LINE, and may end in 'if "
                   "CONDITION', not '" +
                   std::string(text) + "'");
  }
  const frontend::SourceFile *found = nullptr;
  uint32_t nearest = 0, first = 0, last = 0;
  for (const SourceLoc &at : map.statements()) {
    if (!at.isValid()) {
      continue;
    }
    // Without a name: the file of the selected frame, or of the kernel.
    const bool isHere =
        file.empty()
            ? at.file == (frames.empty() ? map.statements().front().file
                                         : frames[selected].at.file)
            : at.file->path() == file ||
                  at.file->path().ends_with("/" + file.str());
    if (!isHere) {
      continue;
    }
    found = at.file;
    first = first ? std::min(first, at.line) : at.line;
    last = std::max(last, at.line);
    if (at.line >= line && (!nearest || at.line < nearest)) {
      nearest = at.line;
    }
  }
  if (!found) {
    return invalid("no statement of this kernel is in a file '" + file.str() +
                   "'");
  }
  if (!nearest) {
    return invalid(
        "no statement of this kernel is at line " + std::to_string(line) +
        " of " + found->path().str() + " or after it; the first is at line " +
        std::to_string(first) + ", the last at line " + std::to_string(last));
  }
  breakpoints.push_back(
      {++lastNumber, found, nearest, condition.trim().str(), 0});
  std::printf("breakpoint %u at %s:%u%s%s\n", lastNumber,
              found->path().str().c_str(), nearest,
              nearest == line ? "" : ", where the next statement is",
              conditionText(breakpoints.back().condition).c_str());
  return Status();
}

Status Debugger::remove(std::string_view argument) {
  unsigned number = 0;
  const bool isNumber = !llvm::StringRef(argument).getAsInteger(10, number);
  auto which = llvm::find_if(breakpoints, [&](const Breakpoint &one) {
    return isNumber && one.number == number;
  });
  if (which != breakpoints.end()) {
    breakpoints.erase(which);
    return Status();
  }
  auto watch = llvm::find_if(watches, [&](const Watch &one) {
    return isNumber && one.number == number;
  });
  if (watch == watches.end()) {
    return invalid("there is no breakpoint or watch '" + std::string(argument) +
                   "'; 'b' lists them");
  }
  watches.erase(watch);
  return Status();
}

void Debugger::showBreakpoints() const {
  if (breakpoints.empty() && watches.empty()) {
    std::printf("no breakpoints\n");
  }
  for (const Breakpoint &one : breakpoints) {
    std::printf("%u  %s:%u%s, hit %u times\n", one.number,
                one.file->path().str().c_str(), one.line,
                conditionText(one.condition).c_str(), one.hits);
  }
  for (const Watch &one : watches) {
    std::printf("%u  watch %s of %s, changed %u times\n", one.number,
                one.name.c_str(), one.function.c_str(), one.hits);
  }
}

} // namespace tz::tool
