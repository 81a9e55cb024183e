//===- BitSpan.h - spans of bit vectors over F2 -----------------*- C++ -*-===//
//
// What   The span of bit vectors of at most 64 bits: which of them are
//        independent, and which xor of them gives a vector.
// Why    Questions about layouts are questions about ranks and preimages.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LAYOUT_BITSPAN_H
#define TERRAZZO_CORE_SIMT_LAYOUT_BITSPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tz::simt {

/// The span of columns that are added one by one (Gaussian elimination that
/// remembers which columns were combined). At most 64 columns.
class BitSpan {
public:
  /// Adds the next column; false if it depends on those before it.
  bool add(uint64_t column);
  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }
  unsigned rank() const { return rows.size(); }
  /// Mask of the columns whose xor is `vector`; dependent columns are never
  /// taken. None if it is outside of the span.
  std::optional<uint64_t> preimage(uint64_t vector) const;

private:
  struct Row {
    uint64_t value;   // its highest set bit is in no other row
    uint64_t columns; // whose xor gives it
  };
  struct Reduced {
    uint64_t rest, columns;
  };
  Reduced reduce(uint64_t vector) const;

  llvm::SmallVector<Row, 16> rows;
  unsigned count = 0;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LAYOUT_BITSPAN_H
