//===- JitDump.cpp - Writes loaded code for perf --------------------------===//
//
// What   The file that perf's jitdump specification describes.
// Why    See JitDump.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/JitDump.h"

#include "plugins/cpu/device/ElfObject.h"
#include "plugins/cpu/device/LineTable.h"

#include "terrazzo/plugin/Error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tz::cpu {

namespace {

enum : uint32_t { CodeLoad = 0, CodeDebugInfo = 2 };

/// One header, then for each function its lines and its code.
class JitDump {
public:
  static JitDump &instance() {
    static JitDump dump;
    return dump;
  }

  /// Once.
  std::string takeProblem() { return std::exchange(problem, {}); }

  void write(const ElfObject &object) {
    if (!file) {
      return;
    }
    const LineTable lines = readLineTable(object.debugImage());
    for (const auto &[name, symbol] : object.functions()) {
      if (symbol.code) {
        writeLines(lines, symbol);
        writeFunction(name, symbol);
      }
    }
    std::fflush(file);
  }

private:
  JitDump() {
    const char *folder = secure_getenv("TERRAZZO_PERF_JITDUMP");
    if (!folder || !*folder) {
      return;
    }
    std::string path = std::strcmp(folder, "1") == 0 ? "." : folder;
    path += "/jit-" + std::to_string(getpid()) + ".dump";
    // perf wants this name, and anybody can guess it: a file of an earlier
    // process goes, a link is not followed.
    (void)unlink(path.c_str());
    int fd = open(path.c_str(),
                  O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
      problem = path + ": cannot be written: " + std::strerror(errno) +
                "; TERRAZZO_PERF_JITDUMP is a folder, or 1 for this one";
      return;
    }
    // perf finds the file by this mapping in its own record of the process.
    void *marker = mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)),
                        PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    (void)marker;
    file = fdopen(fd, "wb");
    if (!file) {
      close(fd);
      return;
    }
    struct {
      uint32_t magic = 0x4A695444, version = 1, size = 40, machine = EM_X86_64,
               pad = 0, pid;
      uint64_t timestamp, flags = 0;
    } header;
    static_assert(sizeof header == 40);
    header.pid = static_cast<uint32_t>(getpid());
    header.timestamp = now();
    std::fwrite(&header, sizeof header, 1, file);
  }

  static uint64_t now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<uint64_t>(t.tv_nsec);
  }

  /// A function's rows, each line once until it changes. Before its code, as
  /// perf expects it.
  void writeLines(const LineTable &lines, const ObjectSymbol &symbol) {
    const auto start = reinterpret_cast<uint64_t>(symbol.address);
    std::vector<const LineRow *> rows;
    for (const LineRow &row : lines.rows) {
      if (!row.endsSequence && row.address >= start &&
          row.address - start < symbol.size) {
        rows.push_back(&row);
      }
    }
    // Rows of one address are neighbours in the table: keep their order.
    std::sort(rows.begin(), rows.end(), [](const LineRow *a, const LineRow *b) {
      return std::pair(a->address, a) < std::pair(b->address, b);
    });
    // Of several rows of an address the last is the one that covers code.
    auto first = std::unique(rows.rbegin(), rows.rend(),
                             [](const LineRow *a, const LineRow *b) {
                               return a->address == b->address;
                             });
    rows.erase(rows.begin(), first.base());
    auto sameLine = [](const LineRow *a, const LineRow *b) {
      return a->line == b->line && a->file == b->file;
    };
    rows.erase(std::unique(rows.begin(), rows.end(), sameLine), rows.end());
    if (rows.empty()) {
      return;
    }
    struct {
      uint32_t id = CodeDebugInfo, size;
      uint64_t timestamp, address, count;
    } record;
    static_assert(sizeof record == 32);
    struct {
      uint64_t address;
      uint32_t line, discriminator = 0;
    } entry;
    static_assert(sizeof entry == 16);
    size_t size = sizeof record;
    for (const LineRow *row : rows) {
      size += sizeof entry + lines.files[row->file].size() + 1;
    }
    if (size > UINT32_MAX) {
      return;
    }
    record.size = static_cast<uint32_t>(size);
    record.timestamp = now();
    record.address = start;
    record.count = rows.size();
    std::fwrite(&record, sizeof record, 1, file);
    for (const LineRow *row : rows) {
      const std::string &name = lines.files[row->file];
      entry.address = row->address;
      entry.line = row->line;
      std::fwrite(&entry, sizeof entry, 1, file);
      std::fwrite(name.c_str(), name.size() + 1, 1, file);
    }
  }

  void writeFunction(const std::string &name, const ObjectSymbol &symbol) {
    struct {
      uint32_t id = CodeLoad, size;
      uint64_t timestamp;
      uint32_t pid, tid;
      uint64_t vma, address, codeSize, index;
    } record;
    static_assert(sizeof record == 56);
    record.size =
        static_cast<uint32_t>(sizeof record + name.size() + 1 + symbol.size);
    record.timestamp = now();
    record.pid = static_cast<uint32_t>(getpid());
    record.tid = static_cast<uint32_t>(syscall(SYS_gettid));
    record.vma = record.address = reinterpret_cast<uint64_t>(symbol.address);
    record.codeSize = symbol.size;
    record.index = counter++;
    std::fwrite(&record, sizeof record, 1, file);
    std::fwrite(name.c_str(), name.size() + 1, 1, file);
    std::fwrite(symbol.address, symbol.size, 1, file);
  }

  std::FILE *file = nullptr;
  std::string problem; ///< why there is no file, until somebody is told
  uint64_t counter = 0;
};

} // namespace

void writeJitDump(const ElfObject &object, const tz_host *host) {
  JitDump &dump = JitDump::instance();
  const std::string problem = dump.takeProblem();
  if (!problem.empty() && TZ_HAS_FN(host, tz_host, log)) {
    host->log(host->ctx, 1, plugin::str("perf"), plugin::str(problem));
  }
  dump.write(object);
}

} // namespace tz::cpu
