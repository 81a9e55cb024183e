//===- TileValue.h - a scalar or a tile at run time -------------*- C++ -*-===//
//
// What   A flat, row-major, shared, immutable array of elements; and its lanes
//        as doubles or 64-bit integers.
// Why    Ops work on lanes of one C++ type and convert at both ends, so each
//        op is written once, not once per element type.
//
// A value of one element stands for any number of equal lanes: that is how a
// combine region of scalars runs on all lanes of a tile at once.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_TILEVALUE_H
#define TERRAZZO_CORE_INTERPRETER_TILEVALUE_H

#include "core/interpreter/ElementKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <memory>

namespace tz::interpreter {

class TileValue {
public:
  TileValue() = default;
  /// `count` elements, all bits zero.
  TileValue(Kind kind, int64_t count);

  Kind kind() const { return elementKind; }
  int64_t count() const { return elements; }
  unsigned elementBytes() const { return bytesOf(elementKind); }
  const std::byte *bytes() const { return heap ? heap.get() : local; }
  /// Only for whoever made the value, before it is shared.
  std::byte *bytesForWriting() { return heap ? heap.get() : local; }
  template <typename T>
  const T *data() const {
    return reinterpret_cast<const T *>(bytes());
  }
  template <typename T>
  T *dataForWriting() {
    return reinterpret_cast<T *>(bytesForWriting());
  }
  /// The bits of one element, zero-extended.
  uint64_t bitsAt(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);
  bool isTrueAt(int64_t index) const { return bitsAt(index) != 0; }
  /// Bounds of the lanes (Errors.h), as f64; null if the value is exact.
  const TileValue *errors() const { return bounds.get(); }
  void setErrors(TileValue lanes) {
    bounds = std::make_shared<const TileValue>(std::move(lanes));
  }
  /// The same bytes as elements of another kind of the same size.
  TileValue recast(Kind kind) const;

private:
  Kind elementKind = Kind::I1;
  int64_t elements = 0;
  std::shared_ptr<const TileValue> bounds;
  std::shared_ptr<std::byte[]> heap; ///< none: the one element is in `local`
  alignas(8) std::byte local[8] = {};
};

using Floats = llvm::SmallVector<double, 4>;
using Signed = llvm::SmallVector<int64_t, 4>;
using Unsigned = llvm::SmallVector<uint64_t, 4>;

Floats floatLanes(const TileValue &value);
Signed signedLanes(const TileValue &value);     ///< sign-extended (i1: 0, -1)
Unsigned unsignedLanes(const TileValue &value); ///< zero-extended
TileValue fromFloats(Kind kind, llvm::ArrayRef<double> lanes,
                     RoundTo rounding = RoundTo::NearestEven);
/// Keeps the low bits.
TileValue fromIntegers(Kind kind, llvm::ArrayRef<uint64_t> lanes);

/// Lane `i` of lanes that may be one lane for all.
template <typename Lanes>
auto laneOf(const Lanes &lanes, size_t i) {
  return lanes[lanes.size() == 1 ? 0 : i];
}

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_TILEVALUE_H
