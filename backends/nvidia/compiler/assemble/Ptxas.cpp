//===- Ptxas.cpp - one run of ptxas ---------------------------------------===//
//
// What   See Ptxas.h.
// Why    See Ptxas.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/assemble/Ptxas.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace llvm;

namespace tz::nvidia {

namespace {
constexpr const char *Input = "kernel.ptx", *Gate = "gate", *Text = "text",
                     *Output = "kernel.cubin", *Messages = "log";

std::string contents(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// write(), but a reader that is gone is EPIPE alone, no signal: the process
/// may not be ours.
ssize_t writeQuietly(int pipe, const char *data, size_t size) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  const ssize_t count = write(pipe, data, size);
  const int problem = errno;
  if (count < 0 && problem == EPIPE && !sigismember(&pending, SIGPIPE)) {
    const timespec none{};
    while (sigtimedwait(&broken, nullptr, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = problem;
  return count;
}

/// The machine has no room or process now; it may have later.
plugin::Failure unavailable(std::string why) {
  return plugin::Failure(TZ_E_UNAVAILABLE, std::move(why), 0, TZ_ERR_RETRY);
}
} // namespace

Ptxas::Folder::Folder() {
  // Others must not read the kernel, nor put another one into its place.
  SmallString<128> made;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, made);
  sys::path::append(made, "terrazzo-ptxas-XXXXXX");
  path = made.str().str();
  if (!mkdtemp(path.data())) {
    throw unavailable("no temporary folder: " + path + ": " +
                      std::strerror(errno));
  }
}

Ptxas::Folder::~Folder() {
  for (const char *name : {Input, Gate, Text, Output, Messages}) {
    (void)unlink(file(name).c_str());
  }
  (void)rmdir(path.c_str());
}

Ptxas::Ptxas(const std::string &program, StringRef cpu) : ahead(true) {
  const std::string input = folder.file(Input);
  if (mkfifo(input.c_str(), 0600) != 0 ||
      link(input.c_str(), folder.file(Gate).c_str()) != 0) {
    throw unavailable(std::string("no named pipe: ") + std::strerror(errno));
  }
  start(program, cpu);
}

Ptxas::Ptxas(const std::string &program, StringRef cpu, const std::string &text)
    : ahead(false) {
  writeText(text);
  start(program, cpu);
}

namespace {
/// glibc's allocator gets its memory in large pages, and keeps it: a fifth of
/// what ptxas takes for a small kernel are page faults of its heap.
constexpr StringRef Tunables = "GLIBC_TUNABLES=";
constexpr const char *LargePages =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216:"
    "glibc.malloc.mmap_threshold=33554432:"
    "glibc.malloc.trim_threshold=268435456";

/// That of this process; what somebody chose there stays.
std::vector<char *> childEnvironment() {
  std::vector<char *> all;
  bool isChosen = false;
  for (char **one = environ; one && *one; ++one) {
    isChosen |= StringRef(*one).starts_with(Tunables);
    all.push_back(*one);
  }
  if (!isChosen) {
    all.push_back(const_cast<char *>(LargePages));
  }
  all.push_back(nullptr);
  return all;
}
} // namespace

void Ptxas::start(const std::string &program, StringRef cpu) {
  const std::string input = folder.file(Input), output = folder.file(Output),
                    messages = folder.file(Messages),
                    arch = ("-arch=" + cpu).str();
  const char *arguments[] = {program.c_str(), "-v", arch.c_str(),
                             input.c_str(),   "-o", output.c_str(),
                             nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, messages.c_str(),
                                   O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int problem = posix_spawn(&process, program.c_str(), &files, nullptr,
                                  const_cast<char *const *>(arguments),
                                  childEnvironment().data());
  posix_spawn_file_actions_destroy(&files);
  if (problem) {
    process = -1;
    throw unavailable(program +
                      " cannot be started: " + std::strerror(problem));
  }
  constexpr rlimit most{MostSeconds, MostSeconds};
  (void)prlimit(process, RLIMIT_CPU, &most, nullptr);
}

Ptxas::~Ptxas() {
  if (pipe >= 0) {
    close(pipe);
  }
  if (process > 0) {
    (void)kill(process, SIGKILL);
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  // What a script started may still wait there: it reads nothing and ends.
  if (int last =
          open(folder.file(Gate).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
      last >= 0) {
    close(last);
  }
}

/// Who opens the input from now on finds the text: until now the name was a
/// pipe's. The folder is this object's own, so no other writer and no link is
/// in it, which the runtime's way of replacing a file (runtime/file) is for.
void Ptxas::writeText(const std::string &content) {
  const std::string path = folder.file(Text);
  std::error_code error;
  raw_fd_ostream file(path, error);
  file << content;
  file.close();
  if (error || file.has_error() ||
      rename(path.c_str(), folder.file(Input).c_str()) != 0) {
    file.clear_error();
    throw unavailable("a temporary file could not be written");
  }
}

void Ptxas::give(std::string content) {
  text = std::move(content);
  writeText(text);
  pass();
}

/// Writes as much of the text as the pipe takes, if somebody waits there.
void Ptxas::pass() {
  if (pipe < 0 && passed < text.size()) {
    pipe =
        open(folder.file(Gate).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0);
    if (pipe >= 0) {
      (void)fcntl(pipe, F_SETPIPE_SZ,
                  int(std::min<size_t>(text.size(), 1 << 20)));
    }
  }
  while (pipe >= 0) {
    const ssize_t count =
        writeQuietly(pipe, text.data() + passed, text.size() - passed);
    passed += count > 0 ? size_t(count) : 0;
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0 && errno == EAGAIN) {
      return;
    }
    if (count < 0 || passed == text.size()) {
      passed = text.size(); // or it wants no more
      close(pipe);
      pipe = -1;
    }
  }
}

bool Ptxas::isRunning() {
  if (process > 0 && waitpid(process, nullptr, WNOHANG) != 0) {
    process = -1;
  }
  return process > 0;
}

Ptxas::End Ptxas::finish(std::chrono::steady_clock::time_point deadline) {
  // No alarm and no handler of signals: the process may not be ours alone.
  End end;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 ||
         (ended < 0 && errno == EINTR)) {
    if (std::chrono::steady_clock::now() > deadline) {
      end.isLate = true;
      return end;
    }
    pass();
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  process = -1;
  if (ended > 0) {
    end.status = status;
    end.code = contents(folder.file(Output));
    end.log = contents(folder.file(Messages));
  }
  return end;
}

PtxasStarter::~PtxasStarter() {
  {
    std::lock_guard guard(lock);
    ends = true;
  }
  changed.notify_all();
  if (thread.joinable()) {
    thread.join();
  }
}

void PtxasStarter::want(size_t count, std::chrono::milliseconds after) {
  std::lock_guard guard(lock);
  wanted = count;
  due = std::chrono::steady_clock::now() + after;
  if (!thread.joinable()) {
    thread = std::thread([this] { run(); });
  }
  changed.notify_all();
}

std::unique_ptr<Ptxas> PtxasStarter::take() {
  std::unique_lock guard(lock);
  wanted -= wanted ? 1 : 0;
  while (true) {
    if (waiting.empty() && isStarting) { // sooner there than another
      changed.wait(guard);
    } else if (waiting.empty()) {
      guard.unlock();
      return std::make_unique<Ptxas>(program, cpu);
    } else {
      // The one that has waited longest is ready.
      std::unique_ptr<Ptxas> first = std::move(waiting.front());
      waiting.erase(waiting.begin());
      if (first->isRunning()) {
        return first;
      }
    }
  }
}

void PtxasStarter::run() {
  std::unique_lock guard(lock);
  while (!ends) {
    if (waiting.size() >= wanted) {
      changed.wait(guard);
    } else if (std::chrono::steady_clock::now() < due) {
      changed.wait_until(guard, due);
    } else {
      isStarting = true;
      guard.unlock();
      std::unique_ptr<Ptxas> made;
      try {
        made = std::make_unique<Ptxas>(program, cpu);
      } catch (const std::exception &) { // take() will say what it is
      }
      guard.lock();
      isStarting = false;
      if (made) {
        waiting.push_back(std::move(made));
      } else {
        wanted = 0;
      }
      changed.notify_all();
    }
  }
}

} // namespace tz::nvidia
