//===- ClMemory.cpp - allocation, copies, fills ---------------------------===//
//
// What   Memory with plain addresses by the extension for unified memory, else
//        by shared virtual memory of OpenCL; whose memory an address is.
// Why    The two have the same functions under other names; this file alone
//        knows which of them a device has.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/ForeignMemory.h"
#include "plugins/intel/device/opencl/ClDevice.h"

#include <algorithm>

namespace tz::intel {

/// What every driver gives: the alignment of the largest type of OpenCL.
static constexpr uint64_t DriverAlignment = 128;

static void *allocateUnified(tz_device &device, uint32_t kind, uint64_t bytes,
                             cl_int &result) {
  const ClExtensions &add = device.extensions;
  const cl_context context = device.context();
  // GPUs give more than the usual limit of one buffer where that is asked for.
  constexpr cl_mem_properties_intel allowUnrestrictedSize = 1u << 23;
  const cl_mem_properties_intel large[] = {CL_MEM_FLAGS, allowUnrestrictedSize,
                                           0};
  const bool isLarge = bytes > device.facts.maxAllocation;
  const auto *properties = isLarge && !device.isSimulator ? large : nullptr;
  switch (kind) {
  case TZ_MEM_HOST_PINNED:
    return add.clHostMemAllocINTEL(context, properties, bytes, 0, &result);
  case TZ_MEM_MANAGED:
    return add.clSharedMemAllocINTEL(context, device.native, properties, bytes,
                                     0, &result);
  default:
    return add.clDeviceMemAllocINTEL(context, device.native, properties, bytes,
                                     0, &result);
  }
}

static void *allocateShared(tz_device &device, uint32_t kind, uint64_t bytes,
                            cl_int &result) {
  if (kind != TZ_MEM_DEVICE) {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  device.label + " gives no " + memoryName(kind) +
                      ": its driver has not cl_intel_unified_shared_memory");
  }
  void *made = device.driver.clSVMAlloc(device.context(), CL_MEM_READ_WRITE,
                                        bytes, cl_uint(DriverAlignment));
  result = made ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return made;
}

tz_dptr Slots::allocate(tz_device &device, const tz_memory_desc &desc) {
  checkAllocation(desc);
  device.mustHaveMemory();
  const uint64_t align = desc.align ? desc.align : 256;
  const uint64_t extra = align > DriverAlignment ? align : 0;
  const uint64_t bytes = std::max<uint64_t>(desc.size, 1);
  auto attempt = [&] {
    return "allocate " + sizeText(desc.size) + " of " + memoryName(desc.kind) +
           " on " + device.label;
  };
  if (bytes > UINT64_MAX - extra || bytes + extra > device.facts.totalMemory) {
    throw Failure(TZ_E_OUT_OF_MEMORY, "cannot " + attempt() + ", which has " +
                                          sizeText(device.facts.totalMemory));
  }
  cl_int result = CL_SUCCESS;
  void *memory =
      (device.facts.hasUnifiedMemory ? allocateUnified : allocateShared)(
          device, desc.kind, bytes + extra, result);
  if (result != CL_SUCCESS || !memory) {
    const bool isLarge = bytes + extra > device.facts.maxAllocation;
    throw ClDriver::failure(
        result ? result : CL_MEM_OBJECT_ALLOCATION_FAILURE, attempt(),
        isLarge ? "the driver gives at most " +
                      sizeText(device.facts.maxAllocation) + " in one piece"
                : "");
  }
  const auto base = reinterpret_cast<tz_dptr>(memory);
  const tz_dptr address = extra ? (base + align - 1) & ~(align - 1) : base;
  try {
    device.allocations.add(address, {bytes, desc.kind, base});
  } catch (...) { // no memory for the register
    if (device.facts.hasUnifiedMemory) {
      (void)device.extensions.clMemFreeINTEL(device.context(), memory);
    } else {
      device.driver.clSVMFree(device.context(), memory);
    }
    throw;
  }
  return address;
}

/// Without a stream nobody says what still uses it: then the driver waits.
static void freeNow(tz_device &device, const Allocation &found, bool waits) {
  auto *memory = reinterpret_cast<void *>(found.base);
  const ClExtensions &add = device.extensions;
  if (!device.facts.hasUnifiedMemory) {
    device.driver.clSVMFree(device.context(), memory);
    return;
  }
  const bool canWait = waits && add.clMemBlockingFreeINTEL;
  ClDriver::check((canWait ? add.clMemBlockingFreeINTEL
                           : add.clMemFreeINTEL)(device.context(), memory),
                  [&] {
                    return "free " + sizeText(found.bytes) + " of " +
                           memoryName(found.kind);
                  });
}

void Slots::free(tz_device &device, tz_dptr memory, tz_stream *stream) {
  if (!memory) {
    return;
  }
  const Allocation found = device.allocations.take(memory, device.label);
  if (stream) {
    Slots::synchronize(*stream);
  }
  freeNow(device, found, !stream);
}

void releaseAll(tz_device &device) {
  releaseAllOf(device,
               [&](const Allocation &left) { freeNow(device, left, true); });
}

//===--- Whose memory -----------------------------------------------------===//

bool describeForeign(tz_device &device, tz_dptr address, tz_mem_info &info) {
  const ClExtensions &add = device.extensions;
  const cl_context context = device.knownContext();
  if (!context || !device.facts.hasUnifiedMemory ||
      !add.clGetMemAllocInfoINTEL) {
    return false;
  }
  auto *memory = reinterpret_cast<const void *>(address);
  cl_unified_shared_memory_type_intel type = CL_MEM_TYPE_UNKNOWN_INTEL;
  void *base = nullptr;
  size_t bytes = 0;
  auto ask = [&](cl_mem_info_intel what, auto &value) {
    return add.clGetMemAllocInfoINTEL(context, memory, what, sizeof(value),
                                      &value, nullptr) == CL_SUCCESS;
  };
  if (!ask(CL_MEM_ALLOC_TYPE_INTEL, type) ||
      type == CL_MEM_TYPE_UNKNOWN_INTEL ||
      !ask(CL_MEM_ALLOC_BASE_PTR_INTEL, base) ||
      !ask(CL_MEM_ALLOC_SIZE_INTEL, bytes)) {
    return false;
  }
  info.kind = type == CL_MEM_TYPE_HOST_INTEL     ? uint32_t(TZ_MEM_HOST_PINNED)
              : type == CL_MEM_TYPE_SHARED_INTEL ? uint32_t(TZ_MEM_MANAGED)
                                                 : uint32_t(TZ_MEM_DEVICE);
  info.base = reinterpret_cast<tz_dptr>(base);
  info.size = bytes;
  return true;
}

tz_mem_info Slots::memoryInfo(tz_platform &platform, tz_dptr address) {
  return memoryInfoOf<tz_platform, tz_device>(platform, address);
}

//===--- Copies and fills -------------------------------------------------===//

void Slots::copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
                 uint32_t kind) {
  if (!checkCopy(to, from, bytes, kind)) {
    return;
  }
  tz_device &device = stream.device;
  device.mustHaveMemory();
  auto *target = reinterpret_cast<void *>(to);
  auto *source = reinterpret_cast<const void *>(from);
  const cl_int result =
      device.facts.hasUnifiedMemory
          ? device.extensions.clEnqueueMemcpyINTEL(stream.queue.get(), CL_FALSE,
                                                   target, source, bytes, 0,
                                                   nullptr, nullptr)
          : device.driver.clEnqueueSVMMemcpy(stream.queue.get(), CL_FALSE,
                                             target, source, bytes, 0, nullptr,
                                             nullptr);
  ClDriver::check(result, [&] {
    return "copy " + sizeText(bytes) + " on " + device.label;
  });
  begin(stream);
}

void Slots::fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                 uint32_t pattern, uint32_t patternBytes) {
  tz_device &device = stream.device;
  device.mustHaveMemory();
  splitFill(to, bytes, pattern, patternBytes,
            [&](tz_dptr at, uint64_t size, uint32_t value, uint32_t width) {
              auto *target = reinterpret_cast<void *>(at);
              const cl_int result =
                  device.facts.hasUnifiedMemory
                      ? device.extensions.clEnqueueMemFillINTEL(
                            stream.queue.get(), target, &value, width, size, 0,
                            nullptr, nullptr)
                      : device.driver.clEnqueueSVMMemFill(
                            stream.queue.get(), target, &value, width, size, 0,
                            nullptr, nullptr);
              ClDriver::check(result, [&] {
                return "fill " + sizeText(size) + " on " + device.label;
              });
            });
  begin(stream);
}

} // namespace tz::intel
