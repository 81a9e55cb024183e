//===- Debugger.h - stops a kernel in the interpreter and looks -----------===//
//
// What   Follows a run by the events of the frontend's map: statements, names,
//        inlined calls. Stops at breakpoints, after steps, at mistakes, and
//        carries out the commands that it is given there.
// Why    Where commands come from (terminal, script) is the command's business.
//
// Combine regions run on many lanes at once and are passed over: a stop there
// would be in no program's line.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DEBUGGER_DEBUGGER_H
#define TERRAZZO_CORE_DEBUGGER_DEBUGGER_H

#include "core/debugger/DebuggerExpression.h"
#include "core/debugger/ShowTile.h"
#include "core/frontend/DebugMap.h"
#include "core/interpreter/Observer.h"

namespace tz::tool {

class Debugger final : public interpreter::Observer {
public:
  /// The next command; none: there are no more, the run goes on to its end.
  using Commands = std::function<std::optional<std::string>()>;

  Debugger(const frontend::DebugMap &map, TileShower shower, Commands commands)
      : map(map), shower(std::move(shower)), commands(std::move(commands)) {}

  /// "LINE" of the kernel's file or "FILE:LINE"; then "if EXPRESSION".
  runtime::Status addBreakpoint(std::string_view text);
  /// Before the run: do not stop at the first statement.
  void runToBreakpoint() { mode = Mode::Continue; }
  /// Statements that store to the watched element (Options::watched) stop the
  /// run; `what` says why.
  void stopAtStores(std::string what) { watchedElement = std::move(what); }
  bool wasStored() const { return isStored; }

  bool wasQuit() const { return quitting; }
  /// Commands that were not understood.
  unsigned mistakes() const { return wrongCommands; }

  bool startProgram(const std::array<uint32_t, 3> &program) override;
  bool enterBlock(mlir::Block &block, Lookup values) override;
  bool beforeOp(mlir::Operation &op, Lookup values) override;
  bool leaveBlock(mlir::Block &block, Lookup values) override;
  void found(mlir::Operation &op, const interpreter::Finding &finding) override;
  void stores(mlir::Operation &op) override;
  void failed(mlir::Operation &op, llvm::StringRef message) override;

private:
  struct Part {
    const frontend::DebugPart *what = nullptr;
    std::optional<interpreter::TileValue> value; // of a run-time part
  };
  struct Name {
    std::string name;
    std::vector<Part> parts;
  };
  struct Frame {
    std::string function;
    frontend::SourceLoc at;  // the statement that runs
    std::vector<Name> names; // in the order of their first assignment
  };
  struct Breakpoint {
    unsigned number = 0;
    const frontend::SourceFile *file = nullptr;
    uint32_t line = 0;
    std::string condition; // empty: always
    unsigned hits = 0;
  };
  /// Of a name in each call of a function.
  struct Watch {
    unsigned number = 0;
    std::string function, name;
    unsigned hits = 0;
  };
  enum class Mode { Step, Next, Finish, Continue };

  bool follow(mlir::Block *block, mlir::Operation *previous, Lookup values);
  void setName(const frontend::DebugEvent &event, Lookup values);
  bool shouldStop(const frontend::SourceLoc &at);
  bool holds(const Breakpoint &breakpoint);
  /// Shows where the run is and takes commands until one lets it go on.
  void stop();
  bool obey(const std::string &line);

  void showPlace() const;
  void showBacktrace() const;
  void list(std::string_view argument) const;
  runtime::Result<const Name *> find(llvm::StringRef name) const;
  runtime::Status addWatch(std::string_view name);
  std::string changeText(const Part &before, const Part &now) const;
  /// Before the next statement the run stops, if the name is watched.
  void noteChange(const Name &name, const std::vector<Part> &before);
  runtime::Status print(std::string_view argument, bool whole, bool figures);
  runtime::Status printExpression(std::string_view text, bool whole,
                                  bool figures) const;
  /// For expressions (DebuggerExpression.h), in the selected frame.
  runtime::Result<DebugValue> valueOf(llvm::StringRef name,
                                      llvm::StringRef suffix) const;
  runtime::Result<DebugValue> valueOfPart(const std::string &name,
                                          const Part &part,
                                          llvm::StringRef suffix) const;
  runtime::Result<std::string> evaluateIndex(llvm::StringRef index) const;
  runtime::Status printPart(const std::string &name, const Part &part,
                            std::string_view index, bool whole,
                            bool figures) const;
  void showNames() const;
  runtime::Status select(std::string_view argument);
  runtime::Status remove(std::string_view argument);
  void showBreakpoints() const;
  runtime::Status complain(runtime::Status status);

  const frontend::DebugMap &map;
  TileShower shower;
  Commands commands;
  std::vector<Breakpoint> breakpoints;
  std::vector<Watch> watches;
  std::string changed; // what watches have to say at the next statement
  std::string watchedElement;
  mlir::Operation *storing = nullptr; // has stopped for one of its lanes
  bool isStored = false;
  unsigned lastNumber = 0;

  Mode mode = Mode::Step;
  size_t stopDepth = 0;   // of Next and Finish: frames at the last stop
  bool inLibrary = false; // the last stop was there: step stays in it
  bool quitting = false, silent = false;
  unsigned wrongCommands = 0;

  std::array<uint32_t, 3> program{};
  std::vector<Frame> frames; // innermost last
  size_t selected = 0;
  unsigned combining = 0; // combine regions that are open
};

/// The commands and what they do.
extern const char *const DebuggerHelp;

} // namespace tz::tool

#endif
