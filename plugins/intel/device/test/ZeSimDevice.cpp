//===- ZeSimDevice.cpp - driver, device, contexts, memory -----------------===//
//
// What   See ZeSim.h.
// Why    The facts of a GPU, and the memory of a CPU.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ZeSimFunctions.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>

namespace tz::intel::test::sim {

static ZeSim state;
ZeSim &controls() { return state; }

extern "C" __attribute__((visibility("default"))) ZeSim *zeSim() {
  return &state;
}

static Machine *findMachine() {
  static Machine found;
  for (cl_platform_id platform : found.driver.platforms()) {
    for (cl_device_id device :
         found.driver.devices(platform, CL_DEVICE_TYPE_CPU)) {
      void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
      found.platform = platform;
      found.device = device;
      found.add = ClExtensions(found.driver, platform);
      found.createUserEvent = reinterpret_cast<decltype(found.createUserEvent)>(
          dlsym(library, "clCreateUserEvent"));
      found.setUserEventStatus =
          reinterpret_cast<decltype(found.setUserEventStatus)>(
              dlsym(library, "clSetUserEventStatus"));
      return &found;
    }
  }
  return nullptr;
}

Machine *machine() {
  static Machine *const known = [] {
    try {
      return findMachine();
    } catch (const Failure &) {
      return static_cast<Machine *>(nullptr);
    }
  }();
  return known;
}

uint64_t ticksNow() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = uint64_t(std::chrono::nanoseconds(now).count());
  const auto ticks = uint64_t(__uint128_t(ns) * TicksPerSecond / 1000000000u);
  return ticks & ((uint64_t(1) << ClockBits) - 1);
}

//===--- Driver and device ------------------------------------------------===//

ze_result_t init(ze_init_flags_t) {
  return machine() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

/// The only handle of a list.
template <typename Handle>
static ze_result_t one(uint32_t *count, Handle *out) {
  static char place;
  if (out && *count > 0) {
    *out = reinterpret_cast<Handle>(&place);
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t driverGet(uint32_t *count, ze_driver_handle_t *out) {
  return one(count, out);
}
ze_result_t driverVersion(ze_driver_handle_t, ze_api_version_t *out) {
  *out = ZE_API_VERSION_CURRENT;
  return ZE_RESULT_SUCCESS;
}
ze_result_t driverProperties(ze_driver_handle_t, ze_driver_properties_t *out) {
  out->driverVersion = 17;
  return ZE_RESULT_SUCCESS;
}
ze_result_t deviceGet(ze_driver_handle_t, uint32_t *count,
                      ze_device_handle_t *out) {
  return one(count, out);
}

ze_result_t deviceProperties(ze_device_handle_t, ze_device_properties_t *out) {
  if (out->stype != ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2) {
    return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
  }
  out->type = ZE_DEVICE_TYPE_GPU;
  out->vendorId = 0x8086;
  out->deviceId = state.deviceId;
  out->maxMemAllocSize = uint64_t(1) << 32;
  out->numSlices = 2;
  out->numSubslicesPerSlice = 8;
  out->timerResolution = TicksPerSecond;
  out->timestampValidBits = ClockBits;
  for (uint8_t i = 0; i < ZE_MAX_DEVICE_UUID_SIZE; ++i) {
    out->uuid.id[i] = uint8_t(0xa0 + i);
  }
  std::strcpy(out->name, "simulated GPU");
  return ZE_RESULT_SUCCESS;
}

ze_result_t computeProperties(ze_device_handle_t,
                              ze_device_compute_properties_t *out) {
  out->maxTotalGroupSize = 1024;
  out->maxSharedLocalMemory = 128 << 10;
  out->numSubGroupSizes = 2;
  out->subGroupSizes[0] = 16;
  out->subGroupSizes[1] = 32;
  return ZE_RESULT_SUCCESS;
}
ze_result_t moduleProperties(ze_device_handle_t,
                             ze_device_module_properties_t *out) {
  out->spirvVersionSupported = state.spirvVersion;
  out->flags = state.moduleFlags;
  return ZE_RESULT_SUCCESS;
}
ze_result_t memoryProperties(ze_device_handle_t, uint32_t *count,
                             ze_device_memory_properties_t *out) {
  if (out && *count) {
    out->totalSize = uint64_t(8) << 30;
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t cacheProperties(ze_device_handle_t, uint32_t *count,
                            ze_device_cache_properties_t *out) {
  if (out && *count) {
    out->cacheSize = 16 << 20;
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}
/// Copies first, then what computes.
ze_result_t queueGroups(ze_device_handle_t, uint32_t *count,
                        ze_command_queue_group_properties_t *out) {
  for (uint32_t i = 0; out && i < *count; ++i) {
    out[i].flags = i ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                           ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
                     : ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    out[i].numQueues = 1;
  }
  *count = 2;
  return ZE_RESULT_SUCCESS;
}
ze_result_t busProperties(ze_device_handle_t, ze_pci_ext_properties_t *out) {
  out->address = {0, 0x3a, 0, 0};
  return ZE_RESULT_SUCCESS;
}

//===--- Contexts and memory ----------------------------------------------===//

ze_result_t contextCreate(ze_driver_handle_t, const ze_context_desc_t *,
                          ze_context_handle_t *out) {
  if (fails("zeContextCreate")) {
    return failure();
  }
  auto made = std::make_unique<_ze_context_handle_t>();
  cl_int result = CL_SUCCESS;
  made->native = machine()->driver.clCreateContext(
      nullptr, 1, &machine()->device, nullptr, nullptr, &result);
  if (result != CL_SUCCESS) {
    return ZE_RESULT_ERROR_UNKNOWN;
  }
  *out = made.release();
  return ZE_RESULT_SUCCESS;
}
ze_result_t contextDestroy(ze_context_handle_t context) {
  (void)machine()->driver.clReleaseContext(context->native);
  delete context;
  return ZE_RESULT_SUCCESS;
}

static ze_result_t give(void *memory, cl_int result, void **out) {
  *out = memory;
  return result == CL_SUCCESS ? ZE_RESULT_SUCCESS
                              : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}
/// The runtime aligns to 128 bytes, a driver to more: to a page here.
static size_t rounded(size_t bytes) { return (bytes + 4095) & ~size_t(4095); }

ze_result_t allocDevice(ze_context_handle_t context,
                        const ze_device_mem_alloc_desc_t *, size_t bytes,
                        size_t, ze_device_handle_t, void **out) {
  if (fails("zeMemAllocDevice")) {
    return failure();
  }
  cl_int result = CL_SUCCESS;
  void *memory = machine()->add.clDeviceMemAllocINTEL(
      context->native, machine()->device, nullptr, rounded(bytes), 0, &result);
  return give(memory, result, out);
}
ze_result_t allocHost(ze_context_handle_t context,
                      const ze_host_mem_alloc_desc_t *, size_t bytes, size_t,
                      void **out) {
  cl_int result = CL_SUCCESS;
  void *memory = machine()->add.clHostMemAllocINTEL(context->native, nullptr,
                                                    rounded(bytes), 0, &result);
  return give(memory, result, out);
}
ze_result_t allocShared(ze_context_handle_t context,
                        const ze_device_mem_alloc_desc_t *,
                        const ze_host_mem_alloc_desc_t *, size_t bytes, size_t,
                        ze_device_handle_t, void **out) {
  cl_int result = CL_SUCCESS;
  void *memory = machine()->add.clSharedMemAllocINTEL(
      context->native, machine()->device, nullptr, rounded(bytes), 0, &result);
  return give(memory, result, out);
}
ze_result_t memFree(ze_context_handle_t context, void *memory) {
  return machine()->add.clMemFreeINTEL(context->native, memory) == CL_SUCCESS
             ? ZE_RESULT_SUCCESS
             : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t memFreeExt(ze_context_handle_t context,
                       const ze_memory_free_ext_desc_t *, void *memory) {
  if (fails("zeMemFreeExt")) {
    return failure();
  }
  return machine()->add.clMemBlockingFreeINTEL(context->native, memory) ==
                 CL_SUCCESS
             ? ZE_RESULT_SUCCESS
             : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

template <typename T>
static T memoryInfo(ze_context_handle_t context, const void *memory,
                    cl_mem_info_intel what) {
  T value{};
  (void)machine()->add.clGetMemAllocInfoINTEL(context->native, memory, what,
                                              sizeof(value), &value, nullptr);
  return value;
}

ze_result_t memProperties(ze_context_handle_t context, const void *memory,
                          ze_memory_allocation_properties_t *out,
                          ze_device_handle_t *device) {
  switch (memoryInfo<cl_unified_shared_memory_type_intel>(
      context, memory, CL_MEM_ALLOC_TYPE_INTEL)) {
  case CL_MEM_TYPE_HOST_INTEL:
    out->type = ZE_MEMORY_TYPE_HOST;
    break;
  case CL_MEM_TYPE_DEVICE_INTEL:
    out->type = ZE_MEMORY_TYPE_DEVICE;
    break;
  case CL_MEM_TYPE_SHARED_INTEL:
    out->type = ZE_MEMORY_TYPE_SHARED;
    break;
  default:
    out->type = ZE_MEMORY_TYPE_UNKNOWN;
  }
  if (device) {
    *device = nullptr;
  }
  return ZE_RESULT_SUCCESS;
}
ze_result_t memRange(ze_context_handle_t context, const void *memory,
                     void **base, size_t *bytes) {
  *base = memoryInfo<void *>(context, memory, CL_MEM_ALLOC_BASE_PTR_INTEL);
  *bytes = memoryInfo<size_t>(context, memory, CL_MEM_ALLOC_SIZE_INTEL);
  return *base ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

} // namespace tz::intel::test::sim
