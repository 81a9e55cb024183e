//===- DebugRegistration.cpp - Tells gdb and perf about loaded code -------===//
//
// What   The list of objects that gdb's manual ("JIT Compilation Interface")
//        describes.
// Why    See DebugRegistration.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/DebugRegistration.h"

#include "plugins/cpu/device/ElfObject.h"
#include "plugins/cpu/device/JitDump.h"

#include <cstdint>
#include <cstdlib>
#include <mutex>

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

} // namespace

void *registerForDebuggers(const ElfObject &object, const tz_host *host) {
  auto *entry =
      static_cast<jit_code_entry *>(std::malloc(sizeof(jit_code_entry)));
  std::lock_guard<std::mutex> lock(registrationMutex());
  writeJitDump(object, host);
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
