//===- HipDevice.cpp - devices, and what is told of their faults ----------===//
//
// What   See HipDevice.h.
// Why    Which device is the thread's, and what a lost one answers, is decided
//        here for all files of the folder.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

#include <algorithm>

namespace tz::amd {

using namespace hip;

/// DLPack's number of ROCm; a simulator's memory is the host's.
static constexpr uint32_t DlpackRocm = 10, DlpackCpu = 1;

//===--- Lists of devices -------------------------------------------------===//

std::vector<std::unique_ptr<HipDevice>>
HipDevice::listOf(const std::shared_ptr<const HipDriver> &driver,
                  bool areSimulators) {
  std::vector<std::unique_ptr<HipDevice>> found;
  for (int i = 0; i < driver->deviceCount(); ++i) {
    found.push_back(std::make_unique<HipDevice>(driver, i, areSimulators));
  }
  return found;
}

std::vector<std::unique_ptr<HipDevice>>
HipDevice::enumerate(const tz_create_desc &desc) {
  return listOf(std::make_shared<const HipDriver>(
                    plugin::libraryOf(desc, "hip", "TERRAZZO_AMD_HIP")),
                false);
}

HipDevice::HipDevice(std::shared_ptr<const HipDriver> shared, int ordinal,
                     bool isSimulator)
    : owned(std::move(shared)), driver(*owned), ordinal(ordinal),
      isSimulator(isSimulator), facts(readFacts(driver, ordinal)),
      version("HIP " + versionText(driver.version())) {}

HipDevice::~HipDevice() {
  // What nobody freed. After a fault this fails, and need not succeed.
  for (const auto &[address, made] : allocations.takeAll()) {
    (void)driver.told(made.kind == TZ_MEM_HOST_PINNED
                          ? driver.memFreeHost(pointer(made.base))
                          : driver.memFree(pointer(made.base)));
  }
}

tz_device_info HipDevice::describe() {
  size_t free = 0, total = 0;
  {
    DeviceScope scope(*this);
    if (driver.told(driver.memGetInfo(&free, &total)) != Success) {
      free = 0;
    }
  }
  tz_device_info info{};
  info.name = plugin::str(facts.name);
  info.uuid = plugin::str(facts.uuid);
  info.pci_bus_id = plugin::str(facts.pciBusId);
  info.driver_version = plugin::str(version);
  info.target = plugin::str(facts.target);
  info.native_kinds = plugin::str(NativeKind);
  info.dlpack_type = isSimulator ? DlpackCpu : DlpackRocm;
  info.dlpack_id = isSimulator ? 0 : uint32_t(ordinal);
  info.flags = facts.isHostMemory ? TZ_DEVICE_HOST_MEMORY : 0;
  info.compute_units = facts.units;
  info.subgroup_size = facts.lanes;
  info.max_threads_per_block = facts.maxThreads;
  info.total_mem = facts.totalMemory;
  info.free_mem = free;
  info.scratch_bytes = facts.sharedBytes;
  info.l2_bytes = facts.l2Bytes;
  info.props = facts.props.data();
  info.num_props = facts.props.size();
  return info;
}

//===--- Which code it runs -----------------------------------------------===//

void HipDevice::checkTarget(std::string_view target) {
  constexpr std::string_view family = "amd:";
  if (!target.starts_with(family) ||
      !isKnownProcessor(target.substr(family.size()))) {
    throw Failure(TZ_E_NOT_FOUND,
                  "unknown target '" + std::string(target) + "'");
  }
  if (target != facts.target) {
    throw Failure(TZ_E_FAILED_PRECONDITION, "code for " + std::string(target) +
                                                " does not run on " + label() +
                                                ", which is " + facts.target);
  }
}

void HipDevice::checkArtifact(std::string_view compat) {
  if (compat != facts.processor) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the code was compiled for " + std::string(compat) + ", " +
                      label() + " is " + facts.processor);
  }
}

//===--- Faults -----------------------------------------------------------===//

void HipDevice::add(HipStream *stream) {
  std::lock_guard guard(mutex);
  streams.push_back(stream);
}

void HipDevice::remove(HipStream *stream) {
  std::lock_guard guard(mutex);
  std::erase(streams, stream);
}

/// The kernels that may have caused a fault. The caller holds the mutex.
std::string HipDevice::kernelsInFlight() {
  std::vector<const std::string *> kernels;
  for (HipStream *stream : streams) {
    stream->recent.collect(kernels);
  }
  return plugin::kernelsText(kernels);
}

void HipDevice::fail(Result result, std::string_view attempt,
                     std::string_view facts) {
  (void)driver.told(result);
  if (!(HipDriver::flagsOf(result) & TZ_ERR_STICKY)) {
    throw driver.failure(result, attempt, facts);
  }
  if (isSimulator) {
    // It says itself what went wrong, and works on.
    const char *said = driver.getErrorString(result);
    throw Failure(TZ_E_FAULT, said ? said : "a kernel failed", result);
  }
  {
    std::lock_guard guard(mutex);
    if (!lost.load(std::memory_order_relaxed)) {
      const Failure first = driver.failure(result, attempt, kernelsInFlight());
      lostMessage = "device " + label() + " is lost: " + first.message +
                    "; this process must restart to use the device again";
      lostResult = result;
      lost.store(true, std::memory_order_release);
    }
  }
  throwLost();
}

void HipDevice::throwLost() const {
  std::lock_guard guard(mutex);
  throw Failure(TZ_E_DEVICE_LOST, lostMessage, lostResult, TZ_ERR_STICKY);
}

//===--- The thread's device ----------------------------------------------===//

DeviceScope::DeviceScope(HipDevice &device) : driver(device.driver) {
  int current = 0;
  if (driver.told(driver.getDevice(&current)) != Success) {
    current = 0;
  }
  if (current == device.ordinal) {
    return;
  }
  device.check(driver.setDevice(device.ordinal),
               [&] { return "make " + device.label() + " current"; });
  before = current;
}

DeviceScope::~DeviceScope() {
  if (before >= 0) {
    (void)driver.told(driver.setDevice(before));
  }
}

const tz_device_api &deviceApi() { return *plugin::deviceTable<HipDevice>(); }

} // namespace tz::amd
