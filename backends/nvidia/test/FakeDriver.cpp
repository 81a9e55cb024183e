//===- FakeDriver.cpp - the driver's entry points over host memory --------===//
//
// What   Start, devices and contexts. All functions of DriverFunctions.def are
//        here, in FakeMemory, FakeStreams and FakeKernels. Device memory is host
//        memory, streams do their work at once.
// Why    See FakeDriver.h. It is strict where the driver is: a call without a
//        current context, a dead handle, a launch over a limit fail.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeState.h"

#include <cstdlib>
#include <sstream>

using namespace tz::nvidia::driver;
using namespace tz::nvidia::test;

State &tz::nvidia::test::state() {
  static State s;
  return s;
}

static Context makeContext(int ordinal) {
  static std::vector<std::unique_ptr<ContextObject>> made; // to the end
  made.push_back(std::make_unique<ContextObject>());
  made.back()->ordinal = ordinal;
  return made.back().get();
}

static void endContext(Context context) { context->isAlive = false; }

static void addControls() {
  FakeDriver &control = state().control;
  control.makeContext = makeContext;
  control.endContext = endContext;
}

static void reset() {
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
  addControls();
}

static void readEnvironment(FakeDriver &control) {
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

FAKE_API FakeDriver *fakeCudaDriver() {
  state().control.reset = reset;
  addControls();
  return &state().control;
}

/// For programs that are not C++: how often a function was called so far, and
/// whether all streams record a graph from now on.
FAKE_API int fakeCudaCalls(const char *function) {
  std::lock_guard guard(state().mutex);
  auto it = state().control.calls.find(function);
  return it == state().control.calls.end() ? 0 : it->second;
}
FAKE_API void fakeCudaRecord(int isRecording) {
  std::lock_guard guard(state().mutex);
  state().control.recording = isRecording != 0;
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

FAKE_API Result cuDevicePrimaryCtxGetState(DeviceNumber device, unsigned *flags,
                                           int *isActive) {
  ENTER(cuDevicePrimaryCtxGetState)
  *flags = 0;
  *isActive = state().contexts[size_t(device - 100)]->references > 0;
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
  REQUIRE(context && context->isAlive, InvalidContext)
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

FAKE_API Result cuCtxGetDevice(DeviceNumber *out) {
  ENTER_CONTEXT(cuCtxGetDevice)
  *out = current.back()->ordinal + 100;
  return Success;
}

FAKE_API Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  ENTER_CONTEXT(cuCtxGetStreamPriorityRange)
  *least = 0;
  *greatest = -5;
  return Success;
}
