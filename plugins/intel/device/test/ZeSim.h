//===- ZeSim.h - a driver of Level Zero over a CPU's OpenCL ---------------===//
//
// What   The controls that tests set, the objects behind the driver's handles,
//        and the functions that the loader's tables are filled with.
// Why    No CPU has a driver of Level Zero. This one stands behind the real
//        loader, and its modules are run by a real OpenCL runtime. Commands of
//        a list run out of order, as a device may: who forgets a barrier sees
//        wrong values.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZESIM_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZESIM_H

#include "plugins/intel/device/SpirvModule.h"
#include "plugins/intel/device/opencl/ClDriver.h"

#include <atomic>
#include <level_zero/ze_api.h>
#include <mutex>
#include <thread>

namespace tz::intel::test {

/// What tests change, and what they ask.
struct ZeSim {
  uint32_t deviceId = 0x0BD5;      ///< on the bus
  uint32_t spirvVersion = 0x10004; ///< 0: none
  uint32_t moduleFlags = 7;        ///< fp16, fp64, atomics of 64 bits
  std::string failing;             ///< the function that fails
  uint32_t result = 0;             ///< with this
  std::string log;                 ///< in place of the compiler's
  std::string flags;               ///< of the module that was built last
  std::atomic<int> shared{0};      ///< uses of one kernel object by two threads
  std::atomic<int> misused{0}; ///< events signalled twice, or reset too early
  std::atomic<int> pools{0};   ///< of events, that were made
  std::atomic<int> live{0};    ///< objects that were made and not destroyed

  void reset() {
    deviceId = 0x0BD5;
    spirvVersion = 0x10004;
    moduleFlags = 7;
    failing = log = flags = "";
    result = 0;
    shared = misused = pools = 0;
  }
};

/// The symbol "zeSim" of the library.
using ZeSimEntry = ZeSim *(*)();

namespace sim {

/// The clock of the device: so many ticks a second, so many bits.
inline constexpr uint64_t TicksPerSecond = 19200000;
inline constexpr uint32_t ClockBits = 36;

ZeSim &controls();
/// Whether the function is to fail now.
inline bool fails(const char *name) { return controls().failing == name; }
inline ze_result_t failure() { return ze_result_t(controls().result); }

/// OpenCL's CPU, found at zeInit.
struct Machine {
  ClDriver driver{""};
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  ClExtensions add;
  decltype(&::clCreateUserEvent) createUserEvent = nullptr;
  decltype(&::clSetUserEventStatus) setUserEventStatus = nullptr;
};
/// Null without an OpenCL runtime.
Machine *machine();

/// Counts itself.
struct Counted {
  Counted() { ++controls().live; }
  ~Counted() { --controls().live; }
  Counted(const Counted &) = delete;
};

uint64_t ticksNow();

} // namespace sim
} // namespace tz::intel::test

struct _ze_context_handle_t : tz::intel::test::sim::Counted {
  cl_context native = nullptr;
};
struct _ze_event_pool_handle_t : tz::intel::test::sim::Counted {};
struct _ze_event_handle_t : tz::intel::test::sim::Counted {
  std::mutex mutex;
  bool isSignalled = false;
  cl_event mark = nullptr;   ///< of the command that will signal it
  cl_event waiter = nullptr; ///< the last command that waits for it
};
struct _ze_command_list_handle_t : tz::intel::test::sim::Counted {
  cl_command_queue queue = nullptr;
};
struct _ze_module_handle_t : tz::intel::test::sim::Counted {
  cl_program program = nullptr;
  tz::intel::SpirvModule about;
};
struct _ze_module_build_log_handle_t : tz::intel::test::sim::Counted {
  std::string text;
};
struct _ze_kernel_handle_t : tz::intel::test::sim::Counted {
  cl_kernel native = nullptr;
  tz::intel::SpirvKernel about;
  size_t group[3] = {1, 1, 1};
  /// The thread that has begun to prepare a launch.
  std::atomic<std::thread::id> user{};
};

#endif
