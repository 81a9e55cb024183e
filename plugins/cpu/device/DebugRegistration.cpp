//===- DebugRegistration.cpp - Tells gdb and perf about loaded code -------===//
//
// What   The two interfaces, as gdb's manual ("JIT Compilation Interface") and
//        the kernel's jitdump specification describe them.
// Why    See DebugRegistration.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/DebugRegistration.h"

#include "plugins/cpu/device/ElfObject.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Names, layout and the empty function are fixed by the debugger, which sets a
// breakpoint on it and looks both up in every object's symbol table.
extern "C" {

struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};

__attribute__((used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                               nullptr};

__attribute__((used, noinline)) void __jit_debug_register_code() {
  __asm__ volatile("" ::: "memory");
}
}

namespace tz::cpu {

namespace {

enum : uint32_t { NoAction = 0, RegisterAction = 1, UnregisterAction = 2 };

std::mutex &registrationMutex() {
  static std::mutex mutex;
  return mutex;
}

void tellDebugger(uint32_t action, jit_code_entry *entry) {
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.relevant_entry = nullptr;
  __jit_debug_descriptor.action_flag = NoAction;
}

/// A jitdump file: one header, then a record for each function.
class JitDump {
public:
  static JitDump &instance() {
    static JitDump dump;
    return dump;
  }

  void write(const ElfObject &object) {
    if (!file) {
      return;
    }
    for (const auto &[name, symbol] : object.symbols()) {
      if (symbol.code && symbol.size != 0) {
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
    int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
      std::fprintf(stderr, "terrazzo: cannot write %s\n", path.c_str());
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

  void writeFunction(const std::string &name, const ObjectSymbol &symbol) {
    struct {
      uint32_t id = 0, size;
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
  uint64_t counter = 0;
};

} // namespace

void *registerForDebuggers(const ElfObject &object) {
  auto *entry =
      static_cast<jit_code_entry *>(std::malloc(sizeof(jit_code_entry)));
  std::lock_guard<std::mutex> lock(registrationMutex());
  JitDump::instance().write(object);
  if (!entry) {
    return nullptr;
  }
  entry->symfile_addr =
      reinterpret_cast<const char *>(object.debugImage().data());
  entry->symfile_size = object.debugImage().size();
  entry->prev_entry = nullptr;
  entry->next_entry = __jit_debug_descriptor.first_entry;
  if (entry->next_entry) {
    entry->next_entry->prev_entry = entry;
  }
  __jit_debug_descriptor.first_entry = entry;
  tellDebugger(RegisterAction, entry);
  return entry;
}

void unregisterForDebuggers(void *registration) {
  auto *entry = static_cast<jit_code_entry *>(registration);
  if (!entry) {
    return;
  }
  std::lock_guard<std::mutex> lock(registrationMutex());
  if (entry->prev_entry) {
    entry->prev_entry->next_entry = entry->next_entry;
  } else {
    __jit_debug_descriptor.first_entry = entry->next_entry;
  }
  if (entry->next_entry) {
    entry->next_entry->prev_entry = entry->prev_entry;
  }
  tellDebugger(UnregisterAction, entry);
  std::free(entry);
}

} // namespace tz::cpu
