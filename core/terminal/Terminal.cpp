//===- Terminal.cpp - what a person sees ----------------------------------===//
//
// What   See Terminal.h.
// Why    A result file is renamed into place: an interrupted run leaves no half
//        artifact that a build system would take for a good one.
//===----------------------------------------------------------------------===//
#include "core/terminal/Terminal.h"

#include "runtime/file/File.h"

#include "llvm/ADT/ScopeExit.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <unistd.h>

namespace tz::tool {

using runtime::Result;
using runtime::Status;

static bool hasColour(bool onStderr) {
  static const bool wanted = !std::getenv("NO_COLOR");
  static const bool out = wanted && isatty(STDOUT_FILENO);
  static const bool err = wanted && isatty(STDERR_FILENO);
  return onStderr ? err : out;
}

std::string styled(Style style, std::string_view text, bool onStderr) {
  std::string result(text);
  if (style == Style::Plain || !hasColour(onStderr)) {
    return result;
  }
  const char *code = style == Style::Bold   ? "\x1b[1m"
                     : style == Style::Good ? "\x1b[32m"
                     : style == Style::Bad  ? "\x1b[1;31m"
                                            : "\x1b[2m";
  return code + result + "\x1b[0m";
}

static void say(Style style, std::string_view kind, std::string_view message,
                std::string_view help) {
  std::fflush(stdout);
  std::string text = styled(Style::Bold, "tz: ", true) +
                     styled(style, std::string(kind) + ": ", true) +
                     std::string(message) + "\n";
  if (!help.empty()) {
    text += "  help: " + std::string(help) + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int reportError(std::string_view message, std::string_view help) {
  say(Style::Bad, "error", message, help);
  return 1;
}

void reportWarning(std::string_view message, std::string_view help) {
  say(Style::Bold, "warning", message, help);
}

void reportNote(std::string_view message) {
  say(Style::Dim, "note", message, {});
}

void TerminalSink::report(uint32_t severity, std::string_view rendered) {
  if (severity == TZ_SEVERITY_REMARK && !showRemarks) {
    return;
  }
  errors += severity == TZ_SEVERITY_ERROR;
  warnings += severity == TZ_SEVERITY_WARNING;
  std::fflush(stdout);
  std::fwrite(rendered.data(), 1, rendered.size(), stderr);
  if (!rendered.ends_with('\n')) {
    std::fputc('\n', stderr);
  }
}

int reportFailure(const Status &status, const TerminalSink &sink) {
  return sink.errors ? 1 : reportError(status.message());
}

Progress::Progress(std::string text, std::function<std::string()> more)
    : what(std::move(text)), detail(std::move(more)) {
  if (!isatty(STDERR_FILENO)) {
    return;
  }
  thread = std::thread([this] {
    using namespace std::chrono;
    auto start = steady_clock::now();
    std::unique_lock guard(lock);
    auto next = seconds(2);
    while (!wake.wait_until(guard, start + next, [&] { return done; })) {
      std::fprintf(stderr, "\r%s ... %lld s%s\x1b[K", what.c_str(),
                   static_cast<long long>(next.count()),
                   detail ? detail().c_str() : "");
      shown = true;
      next += seconds(1);
    }
  });
}

Progress::~Progress() {
  if (!thread.joinable()) {
    return;
  }
  {
    std::lock_guard guard(lock);
    done = true;
  }
  wake.notify_all();
  thread.join();
  if (shown) {
    std::fputs("\r\x1b[K", stderr);
  }
}

/// A failure to write to stdout has been made a message already.
static bool isLossTold = false;

void reserveStandardFiles() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      // The wrong way round: reading and writing fail, as they should.
      (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

int finishOutput(int status) {
  errno = 0;
  const bool hadError = std::ferror(stdout) != 0;
  bool isWhole = std::fflush(stdout) == 0 && !hadError;
  // Some file systems tell of a full disk when a file is closed.
  if (const int copy = dup(STDOUT_FILENO); copy >= 0) {
    isWhole = close(copy) == 0 && isWhole;
  }
  if (isWhole) {
    return status;
  }
  if (errno == 0) {
    // It failed before, and stdio does not keep why: the next write tells.
    (void)!write(STDOUT_FILENO, "\n", 1);
  }
  if (errno != EPIPE && !isLossTold) {
    reportError(std::string("cannot write to stdout: ") +
                std::strerror(errno ? errno : EIO));
  }
  return status ? status : 1;
}

Status writeFile(const std::string &path, std::string_view content) {
  if (path.empty() || path == "-") {
    bool whole = std::fwrite(content.data(), 1, content.size(), stdout) ==
                     content.size() &&
                 std::fflush(stdout) == 0;
    isLossTold |= !whole;
    return whole ? Status()
                 : Status(TZ_E_UNAVAILABLE,
                          std::string("cannot write to stdout: ") +
                              std::strerror(errno));
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Status(TZ_E_INVALID_ARGUMENT, path + " is a folder; name a file");
  }
  // A device or a pipe cannot be renamed over.
  bool special = std::filesystem::exists(path, ignored) &&
                 !std::filesystem::is_regular_file(path, ignored);
  if (!special) {
    int error = runtime::replaceFileAt(AT_FDCWD, path, {&content, 1}, 0666);
    return error ? Status(TZ_E_UNAVAILABLE,
                          "cannot write " + path + ": " + std::strerror(error))
                 : Status();
  }
  errno = 0;
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool whole = file && std::fwrite(content.data(), 1, content.size(), file) ==
                           content.size();
  whole = file && std::fclose(file) == 0 && whole;
  return whole
             ? Status()
             : Status(TZ_E_UNAVAILABLE, "cannot write " + path + ": " +
                                            std::strerror(errno ? errno : EIO));
}

Result<std::string> readFile(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Status(TZ_E_NOT_FOUND, path + " is a folder, not a file");
  }
  // A pipe without a writer would block, a device may have no end.
  if (std::filesystem::exists(path, ignored) &&
      !std::filesystem::is_regular_file(path, ignored)) {
    return Status(TZ_E_NOT_FOUND, path + " is not a regular file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Status(TZ_E_NOT_FOUND, "cannot read " + path + ": " +
                                      std::strerror(errno ? errno : ENOENT));
  }
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

Result<std::string> readFileOrPipe(const std::string &path) {
  constexpr size_t mostBytes = size_t{64} << 20;
  std::error_code ignored, unknown;
  if (!std::filesystem::is_fifo(path, ignored)) {
    const uintmax_t size = std::filesystem::file_size(path, unknown);
    return !unknown && size > mostBytes
               ? Status(TZ_E_OUT_OF_RANGE,
                        path + " has " + std::to_string(size) +
                            " bytes; a kernel's file has at most 64 MiB")
               : readFile(path);
  }
  auto fail = [&](const std::string &why) {
    return Status(TZ_E_NOT_FOUND, "cannot read the pipe " + path + ": " + why);
  };
  constexpr int interval = 100, forWriter = 2000, forMore = 60000; // ms
  // Without waiting: a pipe that nobody writes to would never open.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    return fail(std::strerror(errno));
  }
  llvm::scope_exit close([fd] { ::close(fd); });
  std::string text;
  char part[1 << 16];
  for (int waited = 0;;) {
    const ssize_t got = read(fd, part, sizeof part);
    if (got > 0) {
      text.append(part, size_t(got));
      waited = 0;
      if (text.size() > mostBytes) {
        return fail("more than 64 MiB came out of it");
      }
      continue;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      return fail(std::strerror(errno));
    }
    // Nothing: nobody has it open for writing, any more or yet.
    const bool hasWriter = got < 0;
    if (!hasWriter && !text.empty()) {
      return text;
    }
    if (waited >= (hasWriter ? forMore : forWriter)) {
      return fail(hasWriter ? "nothing has come out of it for a minute"
                            : "nobody writes to it");
    }
    pollfd more{fd, POLLIN, 0};
    // Without a writer poll may return at once.
    if (poll(&more, 1, interval) > 0 && !(more.revents & POLLIN)) {
      usleep(interval * 1000);
    }
    waited += interval;
  }
}

} // namespace tz::tool
