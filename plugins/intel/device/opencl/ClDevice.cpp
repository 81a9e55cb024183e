//===- ClDevice.cpp - platform, devices, contexts -------------------------===//
//
// What   See ClDevice.h.
// Why    Everything that happens to a device as a whole: it is found,
//        described, given a context, wrapped.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/opencl/ClDevice.h"

#include <terrazzo/plugin/Device.h>

#include <algorithm>
#include <cstdio>

using namespace tz::intel;

//===--- Platform ---------------------------------------------------------===//

tz_platform::tz_platform(const std::string &library, const tz_host *host)
    : driver(library), host(host),
      asksForDevices(!library.empty() || mayHaveGpu()) {}

void tz_platform::enumerate(cl_device_type type, bool isSimulator,
                            std::vector<tz_device *> &into) {
  for (cl_platform_id vendor : driver.platforms()) {
    for (cl_device_id native : driver.devices(vendor, type)) {
      const bool isOwn =
          driver.info<cl_uint>(native, CL_DEVICE_VENDOR_ID) == VendorId;
      if (!isSimulator && !isOwn) {
        continue; // a GPU of another vendor has a backend of its own
      }
      const std::string number = std::to_string(into.size());
      devices.push_back(std::make_unique<tz_device>(
          *this, vendor, native,
          isSimulator ? "simulator " + number + " of OpenCL"
                      : "intel:" + number,
          isSimulator));
      into.push_back(devices.back().get());
    }
  }
}

const std::vector<tz_device *> &tz_platform::list(Kind kind) {
  std::lock_guard guard(mutex);
  if (!isListed[kind]) {
    if (kind == Simulated) {
      enumerate(CL_DEVICE_TYPE_CPU, true, handles[kind]);
    } else if (asksForDevices) {
      enumerate(CL_DEVICE_TYPE_GPU, false, handles[kind]);
    }
    isListed[kind] = true;
  }
  return handles[kind];
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
  for (const auto *list : {&handles[Real], &handles[Simulated], &wrapped}) {
    for (tz_device *device : *list) {
      if (ask(*device)) {
        return device;
      }
    }
  }
  return nullptr;
}

//===--- Facts ------------------------------------------------------------===//

/// "SPIR-V_1.4 SPIR-V_1.0" to the newest version.
static void readSpirvVersion(const std::string &text, Abilities &abilities) {
  for (size_t at = text.find("SPIR-V_"); at != std::string::npos;
       at = text.find("SPIR-V_", at + 1)) {
    unsigned major = 0, minor = 0;
    if (std::sscanf(text.c_str() + at, "SPIR-V_%u.%u", &major, &minor) == 2 &&
        std::pair(major, minor) >
            std::pair(abilities.spirvMajor, abilities.spirvMinor)) {
      abilities.spirvMajor = major;
      abilities.spirvMinor = minor;
    }
  }
}

static std::string hexText(const std::vector<unsigned char> &bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", byte);
    text += two;
  }
  return text;
}

ClFacts tz::intel::readFacts(const ClDriver &driver, cl_device_id device,
                             const ClExtensions &add) {
  ClFacts facts;
  facts.name = driver.text(device, CL_DEVICE_NAME);
  facts.driverVersion = driver.text(device, CL_DEVICE_VERSION) + ", driver " +
                        driver.text(device, CL_DRIVER_VERSION);
  const std::string extensions =
      " " + driver.text(device, CL_DEVICE_EXTENSIONS) + " ";
  auto has = [&](const std::string &name) {
    return extensions.find(" " + name + " ") != std::string::npos;
  };
  if (has("cl_khr_device_uuid")) {
    facts.uuid = hexText(
        driver.list<unsigned char>(device, cl_device_info(CL_DEVICE_UUID_KHR)));
  }
  if (has("cl_khr_pci_bus_info")) {
    const auto bus = driver.info<cl_device_pci_bus_info_khr>(
        device, cl_device_info(CL_DEVICE_PCI_BUS_INFO_KHR));
    char text[32];
    std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", bus.pci_domain,
                  bus.pci_bus, bus.pci_device, bus.pci_function);
    facts.pciBusId = text;
  }
  const bool isGpu =
      driver.info<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
  facts.target = isGpu && has("cl_intel_device_attribute_query")
                     ? targetOf(driver.info<cl_uint>(
                           device, cl_device_info(CL_DEVICE_ID_INTEL)))
                     : GenericTarget;
  facts.computeUnits =
      driver.info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.totalMemory = driver.info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.localMemory = driver.info<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  facts.maxAllocation =
      driver.info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.cacheBytes =
      driver.info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  facts.hasUnifiedMemory =
      has("cl_intel_unified_shared_memory") && add.haveUnifiedMemory();
  facts.hasSharedMemory = driver.info<cl_device_svm_capabilities>(
                              device, CL_DEVICE_SVM_CAPABILITIES) &
                          CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  facts.hasPriorities = has("cl_khr_priority_hints");
  Abilities &abilities = facts.abilities;
  readSpirvVersion(driver.text(device, CL_DEVICE_IL_VERSION), abilities);
  abilities.hasFloat16 = has("cl_khr_fp16");
  abilities.hasFloat64 =
      driver.info<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  abilities.hasInt64Atomics = has("cl_khr_int64_base_atomics");
  abilities.maxWorkgroup =
      uint32_t(driver.info<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  for (size_t size : driver.list<size_t>(
           device, cl_device_info(CL_DEVICE_SUB_GROUP_SIZES_INTEL))) {
    abilities.subgroupSizes.push_back(uint32_t(size));
  }
  return facts;
}

tz_device_info Slots::describe(tz_device &device) {
  constexpr uint32_t dlpackCpu = 1, dlpackOneApi = 14;
  using tz::plugin::str;
  const ClFacts &facts = device.facts;
  tz_device_info info{};
  info.name = str(facts.name);
  info.uuid = str(facts.uuid);
  info.pci_bus_id = str(facts.pciBusId);
  info.driver_version = str(facts.driverVersion);
  info.target = str(facts.target);
  info.native_kinds = str(ClNativeKind);
  info.flags = device.isSimulator ? TZ_DEVICE_HOST_MEMORY : 0;
  info.dlpack_type = device.isSimulator ? dlpackCpu : dlpackOneApi;
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

//===--- Device -----------------------------------------------------------===//

tz_device::tz_device(tz_platform &platform, cl_platform_id vendor,
                     cl_device_id native, std::string label, bool isSimulator,
                     cl_context context)
    : platform(platform), driver(platform.driver), vendor(vendor),
      native(native), label(std::move(label)), isSimulator(isSimulator),
      isWrapped(context), extensions(driver, vendor),
      facts(readFacts(driver, native, extensions)) {
  if (context) {
    ClDriver::check(driver.clRetainContext(context),
                    [] { return "keep the program's context"; });
    made = context;
    ++platform.contexts;
    platform.addWrapped(this);
  }
}

tz_device::~tz_device() {
  if (isWrapped) {
    platform.removeWrapped(this);
  }
  releaseAll(*this);
  if (cl_context context = made.load()) {
    (void)driver.clReleaseContext(context);
    --platform.contexts;
  }
}

cl_context tz_device::context() {
  if (cl_context known = made.load(std::memory_order_acquire)) {
    return known;
  }
  std::lock_guard guard(mutex);
  if (!made.load(std::memory_order_relaxed)) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, cl_context_properties(vendor), 0};
    cl_int result = CL_SUCCESS;
    cl_context context = driver.clCreateContext(properties, 1, &native, nullptr,
                                                nullptr, &result);
    ClDriver::check(result, [&] {
      return "start work on " + label + " (" + facts.name + ")";
    });
    made.store(context, std::memory_order_release);
    ++platform.contexts;
  }
  return made.load(std::memory_order_relaxed);
}

void tz_device::mustHaveMemory() const {
  if (!facts.hasUnifiedMemory && !facts.hasSharedMemory) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  label + " (" + facts.name +
                      ") has no memory with plain addresses: its driver has "
                      "neither cl_intel_unified_shared_memory nor shared "
                      "virtual memory");
  }
}

//===--- Contexts of the program's ----------------------------------------===//

/// The devices of a context.
static std::vector<cl_device_id> devicesOf(const ClDriver &driver,
                                           cl_context context) {
  size_t bytes = 0;
  auto attempt = [] { return "ask the context for its devices"; };
  ClDriver::check(
      driver.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes),
      attempt);
  std::vector<cl_device_id> found(bytes / sizeof(cl_device_id));
  ClDriver::check(driver.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes,
                                          found.data(), nullptr),
                  attempt);
  return found;
}

std::unique_ptr<tz_device> Slots::wrapDevice(tz_platform &platform,
                                             const tz_native &native) {
  plugin::requireNative(plugin::str(ClNativeKind), native);
  const ClDriver &driver = platform.driver;
  auto *context = static_cast<cl_context>(native.context);
  if (!context && native.object) {
    // A queue says in which context it is.
    ClDriver::check(driver.clGetCommandQueueInfo(
                        static_cast<cl_command_queue>(native.object),
                        CL_QUEUE_CONTEXT, sizeof(cl_context),
                        static_cast<void *>(&context), nullptr),
                    [] { return "ask the queue for its context"; });
  }
  if (!context) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the context to be wrapped is null; it is a cl_context");
  }
  const std::vector<cl_device_id> devices = devicesOf(driver, context);
  auto *wanted = static_cast<cl_device_id>(native.device);
  if (!wanted && devices.size() == 1) {
    wanted = devices.front();
  }
  if (std::find(devices.begin(), devices.end(), wanted) == devices.end()) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  wanted ? "the device is not in the context to be wrapped"
                         : "the context to be wrapped has " +
                               std::to_string(devices.size()) +
                               " devices; say which (a cl_device_id)");
  }
  const auto vendor = driver.info<cl_platform_id>(wanted, CL_DEVICE_PLATFORM);
  const bool isGpu =
      driver.info<cl_device_type>(wanted, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
  return std::make_unique<tz_device>(platform, vendor, wanted,
                                     "the device of the program's context",
                                     !isGpu, context);
}
