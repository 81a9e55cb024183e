//===- ZeMemory.cpp - allocation, copies, fills ---------------------------===//
//
// What   Device, pinned and managed memory with a register of what was handed
//        out; whose memory an address is; copies and fills in a stream's order.
// Why    Freeing an address twice must be an error of that call.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/ForeignMemory.h"
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <algorithm>

namespace tz::intel {

/// The largest alignment that every driver gives.
static constexpr uint64_t DriverAlignment = 4096;

static ze_result_t ask(tz_device &device, uint32_t kind, uint64_t bytes,
                       uint64_t align, void **memory) {
  const ZeDriver &driver = device.driver;
  const ze_context_handle_t context = device.context();
  // One piece may be larger than the driver gives without being asked so.
  const ze_relaxed_allocation_limits_exp_desc_t relaxed{
      ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, nullptr,
      ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
  const void *next = bytes > device.facts.maxAllocation ? &relaxed : nullptr;
  const ze_device_mem_alloc_desc_t there{
      ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, next, 0, 0};
  const ze_host_mem_alloc_desc_t here{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                      next, 0};
  switch (kind) {
  case TZ_MEM_HOST_PINNED:
    return driver.zeMemAllocHost(context, &here, bytes, align, memory);
  case TZ_MEM_MANAGED:
    return driver.zeMemAllocShared(context, &there, &here, bytes, align,
                                   device.native, memory);
  default:
    return driver.zeMemAllocDevice(context, &there, bytes, align, device.native,
                                   memory);
  }
}

tz_dptr Slots::allocate(tz_device &device, const tz_memory_desc &desc) {
  checkAllocation(desc);
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
  void *memory = nullptr;
  ZeDriver::check(ask(device, desc.kind, bytes + extra,
                      std::min(align, DriverAlignment), &memory),
                  attempt);
  const auto base = reinterpret_cast<tz_dptr>(memory);
  const tz_dptr address = extra ? (base + align - 1) & ~(align - 1) : base;
  try {
    device.allocations.add(address, {bytes, desc.kind, base});
  } catch (...) { // no memory for the register
    (void)device.driver.zeMemFree(device.context(), memory);
    throw;
  }
  return address;
}

/// Without a stream nobody says what still uses it: then the driver waits.
static void freeNow(tz_device &device, const Allocation &found, bool waits) {
  const ZeDriver &driver = device.driver;
  auto *memory = reinterpret_cast<void *>(found.base);
  ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  if (waits && driver.zeMemFreeExt) {
    const ze_memory_free_ext_desc_t desc{
        ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, nullptr,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
    result = driver.zeMemFreeExt(device.context(), &desc, memory);
  }
  if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
    result = driver.zeMemFree(device.context(), memory);
  }
  ZeDriver::check(result, [&] {
    return "free " + sizeText(found.bytes) + " of " + memoryName(found.kind);
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
  const ze_context_handle_t context = device.knownContext();
  if (!context) {
    return false;
  }
  const ZeDriver &driver = device.driver;
  auto *memory = reinterpret_cast<const void *>(address);
  ze_memory_allocation_properties_t about{};
  about.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ze_device_handle_t owner = nullptr;
  void *base = nullptr;
  size_t bytes = 0;
  if (driver.zeMemGetAllocProperties(context, memory, &about, &owner) !=
          ZE_RESULT_SUCCESS ||
      about.type == ZE_MEMORY_TYPE_UNKNOWN ||
      (owner && owner != device.native) ||
      driver.zeMemGetAddressRange(context, memory, &base, &bytes) !=
          ZE_RESULT_SUCCESS) {
    return false;
  }
  info.kind = about.type == ZE_MEMORY_TYPE_HOST ? uint32_t(TZ_MEM_HOST_PINNED)
              : about.type == ZE_MEMORY_TYPE_SHARED ? uint32_t(TZ_MEM_MANAGED)
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
  keepOrderBefore(stream);
  ZeDriver::check(
      device.driver.zeCommandListAppendMemoryCopy(
          stream.list.get(), reinterpret_cast<void *>(to),
          reinterpret_cast<const void *>(from), bytes, nullptr, 0, nullptr),
      [&] { return "copy " + sizeText(bytes) + " on " + device.label; });
  keepOrderBehind(stream);
}

void Slots::fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                 uint32_t pattern, uint32_t patternBytes) {
  tz_device &device = stream.device;
  keepOrderBefore(stream);
  splitFill(
      to, bytes, pattern, patternBytes,
      [&](tz_dptr at, uint64_t size, uint32_t value, uint32_t width) {
        ZeDriver::check(
            device.driver.zeCommandListAppendMemoryFill(
                stream.list.get(), reinterpret_cast<void *>(at), &value, width,
                size, nullptr, 0, nullptr),
            [&] { return "fill " + sizeText(size) + " on " + device.label; });
      });
  keepOrderBehind(stream);
}

} // namespace tz::intel
