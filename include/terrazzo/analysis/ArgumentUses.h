//===- ArgumentUses.h - what the code makes of an integer -------*- C++ -*-===//
//
// What   For every argument of a kernel: the smallest element, in bytes, of the
//        arrays whose address it scales or whose rows it bounds, and whether
//        the value 1 folds anything.
// Why    Only such arguments are worth a specialisation of their own (R8): any
//        other integer must not compile a kernel again for each length.
//
// An argument scales an address if it reaches the offset of an addptr, or a
// stride or an offset of a view, through sums, products, extensions, changes of
// shape, minima, selects and what loops carry, or as the divisor of a tile:
// how far quotients and remainders run in memory depends on it. As a dividend,
// and behind loads, it ends. It bounds rows if it reaches, on that way, a
// comparison that a load's or a store's mask consists of along the last
// dimension, or along another one whose stride is an argument or 1, if that of
// the last one is not; or the extent of a view in a dimension whose stride is
// 1: where a vector is whole or off, a mask costs next to nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_ANALYSIS_ARGUMENTUSES_H
#define TERRAZZO_ANALYSIS_ARGUMENTUSES_H

#include "terrazzo/ir/Tile.h"

#include <vector>

namespace tz::analysis {

struct ArgumentUse {
  unsigned smallestElement = 0; // bytes; 0: scales and bounds nothing
  bool foldsOne = false;        // factor, divisor, stride, or compared
};

/// One for each argument of the kernel; pointers have no use in this sense.
std::vector<ArgumentUse> argumentUses(tile::KernelOp kernel);

} // namespace tz::analysis

#endif // TERRAZZO_ANALYSIS_ARGUMENTUSES_H
