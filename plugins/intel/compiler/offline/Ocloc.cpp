//===- Ocloc.cpp - machine code by Intel's offline compiler ---------------===//
//
// What   See Ocloc.h.
// Why    See Ocloc.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/offline/Ocloc.h"

#include "plugins/intel/compiler/offline/MachineLines.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

using namespace llvm;

namespace tz::intel {

namespace {

/// A folder of its own, which goes with it.
class Folder {
public:
  Folder() {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
    sys::path::append(path, "terrazzo-ocloc-XXXXXX");
    isMade = mkdtemp(const_cast<char *>(path.c_str())) !=
             nullptr; // nobody else reads it
  }
  ~Folder() {
    if (isMade) {
      (void)sys::fs::remove_directories(path);
    }
  }
  Folder(const Folder &) = delete;

  std::string file(StringRef name) const {
    SmallString<128> full = path;
    sys::path::append(full, name);
    return std::string(full);
  }

  bool isMade = false;

private:
  SmallString<128> path;
};

std::string contents(const std::string &path) {
  auto file = MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

/// The path of a library that the system's loader finds; empty: it does not.
std::string libraryPath(const char *name) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    return {};
  }
  link_map *map = nullptr;
  std::string path;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map) {
    path = map->l_name;
  }
  (void)dlclose(library);
  return path;
}

/// Its messages.
class Ocloc {
public:
  Ocloc(std::string program, const Folder &folder)
      : program(std::move(program)), folder(folder) {}

  /// The text of both its streams. `problem`: it did not end by itself.
  std::string run(std::vector<std::string> arguments,
                  std::optional<ArrayRef<StringRef>> environment,
                  std::string &problem) const {
    constexpr unsigned mostSeconds = 120;
    const std::string log = folder.file("log");
    arguments.insert(arguments.begin(), program);
    std::vector<StringRef> texts(arguments.begin(), arguments.end());
    const StringRef nothing = "";
    const std::optional<StringRef> streams[] = {nothing, StringRef(log),
                                                StringRef(log)};
    const int status = sys::ExecuteAndWait(program, texts, environment, streams,
                                           mostSeconds, 0, &problem);
    if (status >= 0) {
      problem.clear();
    }
    return contents(log);
  }

private:
  const std::string program;
  const Folder &folder;
};

/// The first line that tells of an error, else the last that says something.
std::string reasonOf(StringRef log) {
  StringRef last;
  for (StringRef line : split(log, '\n')) {
    line = line.trim();
    if (line.contains_insensitive("error")) {
      return line.str();
    }
    last = line.empty() ? last : line;
  }
  return last.str();
}

unsigned spillsOf(StringRef log, StringRef kernel) {
  const Regex pattern("kernel " + kernel.str() +
                      " +compiled .*spilled around ([0-9]+)");
  for (StringRef line : split(log, '\n')) {
    SmallVector<StringRef> found;
    unsigned count = 0;
    if (pattern.match(line, &found) && !found[1].getAsInteger(10, count)) {
      return count;
    }
  }
  return 0;
}

/// Texts of kernels are files of a folder; their names depend on the version.
void readTexts(const Ocloc &ocloc, const Folder &folder, StringRef device,
               OfflineModule &module) {
  // ocloc opens the disassembler by a name that development packages alone
  // have.
  const std::string library = libraryPath("libiga64.so.1");
  if (library.empty() ||
      sys::fs::create_link(library, folder.file("libiga64.so"))) {
    return;
  }
  const std::string path = "LD_LIBRARY_PATH=" + folder.file("");
  std::string problem;
  (void)ocloc.run({"disasm", "-file", folder.file("code"), "-dump",
                   folder.file("text"), "-device", device.str()},
                  ArrayRef<StringRef>({path}), problem);
  for (OfflineKernel &kernel : module.kernels) {
    for (const std::string &name :
         {kernel.name + "_KernelHeap.asm", ".text." + kernel.name + ".asm"}) {
      SmallString<128> file(folder.file("text"));
      sys::path::append(file, name);
      kernel.text += contents(std::string(file));
    }
    kernel.code = readMachineCode(kernel.text);
  }
}

} // namespace

OfflineModule compileOffline(const std::string &spirv, StringRef device,
                             StringRef options,
                             const std::vector<std::string> &entries,
                             bool hasLines) {
  OfflineModule module;
  const ErrorOr<std::string> program = sys::findProgramByName("ocloc");
  if (!program) {
    module.problem = "Intel's offline compiler, ocloc, is not installed "
                     "(Debian: intel-opencl-icd)";
    return module;
  }
  const Folder folder;
  std::error_code failed;
  raw_fd_ostream file(folder.file("kernel.spv"), failed);
  if (!folder.isMade || failed) {
    module.problem = "no file can be written to the system's temporary folder";
    return module;
  }
  file << spirv;
  file.close();
  const Ocloc ocloc(*program, folder);
  auto compile = [&](StringRef code, const std::string &wanted) {
    std::vector<std::string> arguments = {"compile",
                                          "-spirv_input",
                                          "-file",
                                          folder.file("kernel.spv"),
                                          "-device",
                                          device.str(),
                                          "-output",
                                          folder.file(code),
                                          "-output_no_suffix"};
    if (!wanted.empty()) {
      arguments.insert(arguments.end(), {"-options", wanted});
    }
    return arguments;
  };
  const std::string log =
      ocloc.run(compile("code", options.str()), std::nullopt, module.problem);
  if (!module.problem.empty() || !StringRef(log).contains("Build succeeded")) {
    module.problem = "Intel's offline compiler, ocloc, fails: " +
                     (module.problem.empty() ? reasonOf(log) : module.problem);
    return module;
  }
  for (const std::string &entry : entries) {
    module.kernels.push_back({entry, spillsOf(log, entry), {}, {}});
  }
  readTexts(ocloc, folder, device, module);
  if (hasLines && module.kernels.size() == 1) {
    // Such a table is in files of the newer format alone, which the older
    // disassemblers do not read. The code is the same.
    std::vector<std::string> arguments =
        compile("lines", (options + " -g").str());
    arguments.insert(arguments.end(), {"--format", "zebin"});
    std::string problem;
    (void)ocloc.run(arguments, std::nullopt, problem);
    OfflineKernel &kernel = module.kernels.front();
    kernel.text = withLines(kernel.text,
                            readMachineLines(contents(folder.file("lines"))));
  }
  return module;
}

} // namespace tz::intel
