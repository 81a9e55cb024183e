//===- CpuUnroll.h - Some iterations of a loop as one ---------------------===//
//
// What   See CpuUnroll.cpp.
// Why    Done on the tile IR, in front of the lowering: the plan of what is
//        computed where then sees several iterations as one nest.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_CPUUNROLL_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_CPUUNROLL_H

#include "terrazzo/ir/Tile.h"

namespace tz::cpu {

/// Changes `kernel`; a second time it finds nothing to do.
void unrollLoops(tile::KernelOp kernel);

/// Were both made of one load of the kernel? Each reads its own elements.
bool areOneLoad(tile::LoadViewOp one, tile::LoadViewOp other);

} // namespace tz::cpu

#endif
