//===- FakeState.h - what the fake driver holds ---------------------------===//
//
// What   The objects behind handles, the blocks of memory, and the beginning of
//        each entry point: the lock, the count, the failure that a test wants,
//        the context.
// Why    The entry points stand in files by what they serve.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_FAKESTATE_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_FAKESTATE_H

#include "backends/nvidia/test/FakeDriver.h"

#include <memory>
#include <mutex>
#include <set>

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace tz::nvidia::driver {

struct ContextObject {
  int ordinal = 0;
  bool isAlive = true;
  Result fault = Success;
  int references = 0;
};
struct StreamObject {
  Context context = nullptr;
};
struct EventObject {
  Context context = nullptr;
  bool timed = true, recorded = false;
  double ms = 0;
};
struct FunctionObject {
  std::string name;
  int registers = 32, shared = 0, threads = 1024;
  std::vector<size_t> params;
  int dynamicLimit = 0;
  bool largeCluster = false;
};
struct ModuleObject {
  Context context = nullptr;
  std::map<std::string, std::unique_ptr<FunctionObject>> functions;
  std::map<std::string, std::vector<unsigned char>> globals;
};

} // namespace tz::nvidia::driver

namespace tz::nvidia::test {

using namespace driver;

inline constexpr int FakeUnits = 132, FakeShared = 48 << 10,
                     FakeOptin = 227 << 10, FakeGridYZ = 65535,
                     FakeRegisters = 65536;

struct Block {
  size_t size;
  unsigned type;
  bool managed;
  Context context;
};

struct State {
  std::mutex mutex;
  FakeDriver control;
  bool started = false;
  std::vector<std::unique_ptr<ContextObject>> contexts;
  std::map<Pointer, Block> memory;
  std::set<Stream> streams;
  std::set<Event> events;
  std::set<Module> modules;
};

State &state();
/// The contexts that were pushed.
inline thread_local std::vector<Context> current;

/// The mutex, the count of calls, the failure that a test asked for.
class Entry {
public:
  explicit Entry(const char *name) : lock(state().mutex) {
    FakeDriver &c = state().control;
    if (c.enter) {
      c.enter();
    }
    int n = ++c.calls[name];
    if ((c.failAt && c.failFunction == name && n == c.failAt) ||
        (c.fails && c.fails())) {
      injected = c.failResult;
    }
  }
  ~Entry() {
    if (state().control.leave) {
      state().control.leave();
    }
  }
  Entry(const Entry &) = delete;
  std::unique_lock<std::mutex> lock;
  Result injected = Success;
};

/// Beginning of a function that works without a context.
#define ENTER(name)                                                            \
  Entry entry(#name);                                                          \
  if (entry.injected != Success) {                                             \
    return entry.injected;                                                     \
  }
/// ... that needs a current and sound one.
#define ENTER_CONTEXT(name)                                                    \
  ENTER(name)                                                                  \
  if (!state().started) {                                                      \
    return NotInitialized;                                                     \
  }                                                                            \
  if (current.empty() || !current.back()) {                                    \
    return InvalidContext;                                                     \
  }                                                                            \
  if (current.back()->fault != Success) {                                      \
    return current.back()->fault;                                              \
  }
#define REQUIRE(condition, result)                                             \
  if (!(condition)) {                                                          \
    return result;                                                             \
  }

/// What a thread may do while a graph is recorded.
inline thread_local CaptureMode captureMode = CaptureGlobal;
inline bool mayPrepare() {
  return !state().control.recording || captureMode == CaptureRelaxed;
}

bool isKnown(Stream stream);
/// Whether [at, at + bytes) lies in memory that the device reaches.
bool onDevice(Pointer at, size_t bytes);

} // namespace tz::nvidia::test

#endif
