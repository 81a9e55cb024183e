//===- Fibers.h - the threads of a block as fibers ------------------------===//
//
// What   Runs the programs of a grid, their threads as fibers of one CPU
//        thread: barriers, exchanges between lanes, shared memory.
// Why    Code for many threads in step can be tried without such a machine, in
//        an order that shows what a barrier was needed for. Without a seed one
//        program runs after the other, and a thread runs on until it must wait.
//        With one, several blocks are there at a time and a random warp goes on
//        wherever another could see something. Shared memory begins with
//        rubbish. With TERRAZZO_FIBERS_EXACT in the environment the reads of
//        each thread are kept apart (RaceDetector.h), which takes longer.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERS_H
#define TERRAZZO_TEST_FIBERS_FIBERS_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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
  /// Of which the address of shared memory is a multiple, and of no more.
  unsigned sharedAlignment = 1024;
  uint64_t seed = 0;     ///< of the order; 0: one after the other
  bool isLinear = false; ///< programs wait for those of smaller numbers (O4)
  bool startsInOrder = true; ///< then; else the order is the seed's
  /// How messages name the ops of fibers_at; null: not at all.
  const std::vector<std::string> *ops = nullptr;
};

/// What the bulk copy unit reads: a descriptor among the arguments. Outermost
/// dimension first.
struct Frame {
  uint64_t base = 0;
  uint32_t rank = 0, elementBytes = 0;
  std::array<int64_t, 5> shape{}, strides{}; // elements
};

/// Empty, or why it failed: threads that wait for each other for ever, copies
/// that nobody waited for, accesses that nothing orders.
std::string run(const Launch &launch);

/// What code calls, by name.
struct Symbol {
  const char *name;
  void *address;
};
const std::vector<Symbol> &functions();

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERS_H
