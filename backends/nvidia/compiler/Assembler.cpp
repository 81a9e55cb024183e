//===- Assembler.cpp - from PTX to machine code ---------------------------===//
//
// What   See Assembler.h.
// Why    See Assembler.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Assembler.h"

#include "backends/nvidia/compiler/JitLink.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

using namespace llvm;

namespace tz::nvidia {

std::string findPtxas() {
  if (const char *choice = std::getenv("TERRAZZO_PTXAS");
      choice && StringRef(choice) == "none") {
    return {};
  }
  for (const char *name : {"TERRAZZO_PTXAS", "TRITON_PTXAS_PATH"}) {
    if (const char *path = std::getenv(name);
        path && sys::fs::can_execute(path)) {
      return path;
    }
  }
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas")) {
    return *path;
  }
  const char *usual = "/usr/local/cuda/bin/ptxas";
  return sys::fs::can_execute(usual) ? usual : "";
}

namespace {
/// A file that goes with the object.
struct Temporary {
  explicit Temporary(StringRef suffix) {
    if (std::error_code error =
            sys::fs::createTemporaryFile("terrazzo", suffix, path)) {
      throw std::runtime_error("no temporary file: " + error.message());
    }
  }
  ~Temporary() { (void)sys::fs::remove(path); }
  Temporary(const Temporary &) = delete;
  std::string text() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
  SmallString<128> path;
};

unsigned numberBefore(StringRef text, StringRef words) {
  SmallVector<StringRef> found;
  return Regex(("([0-9]+) " + words).str()).match(text, &found)
             ? unsigned(std::stoul(found[1].str()))
             : 0;
}
/// Which program, and which build of it.
std::string identityOf(const std::string &program) {
  sys::fs::file_status facts;
  if (sys::fs::status(program, facts)) {
    return program;
  }
  return program + " " + std::to_string(facts.getSize()) + " " +
         std::to_string(
             facts.getLastModificationTime().time_since_epoch().count());
}

/// "registers spills\nwarning\n...\n\n" and the code.
std::string pack(const Assembled &from) {
  std::string text = std::to_string(from.registers) + " " +
                     std::to_string(from.spillBytes) + "\n";
  for (const std::string &line : from.warnings) {
    text += line + "\n";
  }
  return text + "\n" + from.cubin;
}

std::optional<Assembled> unpack(StringRef text) {
  auto [head, code] = text.split("\n\n");
  auto [figures, warnings] = head.split('\n');
  auto [registers, spills] = figures.split(' ');
  Assembled made;
  if (code.empty() || registers.getAsInteger(10, made.registers) ||
      spills.getAsInteger(10, made.spillBytes)) {
    return std::nullopt;
  }
  SmallVector<StringRef> lines;
  warnings.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    made.warnings.push_back(line.str());
  }
  made.cubin = code.str();
  return made;
}

tz_bytes bytesOf(StringRef text) { return {text.data(), text.size()}; }

std::optional<Assembled> lookUp(const tz_host *host, StringRef key) {
  void *data = nullptr;
  size_t size = 0;
  if (!host || !TZ_HAS_FN(host, tz_host, cache_get) ||
      host->cache_get(host->ctx, bytesOf(key), &data, &size) != TZ_E_OK) {
    return std::nullopt;
  }
  std::optional<Assembled> found =
      unpack(StringRef(static_cast<const char *>(data), size));
  host->free(host->ctx, data, size, 1);
  return found;
}

/// "ptxas refuses the code: ..., in 'bad.u32 %r1, %tid.x;'"
std::string refusal(StringRef log, StringRef ptx) {
  SmallVector<StringRef> found, lines;
  if (!Regex("line ([0-9]+); error *: *([^\n]*)").match(log, &found)) {
    return "ptxas refuses the code: " + log.trim().str();
  }
  ptx.split(lines, '\n');
  size_t number = std::stoul(found[1].str());
  return "ptxas refuses the code: " + found[2].trim().str() +
         (number && number <= lines.size()
              ? ", in '" + lines[number - 1].trim().str() + "'"
              : std::string());
}

Assembled read(std::string cubin, StringRef log) {
  Assembled result;
  result.cubin = std::move(cubin);
  result.registers = numberBefore(log, "registers");
  result.spillBytes = numberBefore(log, "bytes spill stores");
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("warning") ||
        line.contains("Potential Performance Loss")) {
      auto [kind, words] = line.split(" : "); // "ptxas warning : ..."
      result.warnings.push_back((words.empty() ? line : words).trim().str());
    }
  }
  return result;
}

/// Another text may do.
struct Refused : AssemblerError {
  using AssemblerError::AssemblerError;
};

/// Seconds that ptxas may take for one text.
constexpr unsigned mostSeconds = 120;

/// One ptxas at work; it ends with the object.
class Ptxas {
public:
  Ptxas(const std::string &program, const std::string &ptx, StringRef cpu);
  ~Ptxas() { stop(); }
  Ptxas(const Ptxas &) = delete;

  /// Waits for it.
  Assembled finish();

private:
  void stop();

  using Clock = std::chrono::steady_clock;
  const std::string &ptx;
  Temporary source{"ptx"}, output{"cubin"}, messages{"log"};
  pid_t process = -1;
  const Clock::time_point deadline =
      Clock::now() + std::chrono::seconds(mostSeconds);
};

Ptxas::Ptxas(const std::string &program, const std::string &ptx, StringRef cpu)
    : ptx(ptx) {
  {
    std::error_code error;
    raw_fd_ostream file(source.path, error);
    file << ptx;
    file.close();
    if (error || file.has_error()) {
      throw std::runtime_error("a temporary file could not be written");
    }
  }
  std::string arch = ("-arch=" + cpu).str();
  const char *arguments[] = {
      program.c_str(),     "-v",   arch.c_str(), source.path.c_str(), "-o",
      output.path.c_str(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, messages.path.c_str(), O_WRONLY,
                                   0);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int problem =
      posix_spawn(&process, program.c_str(), &files, nullptr,
                  const_cast<char *const *>(arguments), environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem) {
    process = -1;
    throw std::runtime_error(program +
                             " cannot be started: " + std::strerror(problem));
  }
}

void Ptxas::stop() {
  if (process > 0) {
    (void)kill(process, SIGKILL);
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
    process = -1;
  }
}

Assembled Ptxas::finish() {
  // No alarm and no handler of signals: the process may not be ours alone.
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 ||
         (ended < 0 && errno == EINTR)) {
    if (Clock::now() > deadline) {
      stop();
      throw AssemblerError("ptxas took more than " +
                           std::to_string(mostSeconds) + " s");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  process = -1;
  std::string log = messages.text();
  if (ended < 0) {
    throw AssemblerError("nothing is known of ptxas's end; does another part "
                         "of the program wait for all children?");
  }
  if (WIFSIGNALED(status)) {
    throw Refused(std::string("ptxas was ended by a signal: ") +
                  strsignal(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    throw Refused(refusal(log, ptx));
  }
  return read(output.text(), log);
}

Assembled runJitLink(void *library, StringRef ptx, StringRef cpu) {
  JitLinked made = jitLink(library, ptx, cpu);
  if (made.cubin.empty()) {
    throw Refused(refusal(made.log, ptx));
  }
  return read(std::move(made.cubin), made.log);
}
} // namespace

namespace {
/// What is used here; neither: the driver compiles.
struct Means {
  Means() : ptxas(findPtxas()) {
    if (ptxas.empty()) {
      library = openJitLink(path);
    }
  }
  std::string identity() const {
    return !ptxas.empty() ? "ptxas " + identityOf(ptxas)
           : library      ? "nvJitLink " + identityOf(path)
                          : "";
  }
  std::string ptxas, path;
  void *library = nullptr; // never closed
};
} // namespace

std::string assemblerIdentity() { return Means().identity(); }

namespace {
/// The next one that may do without spills, if that one spilled so much.
size_t nextChoice(ArrayRef<AssemblerChoice> choices, size_t at,
                  unsigned spillBytes) {
  // A register more saves a word that is stored once and perhaps once more.
  const unsigned wanted = choices[at].registers + spillBytes / 8;
  for (++at; at + 1 < choices.size() && choices[at].registers < wanted;) {
    ++at;
  }
  return at;
}

/// Whether that many more processes would each find a core of its own.
bool hasIdleCores(size_t wanted) {
  // "0.31 0.20 0.15 2/480 1234": two run now, this thread is one of them.
  auto text = MemoryBuffer::getFileAsStream("/proc/loadavg");
  SmallVector<StringRef> words;
  if (text) {
    (*text)->getBuffer().split(words, ' ');
  }
  unsigned running = 0;
  return words.size() > 3 &&
         !words[3].split('/').first.getAsInteger(10, running) &&
         running + wanted <= std::thread::hardware_concurrency() + 1;
}

/// The choices for one kernel, some of them on their way.
class Attempts {
public:
  Attempts(const Means &means, ArrayRef<AssemblerChoice> choices, StringRef cpu,
           const tz_host *host)
      : means(means), choices(choices), cpu(cpu), host(host),
        all(choices.size()) {}

  /// Whether the code is there already.
  bool start(size_t i);
  Assembled &finish(size_t i);

private:
  struct Attempt {
    std::string key;
    std::optional<Assembled> made;
    std::unique_ptr<Ptxas> process;
  };
  const Means &means;
  ArrayRef<AssemblerChoice> choices;
  StringRef cpu;
  const tz_host *host;
  std::vector<Attempt> all;
};

bool Attempts::start(size_t i) {
  Attempt &one = all[i];
  if (one.key.empty()) {
    one.key = (means.identity() + " " + cpu + "\n" + choices[i].text).str();
    one.made = lookUp(host, one.key);
    if (!one.made && !means.library) {
      one.process = std::make_unique<Ptxas>(means.ptxas, choices[i].text, cpu);
    }
  }
  return one.made.has_value();
}

Assembled &Attempts::finish(size_t i) {
  Attempt &one = all[i];
  if (!start(i)) {
    one.made = one.process ? one.process->finish()
                           : runJitLink(means.library, choices[i].text, cpu);
    if (host && TZ_HAS_FN(host, tz_host, cache_put)) {
      (void)host->cache_put(host->ctx, bytesOf(one.key),
                            bytesOf(pack(*one.made)));
    }
  }
  return *one.made;
}
} // namespace

std::optional<Assembled> assembleBest(ArrayRef<AssemblerChoice> choices,
                                      StringRef cpu, const tz_host *host,
                                      size_t &taken) {
  const Means means;
  if (means.ptxas.empty() && !means.library) {
    return std::nullopt;
  }
  Attempts attempts(means, choices, cpu, host);
  const size_t last = choices.size() - 1;
  // What ptxas takes 50 ms for; a process more is not worth less than that.
  constexpr size_t longText = 16 << 10;
  if (!attempts.start(0) && choices[0].text.size() > longText &&
      hasIdleCores(choices.size())) {
    for (size_t i = 1; i <= last; ++i) {
      attempts.start(i);
    }
  }
  std::vector<std::string> refusals;
  std::optional<size_t> spilling; // the last one that is not refused
  auto finish = [&](size_t i) {
    taken = i;
    Assembled &made = attempts.finish(i);
    made.refusals = std::move(refusals);
    return std::move(made);
  };
  for (size_t i = 0;;) {
    try {
      const unsigned spills = attempts.finish(i).spillBytes;
      if (spills == 0 || i == last) {
        return finish(i);
      }
      spilling = i;
      i = nextChoice(choices, i, spills);
    } catch (const Refused &problem) {
      refusals.push_back(problem.what());
      if (i == last && !spilling) {
        throw;
      }
      if (i == last) {
        return finish(*spilling);
      }
      ++i;
    }
  }
}

} // namespace tz::nvidia
