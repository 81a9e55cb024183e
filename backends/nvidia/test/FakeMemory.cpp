//===- FakeMemory.cpp - memory of the fake driver -------------------------===//
//
// What   Allocations, what is known of a pointer, copies and fills: at once.
// Why    See FakeDriver.h. New memory is not zero.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace tz::nvidia::driver;
using namespace tz::nvidia::test;

/// The block that holds [at, at + bytes), or null.
static Block *blockOf(Pointer at, size_t bytes, Pointer *start = nullptr) {
  auto &memory = state().memory;
  auto it = memory.upper_bound(at);
  if (it == memory.begin()) {
    return nullptr;
  }
  --it;
  if (at - it->first >= it->second.size ||
      bytes > it->second.size - (at - it->first)) {
    return nullptr;
  }
  if (start) {
    *start = it->first;
  }
  return &it->second;
}

bool tz::nvidia::test::onDevice(Pointer at, size_t bytes) {
  Block *block = blockOf(at, bytes);
  return block && (block->type == DeviceMemory || block->managed);
}

static Result allocate(Pointer *out, size_t size, unsigned type, bool managed) {
  State &s = state();
  REQUIRE(size, InvalidValue)
  size_t used = 0;
  for (auto &[at, block] : s.memory) {
    used += block.size;
  }
  REQUIRE(size <= s.control.totalMemory - used, OutOfMemory)
  void *memory = std::aligned_alloc(512, (size + 511) & ~size_t(511));
  REQUIRE(memory, OutOfMemory)
  std::memset(memory, 0xA5, size);
  *out = reinterpret_cast<Pointer>(memory);
  s.memory[*out] = {size, type, managed, current.back()};
  ++s.control.allocations;
  return Success;
}

static Result release(Pointer at, unsigned type) {
  State &s = state();
  auto it = s.memory.find(at);
  REQUIRE(it != s.memory.end() && (it->second.type == type), InvalidValue)
  std::free(reinterpret_cast<void *>(at));
  s.memory.erase(it);
  --s.control.allocations;
  return Success;
}

FAKE_API Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER_CONTEXT(cuMemGetInfo_v2)
  *total = *free = state().control.totalMemory;
  for (auto &[at, block] : state().memory) {
    *free -= block.size;
  }
  return Success;
}

FAKE_API Result cuMemAlloc_v2(Pointer *out, size_t size) {
  ENTER_CONTEXT(cuMemAlloc_v2)
  REQUIRE(mayPrepare(), StreamCaptureUnsupported)
  return allocate(out, size, DeviceMemory, false);
}
FAKE_API Result cuMemFree_v2(Pointer at) {
  ENTER_CONTEXT(cuMemFree_v2)
  return release(at, DeviceMemory);
}
FAKE_API Result cuMemAllocAsync(Pointer *out, size_t size, Stream stream) {
  ENTER_CONTEXT(cuMemAllocAsync)
  REQUIRE(isKnown(stream), InvalidHandle)
  return allocate(out, size, DeviceMemory, false);
}
FAKE_API Result cuMemFreeAsync(Pointer at, Stream stream) {
  ENTER_CONTEXT(cuMemFreeAsync)
  REQUIRE(isKnown(stream), InvalidHandle)
  return release(at, DeviceMemory);
}
FAKE_API Result cuMemHostAlloc(void **out, size_t size, unsigned) {
  ENTER_CONTEXT(cuMemHostAlloc)
  REQUIRE(mayPrepare(), StreamCaptureUnsupported)
  Pointer at = 0;
  Result result = allocate(&at, size, HostMemory, false);
  *out = reinterpret_cast<void *>(at);
  return result;
}
FAKE_API Result cuMemFreeHost(void *at) {
  ENTER_CONTEXT(cuMemFreeHost)
  return release(reinterpret_cast<Pointer>(at), HostMemory);
}
FAKE_API Result cuMemAllocManaged(Pointer *out, size_t size, unsigned flags) {
  ENTER_CONTEXT(cuMemAllocManaged)
  REQUIRE(mayPrepare(), StreamCaptureUnsupported)
  REQUIRE(flags == AttachGlobal, InvalidValue)
  return allocate(out, size, DeviceMemory, true);
}

FAKE_API Result cuPointerGetAttributes(unsigned count, PointerAttribute *which,
                                       void **values, Pointer at) {
  ENTER(cuPointerGetAttributes)
  Pointer start = 0;
  Block *block = blockOf(at, 0, &start);
  for (unsigned i = 0; i < count; ++i) {
    switch (which[i]) {
    case MemoryTypeOf:
      *static_cast<unsigned *>(values[i]) = block ? block->type : 0;
      break;
    case IsManaged:
      *static_cast<unsigned *>(values[i]) = block && block->managed;
      break;
    case DeviceOrdinal:
      *static_cast<int *>(values[i]) = block ? block->context->ordinal : -2;
      break;
    case ContextOf:
      *static_cast<Context *>(values[i]) = block ? block->context : nullptr;
      break;
    case RangeStart:
      *static_cast<Pointer *>(values[i]) = block ? start : 0;
      break;
    case RangeSize:
      *static_cast<size_t *>(values[i]) = block ? block->size : 0;
      break;
    }
  }
  return Success;
}

static Result copy(Pointer to, Pointer from, size_t n, Stream stream) {
  REQUIRE(isKnown(stream), InvalidHandle)
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n);
  return Success;
}

FAKE_API Result cuMemcpyAsync(Pointer to, Pointer from, size_t n,
                              Stream stream) {
  ENTER_CONTEXT(cuMemcpyAsync)
  return copy(to, from, n, stream);
}
FAKE_API Result cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync_v2)
  REQUIRE(onDevice(to, n), InvalidValue)
  return copy(to, reinterpret_cast<Pointer>(from), n, stream);
}
FAKE_API Result cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync_v2)
  REQUIRE(onDevice(from, n), InvalidValue)
  return copy(reinterpret_cast<Pointer>(to), from, n, stream);
}
FAKE_API Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t n,
                                     Stream stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync_v2)
  REQUIRE(onDevice(to, n) && onDevice(from, n), InvalidValue)
  return copy(to, from, n, stream);
}

template <typename T>
static Result fill(Pointer at, T value, size_t count, Stream stream) {
  REQUIRE(isKnown(stream), InvalidHandle)
  REQUIRE(at % sizeof(T) == 0 && onDevice(at, count * sizeof(T)), InvalidValue)
  for (size_t i = 0; i < count; ++i) {
    reinterpret_cast<T *>(at)[i] = value;
  }
  return Success;
}

FAKE_API Result cuMemsetD8Async(Pointer at, unsigned char value, size_t count,
                                Stream stream) {
  ENTER_CONTEXT(cuMemsetD8Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD16Async(Pointer at, unsigned short value, size_t count,
                                 Stream stream) {
  ENTER_CONTEXT(cuMemsetD16Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD32Async(Pointer at, unsigned value, size_t count,
                                 Stream stream) {
  ENTER_CONTEXT(cuMemsetD32Async)
  return fill(at, value, count, stream);
}
FAKE_API Result cuMemsetD2D8Async(Pointer at, size_t pitch, unsigned char value,
                                  size_t width, size_t height, Stream stream) {
  ENTER_CONTEXT(cuMemsetD2D8Async)
  REQUIRE(width <= pitch && onDevice(at, pitch * (height - 1) + width),
          InvalidValue)
  REQUIRE(isKnown(stream), InvalidHandle)
  for (size_t row = 0; row < height; ++row) {
    std::memset(reinterpret_cast<void *>(at + row * pitch), value, width);
  }
  return Success;
}
