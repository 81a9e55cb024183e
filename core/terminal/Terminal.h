//===- Terminal.h - what a person sees ------------------------------------===//
//
// What   Colours, errors with a hint, and a line that shows that work goes on.
// Why    All commands should look alike, and be plain text in a pipe.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TERMINAL_TERMINAL_H
#define TERRAZZO_CORE_TERMINAL_TERMINAL_H

#include "runtime/session/CompilerService.h"

#include <condition_variable>

namespace tz::tool {

enum class Style { Plain, Bold, Good, Bad, Dim };
/// `text` in a style, if stdout (or stderr) is a terminal and NO_COLOR is not
/// set.
std::string styled(Style style, std::string_view text, bool onStderr = false);

/// "tz: error: ..." on stderr; `help` says how to mend it. Gives exit status 1.
int reportError(std::string_view message, std::string_view help = {});

/// "tz: warning: ..." and "tz: note: ..." on stderr.
void reportWarning(std::string_view message, std::string_view help = {});
void reportNote(std::string_view message);

/// Diagnostics of the compiler, to stderr; remembers whether errors came.
class TerminalSink final : public runtime::DiagnosticSink {
public:
  void report(uint32_t severity, std::string_view rendered) override;
  bool showRemarks = false;
  unsigned errors = 0, warnings = 0;
};

/// A failing call: nothing is printed twice if the sink has shown the errors.
int reportFailure(const runtime::Status &status, const TerminalSink &sink);

/// Shows `what` with the seconds on a terminal once the work has taken 2 s, and
/// what `detail` says then, from another thread.
class Progress {
public:
  explicit Progress(std::string what, std::function<std::string()> detail = {});
  ~Progress();

private:
  std::string what;
  std::function<std::string()> detail;
  std::mutex lock;
  std::condition_variable wake;
  bool done = false, shown = false;
  std::thread thread;
};

/// At the start: files that are opened later are never stdin, stdout or stderr,
/// if the program was started without one of them.
void reserveStandardFiles();
/// At the end: what was printed has been written, or else an error is told and
/// the status is not 0. Silent where the reader of a pipe has gone.
int finishOutput(int status);

/// Writes a file by way of a temporary one and a rename, so that it is whole or
/// not there; "-" or "" is stdout.
runtime::Status writeFile(const std::string &path, std::string_view content);
/// The whole file; the message says what is wrong.
runtime::Result<std::string> readFile(const std::string &path);
/// The same; a pipe is read to its end, once. It may be slow, but not endless.
runtime::Result<std::string> readFileOrPipe(const std::string &path);

} // namespace tz::tool

#endif
