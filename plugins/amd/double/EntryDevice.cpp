//===- EntryDevice.cpp - HIP's functions for devices ----------------------===//
//
// What   Start, version, devices and what they say of themselves.
// Why    One device for each processor that the simulator executes.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Results.h"
#include "plugins/amd/double/SimulatedDevice.h"
#include "plugins/amd/double/SimulatorVersion.h"

#include <cstdio>
#include <cstring>

using namespace tz::amd::hip;
using tz::amd::sim::Machine;

static constexpr int Version = 60000000; ///< whose functions these are

static SimulatedDevice &deviceOf(int number) {
  require(number >= 0 && size_t(number) < devices().size(), InvalidDevice);
  return *devices()[size_t(number)];
}

extern "C" [[gnu::visibility("default")]] const char *tzAmdSimulatorVersion() {
  return tz::amd::SimulatorVersion;
}

TZ_HIP_ENTRY hipInit(unsigned) { return Success; }

TZ_HIP_ENTRY hipRuntimeGetVersion(int *version) {
  return answer([&] {
    require(version);
    *version = Version;
  });
}

TZ_HIP_ENTRY hipGetDeviceCount(int *count) {
  return answer([&] {
    require(count);
    *count = int(devices().size());
  });
}

TZ_HIP_ENTRY hipDeviceGetName(char *name, int size, int device) {
  return answer([&] {
    require(name && size > 0);
    std::snprintf(name, size_t(size), "simulated %s",
                  std::string(deviceOf(device).machine.processor).c_str());
  });
}

TZ_HIP_ENTRY hipDeviceGetUuid(Uuid *uuid, int device) {
  return answer([&] {
    require(uuid);
    char text[32];
    std::snprintf(text, sizeof(text), "simulated%07x",
                  unsigned(deviceOf(device).number));
    std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
  });
}

TZ_HIP_ENTRY hipDeviceGetPCIBusId(char *, int, int) {
  return answer([] { require(false, NotSupported); });
}

TZ_HIP_ENTRY hipDeviceTotalMem(size_t *bytes, int device) {
  return answer([&] {
    require(bytes);
    (void)deviceOf(device);
    *bytes = memoryBytes();
  });
}

TZ_HIP_ENTRY hipDeviceGetAttribute(int *value, DeviceAttribute which,
                                   int device) {
  return answer([&] {
    require(value);
    const Machine &machine = deviceOf(device).machine;
    switch (which) {
    case Units:
      *value = int(machine.units);
      break;
    case WarpSize:
      *value = int(machine.lanes);
      break;
    case MaxThreadsPerBlock:
      *value = 1024;
      break;
    case SharedPerBlock:
    case SharedPerUnit:
      *value = int(machine.sharedBytes);
      break;
    case MaxGridX:
      *value = INT32_MAX;
      break;
    case MaxGridY:
    case MaxGridZ:
      *value = UINT16_MAX;
      break;
    case CooperativeLaunch:
    case ManagedMemory:
    case ConcurrentManagedAccess:
      *value = 1;
      break;
    case PageableMemoryAccess:
    case HostPageTables:
      *value = reachesHostMemory();
      break;
    default:
      *value = 0;
    }
  });
}

TZ_HIP_ENTRY hipGetDevicePropertiesR0600(Properties *out, int device) {
  return answer([&] {
    require(out);
    // As long as HIP 6.0 has it: what lies behind is not ours.
    std::memset(out, 0, 1472);
    const std::string_view name = deviceOf(device).machine.processor;
    std::memcpy(out->architecture, name.data(), name.size());
  });
}

TZ_HIP_ENTRY hipSetDevice(int device) {
  return answer([&] { currentDevice() = deviceOf(device).number; });
}

TZ_HIP_ENTRY hipGetDevice(int *device) {
  return answer([&] {
    require(device);
    *device = currentDevice();
  });
}

TZ_HIP_ENTRY hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return answer([&] {
    require(least && greatest);
    *least = 1;
    *greatest = -1;
  });
}
