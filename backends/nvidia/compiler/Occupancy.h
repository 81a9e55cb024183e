//===- Occupancy.h - how many blocks should fit into a multiprocessor -----===//
//
// What   Which numbers of blocks to try, from what a thread holds and computes;
//        how many warps a block needs for its products.
// Why    ptxas gives a kernel the registers that it can use. Fewer may be
//        better: more blocks hide more of the memory's latency. And no thread
//        has more than 255: the number of warps is a hint.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H

#include "backends/nvidia/compiler/Architectures.h"

#include "terrazzo/simt/Variants.h"

namespace tz::nvidia {

/// How many blocks should fit into a multiprocessor.
struct WantedBlocks {
  /// The first number that needs no spills is taken, the last one anyway.
  llvm::SmallVector<unsigned, 4> numbers;
  /// So many bytes of spills cost less than half of the blocks does.
  unsigned cheapSpills = 0;
  /// And so many less than one of them.
  unsigned slightSpills = 0;
  /// Code that by itself takes so many registers, up to 64, gets them; 0: no.
  unsigned cramped = 0;
};

/// Of a lowered variant. What hides the latency of memory: loads that are under
/// way in loops with dots, and other blocks; else many threads, if each holds
/// little.
WantedBlocks blocksWanted(const simt::Variant &variant,
                          const ArchitectureFacts &architecture);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H
