//===- GuardedMemory.cpp - buffers that notice what goes past them --------===//
//
// What   Pages without access around each buffer, a pattern in the rest, and
//        the handler that turns the fault into a sentence.
// Why    See GuardedMemory.h. The handler only calls what POSIX allows in one
//        (write, execv, _exit): its sentences are made beforehand.
//===----------------------------------------------------------------------===//
#include "core/execution/GuardedMemory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tz::tool {

using namespace runtime;

struct GuardedMemory::Region {
  std::string name, sentence;
  uint8_t *mapped = nullptr, *first = nullptr, *last = nullptr; // [first, last)
  size_t mappedBytes = 0, bytes = 0;
  uint8_t *buffer = nullptr;
};

namespace {
/// Byte `at` of the surroundings of buffer number `buffer`. It differs between
/// buffers, so that a kernel that copies past two ends is seen as well.
uint8_t pattern(size_t buffer, size_t at) {
  return uint8_t(0xa5 + 31 * buffer + 7 * at);
}

/// What the handler needs, in plain memory.
struct Fault {
  struct Guard {
    uintptr_t begin, end;
    const char *sentence;
    size_t size;
  };
  // A kernel has at most a few dozen buffers; more are simply not named.
  static constexpr size_t Limit = 256;
  Guard guards[Limit];
  std::atomic<size_t> count = 0;
  std::vector<std::string> words;
  std::vector<char *> arguments;
  std::string last;
  struct sigaction oldSegv, oldBus;
} fault;

void say(const char *text, size_t size) {
  while (size > 0) {
    ssize_t written = ::write(STDERR_FILENO, text, size);
    if (written <= 0) {
      return;
    }
    text += written;
    size -= size_t(written);
  }
}

void onFault(int signal, siginfo_t *info, void *) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (size_t i = 0; i < fault.count; ++i) {
    const Fault::Guard &guard = fault.guards[i];
    if (address < guard.begin || address >= guard.end) {
      continue;
    }
    // The first thread that gets here speaks; execv and _exit end the others.
    static std::atomic_flag taken = ATOMIC_FLAG_INIT;
    while (taken.test_and_set()) {
      ::pause();
    }
    say(guard.sentence, guard.size);
    say(fault.last.data(), fault.last.size());
    if (fault.arguments.size() > 1) {
      ::execv("/proc/self/exe", fault.arguments.data());
    }
    ::_exit(1);
  }
  // Not ours: let it take its course when the instruction runs again.
  ::sigaction(signal, signal == SIGBUS ? &fault.oldBus : &fault.oldSegv,
              nullptr);
}
} // namespace

GuardedMemory::GuardedMemory(Margins margins)
    : GuardedMemory(std::vector<std::string>(), margins) {
  fault.last = "  help: 'tz run --check' with the same arguments says where\n";
}

GuardedMemory::GuardedMemory(std::vector<std::string> again, Margins margins)
    : margins(margins) {
  fault.words = std::move(again);
  fault.arguments.clear();
  for (std::string &word : fault.words) {
    fault.arguments.push_back(word.data());
  }
  fault.arguments.push_back(nullptr);
  fault.last = fault.words.empty()
                   ? "  help: the interpreter found nothing wrong: this is a "
                     "defect of the target's compiler, please report it\n"
                   : "  note: running again with --check, to see where\n";
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  // The program that execv starts inherits the mask: nothing may be blocked.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, &fault.oldSegv);
  ::sigaction(SIGBUS, &action, &fault.oldBus);
}

GuardedMemory::~GuardedMemory() {
  ::sigaction(SIGSEGV, &fault.oldSegv, nullptr);
  ::sigaction(SIGBUS, &fault.oldBus, nullptr);
  fault.count = 0;
  for (const Region &region : regions) {
    ::munmap(region.mapped, region.mappedBytes);
  }
}

Result<uint64_t> GuardedMemory::allocate(const std::string &name,
                                         size_t bytes) {
  const size_t page = size_t(::sysconf(_SC_PAGESIZE));
  // Memory of large buffers comes in pages of 2 MiB where it can, as in the
  // runtime's own allocation, so that times are those of a real program.
  constexpr size_t hugePage = size_t(2) << 20;
  const size_t align = bytes >= hugePage ? hugePage : page;
  Region region;
  region.name = name;
  region.bytes = bytes;
  const size_t rounded = (std::max<size_t>(bytes, 1) + 63) & ~size_t(63);
  // Tiles that are masked off reach past the end by some rows.
  constexpr size_t leastMargin = size_t(64) << 10, MostMargin = size_t(4) << 20;
  size_t margin = 0;
  if (margins == Margins::Wide) {
    margin = std::clamp(rounded, leastMargin, MostMargin) / align * align;
    margin = std::max(margin, align);
  }
  const size_t usable = (rounded + page - 1) / page * page + 2 * margin;
  region.mappedBytes = usable + align + 2 * page;
  if (region.mappedBytes < bytes) {
    return Status(TZ_E_OUT_OF_MEMORY, "size overflows");
  }
  void *mapped = ::mmap(nullptr, region.mappedBytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return Status(TZ_E_OUT_OF_MEMORY,
                  std::to_string(bytes) + " bytes: " + std::strerror(errno));
  }
  region.mapped = static_cast<uint8_t *>(mapped);
  auto start = reinterpret_cast<uintptr_t>(region.mapped) + page;
  region.first =
      reinterpret_cast<uint8_t *>((start + align - 1) / align * align);
  region.last = region.first + usable;
  if (::mprotect(region.first, usable, PROT_READ | PROT_WRITE) != 0) {
    int reason = errno;
    ::munmap(region.mapped, region.mappedBytes);
    return Status(TZ_E_OUT_OF_MEMORY,
                  std::to_string(bytes) + " bytes: " + std::strerror(reason));
  }
  if (bytes >= hugePage) {
    ::madvise(region.first, usable, MADV_HUGEPAGE);
  }
  region.buffer = margin ? region.first + margin : region.last - rounded;
  for (uint8_t *at = region.first; at != region.last; ++at) {
    if (at == region.buffer) {
      at += bytes;
      if (at == region.last) {
        break;
      }
    }
    *at = pattern(regions.size(), size_t(at - region.first));
  }
  region.sentence = "tz: error: the kernel left buffer '" + name + "' (" +
                    std::to_string(bytes) + " bytes)\n";
  regions.push_back(std::move(region));
  describeGuards();
  return uint64_t(reinterpret_cast<uintptr_t>(regions.back().buffer));
}

/// Sentences move with the vector's elements: points at them anew.
void GuardedMemory::describeGuards() {
  fault.count = 0;
  size_t count = 0;
  for (const Region &each : regions) {
    if (count + 2 > Fault::Limit) {
      break;
    }
    auto begin = reinterpret_cast<uintptr_t>(each.mapped);
    auto first = reinterpret_cast<uintptr_t>(each.first);
    auto last = reinterpret_cast<uintptr_t>(each.last);
    fault.guards[count++] = {begin, first, each.sentence.data(),
                             each.sentence.size()};
    fault.guards[count++] = {last, begin + each.mappedBytes,
                             each.sentence.data(), each.sentence.size()};
  }
  fault.count = count;
}

Status GuardedMemory::check() const {
  for (size_t i = 0; i < regions.size(); ++i) {
    const Region &region = regions[i];
    auto written = [&](const uint8_t *from, const uint8_t *to) {
      while (from != to && *from == pattern(i, size_t(from - region.first))) {
        ++from;
      }
      return from != to;
    };
    bool before = written(region.first, region.buffer);
    bool behind = written(region.buffer + region.bytes, region.last);
    if (before || behind) {
      return Status(TZ_E_OUT_OF_RANGE,
                    "the kernel wrote " +
                        std::string(before ? "before" : "past the end of") +
                        " buffer '" + region.name + "' (" +
                        std::to_string(region.bytes) + " bytes)");
    }
  }
  return Status();
}

} // namespace tz::tool
