//===- Assembler.cpp - from PTX to machine code ---------------------------===//
//
// What   See Assembler.h.
// Why    See Assembler.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/assemble/Assembler.h"

#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/assemble/JitLink.h"
#include "backends/nvidia/compiler/assemble/Ptxas.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tz::nvidia {

std::string findPtxas() {
  if (const char *choice = secure_getenv("TERRAZZO_PTXAS");
      choice && StringRef(choice) == "none") {
    return {};
  }
  for (const char *name : {"TERRAZZO_PTXAS", "TRITON_PTXAS_PATH"}) {
    if (const char *path = secure_getenv(name);
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

Assembled finish(Ptxas &process, StringRef ptx) {
  Ptxas::End end = process.finish(std::chrono::steady_clock::now() +
                                  std::chrono::seconds(Ptxas::MostSeconds));
  if (end.isLate) {
    throw AssemblerError(TZ_E_TIMEOUT, "ptxas took more than " +
                                           std::to_string(Ptxas::MostSeconds) +
                                           " s");
  }
  if (!end.status) {
    throw AssemblerError(TZ_E_FAILED_PRECONDITION,
                         "nothing is known of ptxas's end; does another part "
                         "of the program wait for all children?");
  }
  if (WIFSIGNALED(*end.status)) {
    throw Refused(TZ_E_INTERNAL, std::string("ptxas was ended by a signal: ") +
                                     strsignal(WTERMSIG(*end.status)));
  }
  if (WEXITSTATUS(*end.status) != 0) {
    throw Refused(TZ_E_INTERNAL, refusal(end.log, ptx));
  }
  return read(std::move(end.code), end.log);
}

Assembled runJitLink(void *library, StringRef ptx, StringRef cpu) {
  JitLinked made = jitLink(library, ptx, cpu);
  if (made.cubin.empty()) {
    throw Refused(TZ_E_INTERNAL, refusal(made.log, ptx));
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
/// The next one that may do without spills, if that one spilled so much. Of
/// those that hold loads, or do not, the spills say nothing of the others.
size_t nextChoice(ArrayRef<AssemblerChoice> choices, size_t at,
                  unsigned spillBytes) {
  // A register more saves a word, which long code spills up to eight times.
  const unsigned wanted = choices[at].registers + spillBytes / 32;
  const bool holds = choices[at].holds;
  for (++at; at + 1 < choices.size() && choices[at].registers < wanted &&
             choices[at].holds == holds;) {
    ++at;
  }
  return at;
}

/// Whether ptxas says that it serialised what could overlap. It says of other
/// reasons, too, which more registers do not change.
bool lacksRegisters(const Assembled &made) {
  return any_of(made.warnings, [](StringRef line) {
    return line.contains("insufficient register resources");
  });
}

/// Cores that have nothing to do, with this thread's.
size_t idleCores() {
  // "0.31 0.20 0.15 2/480 1234": two run now, this thread is one of them.
  auto text = MemoryBuffer::getFileAsStream("/proc/loadavg");
  SmallVector<StringRef> words;
  if (text) {
    (*text)->getBuffer().split(words, ' ');
  }
  unsigned running = 0;
  const unsigned cores = std::thread::hardware_concurrency();
  return words.size() > 3 &&
                 !words[3].split('/').first.getAsInteger(10, running) &&
                 running <= cores
             ? cores + 1 - running
             : 0;
}

/// A compiler process of its own ends whatever it started: there some wait for
/// the next kernel, too. Nobody else's process is left with children.
constexpr size_t MostKept = 2;

bool keepsWaiting() {
  const char *worker = secure_getenv("TERRAZZO_WORKER");
  return worker && worker == std::to_string(getpid());
}

/// Of all requests for such code, where they may stay.
std::shared_ptr<PtxasStarter> keptStarter(const Means &means,
                                          const std::string &identity,
                                          const std::string &cpu) {
  static std::mutex lock;
  static std::map<std::string, std::shared_ptr<PtxasStarter>> all;
  std::lock_guard guard(lock);
  std::shared_ptr<PtxasStarter> &found = all[identity + " " + cpu];
  if (!found) {
    found = std::make_shared<PtxasStarter>(means.ptxas, cpu);
  }
  return found;
}
} // namespace

struct Assembler::State {
  Means means;
  const std::string identity = means.identity(), cpu;
  const tz_host *host;
  const bool keeps = keepsWaiting();
  std::shared_ptr<PtxasStarter> starter; // if there is ptxas

  State(StringRef cpu, const tz_host *host) : cpu(cpu), host(host) {
    if (!means.ptxas.empty()) {
      starter = keeps ? keptStarter(means, identity, this->cpu)
                      : std::make_shared<PtxasStarter>(means.ptxas, this->cpu);
    }
  }
};

Assembler::Assembler(StringRef cpu, const tz_host *host)
    : state(std::make_unique<State>(cpu, host)) {}

Assembler::~Assembler() {
  if (state->starter && state->keeps) {
    // Not in the way of what is asked next.
    state->starter->want(MostKept, std::chrono::milliseconds(20));
  }
}

void Assembler::expect(size_t texts) {
  if (state->starter) {
    constexpr size_t most = 4; // a kernel's variants, twice
    texts = std::clamp(texts, size_t(1), std::max(size_t(1), idleCores()));
    state->starter->want(std::min(texts, most), {});
  }
}

namespace {
/// The choices for one kernel, some of them on their way.
class Attempts {
public:
  Attempts(const Means &means, const std::string &identity,
           PtxasStarter *starter, ArrayRef<AssemblerChoice> choices,
           StringRef cpu, const tz_host *host)
      : means(means), identity(identity), starter(starter), choices(choices),
        cpu(cpu), host(host), all(choices.size()) {}

  /// Whether the code is there already.
  bool start(size_t i);
  Assembled &finish(size_t i);
  std::optional<size_t> withMoreBlocks();
  std::optional<size_t> roomier(size_t i);

private:
  Assembled assemble(size_t i);

  struct Attempt {
    std::string key;
    std::optional<Assembled> made;
    std::unique_ptr<Ptxas> process;
  };
  const Means &means;
  const std::string &identity;
  PtxasStarter *starter;
  ArrayRef<AssemblerChoice> choices;
  StringRef cpu;
  const tz_host *host;
  std::vector<Attempt> all;
};

bool Attempts::start(size_t i) {
  Attempt &one = all[i];
  if (one.key.empty()) {
    one.key = (identity + " " + cpu + "\n" + choices[i].text).str();
    one.made = lookUp(host, one.key);
    if (!one.made && starter) {
      one.process = starter->take();
      one.process->give(choices[i].text);
    }
  }
  return one.made.has_value();
}

Assembled Attempts::assemble(size_t i) {
  const std::string &text = choices[i].text;
  if (!all[i].process) {
    return runJitLink(means.library, text, cpu);
  }
  try {
    return tz::nvidia::finish(*all[i].process, text);
  } catch (const Refused &) { // or it cannot wait for its input
    Ptxas again(means.ptxas, cpu, text);
    return tz::nvidia::finish(again, text);
  }
}

/// A choice before the last one, as good as that one and with more blocks. With
/// all the registers that it may have, ptxas takes more than it needs.
std::optional<size_t> Attempts::withMoreBlocks() {
  const size_t last = choices.size() - 1;
  const unsigned registers = alignTo(finish(last).registers, 8);
  for (size_t i = 0; i < last; ++i) {
    const AssemblerChoice &one = choices[i];
    if ((one.cheapSpills == 0 && one.slightSpills == 0) ||
        registers > one.registers * 3 / 2 || registers <= one.registers) {
      continue;
    }
    const unsigned blocks = RegistersOfAll / (one.threads * registers);
    if (one.blocks <= blocks) {
      continue;
    }
    try {
      if (finish(i).spillBytes <=
          (one.blocks >= 2 * blocks
               ? std::max(one.cheapSpills, one.slightSpills)
               : one.slightSpills)) {
        return i;
      }
    } catch (const Refused &) { // so it is no better
    }
  }
  return std::nullopt;
}

/// The choice with the most registers instead of this one, if it is cramped:
/// with fewer than it takes by itself ptxas puts loads behind each other.
std::optional<size_t> Attempts::roomier(size_t i) {
  constexpr unsigned most = 64, granule = 8; // registers come in eights
  const AssemblerChoice &tight = choices[i];
  if (tight.cramped == 0 || tight.registers >= most ||
      finish(i).registers + granule <= tight.registers) {
    return std::nullopt;
  }
  size_t j = choices.size() - 1;
  while (choices[j].holds != tight.holds) {
    --j;
  }
  try {
    const Assembled &made = finish(j);
    const bool isBetter = made.spillBytes == 0 &&
                          made.registers >= tight.cramped &&
                          made.registers <= most;
    return isBetter ? std::optional(j) : std::nullopt;
  } catch (const Refused &) { // so it is no better
    return std::nullopt;
  }
}

Assembled &Attempts::finish(size_t i) {
  Attempt &one = all[i];
  if (!start(i)) {
    one.made = assemble(i);
    if (host && TZ_HAS_FN(host, tz_host, cache_put)) {
      (void)host->cache_put(host->ctx, bytesOf(one.key),
                            bytesOf(pack(*one.made)));
    }
  }
  return *one.made;
}
} // namespace

size_t Assembler::atOnce(size_t choices, size_t bytes) {
  // What ptxas takes 50 ms for; a process more is not worth less than that.
  constexpr size_t longText = 16 << 10;
  return bytes > longText && idleCores() >= choices ? choices : 1;
}

std::optional<Assembled> Assembler::best(ArrayRef<AssemblerChoice> choices,
                                         size_t &taken) {
  const Means &means = state->means;
  if (means.ptxas.empty() && !means.library) {
    return std::nullopt;
  }
  Attempts attempts(means, state->identity, state->starter.get(), choices,
                    state->cpu, state->host);
  const size_t last = choices.size() - 1;
  if (!attempts.start(0)) {
    for (size_t i = 1; i < atOnce(choices.size(), choices[0].text.size());
         ++i) {
      attempts.start(i);
    }
  }
  std::vector<std::string> refusals;
  std::optional<size_t> spilling; // the last one that is not refused
  std::optional<size_t> serial;   // the first one without spills
  auto finish = [&](size_t i) {
    taken = i;
    Assembled &made = attempts.finish(i);
    made.refusals = std::move(refusals);
    return std::move(made);
  };
  for (size_t i = 0;;) {
    try {
      const Assembled &made = attempts.finish(i);
      const unsigned spills = made.spillBytes;
      if (!spills && !lacksRegisters(made)) {
        return finish(
            (i == last ? attempts.withMoreBlocks() : attempts.roomier(i))
                .value_or(i));
      }
      if (!spills && !serial) {
        serial = i;
      }
      if (i == last) {
        return finish(serial.value_or(i));
      }
      spilling = i;
      i = nextChoice(choices, i, spills);
    } catch (const Refused &problem) {
      refusals.push_back(problem.what());
      if (i == last && !spilling) {
        throw;
      }
      if (i == last) {
        return finish(serial.value_or(*spilling));
      }
      ++i;
    }
  }
}

} // namespace tz::nvidia
