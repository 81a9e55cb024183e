//===- HipMemory.cpp - allocation, copies, fills --------------------------===//
//
// What   Device, pinned and managed memory with a register of what was handed
//        out; copies and fills in stream order; whose memory an address is.
// Why    Freeing an address twice, or one of somebody else, must be an error of
//        that call and not a fault of the device.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

#include <algorithm>

namespace tz::amd {

using namespace hip;
using plugin::sizeText;

/// What HIP promises of any allocation.
static constexpr uint64_t HipAlignment = 256;

/// "12.1 GiB of 191.5 GiB are free", or nothing.
static std::string freeMemory(HipDevice &device) {
  size_t free = 0, total = 0;
  if (device.driver.told(device.driver.memGetInfo(&free, &total)) != Success) {
    return {};
  }
  return sizeText(free) + " of " + sizeText(total) + " are free on " +
         device.label();
}

static Result allocateNative(const HipDriver &driver, uint32_t kind,
                             uint64_t bytes, void **out) {
  switch (kind) {
  case TZ_MEM_HOST_PINNED:
    return driver.memHostAlloc(out, bytes, HostPortable);
  case TZ_MEM_MANAGED:
    return driver.memAllocManaged(out, bytes, AttachGlobal);
  default:
    return driver.memAlloc(out, bytes);
  }
}

static Result freeNative(const HipDriver &driver,
                         const plugin::Allocation &made) {
  return made.kind == TZ_MEM_HOST_PINNED
             ? driver.memFreeHost(pointer(made.base))
             : driver.memFree(pointer(made.base));
}

tz_dptr HipDevice::allocate(const tz_memory_desc &desc) {
  mustWork();
  plugin::checkAllocation(desc);
  const auto *stream = reinterpret_cast<const HipStream *>(desc.stream);
  if (stream && &stream->device != this) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the stream belongs to " + stream->device.label() +
                      ", the memory is asked of " + label());
  }
  const uint64_t extra = desc.align > HipAlignment ? desc.align : 0;
  if (desc.size > UINT64_MAX - extra) {
    throw Failure(TZ_E_OUT_OF_MEMORY, "no device has 2^64 bytes");
  }
  DeviceScope scope(*this);
  PreparationScope preparation(driver);
  void *memory = nullptr;
  const Result result = allocateNative(
      driver, desc.kind, std::max<uint64_t>(desc.size, 1) + extra, &memory);
  if (result != Success) {
    fail(result,
         "allocate " + sizeText(desc.size) + " of " +
             plugin::memoryName(desc.kind),
         result == OutOfMemory ? freeMemory(*this) : "");
  }
  const auto base = reinterpret_cast<tz_dptr>(memory);
  const plugin::Allocation made{std::max<uint64_t>(desc.size, 1), desc.kind,
                                base};
  const tz_dptr address = extra ? (base + extra - 1) & ~(extra - 1) : base;
  try {
    allocations.add(address, made);
  } catch (...) { // no memory for the register
    (void)driver.told(freeNative(driver, made));
    throw;
  }
  return address;
}

void HipDevice::free(tz_dptr memory) {
  const plugin::Allocation made = allocations.take(memory, label());
  mustWork();
  DeviceScope scope(*this);
  PreparationScope preparation(driver);
  check(freeNative(driver, made), [&] {
    return "free " + sizeText(made.bytes) + " of " +
           plugin::memoryName(made.kind);
  });
}

//===--- Whose memory -----------------------------------------------------===//

std::optional<tz_mem_info> HipDevice::memoryInfo(tz_dptr address) {
  tz_mem_info info{};
  if (const auto own = allocations.find(address)) {
    info.kind = own->second.kind;
    info.base = own->first;
    info.size = own->second.bytes;
    return info;
  }
  PointerAttributes about{};
  if (driver.told(driver.pointerGetAttributes(&about, pointer(address))) !=
          Success ||
      about.type == Unregistered || about.device != ordinal) {
    return std::nullopt;
  }
  info.kind = about.isManaged || about.type == ManagedMemoryType
                  ? uint32_t(TZ_MEM_MANAGED)
              : about.type == HostMemory ? uint32_t(TZ_MEM_HOST_PINNED)
                                         : uint32_t(TZ_MEM_DEVICE);
  void *base = nullptr;
  size_t bytes = 0;
  const bool isRange =
      driver.told(driver.memGetAddressRange(&base, &bytes, pointer(address))) ==
      Success;
  info.base = isRange && base ? reinterpret_cast<tz_dptr>(base) : address;
  info.size = isRange ? bytes : 0;
  return info;
}

std::string HipDevice::whatIs(tz_dptr address) {
  const std::optional<tz_mem_info> found = memoryInfo(address);
  if (!found) {
    return "ordinary host memory, or not allocated at all";
  }
  return std::string(plugin::memoryName(found->kind)) + " of " + label() +
         ", " + sizeText(found->size) + " from " +
         (found->base == address ? "there" : "a lower address");
}

//===--- Copies and fills -------------------------------------------------===//

void HipStream::copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) {
  device.mustWork();
  if (!plugin::checkCopy(to, from, bytes, kind)) {
    return;
  }
  static constexpr CopyKind kinds[] = {CopyAny, HostToDevice, DeviceToHost,
                                       DeviceToDevice};
  DeviceScope scope(device);
  const Result result = device.driver.copyAsync(pointer(to), pointer(from),
                                                bytes, kinds[kind], native);
  if (result != Success) [[unlikely]] {
    const bool isAddress =
        result == InvalidValue || result == InvalidDevicePointer;
    device.fail(result, "copy " + sizeText(bytes) + " on " + device.label(),
                isAddress ? "the destination is " + device.whatIs(to) +
                                "; the source is " + device.whatIs(from)
                          : std::string());
  }
}

void HipStream::fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
                     uint32_t patternBytes) {
  device.mustWork();
  DeviceScope scope(device);
  const HipDriver &driver = device.driver;
  plugin::splitFill(
      to, bytes, pattern, patternBytes,
      [&](tz_dptr at, uint64_t size, uint32_t value, uint32_t width) {
        const Result result =
            width == 4
                ? driver.fill32(pointer(at), int(value), size / 4, native)
            : width == 2
                ? driver.fill16(pointer(at), static_cast<unsigned short>(value),
                                size / 2, native)
                : driver.fill8(pointer(at), static_cast<unsigned char>(value),
                               size, native);
        if (result != Success) [[unlikely]] {
          device.fail(result,
                      "fill " + sizeText(bytes) + " on " + device.label(),
                      "the memory is " + device.whatIs(to));
        }
      });
}

} // namespace tz::amd
