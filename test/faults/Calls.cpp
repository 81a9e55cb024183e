//===- Calls.cpp - calls of the system that fail when a test wants it -----===//
//
// What   Functions of the C library, defined again in the program. The dynamic
//        linker finds these first, also for the C++ library and for plugins.
// Why    Wrapping by the static linker would reach our objects alone, and miss
//        streams, the standard containers and plugins.
//===----------------------------------------------------------------------===//
#include "test/faults/Calls.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define TZ_OWNS_CALLS 0
#else
#define TZ_OWNS_CALLS 1
#endif

namespace tz::faults {

// Constant initialisation: malloc is called before any constructor.
static std::atomic<uint32_t> armed{NumCalls};
static std::atomic<uint64_t> target{0}, counted{0};
static std::atomic<bool> failed{false};
static std::atomic<int64_t> live{0};
static std::atomic<int> inside{0};

const char *nameOf(Call call) {
  static const char *const names[NumCalls] = {
      "allocate", "open",  "read",   "write", "rename", "map",
      "folder",   "close", "thread", "load",  "driver"};
  return names[uint32_t(call)];
}

bool canFail(Call call) { return call == Call::Driver || TZ_OWNS_CALLS; }

void arm(Call call, uint64_t at) {
  failed = false;
  counted = 0;
  target = at;
  armed = uint32_t(call);
}

uint64_t disarm() {
  armed = NumCalls;
  return counted;
}

Inside::Inside() { ++inside; }
Inside::~Inside() { --inside; }

void leaveForTest() { --inside; }
void returnFromTest() { ++inside; }

bool hasFailed() { return failed; }
int64_t liveBlocks() { return live; }

/// For a breakpoint.
[[gnu::noinline]] static void failsHere() { failed = true; }

bool mustFail(Call call) {
  if (armed.load(std::memory_order_relaxed) != uint32_t(call) || inside <= 0 ||
      ++counted != target) {
    return false;
  }
  failsHere();
  return true;
}

[[maybe_unused]] static bool failsWith(Call call, int error) {
  if (!mustFail(call)) {
    return false;
  }
  errno = error;
  return true;
}

} // namespace tz::faults

using namespace tz::faults;

/// The C library's function of that name.
#define NEXT(name)                                                             \
  static const auto next =                                                     \
      reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name))

#define EXPORT extern "C" __attribute__((visibility("default")))

// A sanitizer has functions of its own under these names.
#if TZ_OWNS_CALLS

//===--- Memory -----------------------------------------------------------===//

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

/// Code of the dynamic linker.
static bool isLinker(const void *caller) {
  // Its first and last byte; looked for while nothing fails.
  static const auto range = [] {
    std::pair<uintptr_t, uintptr_t> found{0, 0};
    dl_iterate_phdr(
        [](dl_phdr_info *object, size_t, void *to) {
          if (!std::strstr(object->dlpi_name, "/ld-linux")) {
            return 0;
          }
          auto &out = *static_cast<std::pair<uintptr_t, uintptr_t> *>(to);
          out.first = object->dlpi_addr;
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            out.second = std::max<uintptr_t>(
                out.second, object->dlpi_addr + object->dlpi_phdr[i].p_vaddr +
                                object->dlpi_phdr[i].p_memsz);
          }
          return 1;
        },
        &found);
    return found;
  }();
  auto at = reinterpret_cast<uintptr_t>(caller);
  return at >= range.first && at < range.second;
}

#define CALLER __builtin_return_address(0)

/// No memory for who called malloc.
#define NO_MEMORY                                                              \
  (armed.load(std::memory_order_relaxed) == uint32_t(Call::Allocate) &&        \
   !isLinker(CALLER) && failsWith(Call::Allocate, ENOMEM))

static void *counting(void *made) {
  live += made != nullptr;
  return made;
}

EXPORT void *malloc(size_t size) noexcept {
  return NO_MEMORY ? nullptr : counting(__libc_malloc(size));
}
EXPORT void *calloc(size_t count, size_t size) noexcept {
  return NO_MEMORY ? nullptr : counting(__libc_calloc(count, size));
}
EXPORT void *realloc(void *old, size_t size) noexcept {
  if (!old) {
    return NO_MEMORY ? nullptr : counting(__libc_malloc(size));
  }
  if (NO_MEMORY) {
    return nullptr;
  }
  void *made = __libc_realloc(old, size);
  live -= !made && !size;
  return made;
}
EXPORT void *memalign(size_t align, size_t size) noexcept {
  return NO_MEMORY ? nullptr : counting(__libc_memalign(align, size));
}
EXPORT void *aligned_alloc(size_t align, size_t size) noexcept {
  return NO_MEMORY ? nullptr : counting(__libc_memalign(align, size));
}
EXPORT int posix_memalign(void **out, size_t align, size_t size) noexcept {
  void *made = NO_MEMORY ? nullptr : counting(__libc_memalign(align, size));
  *out = made ? made : *out;
  return made ? 0 : ENOMEM;
}
EXPORT void free(void *block) noexcept {
  live -= block != nullptr;
  __libc_free(block);
}
//===--- Files ------------------------------------------------------------===//

/// The mode of an open() that may create.
#define MODE(flags)                                                            \
  mode_t mode = 0;                                                             \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                       \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode = va_arg(rest, mode_t);                                               \
    va_end(rest);                                                              \
  }

EXPORT int open(const char *path, int flags, ...) {
  MODE(flags)
  NEXT(open);
  return failsWith(Call::Open, EMFILE) ? -1 : next(path, flags, mode);
}
EXPORT int open64(const char *path, int flags, ...) {
  MODE(flags)
  NEXT(open64);
  return failsWith(Call::Open, EMFILE) ? -1 : next(path, flags, mode);
}
EXPORT int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  NEXT(openat);
  return failsWith(Call::Open, EMFILE) ? -1 : next(folder, path, flags, mode);
}
EXPORT int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  NEXT(openat64);
  return failsWith(Call::Open, EMFILE) ? -1 : next(folder, path, flags, mode);
}
EXPORT FILE *fopen(const char *path, const char *mode) {
  NEXT(fopen);
  return failsWith(Call::Open, EMFILE) ? nullptr : next(path, mode);
}
EXPORT FILE *fopen64(const char *path, const char *mode) {
  NEXT(fopen64);
  return failsWith(Call::Open, EMFILE) ? nullptr : next(path, mode);
}
EXPORT DIR *opendir(const char *path) {
  NEXT(opendir);
  return failsWith(Call::Open, EMFILE) ? nullptr : next(path);
}
EXPORT DIR *fdopendir(int folder) {
  NEXT(fdopendir);
  return failsWith(Call::Open, EMFILE) ? nullptr : next(folder);
}

EXPORT ssize_t read(int file, void *to, size_t size) {
  NEXT(read);
  return failsWith(Call::Read, EIO) ? -1 : next(file, to, size);
}
EXPORT ssize_t pread(int file, void *to, size_t size, off_t at) {
  NEXT(pread);
  return failsWith(Call::Read, EIO) ? -1 : next(file, to, size, at);
}
EXPORT ssize_t pread64(int file, void *to, size_t size, off64_t at) {
  NEXT(pread64);
  return failsWith(Call::Read, EIO) ? -1 : next(file, to, size, at);
}
EXPORT dirent *readdir(DIR *folder) {
  NEXT(readdir);
  return failsWith(Call::Read, EIO) ? nullptr : next(folder);
}

EXPORT ssize_t write(int file, const void *from, size_t size) {
  NEXT(write);
  return failsWith(Call::Write, ENOSPC) ? -1 : next(file, from, size);
}
EXPORT ssize_t writev(int file, const iovec *from, int count) {
  NEXT(writev);
  return failsWith(Call::Write, ENOSPC) ? -1 : next(file, from, count);
}
EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  NEXT(fwrite);
  return failsWith(Call::Write, ENOSPC) ? 0 : next(from, size, count, file);
}

EXPORT int rename(const char *from, const char *to) noexcept {
  NEXT(rename);
  return failsWith(Call::Rename, EACCES) ? -1 : next(from, to);
}
EXPORT int renameat(int fromFolder, const char *from, int toFolder,
                    const char *to) noexcept {
  NEXT(renameat);
  return failsWith(Call::Rename, EACCES) ? -1
                                         : next(fromFolder, from, toFolder, to);
}
EXPORT int mkdir(const char *path, mode_t mode) noexcept {
  NEXT(mkdir);
  return failsWith(Call::Folder, EACCES) ? -1 : next(path, mode);
}
EXPORT char *mkdtemp(char *path) noexcept {
  NEXT(mkdtemp);
  return failsWith(Call::Folder, EACCES) ? nullptr : next(path);
}
/// The descriptor is closed all the same, as the system does it.
EXPORT int close(int file) {
  NEXT(close);
  const int mode = fcntl(file, F_GETFL);
  const bool fails = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY &&
                     failsWith(Call::Close, EIO);
  const int closed = next(file);
  errno = fails ? EIO : errno;
  return fails ? -1 : closed;
}

//===--- Mappings, threads, libraries -------------------------------------===//

EXPORT void *dlopen(const char *path, int flags) noexcept {
  NEXT(dlopen);
  return mustFail(Call::Load) ? nullptr : next(path, flags);
}

EXPORT void *mmap(void *at, size_t size, int prot, int flags, int file,
                  off_t offset) noexcept {
  NEXT(mmap);
  return failsWith(Call::Map, ENOMEM)
             ? MAP_FAILED
             : next(at, size, prot, flags, file, offset);
}
EXPORT void *mmap64(void *at, size_t size, int prot, int flags, int file,
                    off64_t offset) noexcept {
  NEXT(mmap64);
  return failsWith(Call::Map, ENOMEM)
             ? MAP_FAILED
             : next(at, size, prot, flags, file, offset);
}
EXPORT int mprotect(void *at, size_t size, int prot) noexcept {
  NEXT(mprotect);
  return failsWith(Call::Map, ENOMEM) ? -1 : next(at, size, prot);
}
EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument) noexcept {
  NEXT(pthread_create);
  return mustFail(Call::Thread) ? EAGAIN
                                : next(out, attributes, body, argument);
}

#endif
