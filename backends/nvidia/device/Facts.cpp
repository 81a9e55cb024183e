//===- Facts.cpp - the numbers of one device ------------------------------===//
//
// What   What device_info answers, read through cuDeviceGetAttribute and its
//        neighbours; none of it needs a context.
// Why    `tz targets` lists a device without taking memory on it.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Architecture.h"
#include "backends/nvidia/device/CudaDevice.h"

namespace tz::nvidia {

using namespace driver;

namespace {

tz_kv number(std::string_view key, int64_t value) {
  return {plugin::str(key), TZ_KV_I64, 0, value, 0, {}};
}

/// GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi prints it.
std::string uuidText(const Uuid &uuid) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += digits[uuid.bytes[i] >> 4];
    text += digits[uuid.bytes[i] & 15];
  }
  return text;
}

/// Properties beyond the fields of tz_device_info.
constexpr struct {
  DeviceAttribute attribute;
  const char *key;
  int64_t scale;
} Properties[] = {
    {SharedPerBlock, "shared.block.bytes", 1},
    {SharedPerBlockOptin, "shared.block.optin.bytes", 1},
    {SharedPerMultiprocessor, "shared.unit.bytes", 1},
    {RegistersPerBlock, "registers.block", 1},
    {RegistersPerMultiprocessor, "registers.unit", 1},
    {ThreadsPerMultiprocessor, "threads.unit", 1},
    {BlocksPerMultiprocessor, "blocks.unit", 1},
    {ClockKHz, "clock.hz", 1000},
    {MemoryClockKHz, "memory.clock.hz", 1000},
    {MemoryBusBits, "memory.bus.bits", 1},
    {EccEnabled, "memory.ecc", 1},
    {Integrated, "integrated", 1},
    {ManagedMemory, "memory.managed", 1},
    {ConcurrentManagedAccess, "memory.managed.concurrent", 1},
    {PageableMemoryAccess, "memory.pageable", 1},
    {TensorMaps, "tensor.maps", 1},
};

} // namespace

DeviceFacts readFacts(const Driver &driver, int ordinal, DeviceNumber device) {
  DeviceFacts facts;
  auto check = [&](Result result, const char *what) {
    if (result != Success) {
      throw driver.failure(result, std::string("read the ") + what +
                                       " of device " + std::to_string(ordinal));
    }
  };
  auto attribute = [&](DeviceAttribute which, const char *what) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, device), what);
    return value;
  };
  /// What an older driver does not know is 0.
  auto optional = [&](DeviceAttribute which) {
    int value = 0;
    return driver.deviceGetAttribute(&value, which, device) == Success ? value
                                                                       : 0;
  };
  char text[256] = {};
  check(driver.deviceGetName(text, sizeof(text) - 1, device), "name");
  facts.name = text;
  Uuid uuid{};
  if (driver.deviceGetUuid(&uuid, device) == Success) {
    facts.uuid = uuidText(uuid);
  }
  char bus[64] = {};
  if (driver.deviceGetPciBusId(bus, sizeof(bus) - 1, device) == Success) {
    facts.pciBusId = bus;
  }
  size_t memory = 0;
  check(driver.deviceTotalMem(&memory, device), "memory size");
  facts.totalMemory = memory;
  facts.major = attribute(CapabilityMajor, "compute capability");
  facts.minor = attribute(CapabilityMinor, "compute capability");
  facts.target = targetOf(facts.major, facts.minor);
  facts.multiprocessors =
      uint32_t(attribute(Multiprocessors, "number of multiprocessors"));
  facts.warpSize = uint32_t(attribute(WarpSize, "warp size"));
  facts.maxThreads =
      uint32_t(attribute(MaxThreadsPerBlock, "largest number of threads"));
  facts.maxGridY = uint32_t(attribute(MaxGridY, "largest grid"));
  facts.sharedBytes = uint64_t(attribute(SharedPerBlock, "shared memory"));
  facts.sharedOptinBytes = uint64_t(optional(SharedPerBlockOptin));
  facts.registersPerBlock = uint32_t(optional(RegistersPerBlock));
  facts.l2Bytes = uint64_t(optional(L2Bytes));
  facts.memoryPools = optional(MemoryPools) != 0;
  facts.cooperative = optional(CooperativeLaunch) != 0;
  facts.clusters = optional(ClusterLaunch) != 0;
  facts.numaNode = uint32_t(std::max(optional(HostNumaNode), 0));
  facts.props = {number("capability", facts.major * 10 + facts.minor)};
  for (const auto &p : Properties) {
    facts.props.push_back(number(p.key, optional(p.attribute) * p.scale));
  }
  // As viewers of profiles know the device.
  facts.props.push_back(
      {plugin::str("profile.type"), TZ_KV_STR, 0, 0, 0, plugin::str("CUDA")});
  facts.props.push_back(number("launch.cooperative", facts.cooperative));
  facts.props.push_back(number("launch.clusters", facts.clusters));
  return facts;
}

} // namespace tz::nvidia
