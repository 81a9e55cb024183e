//===- WarpCount.h - how many warps a block has -----------------*- C++ -*-===//
//
// What   Where the number of warps that was asked for does not suit the
//        kernel's tiles: another one, and why.
// Why    num_warps is a hint. Who wrote it had another compiler, or other
//        sizes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_WARPCOUNT_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_WARPCOUNT_H

#include "terrazzo/simt/SimtLowering.h"

#include <optional>

namespace tz::nvidia {

/// How many warps a block has, and why not as many as were asked for.
struct WarpChoice {
  unsigned warps;
  llvm::StringRef why; // for a remark
};

/// As many as were asked for.
unsigned warpsAsked(tile::KernelOp kernel);

/// Before the kernel is compiled. With products: so many that the sums of the
/// largest one, and with less than four warps its operand too, fit into
/// registers, as do those of two products of which one reads the other's; or a
/// second group of warps in a loop whose warps shall be specialised. Without
/// products: no more than have elements of the largest tile. None: it has those
/// that were asked for.
std::optional<WarpChoice> warpsForTiles(tile::KernelOp kernel);

/// May it get more warps because its threads spill? Not where a loop's product
/// reads another one's, which the block's warps would have to exchange.
bool takesMoreWarps(tile::KernelOp kernel);

/// Of such a kernel whose threads spilled so much: more warps, which are worth
/// another compilation. None: they are not.
std::optional<unsigned> warpsForSpills(tile::KernelOp kernel,
                                       unsigned spillBytes);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_WARPCOUNT_H
