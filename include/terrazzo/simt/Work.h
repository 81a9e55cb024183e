//===- Work.h - what a thread computes and moves ----------------*- C++ -*-===//
//
// What   Of a kernel whose tiles have layouts: elementwise operations of one
//        thread, and the bytes that it loads and stores.
// Why    They say what a thread waits for: a machine decides by them how many
//        threads run at once, and whether a block reads before it writes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_WORK_H
#define TERRAZZO_SIMT_WORK_H

#include "terrazzo/ir/Tile.h"

namespace tz::simt {

/// Each op counts once, also in a loop.
struct Work {
  int64_t floats = 0, others = 0; ///< operations, by the type of their result
  int64_t bytes = 0;
  /// Of these, what is loaded from where another load says.
  int64_t late = 0;
  /// ... and the ones that nobody loads again: without what threads of the
  /// block load as well, and without what lies at a loaded place. A thread gets
  /// to the latter late, and they are mostly rows of a small table.
  int64_t streamed = 0;
  bool isElementwise = true; ///< in no loop, and without reductions and scans

  /// More than memory could hide: five operations for each byte.
  bool computesMuch() const { return floats + others >= 5 * (bytes + 1); }
};

Work workOf(tile::KernelOp kernel);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_WORK_H
