//===- ZeDevice.cpp - platform, devices, contexts -------------------------===//
//
// What   See ZeDevice.h.
// Why    Everything that happens to a device as a whole: it is found,
//        described, given a context, wrapped.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <terrazzo/plugin/Device.h>

#include <algorithm>
#include <cstdio>

using namespace tz::intel;

//===--- Facts ------------------------------------------------------------===//

/// A properties struct of the given type.
template <typename T>
static T emptyOf(ze_structure_type_t type) {
  T value{};
  value.stype = type;
  return value;
}

static void readClock(const ze_device_properties_t &about, ZeFacts &facts) {
  // In this version of the struct the clock is told in ticks a second.
  facts.ticksPerSecond = about.timerResolution;
  const uint32_t bits = about.timestampValidBits;
  facts.tickMask =
      bits == 0 || bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
}

static void readAbilities(const ZeDriver &driver, ze_device_handle_t device,
                          ZeFacts &facts) {
  auto attempt = [&] { return "ask " + facts.name + " what it can do"; };
  auto compute = emptyOf<ze_device_compute_properties_t>(
      ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
  ZeDriver::check(driver.zeDeviceGetComputeProperties(device, &compute),
                  attempt);
  auto code = emptyOf<ze_device_module_properties_t>(
      ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
  ZeDriver::check(driver.zeDeviceGetModuleProperties(device, &code), attempt);
  Abilities &has = facts.abilities;
  has.maxWorkgroup = compute.maxTotalGroupSize;
  has.subgroupSizes.assign(
      compute.subGroupSizes,
      compute.subGroupSizes +
          std::min<uint32_t>(compute.numSubGroupSizes, ZE_SUBGROUPSIZE_COUNT));
  has.spirvMajor = ZE_MAJOR_VERSION(code.spirvVersionSupported);
  has.spirvMinor = ZE_MINOR_VERSION(code.spirvVersionSupported);
  has.hasFloat16 = code.flags & ZE_DEVICE_MODULE_FLAG_FP16;
  has.hasFloat64 = code.flags & ZE_DEVICE_MODULE_FLAG_FP64;
  has.hasInt64Atomics = code.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
  facts.localMemory = compute.maxSharedLocalMemory;
}

/// The sum of what the device has, and its largest cache.
static void readMemory(const ZeDriver &driver, ze_device_handle_t device,
                       ZeFacts &facts) {
  uint32_t count = 0;
  if (driver.zeDeviceGetMemoryProperties(device, &count, nullptr) ==
      ZE_RESULT_SUCCESS) {
    std::vector memories(count,
                         emptyOf<ze_device_memory_properties_t>(
                             ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES));
    if (count && driver.zeDeviceGetMemoryProperties(
                     device, &count, memories.data()) == ZE_RESULT_SUCCESS) {
      for (const auto &one : memories) {
        facts.totalMemory += one.totalSize;
      }
    }
  }
  count = 0;
  if (driver.zeDeviceGetCacheProperties(device, &count, nullptr) ==
      ZE_RESULT_SUCCESS) {
    std::vector caches(count, emptyOf<ze_device_cache_properties_t>(
                                  ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES));
    if (count && driver.zeDeviceGetCacheProperties(
                     device, &count, caches.data()) == ZE_RESULT_SUCCESS) {
      for (const auto &one : caches) {
        facts.cacheBytes = std::max<uint64_t>(facts.cacheBytes, one.cacheSize);
      }
    }
  }
}

/// The first group of queues that runs kernels.
static uint32_t computeGroup(const ZeDriver &driver,
                             ze_device_handle_t device) {
  uint32_t count = 0;
  (void)driver.zeDeviceGetCommandQueueGroupProperties(device, &count, nullptr);
  std::vector groups(count,
                     emptyOf<ze_command_queue_group_properties_t>(
                         ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES));
  if (count) {
    (void)driver.zeDeviceGetCommandQueueGroupProperties(device, &count,
                                                        groups.data());
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
      return i;
    }
  }
  return 0;
}

static std::string versionOf(const ZeDriver &driver, ze_driver_handle_t of) {
  ze_api_version_t version{};
  auto about =
      emptyOf<ze_driver_properties_t>(ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
  (void)driver.zeDriverGetApiVersion(of, &version);
  (void)driver.zeDriverGetProperties(of, &about);
  const auto number = uint32_t(version);
  return "Level Zero " + std::to_string(ZE_MAJOR_VERSION(number)) + "." +
         std::to_string(ZE_MINOR_VERSION(number)) + ", driver " +
         std::to_string(about.driverVersion);
}

static std::string busText(const ZeDriver &driver, ze_device_handle_t device) {
  auto bus =
      emptyOf<ze_pci_ext_properties_t>(ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
  if (!driver.zeDevicePciGetPropertiesExt ||
      driver.zeDevicePciGetPropertiesExt(device, &bus) != ZE_RESULT_SUCCESS) {
    return {};
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", bus.address.domain,
                bus.address.bus, bus.address.device, bus.address.function);
  return text;
}

static ze_device_properties_t propertiesOf(const ZeDriver &driver,
                                           ze_device_handle_t device) {
  auto about =
      emptyOf<ze_device_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
  ZeDriver::check(driver.zeDeviceGetProperties(device, &about),
                  [] { return "ask a device what it is"; });
  return about;
}

static ZeFacts readFacts(const ZeDriver &driver, ze_driver_handle_t vendor,
                         ze_device_handle_t device) {
  const ze_device_properties_t about = propertiesOf(driver, device);
  ZeFacts facts;
  facts.name = about.name;
  for (unsigned char byte : about.uuid.id) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", byte);
    facts.uuid += two;
  }
  facts.pciBusId = busText(driver, device);
  facts.driverVersion = versionOf(driver, vendor);
  facts.target = targetOf(about.deviceId);
  facts.computeUnits = about.numSlices * about.numSubslicesPerSlice;
  facts.maxPriority = about.maxCommandQueuePriority;
  facts.maxAllocation = about.maxMemAllocSize;
  facts.queueGroup = computeGroup(driver, device);
  readClock(about, facts);
  readAbilities(driver, device, facts);
  readMemory(driver, device, facts);
  return facts;
}

tz_device_info Slots::describe(tz_device &device) {
  constexpr uint32_t dlpackOneApi = 14;
  using tz::plugin::str;
  const ZeFacts &facts = device.facts;
  tz_device_info info{};
  info.name = str(facts.name);
  info.uuid = str(facts.uuid);
  info.pci_bus_id = str(facts.pciBusId);
  info.driver_version = str(facts.driverVersion);
  info.target = str(facts.target);
  info.native_kinds = str(ZeNativeKinds);
  info.dlpack_type = dlpackOneApi;
  info.compute_units = facts.computeUnits;
  // A device has several sizes; which one code uses is the code's choice.
  info.subgroup_size = facts.abilities.subgroupSizes.size() == 1
                           ? facts.abilities.subgroupSizes.front()
                           : 0;
  info.max_threads_per_block = facts.abilities.maxWorkgroup;
  info.total_mem = facts.totalMemory;
  info.scratch_bytes = facts.localMemory;
  info.l2_bytes = facts.cacheBytes;
  return info;
}

//===--- Platform ---------------------------------------------------------===//

tz_platform::tz_platform(const std::string &library) : driver(library) {
  for (ze_driver_handle_t vendor : driver.drivers()) {
    for (ze_device_handle_t native : driver.devices(vendor)) {
      const ze_device_properties_t about = propertiesOf(driver, native);
      if (about.type != ZE_DEVICE_TYPE_GPU || about.vendorId != VendorId) {
        continue;
      }
      devices.push_back(std::make_unique<tz_device>(
          *this, vendor, native, "intel:" + std::to_string(devices.size())));
      handles.push_back(devices.back().get());
    }
  }
}

void tz_platform::addWrapped(tz_device *device) {
  std::lock_guard guard(mutex);
  wrapped.push_back(device);
}

void tz_platform::removeWrapped(tz_device *device) {
  std::lock_guard guard(mutex);
  std::erase(wrapped, device);
}

tz_device *tz_platform::find(const std::function<bool(tz_device &)> &ask) {
  std::lock_guard guard(mutex);
  for (const auto *list : {&handles, &wrapped}) {
    for (tz_device *device : *list) {
      if (ask(*device)) {
        return device;
      }
    }
  }
  return nullptr;
}

//===--- Device -----------------------------------------------------------===//

tz_device::tz_device(tz_platform &platform, ze_driver_handle_t vendor,
                     ze_device_handle_t native, std::string label,
                     ze_context_handle_t context)
    : platform(platform), driver(platform.driver), vendor(vendor),
      native(native), label(std::move(label)), isWrapped(context),
      facts(readFacts(driver, vendor, native)), marks(*this), callbacks(*this) {
  if (context) {
    (void)adopt(context);
    platform.addWrapped(this);
  }
}

tz_device::~tz_device() {
  if (isWrapped) {
    platform.removeWrapped(this);
  }
  callbacks.end();
  releaseAll(*this);
  // Its marks are of the context, which goes last.
  marks.clear();
  if (ze_context_handle_t context = made.load()) {
    --platform.contexts;
    if (!isAdopted) {
      (void)driver.zeContextDestroy(context);
    }
  }
}

ze_context_handle_t tz_device::context() {
  if (ze_context_handle_t known = made.load(std::memory_order_acquire)) {
    return known;
  }
  std::lock_guard guard(mutex);
  if (!made.load(std::memory_order_relaxed)) {
    const ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t context = nullptr;
    ZeDriver::check(driver.zeContextCreate(vendor, &desc, &context), [&] {
      return "start work on " + label + " (" + facts.name + ")";
    });
    made.store(context, std::memory_order_release);
    ++platform.contexts;
  }
  return made.load(std::memory_order_relaxed);
}

bool tz_device::adopt(ze_context_handle_t context) {
  std::lock_guard guard(mutex);
  if (!made.load(std::memory_order_relaxed)) {
    isAdopted = true;
    made.store(context, std::memory_order_release);
    ++platform.contexts;
  }
  return made.load(std::memory_order_relaxed) == context;
}

//===--- Objects of the program's -----------------------------------------===//

ZeForeign tz::intel::readNative(const tz_native &native) {
  plugin::requireNative(plugin::str(ZeNativeKinds), native);
  if (!native.kind || std::string_view(native.kind) == "sycl") {
    ZeForeign found = readSyclQueue(native.object);
    if ((native.context && native.context != found.context) ||
        (native.device && native.device != found.device)) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the SYCL queue is said to be of another context or "
                    "device than it is");
    }
    return found;
  }
  return {static_cast<ze_context_handle_t>(native.context),
          static_cast<ze_device_handle_t>(native.device),
          static_cast<ze_command_list_handle_t>(native.object)};
}

std::unique_ptr<tz_device> Slots::wrapDevice(tz_platform &platform,
                                             const tz_native &native) {
  const ZeForeign foreign = readNative(native);
  if (!foreign.context) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the context to be wrapped is null; it is a "
                  "ze_context_handle_t, or that of a SYCL queue");
  }
  if (!foreign.device && platform.devices.size() > 1) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "there are " + std::to_string(platform.devices.size()) +
                      " devices; say of which the context is (a "
                      "ze_device_handle_t)");
  }
  for (const auto &device : platform.devices) {
    if (!foreign.device || device->native == foreign.device) {
      return std::make_unique<tz_device>(
          platform, device->vendor, device->native,
          "the program's context on " + device->label, foreign.context);
    }
  }
  throw Failure(TZ_E_INVALID_ARGUMENT,
                "the device of the context to be wrapped is none of this "
                "driver's");
}
