//===- Assembler.cpp - from PTX to machine code ---------------------------===//
//
// What   See Assembler.h.
// Why    See Assembler.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Assembler.h"

#include "backends/nvidia/compiler/JitLink.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <stdexcept>

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

Assembled runPtxas(const std::string &program, StringRef ptx, StringRef cpu,
                   unsigned timeoutSeconds) {
  Temporary source("ptx"), output("cubin"), messages("log");
  {
    std::error_code error;
    raw_fd_ostream file(source.path, error);
    file << ptx;
    file.close();
    if (error || file.has_error()) {
      throw std::runtime_error("a temporary file could not be written");
    }
  }
  const std::string arch = ("-arch=" + cpu).str();
  StringRef arguments[] = {program, "-v", arch, source.path, "-o", output.path};
  std::optional<StringRef> redirects[] = {StringRef(), messages.path.str(),
                                          messages.path.str()};
  std::string problem;
  int status = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects,
                                   timeoutSeconds, 0, &problem);
  const std::string log = messages.text();
  if (status == -2) {
    throw AssemblerError("ptxas took more than " +
                         std::to_string(timeoutSeconds) +
                         " s or crashed: " + problem + log);
  }
  if (status != 0) {
    throw AssemblerError(refusal(problem + log, ptx));
  }
  return read(output.text(), log);
}

Assembled runJitLink(void *library, StringRef ptx, StringRef cpu) {
  JitLinked made = jitLink(library, ptx, cpu);
  if (made.cubin.empty()) {
    throw AssemblerError(refusal(made.log, ptx));
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

std::optional<Assembled> assemble(StringRef ptx, StringRef cpu,
                                  unsigned timeoutSeconds,
                                  const tz_host *host) {
  const Means means;
  if (means.ptxas.empty() && !means.library) {
    return std::nullopt;
  }
  const std::string key = (means.identity() + " " + cpu + "\n" + ptx).str();
  if (std::optional<Assembled> known = lookUp(host, key)) {
    return known;
  }
  Assembled made = means.library
                       ? runJitLink(means.library, ptx, cpu)
                       : runPtxas(means.ptxas, ptx, cpu, timeoutSeconds);
  if (host && TZ_HAS_FN(host, tz_host, cache_put)) {
    (void)host->cache_put(host->ctx, bytesOf(key), bytesOf(pack(made)));
  }
  return made;
}

} // namespace tz::nvidia
