//===- Assembler.cpp - from PTX to machine code ---------------------------===//
//
// What   See Assembler.h.
// Why    See Assembler.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Assembler.h"

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
} // namespace

std::optional<Assembled> assemble(StringRef ptx, StringRef cpu,
                                  unsigned timeoutSeconds) {
  const std::string program = findPtxas();
  if (program.empty()) {
    return std::nullopt;
  }
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
  if (status != 0) {
    throw std::runtime_error(status == -2
                                 ? "ptxas took more than " +
                                       std::to_string(timeoutSeconds) +
                                       " s or crashed: " + problem + log
                                 : "ptxas refused the code: " + problem + log);
  }
  Assembled result;
  result.cubin = output.text();
  result.registers = numberBefore(log, "registers");
  result.spillBytes = numberBefore(log, "bytes spill stores");
  SmallVector<StringRef> lines;
  StringRef(log).split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("warning") ||
        line.contains("Potential Performance Loss")) {
      result.warnings.push_back(line.trim().str());
    }
  }
  return result;
}

} // namespace tz::nvidia
