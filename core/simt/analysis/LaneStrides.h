//===- LaneStrides.h - how far lanes beside each other lie ------*- C++ -*-===//
//
// What   By how much an integer or pointer tile grows from one lane to the next
//        along each dimension, mostly: x % n and min(x, n) are taken for x, x / n
//        for a constant.
// Why    Where nothing is proven, this still says which order of the lanes
// makes
//        the accesses of a warp lie beside each other. Rows that wrap around and
//        the gathers of a convolution are of this kind. Only speed may depend on
//        it: the width of an access goes by Contiguity.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_LANESTRIDES_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_LANESTRIDES_H

#include "terrazzo/ir/Tile.h"

#include <optional>

namespace tz::simt {

/// Per dimension: elements from lane to lane; nothing: not known. A scalar has
/// none.
using LaneStrides = llvm::SmallVector<std::optional<int64_t>, 4>;

LaneStrides laneStridesOf(mlir::Value value);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_LANESTRIDES_H
