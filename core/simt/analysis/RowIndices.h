//===- RowIndices.h - elements of rows that a loop counts through -*- C++
//-*-===//
//
// What   Accesses at x / D * stride + x % D * step, where a loop counts x: when
//        no two iterations touch one element.
// Why    A tensor whose rows lie apart is often gone through as if it had one
//        dimension. Whether its rows overlap is known at the launch alone: a
//        barrier between iterations is skipped where they do not.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_ROWINDICES_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_ROWINDICES_H

#include "terrazzo/ir/Tile.h"

#include <optional>

namespace tz::simt {

/// A constant times a value of at most 32 bits, if there is one.
struct Multiple {
  int64_t factor = 1;
  mlir::Value value;
};

/// Rows of `length` elements do not overlap, and the loop's count does not
/// wrap: length >= 1, step is not 0, |stride| > (length - 1) * |step|, and
/// end + tile fits into 32 bits. In all values are of the kernel, not of the
/// loop.
struct RowsApart {
  Multiple length, stride, step, end;
  int64_t tile = 0;
};

/// Two ops right in the body of one `scf.for`: if this holds, they touch no
/// common element in any two different iterations.
std::optional<RowsApart> apartInIterationsIf(mlir::Operation *one,
                                             mlir::Operation *other);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_ROWINDICES_H
