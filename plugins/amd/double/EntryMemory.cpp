//===- EntryMemory.cpp - HIP's functions for memory -----------------------===//
//
// What   Allocations, copies, fills, and whose memory an address is.
// Why    Device memory is memory of the process here, and yet not the host's:
//        a copy that names no allocation of a device is refused.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Results.h"
#include "plugins/amd/double/SimulatedDevice.h"

using namespace tz::amd::hip;

static uint64_t number(const void *address) {
  return reinterpret_cast<uint64_t>(address);
}

/// The device that has all these bytes, or null.
static SimulatedDevice *ownerOf(const void *address, uint64_t bytes) {
  for (const auto &device : devices()) {
    if (device->find(number(address), bytes)) {
      return device.get();
    }
  }
  return nullptr;
}

static Result allocate(void **out, size_t bytes, MemoryType type) {
  return answer([&] {
    require(out);
    *out = current().allocate(bytes, type);
    require(*out, OutOfMemory);
  });
}

static Result freeOf(void *memory) {
  return answer([&] {
    if (memory) {
      SimulatedDevice *device = ownerOf(memory, 0);
      require(device && device->free(memory));
    }
  });
}

TZ_HIP_ENTRY hipMemGetInfo(size_t *free, size_t *total) {
  return answer([&] {
    require(free && total);
    *free = current().freeBytes();
    *total = memoryBytes();
  });
}

TZ_HIP_ENTRY hipMalloc(void **out, size_t bytes) {
  return allocate(out, bytes, DeviceMemory);
}
TZ_HIP_ENTRY hipFree(void *memory) { return freeOf(memory); }
TZ_HIP_ENTRY hipHostMalloc(void **out, size_t bytes, unsigned) {
  return allocate(out, bytes, HostMemory);
}
TZ_HIP_ENTRY hipHostFree(void *memory) { return freeOf(memory); }
TZ_HIP_ENTRY hipMallocManaged(void **out, size_t bytes, unsigned) {
  return allocate(out, bytes, ManagedMemoryType);
}

TZ_HIP_ENTRY hipPointerGetAttributes(PointerAttributes *out,
                                     const void *address) {
  return answer([&] {
    require(out);
    *out = {};
    if (SimulatedDevice *device = ownerOf(address, 0)) {
      out->type = device->find(number(address), 0)->second.type;
      out->device = device->number;
      out->devicePointer = out->hostPointer = const_cast<void *>(address);
      out->isManaged = out->type == ManagedMemoryType;
    }
  });
}

TZ_HIP_ENTRY hipMemGetAddressRange(void **base, size_t *bytes, void *address) {
  return answer([&] {
    SimulatedDevice *device = ownerOf(address, 0);
    require(device, NotFound);
    const auto found = device->find(number(address), 0);
    if (base) {
      *base = reinterpret_cast<void *>(found->first);
    }
    if (bytes) {
      *bytes = found->second.bytes;
    }
  });
}

TZ_HIP_ENTRY hipMemcpyAsync(void *to, const void *from, size_t bytes,
                            CopyKind kind, Stream stream) {
  return answer([&] {
    Queue &queue = queueOf(stream);
    SimulatedDevice *target = ownerOf(to, bytes);
    const bool isToDevice = kind == HostToDevice || kind == DeviceToDevice;
    const bool isFromDevice = kind == DeviceToHost || kind == DeviceToDevice;
    require(to && from && kind >= HostToHost && kind <= CopyAny);
    require(!isToDevice || target);
    require(!isFromDevice || ownerOf(from, bytes));
    SimulatedDevice &device =
        target ? *target : *devices()[size_t(queue.device)];
    queue.add([&device, to, from, bytes] {
      device.copy(to, from, bytes);
      return Fault();
    });
  });
}

static Result fillWith(void *to, uint64_t value, unsigned width, size_t count,
                       Stream stream) {
  return answer([&] {
    Queue &queue = queueOf(stream);
    SimulatedDevice *target = ownerOf(to, count * width);
    require(target && number(to) % width == 0);
    queue.add([target, to, value, width, count] {
      target->fill(to, value, width, count);
      return Fault();
    });
  });
}

TZ_HIP_ENTRY hipMemsetD8Async(void *to, unsigned char value, size_t count,
                              Stream stream) {
  return fillWith(to, value, 1, count, stream);
}
TZ_HIP_ENTRY hipMemsetD16Async(void *to, unsigned short value, size_t count,
                               Stream stream) {
  return fillWith(to, value, 2, count, stream);
}
TZ_HIP_ENTRY hipMemsetD32Async(void *to, int value, size_t count,
                               Stream stream) {
  return fillWith(to, uint32_t(value), 4, count, stream);
}
