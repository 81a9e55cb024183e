//===- DeviceShadows.h - what sanitizers note of a device's memory
//---------===//
//
// What   Of the check `uninitialized`: a byte for each byte of memory that was
//        said to be unwritten, 1 where something wrote it. Of the check `race`:
//        memory for the keys of one launch.
// Why    Both lie on the device, beside what they are about, and are written by
//        kernels. What else writes memory is known to the runtime alone.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_DEVICE_DEVICESHADOWS_H
#define TERRAZZO_RUNTIME_DEVICE_DEVICESHADOWS_H

#include "runtime/loader/Registry.h"

#include <terrazzo/terrazzo.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace tz::runtime {

class Device;
class Stream;

/// Of a device. [thread: any]
class WrittenMemory {
public:
  explicit WrittenMemory(Device &device) : device(device) {}
  /// Before the device goes.
  void clear();

  /// False: there is nothing to note. One load, on every launch.
  bool isUsed() const { return used.load(std::memory_order_relaxed); }
  /// From here on the stream nothing has written these bytes.
  Status forget(Stream &stream, tz_dptr address, uint64_t bytes);
  /// Something writes the bytes, in the order of the stream.
  Status wrote(Stream &stream, tz_dptr address, uint64_t bytes);
  /// All of the memory that holds the address counts as written.
  Status wroteAll(Stream *stream, tz_dptr address);
  /// The shadow of the byte at `address`, if that of all bytes is there; 0: it
  /// is not, so all of them count as written.
  tz_dptr shadowOf(tz_dptr address, uint64_t bytes) const;

private:
  struct Region {
    tz_dptr address;
    uint64_t bytes;
    tz_dptr memory, shadow; ///< what was allocated, and where it begins
  };
  /// Of those that hold some of the bytes. Under the lock.
  std::vector<Region> takeOverlapping(tz_dptr address, uint64_t bytes);
  Status freeAll(const std::vector<Region> &taken, Stream *stream);

  Device &device;
  mutable std::mutex lock;
  std::vector<Region> regions;
  std::atomic<bool> used{false};
};

/// Of a stream, whose launches use it one after the other.
class RaceMemory {
public:
  /// Block `number` of this launch, all zero when the launch begins.
  Result<tz_dptr> take(Stream &stream, size_t number, uint64_t bytes);
  void release(Device &device);

private:
  struct Block {
    tz_dptr memory = 0;
    uint64_t bytes = 0;
  };
  std::vector<Block> blocks;
};

} // namespace tz::runtime

#endif
