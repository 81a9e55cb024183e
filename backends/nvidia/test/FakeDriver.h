//===- FakeDriver.h - what a test sees of the fake driver -----------------===//
//
// What   Settings, failure injection and records of FakeDriver.cpp, a shared
//        object with the driver's entry points over host memory.
// Why    Without a GPU every path of the device half runs in the tests, the
//        ones that a sound machine never takes too.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_FAKEDRIVER_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_FAKEDRIVER_H

#include "backends/nvidia/device/DriverTypes.h"

#include <map>
#include <string>
#include <vector>

namespace tz::nvidia::test {

struct FakeLaunch {
  std::string kernel;
  unsigned grid[3], block[3], cluster[3];
  unsigned dynamicShared;
  bool cooperative;
  driver::Stream stream;
  std::vector<unsigned char> args;
};

/// The driver's mutex guards all of it; tests change it while nothing runs.
struct FakeDriver {
  // Settings. Those of the first line are also read from TZ_FAKE_CUDA, as in
  // "devices=2 version=12080 init=999 capability=90".
  int devices = 2, version = 13000, init = 0, capability = 90;
  size_t totalMemory = size_t(1) << 30;
  bool eventsPending = false; ///< nothing recorded has come yet
  bool recording = false;     ///< all streams record a graph
  /// Every kernel is there; launches do nothing and are not recorded, so that
  /// what comes before the driver can be timed. Also from TZ_FAKE_CUDA.
  int idle = 0;

  // The call number `failAt` (from 1) of this function fails; 0: none.
  std::string failFunction;
  int failAt = 0;
  driver::Result failResult = driver::UnknownResult;
  /// Asked at each call of any function; true: it fails with failResult.
  bool (*fails)() = nullptr;
  /// Called for each launch, if set: by a fake of what records them.
  void (*launched)(const char *kernel) = nullptr;
  /// Called at the beginning and the end of each call, if set.
  void (*enter)() = nullptr, (*leave)() = nullptr;

  // Records.
  std::map<std::string, int> calls;
  std::vector<FakeLaunch> launches;
  int contexts = 0, streams = 0, events = 0, modules = 0;
  size_t allocations = 0;
  std::map<std::pair<driver::Function, int>, int> functionAttributes;
  int lastPriority = 0;

  /// A context of the program's on the device of this ordinal; and its end,
  /// which leaves all of what lies in it.
  driver::Context (*makeContext)(int ordinal) = nullptr;
  void (*endContext)(driver::Context) = nullptr;
  /// Back to the beginning: no fault, no record, no object.
  void (*reset)() = nullptr;
};

/// Exported by the shared object as "fakeCudaDriver".
using FakeDriverEntry = FakeDriver *(*)();

} // namespace tz::nvidia::test

#endif
