//===- FakeDriver.cpp - the driver's entry points over host memory --------===//
//
// What   Every function of DriverFunctions.def. Device memory is host memory,
//        streams do their work at once, kernels are those that a text names:
//
//          \177ELF or .version ..., then lines
//          arch 90                 the capability that the code is for
//          kernel NAME regs=R shared=S threads=T params=8,8,4
//          global NAME BYTES
//          error TEXT              the compiler refuses it with this log
//
//        The kernel "add" adds, "fault" makes the context fail from the next
//        call on, any other does nothing.
// Why    See FakeDriver.h. It is strict where the driver is: a call without a
//        current context, a dead handle, a launch over a limit fail.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeDriver.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#define FAKE_API extern "C" __attribute__((visibility("default")))

namespace tz::nvidia::driver {

struct ContextObject {
  int ordinal = 0;
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

using namespace tz::nvidia::driver;
using tz::nvidia::test::FakeDriver;
using tz::nvidia::test::FakeLaunch;

namespace {

constexpr int FakeUnits = 132, FakeShared = 48 << 10, FakeOptin = 227 << 10,
              FakeGridYZ = 65535, FakeRegisters = 65536;

struct Block {
  size_t size;
  unsigned type;
  bool managed;
  int ordinal;
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

State &state() {
  static State s;
  return s;
}
thread_local std::vector<Context> current;

/// The mutex, the count of calls, the failure that a test asked for.
class Entry {
public:
  explicit Entry(const char *name) : lock(state().mutex) {
    FakeDriver &c = state().control;
    int n = ++c.calls[name];
    if (c.failAt && c.failFunction == name && n == c.failAt) {
      injected = c.failResult;
    }
  }
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

bool knownStream(Stream s) {
  return !s || s == LegacyStream || s == PerThreadStream ||
         state().streams.count(s);
}

/// The block that holds [at, at + bytes), or null.
Block *blockOf(Pointer at, size_t bytes, Pointer *start = nullptr) {
  auto &memory = state().memory;
  auto it = memory.upper_bound(at);
  if (it == memory.begin()) {
    return nullptr;
  }
  --it;
  if (at - it->first >= it->second.size ||
      bytes > it->second.size - (at - it->first)) {
    return nullptr;
  }
  if (start) {
    *start = it->first;
  }
  return &it->second;
}

bool onDevice(Pointer at, size_t bytes) {
  Block *block = blockOf(at, bytes);
  return block && (block->type == DeviceMemory || block->managed);
}

Result allocate(Pointer *out, size_t size, unsigned type, bool managed) {
  State &s = state();
  REQUIRE(size, InvalidValue)
  size_t used = 0;
  for (auto &[at, block] : s.memory) {
    used += block.size;
  }
  REQUIRE(size <= s.control.totalMemory - used, OutOfMemory)
  void *memory = std::aligned_alloc(512, (size + 511) & ~size_t(511));
  REQUIRE(memory, OutOfMemory)
  std::memset(memory, 0xA5, size);
  *out = reinterpret_cast<Pointer>(memory);
  s.memory[*out] = {size, type, managed, current.back()->ordinal};
  ++s.control.allocations;
  return Success;
}

Result release(Pointer at, unsigned type) {
  State &s = state();
  auto it = s.memory.find(at);
  REQUIRE(it != s.memory.end() && (it->second.type == type), InvalidValue)
  std::free(reinterpret_cast<void *>(at));
  s.memory.erase(it);
  --s.control.allocations;
  return Success;
}

double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void reset() {
  State &s = state();
  std::lock_guard guard(s.mutex);
  for (auto &[at, block] : s.memory) {
    std::free(reinterpret_cast<void *>(at));
  }
  for (Stream stream : s.streams) {
    delete stream;
  }
  for (Event event : s.events) {
    delete event;
  }
  for (Module module : s.modules) {
    delete module;
  }
  s.memory.clear();
  s.streams.clear();
  s.events.clear();
  s.modules.clear();
  s.contexts.clear();
  s.started = false;
  s.control = FakeDriver();
  s.control.reset = reset;
}

void readEnvironment(FakeDriver &control) {
  const char *text = std::getenv("TZ_FAKE_CUDA");
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    size_t equal = word.find('=');
    if (equal == std::string::npos) {
      continue;
    }
    int value = std::atoi(word.c_str() + equal + 1);
    std::string key = word.substr(0, equal);
    (key == "devices"      ? control.devices
     : key == "version"    ? control.version
     : key == "capability" ? control.capability
     : key == "idle"       ? control.idle
                           : control.init) = value;
  }
}

} // namespace

FAKE_API FakeDriver *fakeCudaDriver() {
  state().control.reset = reset;
  return &state().control;
}

//===--- Start and devices ------------------------------------------------===//

FAKE_API Result cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion)
  readEnvironment(state().control);
  *version = state().control.version;
  return Success;
}

FAKE_API Result cuInit(unsigned) {
  ENTER(cuInit)
  State &s = state();
  readEnvironment(s.control);
  REQUIRE(s.control.init == 0, Result(s.control.init))
  REQUIRE(s.control.devices > 0, NoDevice)
  s.started = true;
  while (s.contexts.size() < size_t(s.control.devices)) {
    s.contexts.push_back(std::make_unique<ContextObject>());
    s.contexts.back()->ordinal = int(s.contexts.size()) - 1;
  }
  return Success;
}

FAKE_API Result cuGetErrorName(Result result, const char **name) {
  static const std::map<int, const char *> names = {
      {InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {SystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {UnknownResult, "CUDA_ERROR_UNKNOWN"}};
  auto it = names.find(result);
  *name = it == names.end() ? nullptr : it->second;
  return it == names.end() ? InvalidValue : Success;
}

FAKE_API Result cuGetErrorString(Result result, const char **text) {
  static const std::map<int, const char *> texts = {
      {InvalidValue, "invalid argument"},
      {OutOfMemory, "out of memory"},
      {IllegalAddress, "an illegal memory access was encountered"},
      {UnknownResult, "unknown error"}};
  auto it = texts.find(result);
  *text = it == texts.end() ? nullptr : it->second;
  return it == texts.end() ? InvalidValue : Success;
}

FAKE_API Result cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount)
  *count = state().control.devices;
  return Success;
}

FAKE_API Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  ENTER(cuDeviceGet)
  REQUIRE(ordinal >= 0 && ordinal < state().control.devices, InvalidDevice)
  *device = ordinal + 100; // a device is no ordinal
  return Success;
}

FAKE_API Result cuDeviceGetName(char *name, int size, DeviceNumber device) {
  ENTER(cuDeviceGetName)
  std::snprintf(name, size_t(size), "fake GPU %d", device - 100);
  return Success;
}

FAKE_API Result cuDeviceGetUuid_v2(Uuid *uuid, DeviceNumber device) {
  ENTER(cuDeviceGetUuid_v2)
  for (int i = 0; i < 16; ++i) {
    uuid->bytes[i] = static_cast<unsigned char>(i * 16 + device - 100);
  }
  return Success;
}

FAKE_API Result cuDeviceGetPCIBusId(char *text, int size, DeviceNumber device) {
  ENTER(cuDeviceGetPCIBusId)
  std::snprintf(text, size_t(size), "0000:%02x:00.0", device - 100);
  return Success;
}

FAKE_API Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber) {
  ENTER(cuDeviceTotalMem_v2)
  *bytes = state().control.totalMemory;
  return Success;
}

FAKE_API Result cuDeviceGetAttribute(int *value, DeviceAttribute which,
                                     DeviceNumber) {
  ENTER(cuDeviceGetAttribute)
  int capability = state().control.capability;
  const std::map<int, int> values = {{MaxThreadsPerBlock, 1024},
                                     {MaxGridY, FakeGridYZ},
                                     {SharedPerBlock, FakeShared},
                                     {WarpSize, 32},
                                     {RegistersPerBlock, FakeRegisters},
                                     {ClockKHz, 1980000},
                                     {Multiprocessors, FakeUnits},
                                     {L2Bytes, 50 << 20},
                                     {CapabilityMajor, capability / 10},
                                     {CapabilityMinor, capability % 10},
                                     {SharedPerBlockOptin, FakeOptin},
                                     {MemoryPools, 1},
                                     {CooperativeLaunch, 1},
                                     {ClusterLaunch, capability >= 90},
                                     {TensorMaps, capability >= 90}};
  auto it = values.find(which);
  REQUIRE(it != values.end(), InvalidValue)
  *value = it->second;
  return Success;
}

//===--- Contexts ---------------------------------------------------------===//

FAKE_API Result cuDevicePrimaryCtxRetain(Context *out, DeviceNumber device) {
  ENTER(cuDevicePrimaryCtxRetain)
  REQUIRE(state().started, NotInitialized)
  *out = state().contexts[size_t(device - 100)].get();
  ++(*out)->references;
  ++state().control.contexts;
  return Success;
}

FAKE_API Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  ENTER(cuDevicePrimaryCtxRelease_v2)
  --state().contexts[size_t(device - 100)]->references;
  --state().control.contexts;
  return Success;
}

FAKE_API Result cuCtxGetCurrent(Context *out) {
  if (state().control.idle) {
    *out = current.empty() ? nullptr : current.back();
    return Success;
  }
  ENTER(cuCtxGetCurrent)
  *out = current.empty() ? nullptr : current.back();
  return Success;
}

FAKE_API Result cuCtxPushCurrent_v2(Context context) {
  ENTER(cuCtxPushCurrent_v2)
  current.push_back(context);
  return Success;
}

FAKE_API Result cuCtxPopCurrent_v2(Context *out) {
  ENTER(cuCtxPopCurrent_v2)
  REQUIRE(!current.empty(), InvalidContext)
  *out = current.back();
  current.pop_back();
  return Success;
}

FAKE_API Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  ENTER_CONTEXT(cuCtxGetStreamPriorityRange)
  *least = 0;
  *greatest = -5;
  return Success;
}

//===--- Memory -----------------------------------------------------------===//

FAKE_API Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER_CONTEXT(cuMemGetInfo_v2)
  *total = *free = state().control.totalMemory;
  for (auto &[at, block] : state().memory) {
    *free -= block.size;
  }
  return Success;
}

FAKE_API Result cuMemAlloc_v2(Pointer *out, size_t size) {
  ENTER_CONTEXT(cuMemAlloc_v2)
  return allocate(out, size, DeviceMemory, false);
}
FAKE_API Result cuMemFree_v2(Pointer at) {
  ENTER_CONTEXT(cuMemFree_v2)
  return release(at, DeviceMemory);
}
FAKE_API Result cuMemAllocAsync(Pointer *out, size_t size, Stream stream) {
  ENTER_CONTEXT(cuMemAllocAsync)
  REQUIRE(knownStream(stream), InvalidHandle)
  return allocate(out, size, DeviceMemory, false);
}
FAKE_API Result cuMemFreeAsync(Pointer at, Stream stream) {
  ENTER_CONTEXT(cuMemFreeAsync)
  REQUIRE(knownStream(stream), InvalidHandle)
  return release(at, DeviceMemory);
}
FAKE_API Result cuMemHostAlloc(void **out, size_t size, unsigned) {
  ENTER_CONTEXT(cuMemHostAlloc)
  Pointer at = 0;
  Result result = allocate(&at, size, HostMemory, false);
  *out = reinterpret_cast<void *>(at);
  return result;
}
FAKE_API Result cuMemFreeHost(void *at) {
  ENTER_CONTEXT(cuMemFreeHost)
  return release(reinterpret_cast<Pointer>(at), HostMemory);
}
FAKE_API Result cuMemAllocManaged(Pointer *out, size_t size, unsigned flags) {
  ENTER_CONTEXT(cuMemAllocManaged)
  REQUIRE(flags == AttachGlobal, InvalidValue)
  return allocate(out, size, DeviceMemory, true);
}

FAKE_API Result cuPointerGetAttributes(unsigned count, PointerAttribute *which,
                                       void **values, Pointer at) {
  ENTER(cuPointerGetAttributes)
  Pointer start = 0;
  Block *block = blockOf(at, 0, &start);
  for (unsigned i = 0; i < count; ++i) {
    switch (which[i]) {
    case MemoryTypeOf:
      *static_cast<unsigned *>(values[i]) = block ? block->type : 0;
      break;
    case IsManaged:
      *static_cast<unsigned *>(values[i]) = block && block->managed;
      break;
    case DeviceOrdinal:
      *static_cast<int *>(values[i]) = block ? block->ordinal : -2;
      break;
    case RangeStart:
      *static_cast<Pointer *>(values[i]) = block ? start : 0;
      break;
    case RangeSize:
      *static_cast<size_t *>(values[i]) = block ? block->size : 0;
      break;
    }
  }
  return Success;
}

static Result copy(Pointer to, Pointer from, size_t n, Stream stream) {
  REQUIRE(knownStream(stream), InvalidHandle)
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n);
  return Success;
}

FAKE_API Result cuMemcpyAsync(Pointer to, Pointer from, size_t n,
                              Stream stream) {
  ENTER_CONTEXT(cuMemcpyAsync)
  return copy(to, from, n, stream);
}
FAKE_API Result cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync_v2)
  REQUIRE(onDevice(to, n), InvalidValue)
  return copy(to, reinterpret_cast<Pointer>(from), n, stream);
}
FAKE_API Result cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync_v2)
  REQUIRE(onDevice(from, n), InvalidValue)
  return copy(reinterpret_cast<Pointer>(to), from, n, stream);
}
FAKE_API Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync_v2)
  REQUIRE(onDevice(to, n) && onDevice(from, n), InvalidValue)
  return copy(to, from, n, stream);
}

template <typename T>
static Result fill(Pointer at, T value, size_t count, Stream stream) {
  REQUIRE(knownStream(stream), InvalidHandle)
  REQUIRE(at % sizeof(T) == 0 && onDevice(at, count * sizeof(T)), InvalidValue)
  for (size_t i = 0; i < count; ++i) {
    reinterpret_cast<T *>(at)[i] = value;
  }
  return Success;
}

FAKE_API Result cuMemsetD8Async(Pointer at, unsigned char value, size_t count,
                                Stream stream) {
  ENTER_CONTEXT(cuMemsetD8Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD16Async(Pointer at, unsigned short value, size_t count,
                                 Stream stream) {
  ENTER_CONTEXT(cuMemsetD16Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD32Async(Pointer at, unsigned value, size_t count,
                                 Stream stream) {
  ENTER_CONTEXT(cuMemsetD32Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD2D8Async(Pointer at, size_t pitch, unsigned char value,
                                  size_t width, size_t height, Stream stream) {
  ENTER_CONTEXT(cuMemsetD2D8Async)
  REQUIRE(width <= pitch && onDevice(at, pitch * (height - 1) + width),
          InvalidValue)
  REQUIRE(knownStream(stream), InvalidHandle)
  for (size_t row = 0; row < height; ++row) {
    std::memset(reinterpret_cast<void *>(at + row * pitch), value, width);
  }
  return Success;
}

//===--- Streams and events -----------------------------------------------===//

FAKE_API Result cuStreamCreateWithPriority(Stream *out, unsigned flags,
                                           int priority) {
  ENTER_CONTEXT(cuStreamCreateWithPriority)
  REQUIRE(flags == StreamNonBlocking, InvalidValue)
  *out = new StreamObject{current.back()};
  state().streams.insert(*out);
  ++state().control.streams;
  state().control.lastPriority = priority;
  return Success;
}

FAKE_API Result cuStreamDestroy_v2(Stream stream) {
  ENTER_CONTEXT(cuStreamDestroy_v2)
  REQUIRE(state().streams.erase(stream), InvalidHandle)
  delete stream;
  --state().control.streams;
  return Success;
}

FAKE_API Result cuStreamSynchronize(Stream stream) {
  ENTER_CONTEXT(cuStreamSynchronize)
  REQUIRE(knownStream(stream), InvalidHandle)
  return Success;
}

FAKE_API Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  ENTER_CONTEXT(cuStreamWaitEvent)
  REQUIRE(knownStream(stream) && state().events.count(event), InvalidHandle)
  return Success;
}

FAKE_API Result cuStreamAddCallback(Stream stream, StreamCallback fn,
                                    void *user, unsigned) {
  ENTER_CONTEXT(cuStreamAddCallback)
  REQUIRE(knownStream(stream), InvalidHandle)
  entry.lock.unlock();
  fn(stream, Success, user);
  return Success;
}

FAKE_API Result cuStreamGetCtx(Stream stream, Context *out) {
  ENTER_CONTEXT(cuStreamGetCtx)
  REQUIRE(state().streams.count(stream), InvalidHandle)
  *out = stream->context;
  return Success;
}

FAKE_API Result cuEventCreate(Event *out, unsigned flags) {
  ENTER_CONTEXT(cuEventCreate)
  *out = new EventObject{current.back(), !(flags & EventDisableTiming)};
  state().events.insert(*out);
  ++state().control.events;
  return Success;
}

FAKE_API Result cuEventDestroy_v2(Event event) {
  ENTER_CONTEXT(cuEventDestroy_v2)
  REQUIRE(state().events.erase(event), InvalidHandle)
  delete event;
  --state().control.events;
  return Success;
}

FAKE_API Result cuEventRecord(Event event, Stream stream) {
  ENTER_CONTEXT(cuEventRecord)
  REQUIRE(knownStream(stream) && state().events.count(event), InvalidHandle)
  event->recorded = true;
  event->ms = nowMs();
  return Success;
}

FAKE_API Result cuEventQuery(Event event) {
  ENTER_CONTEXT(cuEventQuery)
  REQUIRE(state().events.count(event), InvalidHandle)
  return state().control.eventsPending ? NotReady : Success;
}

FAKE_API Result cuEventSynchronize(Event event) {
  ENTER_CONTEXT(cuEventSynchronize)
  REQUIRE(state().events.count(event), InvalidHandle)
  return Success;
}

FAKE_API Result cuEventElapsedTime(float *ms, Event start, Event stop) {
  ENTER_CONTEXT(cuEventElapsedTime)
  REQUIRE(state().events.count(start) && state().events.count(stop) &&
              start->timed && stop->timed && start->recorded && stop->recorded,
          InvalidHandle)
  REQUIRE(!state().control.eventsPending, NotReady)
  *ms = float(stop->ms - start->ms);
  return Success;
}

//===--- Modules ----------------------------------------------------------===//

/// "regs=32" of a kernel's line.
static void readKernel(std::istringstream &line, FunctionObject &f) {
  for (std::string word; line >> word;) {
    size_t equal = word.find('=');
    std::string key = word.substr(0, equal), value = word.substr(equal + 1);
    if (key == "params") {
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');) {
        f.params.push_back(std::stoul(one));
      }
    } else {
      (key == "regs"     ? f.registers
       : key == "shared" ? f.shared
                         : f.threads) = std::stoi(value);
    }
  }
  f.dynamicLimit = FakeShared - f.shared;
}

FAKE_API Result cuModuleLoadDataEx(Module *out, const void *image,
                                   unsigned count, JitOption *options,
                                   void **values) {
  ENTER_CONTEXT(cuModuleLoadDataEx)
  std::string text(static_cast<const char *>(image));
  bool machine = text.compare(0, 4, "\177ELF") == 0;
  REQUIRE(machine || text.compare(0, 8, ".version") == 0, InvalidImage)
  auto module = std::make_unique<ModuleObject>();
  module->context = current.back();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind == "arch") {
      int arch = std::stoi(name), own = state().control.capability;
      REQUIRE(machine ? arch / 10 == own / 10 && arch <= own : arch <= own,
              NoBinaryForGpu)
    } else if (kind == "kernel") {
      auto function = std::make_unique<FunctionObject>();
      function->name = name;
      readKernel(words, *function);
      module->functions[name] = std::move(function);
    } else if (kind == "global") {
      size_t bytes = 0;
      words >> bytes;
      module->globals[name].resize(bytes);
    } else if (kind == "error") {
      for (unsigned i = 0; i < count; ++i) {
        if (options[i] == JitErrorLog) {
          std::strcpy(static_cast<char *>(values[i]),
                      "ptxas application ptx input, line 7; error   : Unknown "
                      "symbol 'foo'\nptxas fatal   : Ptx assembly aborted\n");
        }
      }
      return InvalidPtx;
    }
  }
  *out = module.release();
  state().modules.insert(*out);
  ++state().control.modules;
  return Success;
}

FAKE_API Result cuModuleUnload(Module module) {
  ENTER_CONTEXT(cuModuleUnload)
  REQUIRE(state().modules.erase(module), InvalidHandle)
  delete module;
  --state().control.modules;
  return Success;
}

FAKE_API Result cuModuleGetFunction(Function *out, Module module,
                                    const char *name) {
  ENTER_CONTEXT(cuModuleGetFunction)
  REQUIRE(state().modules.count(module), InvalidHandle)
  auto it = module->functions.find(name);
  if (it == module->functions.end() && state().control.idle) {
    it = module->functions.emplace(name, new FunctionObject{name}).first;
  }
  REQUIRE(it != module->functions.end(), NotFound)
  *out = it->second.get();
  return Success;
}

FAKE_API Result cuModuleGetGlobal_v2(Pointer *out, size_t *size, Module module,
                                     const char *name) {
  ENTER_CONTEXT(cuModuleGetGlobal_v2)
  REQUIRE(state().modules.count(module), InvalidHandle)
  auto it = module->globals.find(name);
  REQUIRE(it != module->globals.end(), NotFound)
  *out = reinterpret_cast<Pointer>(it->second.data());
  *size = it->second.size();
  return Success;
}

FAKE_API Result cuFuncGetAttribute(int *value, FunctionAttribute which,
                                   Function f) {
  ENTER_CONTEXT(cuFuncGetAttribute)
  *value = which == FunctionRegisters     ? f->registers
           : which == FunctionSharedBytes ? f->shared
           : which == FunctionMaxThreads  ? f->threads
                                          : 0;
  return Success;
}

FAKE_API Result cuFuncSetAttribute(Function f, FunctionAttribute which,
                                   int value) {
  ENTER_CONTEXT(cuFuncSetAttribute)
  if (which == FunctionMaxDynamicShared) {
    REQUIRE(value + f->shared <= FakeOptin, InvalidValue)
    f->dynamicLimit = value;
  } else {
    f->largeCluster = value != 0;
  }
  state().control.functionAttributes[{f, which}] = value;
  return Success;
}

/// As on capability 9.0: parameters begin at 0x210 of their bank, and what has
/// 128 bytes is aligned there.
static size_t paramOffset(const FunctionObject &f, size_t index) {
  constexpr size_t begin = 0x210;
  size_t at = begin;
  for (size_t i = 0; i <= index; ++i) {
    size_t size = f.params[i];
    at = (at + size - 1) / size * size;
    at += i < index ? size : 0;
  }
  return at - begin;
}

FAKE_API Result cuFuncGetParamInfo(Function f, size_t index, size_t *offset,
                                   size_t *size) {
  ENTER_CONTEXT(cuFuncGetParamInfo)
  REQUIRE(index < f->params.size(), InvalidValue)
  *offset = paramOffset(*f, index);
  *size = f->params[index];
  return Success;
}

//===--- Launches ---------------------------------------------------------===//

FAKE_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out,
                                                            Function f,
                                                            int threads,
                                                            size_t shared) {
  ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  REQUIRE(threads > 0 && shared <= size_t(f->dynamicLimit), InvalidValue)
  *out = std::min(2048 / threads, FakeRegisters / (f->registers * threads));
  return Success;
}

FAKE_API Result cuOccupancyMaxActiveClusters(int *out, Function,
                                             const LaunchConfig *config) {
  ENTER_CONTEXT(cuOccupancyMaxActiveClusters)
  REQUIRE(config->numAttributes == 1 &&
              config->attributes[0].id == LaunchClusterDimension &&
              config->grid[0] % config->attributes[0].value.cluster[0] == 0,
          InvalidValue)
  *out = 66;
  return Success;
}

/// A real kernel, to see that packed arguments arrive.
static void add(const unsigned char *args) {
  const float *x, *y;
  float *out;
  int n;
  std::memcpy(&x, args, 8);
  std::memcpy(&y, args + 8, 8);
  std::memcpy(&out, args + 16, 8);
  std::memcpy(&n, args + 24, 4);
  for (int i = 0; i < n; ++i) {
    out[i] = x[i] + y[i];
  }
}

static void readAttributes(const LaunchConfig &config, FakeLaunch &launch) {
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const LaunchAttribute &a = config.attributes[i];
    if (a.id == LaunchClusterDimension) {
      std::memcpy(launch.cluster, a.value.cluster, sizeof(launch.cluster));
    } else if (a.id == LaunchCooperative) {
      launch.cooperative = a.value.flag;
    } else {
      launch.overlap = a.value.flag;
    }
  }
}

FAKE_API Result cuLaunchKernelEx(const LaunchConfig *config, Function f,
                                 void **params, void **extra) {
  if (state().control.idle) {
    return Success;
  }
  ENTER_CONTEXT(cuLaunchKernelEx)
  REQUIRE(knownStream(config->stream), InvalidHandle)
  FakeLaunch launch{};
  launch.kernel = f->name;
  unsigned blocks = 1, threads = 1, cluster = 1;
  launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
  readAttributes(*config, launch);
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = config->grid[i];
    launch.block[i] = config->block[i];
    REQUIRE(launch.grid[i] && launch.block[i], InvalidValue)
    REQUIRE(i == 0 || launch.grid[i] <= FakeGridYZ, InvalidValue)
    REQUIRE(launch.grid[i] % launch.cluster[i] == 0, InvalidClusterSize)
    blocks *= launch.grid[i];
    threads *= launch.block[i];
    cluster *= launch.cluster[i];
  }
  REQUIRE(threads <= 1024, InvalidValue)
  REQUIRE(int(threads) <= f->threads &&
              threads * unsigned(f->registers) <= unsigned(FakeRegisters),
          LaunchOutOfResources)
  REQUIRE(cluster <= 8 || f->largeCluster, InvalidClusterSize)
  REQUIRE(int(config->dynamicShared) <= f->dynamicLimit, InvalidValue)
  REQUIRE(!launch.cooperative || blocks <= unsigned(FakeUnits),
          CooperativeLaunchTooLarge)
  launch.dynamicShared = config->dynamicShared;
  launch.stream = config->stream;
  size_t bytes = f->params.empty()
                     ? 0
                     : paramOffset(*f, f->params.size() - 1) + f->params.back();
  launch.args.resize(bytes);
  if (params) {
    for (size_t i = 0; i < f->params.size(); ++i) {
      std::memcpy(&launch.args[paramOffset(*f, i)], params[i], f->params[i]);
    }
  } else if (extra) {
    REQUIRE(extra[0] == ParamBufferPointer && extra[2] == ParamBufferSize &&
                extra[4] == ParamEnd,
            InvalidValue)
    REQUIRE(*static_cast<size_t *>(extra[3]) == bytes, LaunchOutOfResources)
    std::memcpy(launch.args.data(), extra[1], bytes);
  } else {
    REQUIRE(bytes == 0, InvalidValue)
  }
  if (f->name == "add") {
    add(launch.args.data());
  } else if (f->name == "fault") {
    current.back()->fault = IllegalAddress;
  }
  state().control.launches.push_back(std::move(launch));
  return Success;
}

/// Leaves everything where a test can read it.
FAKE_API Result cuTensorMapEncodeTiled(
    TensorMap *map, TensorElement element, uint32_t rank, void *base,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *steps, int interleave, TensorSwizzle swizzle,
    TensorPromotion promotion, TensorFill fill) {
  ENTER_CONTEXT(cuTensorMapEncodeTiled)
  REQUIRE(interleave == 0 && reinterpret_cast<Pointer>(map) % 64 == 0,
          InvalidValue)
  map->words[0] = reinterpret_cast<uint64_t>(base);
  map->words[1] = unsigned(element) | rank << 8 | unsigned(swizzle) << 16 |
                  unsigned(promotion) << 24;
  map->words[2] = unsigned(fill);
  for (uint32_t i = 0; i < rank; ++i) {
    REQUIRE(steps[i] == 1 && dims[i] >= 1, InvalidValue)
    map->words[3 + i] = dims[i];
    map->words[12] |= uint64_t(box[i] - 1) << (8 * i);
    if (i + 1 < rank) {
      REQUIRE(strides[i] % 16 == 0, InvalidValue)
      map->words[8 + i] = strides[i];
    }
  }
  return Success;
}
