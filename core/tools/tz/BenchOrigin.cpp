//===- BenchOrigin.cpp - who measured, where, when, and its picture -------===//
//
// What   See BenchOrigin.h.
// Why    Drawing is matplotlib's work, behind terrazzo.plots: tz stays one file
//        without it.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/BenchOrigin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tz::tool {

using runtime::Status;

namespace {

/// What a program writes, and its exit status; -1: it could not be started.
struct Ran {
  int status = -1;
  std::string out, err;
};

Ran run(const std::string &program, llvm::ArrayRef<llvm::StringRef> arguments,
        llvm::StringRef input = "") {
  llvm::SmallString<64> paths[2];
  std::optional<llvm::FileRemover> removers[2];
  Ran ran;
  for (int i = 0; i < 2; ++i) {
    if (llvm::sys::fs::createTemporaryFile("tz", "out", paths[i])) {
      ran.err = "no temporary file can be made";
      return ran;
    }
    removers[i].emplace(paths[i]);
  }
  std::vector<llvm::StringRef> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ran.status = llvm::sys::ExecuteAndWait(
      program, all, std::nullopt,
      {input, llvm::StringRef(paths[0]), llvm::StringRef(paths[1])}, 0, 0,
      &ran.err);
  for (int i = 0; i < 2; ++i) {
    if (auto text = llvm::MemoryBuffer::getFile(paths[i])) {
      (i ? ran.err : ran.out) += (*text)->getBuffer().trim();
    }
  }
  return ran;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    auto [key, value] = llvm::StringRef(line).split(':');
    if (key.trim() == "model name") {
      return value.trim().str();
    }
  }
  return "unknown";
}

int64_t usableCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string systemName() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release
                           : "unknown";
}

std::string commitOf(const std::string &file) {
  auto git = llvm::sys::findProgramByName("git");
  llvm::SmallString<128> folder(file);
  llvm::sys::path::remove_filename(folder);
  if (!git) {
    return "unknown";
  }
  const llvm::StringRef where = folder.empty() ? "." : folder.str();
  Ran head = run(*git, {"-C", where, "rev-parse", "--short", "HEAD"});
  if (head.status != 0 || head.out.empty()) {
    return "unknown";
  }
  Ran changes = run(*git, {"-C", where, "diff", "--quiet", "HEAD"});
  return head.out + (changes.status == 1 ? "+changes" : "");
}

std::string now() {
  const time_t at = time(nullptr);
  tm parts{};
  gmtime_r(&at, &parts);
  char text[32];
  strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// This process's arguments.
llvm::json::Array commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  llvm::json::Array words;
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(llvm::json::fixUTF8(word));
  }
  return words;
}

llvm::ErrorOr<std::string> python() {
  const char *said = std::getenv("TERRAZZO_PYTHON");
  return llvm::sys::findProgramByName(said && *said ? said : "python3");
}

constexpr const char *Install =
    "install what draws them: pip install 'terrazzo[plot]'; TERRAZZO_PYTHON "
    "names another Python";

Status plots(llvm::ArrayRef<llvm::StringRef> arguments,
             llvm::StringRef input = "") {
  llvm::ErrorOr<std::string> program = python();
  std::vector<llvm::StringRef> all{"-m", "terrazzo.plots"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Ran ran;
  if (program) {
    ran = run(*program, all, input);
  }
  if (ran.status < 0) {
    return Status(TZ_E_UNAVAILABLE,
                  std::string("--plot: there is no Python; ") + Install);
  }
  if (ran.status == 0) {
    return Status();
  }
  llvm::StringRef said = ran.err;
  if (said.contains("No module named 'terrazzo") ||
      said.contains("No module named terrazzo")) {
    return Status(TZ_E_UNAVAILABLE, "--plot: " + *program +
                                        " has no package terrazzo; " + Install);
  }
  said = said.rsplit('\n').second.empty() ? said : said.rsplit('\n').second;
  said.consume_front("error: ");
  return Status(TZ_E_UNAVAILABLE, "--plot: " + said.str());
}

} // namespace

llvm::json::Object benchOrigin(const std::string &kernelFile,
                               const std::string &device) {
  llvm::json::Object machine{
      {"processor", llvm::json::fixUTF8(processorName())},
      {"cores", usableCores()},
      {"memory_bytes",
       int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE))},
      {"system", llvm::json::fixUTF8(systemName())}};
  if (!device.empty()) {
    machine["device"] = llvm::json::fixUTF8(device);
  }
  return llvm::json::Object{{"machine", std::move(machine)},
                            {"commit", commitOf(kernelFile)},
                            {"date", now()},
                            {"command", commandLine()}};
}

Status checkPicture(const std::string &path) {
  const std::string kind = llvm::sys::path::extension(path).lower();
  if (kind != ".html" && kind != ".svg" && kind != ".png") {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--plot " + path + ": a picture ends in .html, .svg or .png");
  }
  const llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "--plot " + path + ": there is no such folder");
  }
  return plots({"--check", "--output", path});
}

Status drawPicture(const std::string &path, const std::string &json) {
  llvm::SmallString<64> file;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("tz", "json", descriptor, file)) {
    return Status(TZ_E_UNAVAILABLE, "--plot: no temporary file can be made");
  }
  llvm::FileRemover remover(file);
  llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << json;
  out.close();
  if (out.has_error()) {
    out.clear_error();
    return Status(TZ_E_UNAVAILABLE, "--plot: no room for a temporary file");
  }
  return plots({"--output", path, file});
}

} // namespace tz::tool
