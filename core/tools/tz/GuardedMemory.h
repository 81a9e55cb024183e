//===- GuardedMemory.h - buffers that notice what goes past them ----------===//
//
// What   Memory for the buffers of one `tz run` on a device that works in
//        ordinary host memory: unreadable pages before and behind each buffer,
//        a pattern in what is left between.
// Why    A buffer that is too small for the sizes given beside it is the most
//        frequent mistake of a first run; without this it would be a silent
//        wrong result.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_GUARDEDMEMORY_H
#define TERRAZZO_CORE_TOOLS_TZ_GUARDEDMEMORY_H

#include "runtime/loader/Status.h"

#include <string>
#include <vector>

namespace tz::tool {

/// One object at a time, because the handler of the process's faults needs to
/// find it. A fault in an unreadable page prints which buffer was left, and the
/// program begins again with `again` (an argument vector that ends with a
/// null), which is to say where; with an empty `again` it ends with status 1.
class GuardedMemory {
public:
  explicit GuardedMemory(std::vector<std::string> again);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// 64-byte aligned; at most 63 bytes lie between its end and the unreadable
  /// page; they hold a pattern that check() knows.
  runtime::Result<uint64_t> allocate(const std::string &name, size_t bytes);
  /// Whether the bytes around the buffers are as they were: names the first
  /// buffer whose surroundings were written.
  runtime::Status check() const;

private:
  struct Region;
  std::vector<Region> regions;
};

} // namespace tz::tool

#endif
