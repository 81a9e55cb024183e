//===- CudaMemory.cpp - allocation, and whose memory an address is --------===//
//
// What   Device, pinned and managed memory with a register of what was handed
//        out; questions about foreign pointers.
// Why    Freeing an address twice, or one of somebody else, must be an error of
//        that call and not a fault of the device.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"

#include <algorithm>

namespace tz::nvidia {

using namespace driver;

/// What the driver promises of any allocation.
static constexpr uint64_t DriverAlignment = 256;

/// "12.1 GiB of 79.2 GiB are free", or nothing.
static std::string freeMemory(tz_device &device) {
  size_t free = 0, total = 0;
  if (device.driver.memGetInfo(&free, &total) != Success) {
    return {};
  }
  return sizeText(free) + " of " + sizeText(total) + " are free on " +
         device.label();
}

tz_dptr allocate(tz_device &device, uint32_t kind, uint64_t size,
                 uint64_t align, tz_stream *stream) {
  device.mustWork();
  if (kind < TZ_MEM_DEVICE || kind > TZ_MEM_MANAGED) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "there is no memory of kind " +
                                             std::to_string(kind) +
                                             " (TZ_MEM_*)");
  }
  if (align & (align - 1)) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "alignment " + std::to_string(align) + " is no power of two");
  }
  if (stream && &stream->device != &device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the stream belongs to " + stream->device.label() +
                      ", the memory is asked of " + device.label());
  }
  uint64_t extra = align > DriverAlignment ? align : 0;
  if (size > UINT64_MAX - extra) {
    throw Failure(TZ_E_OUT_OF_MEMORY, "no device has 2^64 bytes");
  }
  uint64_t bytes = std::max<uint64_t>(size, 1) + extra;
  ContextScope scope(device);
  PreparationScope preparation(device.driver);
  // The register's entry first: for want of memory it would lose the device's.
  std::map<tz_dptr, Allocation> entry;
  Allocation &made = entry[0];
  made.size = size;
  made.kind = kind;
  // In the order of a stream that is recorded it would be the graph's.
  made.ordered = kind == TZ_MEM_DEVICE && stream && device.facts.memoryPools &&
                 !isRecording(*stream);
  Result result = Success;
  if (kind == TZ_MEM_HOST_PINNED) {
    void *memory = nullptr;
    result = device.driver.memHostAlloc(&memory, bytes, HostAllocPortable);
    made.base = reinterpret_cast<Pointer>(memory);
  } else if (kind == TZ_MEM_MANAGED) {
    result = device.driver.memAllocManaged(&made.base, bytes, AttachGlobal);
  } else if (made.ordered) {
    result = device.driver.memAllocAsync(&made.base, bytes, stream->native);
  } else {
    result = device.driver.memAlloc(&made.base, bytes);
  }
  if (result != Success) {
    device.fail(
        result,
        "allocate " + sizeText(size) + " of " + memoryName(kind) +
            (size < 1024 ? "" : " (" + std::to_string(size) + " bytes)"),
        result == OutOfMemory ? freeMemory(device) : "");
  }
  tz_dptr address = made.base;
  if (extra) {
    address = (address + align - 1) & ~(align - 1);
  }
  auto node = entry.extract(entry.begin());
  node.key() = address;
  std::lock_guard guard(device.memoryMutex);
  device.allocations.insert(std::move(node));
  return address;
}

/// The allocation of this address, taken out of the register.
static Allocation take(tz_device &device, tz_dptr memory) {
  {
    std::lock_guard guard(device.memoryMutex);
    auto it = device.allocations.find(memory);
    if (it != device.allocations.end()) {
      Allocation found = it->second;
      device.allocations.erase(it);
      return found;
    }
  }
  throw Failure(TZ_E_INVALID_ARGUMENT,
                "free of " + plugin::addressText(memory) + ", which " +
                    device.label() + " did not allocate or has freed; it is " +
                    whatIs(device.platform, memory));
}

void release(tz_device &device, tz_dptr memory, tz_stream *stream) {
  if (memory == 0) {
    return;
  }
  Allocation found = take(device, memory);
  device.mustWork();
  ContextScope scope(device);
  auto what = [&] {
    return "free " + sizeText(found.size) + " of " + memoryName(found.kind);
  };
  if (stream && found.ordered) {
    device.check(device.driver.memFreeAsync(found.base, stream->native), what);
    return;
  }
  if (stream) {
    synchronize(*stream);
  }
  device.check(
      found.kind == TZ_MEM_HOST_PINNED
          ? device.driver.memFreeHost(reinterpret_cast<void *>(found.base))
          : device.driver.memFree(found.base),
      what);
}

//===--- Foreign pointers -------------------------------------------------===//

namespace {

/// What the driver knows of an address.
struct Attributes {
  MemoryType type = MemoryType(0); ///< 0: the driver does not know it
  unsigned managed = 0;
  int ordinal = -1;
  Context context = nullptr;
  Pointer start = 0;
  size_t size = 0;
};

Attributes attributesOf(const Driver &driver, tz_dptr address) {
  Attributes a;
  PointerAttribute which[] = {MemoryTypeOf, IsManaged,  DeviceOrdinal,
                              ContextOf,    RangeStart, RangeSize};
  void *values[] = {&a.type,    &a.managed, &a.ordinal,
                    &a.context, &a.start,   &a.size};
  Result result = driver.pointerGetAttributes(6, which, values, address);
  return result == Success ? a : Attributes{};
}

} // namespace

/// Memory that we handed out; false: it is none of it.
static bool describeOwn(tz_platform &platform, tz_dptr address,
                        tz_mem_info &info) {
  platform.eachDevice([&](tz_device &device) {
    std::lock_guard guard(device.memoryMutex);
    auto it = device.allocations.upper_bound(address);
    if (it == device.allocations.begin()) {
      return false;
    }
    const auto &[base, allocation] = *std::prev(it);
    if (address - base >= std::max<uint64_t>(allocation.size, 1)) {
      return false;
    }
    info.kind = allocation.kind;
    info.device = &device;
    info.base = base;
    info.size = allocation.size;
    info.context = device.isForeign ? device.context() : nullptr;
    return true;
  });
  return info.device != nullptr;
}

/// The device that works in this context; else the one of the number.
static void findDevice(tz_platform &platform, const Attributes &of,
                       tz_mem_info &info) {
  if (of.ordinal >= 0 && size_t(of.ordinal) < platform.handles.size()) {
    info.device = platform.handles[size_t(of.ordinal)];
  }
  if (!of.context || (info.device && info.device->hasContext() &&
                      info.device->context() == of.context)) {
    return;
  }
  platform.eachDevice([&](tz_device &device) {
    const bool isHere = device.isForeign && device.context() == of.context;
    if (isHere) {
      info.device = &device;
      info.context = of.context;
    }
    return isHere;
  });
}

tz_mem_info describeMemory(tz_platform &platform, tz_dptr address) {
  tz_mem_info info{};
  if (describeOwn(platform, address, info)) {
    return info;
  }
  Attributes a = attributesOf(platform.driver, address);
  if (a.type != HostMemory && a.type != DeviceMemory) {
    throw Failure(TZ_E_NOT_FOUND,
                  "the address is not known to the driver: it is ordinary host "
                  "memory, or was freed");
  }
  info.kind = a.managed              ? uint32_t(TZ_MEM_MANAGED)
              : a.type == HostMemory ? uint32_t(TZ_MEM_HOST_PINNED)
                                     : uint32_t(TZ_MEM_DEVICE);
  findDevice(platform, a, info);
  info.base = a.start ? a.start : address;
  info.size = a.size;
  return info;
}

std::string whatIs(tz_platform &platform, tz_dptr address) {
  try {
    tz_mem_info info = describeMemory(platform, address);
    std::string text = memoryName(info.kind);
    if (info.device) {
      text += " of " + info.device->label();
    }
    return text + ", " + sizeText(info.size) + " from " +
           (info.base == address ? "there" : "a lower address");
  } catch (const Failure &) {
    return "ordinary host memory, or not allocated at all";
  }
}

} // namespace tz::nvidia
