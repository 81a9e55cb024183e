//===- Workers.cpp - compilers in child processes -------------------------===//
//
// What   See Workers.h.
// Why    See Workers.h.
//===----------------------------------------------------------------------===//
#include "core/driver/worker/Workers.h"

#include "core/driver/LeftThreads.h"
#include "core/driver/options/Budget.h"
#include "core/driver/worker/Channel.h"
#include "core/driver/worker/Reproducer.h"
#include "runtime/cache/Cache.h"
#include "runtime/loader/Host.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tz::driver {

using namespace runtime;

namespace {
/// A file descriptor above the ones that a child is given.
class Descriptor {
public:
  explicit Descriptor(int low = -1) {
    if (low >= 0) {
      number = fcntl(low, F_DUPFD_CLOEXEC, 10);
      close(low);
    }
  }
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0) {
      close(number);
    }
  }
  int get() const { return number; }

private:
  int number = -1;
};
} // namespace

struct Workers::Child {
  pid_t process = -1;
  Descriptor socket, log; // what it writes to stderr lies in memory
  std::string scratch;    // its temporary files, gone with it; may be empty

  ~Child() {
    (void)end();
    std::error_code ignored;
    if (!scratch.empty()) {
      std::filesystem::remove_all(scratch, ignored);
    }
  }
  /// Everything that the child has started too; gives the wait status.
  int end() {
    int status = 0;
    if (process > 0) {
      (void)kill(-process, SIGKILL);
      while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
      }
      process = -1;
    }
    return status;
  }
  /// Waits a little for a child that closed its end to be gone by itself.
  int ended() {
    int status = 0;
    for (int i = 0; i < 100; ++i) {
      pid_t gone = waitpid(process, &status, WNOHANG);
      if (gone == process) {
        (void)kill(-process, SIGKILL); // what it had started
        process = -1;
        return status;
      }
      if (gone < 0 && errno != EINTR) {
        break; // another part of the program reaped it
      }
      usleep(10000);
    }
    return end();
  }
  std::string takeLog() {
    struct stat facts{};
    std::string text;
    if (fstat(log.get(), &facts) == 0 && facts.st_size > 0) {
      text.resize(size_t(std::min<off_t>(facts.st_size, 1 << 16)));
      ssize_t count = pread(log.get(), text.data(), text.size(),
                            facts.st_size - off_t(text.size()));
      text.resize(count > 0 ? size_t(count) : 0);
      (void)!ftruncate(log.get(), 0);
    }
    return text;
  }
};

void Workers::leave(std::unique_ptr<Child> child) {
  (void)kill(-child->process, SIGKILL);
  // The system takes down a large process slowly.
  std::shared_ptr<Child> last = std::move(child);
  if (std::optional<pthread_t> thread = startThread([last] { last->end(); })) {
    leaveThread(*thread);
  }
}

struct Workers::Answer {
  Status status;
  std::optional<Artifact> artifact;
};

Workers::Workers(std::string program, const Plugin &plugin)
    : program(std::move(program)), plugin(plugin.name()),
      manifest(plugin.description().path),
      cache(plugin.cache() ? plugin.cache()->folder() : "") {}

static std::string findProgram() {
  const std::string own = ownFolder();
  for (const char *place :
       {"/terrazzo/terrazzo-worker", "/../lib/terrazzo/terrazzo-worker"}) {
    if (access((own + place).c_str(), X_OK) == 0) {
      return own + place;
    }
  }
  return {};
}

/// Portable bytes of a kernel that every compiler gets in a child, where it can
/// be stopped. Shorter ones, of less than about a hundred ops, compile within a
/// second and 100 MiB.
static constexpr size_t LargeKernel = 4 << 10;

Workers *Workers::of(Plugin &plugin, size_t bytes) {
  const Manifest &m = plugin.description();
  bool isWanted = m.isolation == "worker" || bytes >= LargeKernel;
  if (std::optional<std::string> choice =
          environment("TERRAZZO_COMPILE_WORKER")) {
    if (*choice == "on" || *choice == "off") {
      isWanted = *choice == "on";
    } else {
      logMessage(1, "",
                 "TERRAZZO_COMPILE_WORKER is '" + *choice +
                     "'; 'on' or 'off' is expected");
    }
  }
  if (!isWanted || m.path.empty() || m.compilerLibrary.empty()) {
    return nullptr;
  }
  static const std::string program = findProgram();
  if (program.empty()) {
    static const bool said = [&] {
      logMessage(
          1, m.name,
          "terrazzo-worker is not installed beside this library: kernels "
          "are compiled in this process");
      return true;
    }();
    (void)said;
    return nullptr;
  }
  // For the life of the process, like the plugin's library itself.
  static std::mutex lock;
  static auto &all = *new std::map<std::string, std::unique_ptr<Workers>>();
  std::lock_guard guard(lock);
  std::unique_ptr<Workers> made(new Workers(program, plugin));
  std::unique_ptr<Workers> &found = all[m.path + '\n' + made->cache];
  if (!found) {
    found = std::move(made);
  }
  return found.get();
}

/// A folder for what a child and its assemblers leave behind when they are
/// killed. Empty if there can be none: then they say what they miss.
static std::string makeScratch() {
  std::error_code error;
  std::string path =
      (std::filesystem::temp_directory_path(error) / "terrazzo-worker-XXXXXX")
          .string();
  return error || !mkdtemp(path.data()) ? std::string() : path;
}

/// This process's variables, with another folder for temporary files.
static std::vector<const char *> variablesWith(const std::string &folder) {
  std::vector<const char *> all;
  for (char **one = environ; *one; ++one) {
    if (folder.empty() || std::strncmp(*one, "TMPDIR=", 7) != 0) {
      all.push_back(*one);
    }
  }
  if (!folder.empty()) {
    all.push_back(folder.c_str());
  }
  all.push_back(nullptr);
  return all;
}

/// Its standard input is empty, its output and errors go to the log, and its
/// end of the socket is 3. It leads a process group. Gives errno.
static int spawn(pid_t &process, std::span<const char *const> arguments,
                 std::span<const char *const> variables, int log, int socket) {
  Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, nothing.get(), 0);
  posix_spawn_file_actions_adddup2(&files, log, 1);
  posix_spawn_file_actions_adddup2(&files, log, 2);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  int problem = posix_spawn(&process, arguments[0], &files, &attributes,
                            const_cast<char **>(arguments.data()),
                            const_cast<char **>(variables.data()));
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return problem;
}

Result<std::unique_ptr<Workers::Child>>
Workers::start(const Interrupt &interrupt) {
  auto failed = [&](const std::string &what) {
    return Status(TZ_E_UNAVAILABLE,
                  "the compiler process of '" + plugin +
                      "' cannot be started: " + what +
                      "; TERRAZZO_COMPILE_WORKER=off compiles "
                      "in this process");
  };
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return failed(std::strerror(errno));
  }
  auto child = std::make_unique<Child>();
  child->socket = Descriptor(pair[0]);
  Descriptor theirs(pair[1]);
  child->log = Descriptor(memfd_create("terrazzo-worker", MFD_CLOEXEC));
  (void)fcntl(child->log.get(), F_SETFL, O_APPEND);

  child->scratch = makeScratch();
  const std::string memory = std::to_string(compileMebibytes()),
                    folder = child->scratch.empty()
                                 ? std::string()
                                 : "TMPDIR=" + child->scratch;
  const char *arguments[] = {
      program.c_str(),        manifest.c_str(), plugin.c_str(), cache.c_str(),
      child->scratch.c_str(), memory.c_str(),   nullptr};
  int problem = spawn(child->process, arguments, variablesWith(folder),
                      child->log.get(), theirs.get());
  if (problem) {
    child->process = -1;
    return failed(std::strerror(problem));
  }
  // It says when the plugin is open.
  theirs = Descriptor();
  Frame hello;
  auto deadline = Clock::now() + std::chrono::seconds(60);
  Channel channel(child->socket.get(), &interrupt);
  if (Channel::Outcome outcome = channel.receive(hello, deadline);
      outcome == Channel::Outcome::Interrupted) {
    leave(std::move(child));
    return interrupted(channel.interruption(),
                       "the compiler of '" + plugin + "'");
  } else if (outcome != Channel::Outcome::Fine) {
    (void)child->ended();
    return failed("it ends at once: " + child->takeLog());
  }
  Status status;
  if (hello.word == Word::Failed && unpackStatus(hello.content, status)) {
    return status;
  }
  return child;
}

Result<std::unique_ptr<Workers::Child>>
Workers::take(const Interrupt &interrupt) {
  {
    std::unique_lock guard(lock);
    const unsigned most = std::max(1u, std::thread::hardware_concurrency());
    while (!freed.wait_for(guard, Interrupt::Interval,
                           [&] { return busy < most; })) {
      guard.unlock();
      if (int32_t code = interrupt.code()) {
        return interrupted(code, "a free compiler of '" + plugin + "'");
      }
      guard.lock();
    }
    ++busy;
    if (!idle.empty()) {
      std::unique_ptr<Child> child = std::move(idle.back());
      idle.pop_back();
      return child;
    }
  }
  Result<std::unique_ptr<Child>> made = start(interrupt);
  if (!made) {
    giveBack(nullptr);
  }
  return made;
}

void Workers::giveBack(std::unique_ptr<Child> child) {
  std::lock_guard guard(lock);
  --busy;
  if (child) {
    idle.push_back(std::move(child));
  }
  freed.notify_one();
}

/// "ended by signal 6 (Aborted)", with the last line that it wrote.
static std::string describeEnd(int status, const std::string &log) {
  std::string text =
      WIFSIGNALED(status)
          ? "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + ")"
      : WIFEXITED(status)
          ? "ended with exit status " + std::to_string(WEXITSTATUS(status))
          : "ended";
  size_t end = log.find_last_not_of(" \n");
  if (end != std::string::npos) {
    size_t begin = log.find_last_of('\n', end);
    text += ": " +
            log.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  }
  return text;
}

/// What LLVM, the C++ library and the host's table write at the end of memory.
static bool saysOutOfMemory(const std::string &log) {
  return log.find("out of memory") != std::string::npos ||
         log.find("bad_alloc") != std::string::npos ||
         log.find("Allocation failed") != std::string::npos;
}

/// A free child to which the request was sent.
Result<std::unique_ptr<Workers::Child>>
Workers::send(const Frame &request, std::chrono::duration<double> seconds,
              const Interrupt &interrupt, Clock::time_point &deadline) {
  for (int attempt = 0;; ++attempt) {
    Result<std::unique_ptr<Child>> taken = take(interrupt);
    if (!taken) {
      return taken.takeStatus();
    }
    // The wait for a free child does not count.
    deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
    Channel::Outcome sent =
        Channel((*taken)->socket.get(), &interrupt).send(request, deadline);
    // A child may have died while it had nothing to do.
    if (sent != Channel::Outcome::Closed || attempt == 1) {
      return taken;
    }
    taken->reset();
    giveBack(nullptr);
  }
}

/// What a child answers that is alive.
Workers::Answer Workers::answerOf(const Frame &frame) const {
  Status status;
  switch (frame.word) {
  case Word::Passed:
    return {Status(), {}};
  case Word::Artifact:
    if (Result<Artifact> artifact = Artifact::read(frame.content)) {
      return {Status(), std::move(*artifact)};
    } else {
      return {artifact.takeStatus().in("plugin '" + plugin + "'"), {}};
    }
  default:
    return {unpackStatus(frame.content, status)
                ? status
                : Status(TZ_E_INTERNAL, "the compiler process of '" + plugin +
                                            "' answered nonsense"),
            {}};
  }
}

/// Of a child that was late, or ended by itself.
Status Workers::lost(std::unique_ptr<Child> child, bool isLate,
                     const CompileJob &job, std::string_view ir) {
  int status = isLate ? child->end() : child->ended();
  std::string log = child->takeLog();
  const bool isTooLarge = !isLate && saysOutOfMemory(log);
  child.reset();
  giveBack(nullptr);
  std::string text = "the compiler of '" + plugin + "' ";
  if (isLate) {
    text += tookTooLong() +
            " and was stopped; TERRAZZO_COMPILE_TIMEOUT (seconds) gives it "
            "more";
  } else if (isTooLarge) {
    text += "took more than " + std::to_string(compileMebibytes()) +
            " MiB and was stopped; TERRAZZO_COMPILE_MEMORY (MiB) gives it more";
  } else {
    text += describeEnd(status, log);
  }
  if (Result<std::string> path = keepKernel(job, ir)) {
    text += "; the kernel is kept in " + *path;
  } else {
    text += "; the kernel is not kept: " + path.status().message();
  }
  return Status(isLate       ? TZ_E_TIMEOUT
                : isTooLarge ? TZ_E_OUT_OF_MEMORY
                             : TZ_E_INTERNAL,
                text);
}

Workers::Answer Workers::ask(bool checks, const CompileJob &job,
                             std::string_view ir,
                             const VendorListener &listener,
                             const Interrupt &interrupt) {
  Clock::time_point deadline;
  Result<std::unique_ptr<Child>> taken =
      send({checks ? Word::Check : Word::Compile, packRequest(job, ir)},
           std::chrono::duration<double>(secondsLeft()), interrupt, deadline);
  if (!taken) {
    return {taken.takeStatus(), {}};
  }
  std::unique_ptr<Child> child = std::move(*taken);
  Channel channel(child->socket.get(), &interrupt);
  Frame frame;
  Channel::Outcome outcome;
  while ((outcome = channel.receive(frame, deadline)) ==
             Channel::Outcome::Fine &&
         frame.word == Word::Diagnostic) {
    if (VendorMessage message; unpackMessage(frame.content, message)) {
      listener(message);
    }
  }
  if (outcome == Channel::Outcome::Fine) {
    if (std::string text = child->takeLog(); !text.empty()) {
      (void)!write(2, text.data(), text.size());
    }
    giveBack(std::move(child));
    return answerOf(frame);
  }
  if (outcome == Channel::Outcome::Interrupted) {
    leave(std::move(child));
    giveBack(nullptr);
    return {
        interrupted(channel.interruption(), "the compiler of '" + plugin + "'"),
        {}};
  }
  return {lost(std::move(child), outcome == Channel::Outcome::Late, job, ir),
          {}};
}

Result<Artifact> Workers::compile(const CompileJob &job, std::string_view ir,
                                  const VendorListener &listener,
                                  const Interrupt &interrupt) {
  Answer answer = ask(false, job, ir, listener, interrupt);
  if (answer.artifact) {
    return std::move(*answer.artifact);
  }
  return answer.status.ok()
             ? Status(TZ_E_INTERNAL,
                      "plugin '" + plugin + "' answered no artifact")
             : answer.status;
}

Status Workers::check(const CompileJob &job, std::string_view ir,
                      const VendorListener &listener,
                      const Interrupt &interrupt) {
  return ask(true, job, ir, listener, interrupt).status;
}

} // namespace tz::driver
