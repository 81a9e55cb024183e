//===- Fibers.h - the threads of a block as fibers ------------------------===//
//
// What   Runs the programs of a grid one after the other, or those together
//        that run so, their threads as fibers of one CPU thread: barriers,
//        exchanges between lanes, shared memory.
// Why    Code for many threads in step can be tried without such a machine, in
//        an order that shows what a barrier was needed for: a thread runs on
//        until it must wait, and shared memory begins with rubbish.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERS_H
#define TERRAZZO_TEST_FIBERS_FIBERS_H

#include <array>
#include <cstdint>
#include <string>

namespace tz::fibers {

using Entry = void (*)(const void *packedArguments);

struct Launch {
  Entry entry = nullptr;
  const void *arguments = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1};
  /// Blocks beside each other along the first axis that run at the same time;
  /// they divide it.
  unsigned clusterBlocks = 1;
  unsigned threads = 0;
  unsigned lanes = 32; ///< of a warp
  uint64_t sharedBytes = 0;
};

/// What the bulk copy unit reads: a descriptor among the arguments. Outermost
/// dimension first.
struct Frame {
  uint64_t base = 0;
  uint32_t rank = 0, elementBytes = 0;
  std::array<int64_t, 5> shape{}, strides{}; // elements
};

/// Empty, or why it failed: threads that wait for each other for ever, copies
/// that nobody waited for.
std::string run(const Launch &launch);

/// What code calls, by name.
struct Symbol {
  const char *name;
  void *address;
};
extern const Symbol Functions[];
extern const unsigned NumFunctions;

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERS_H
