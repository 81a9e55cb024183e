//===- Occupancy.h - how many blocks should fit into a multiprocessor -----===//
//
// What   Which numbers of blocks to try, from what a thread holds and computes;
//        how many warps a block needs for the sums of its products.
// Why    ptxas gives a kernel the registers that it can use. Fewer may be
//        better: more blocks hide more of the memory's latency. And no thread
//        has more than 255: the number of warps is a hint.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H

#include "backends/nvidia/compiler/Architectures.h"

#include "terrazzo/simt/Variants.h"

namespace tz::nvidia {

/// Of a lowered variant: how many blocks should fit into a multiprocessor; the
/// first number that needs no spills is taken, the last one anyway. What hides
/// the latency of memory: loads that are under way in loops with dots, and
/// other blocks; else many threads, if each holds little.
llvm::SmallVector<unsigned, 4>
blocksWanted(const simt::Variant &variant,
             const ArchitectureFacts &architecture);

/// The warps that a block needs so that the sums of its largest product, and
/// with less than four warps its operand too, fit into registers; none: those
/// that were asked for do, or no number does.
std::optional<unsigned> warpsForSums(tile::KernelOp kernel);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_OCCUPANCY_H
