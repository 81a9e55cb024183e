//===- GuardedMemory.h - buffers that notice what goes past them ----------===//
//
// What   Memory for the buffers of a launch on a device that works in ordinary
//        host memory: unreadable pages before and behind each buffer, a pattern
//        in what is left between.
// Why    A buffer that is too small for the sizes given beside it is the most
//        frequent mistake of a first run; without this it would be a silent
//        wrong result.
//
// A masked vector access whose disabled lanes lie in an unreadable page does
// not fault, but it takes hundreds of cycles. Launches that are timed therefore
// use Margins::Wide.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EXECUTION_GUARDEDMEMORY_H
#define TERRAZZO_CORE_EXECUTION_GUARDEDMEMORY_H

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
  /// Narrow: each buffer ends where an unreadable page begins. Wide: mapped
  /// memory lies on both sides, as in a program's own heap.
  enum class Margins { Narrow, Wide };

  explicit GuardedMemory(std::vector<std::string> again,
                         Margins margins = Margins::Narrow);
  /// Ends the program after a fault and says how to find the place.
  explicit GuardedMemory(Margins margins);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// Narrow: 64-byte aligned; at most 63 bytes lie between its end and the
  /// unreadable page. Wide: aligned to a page, or to 2 MiB if it is as large.
  /// What surrounds the buffer holds a pattern that check() knows.
  runtime::Result<uint64_t> allocate(const std::string &name, size_t bytes);
  /// Whether the bytes around the buffers are as they were: names the first
  /// buffer whose surroundings were written.
  runtime::Status check() const;

private:
  struct Region;
  void describeGuards();

  Margins margins;
  std::vector<Region> regions;
};

} // namespace tz::tool

#endif
