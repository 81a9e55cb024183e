//===- ArrayLayout.h - how the elements of an array lie ---------*- C++ -*-===//
//
// What   Whether an array has gaps between its elements, which of its strides
//        make them, and whether it may be written.
// Why    A kernel gets a bare address. Where it knows nothing of an array's
//        strides it would take the gaps for elements, silently.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_ARRAYLAYOUT_H
#define TERRAZZO_PYTHON_VALUES_ARRAYLAYOUT_H

#include "Reference.h"

#include <terrazzo/terrazzo.h>

#include <cstddef>
#include <cstdint>

namespace tz::python {

struct Layout {
  static constexpr size_t MaxGaps = 4;
  /// Strides, in elements, that leave elements of the memory out or go
  /// backwards. None of an array that fills its memory in some order of its
  /// dimensions, as one that was transposed does; none, too, where there are
  /// more than these.
  int64_t gaps[MaxGaps] = {};
  uint8_t numGaps = 0;
  bool isReadOnly = false;
  /// With gaps: elements of the memory up to the last one, and with the gap
  /// behind that.
  int64_t extent = 0, padded = 0;

  bool isPlain() const { return !numGaps && !isReadOnly; }
};

/// Finds the gaps. Strides count units of `unit` elements' parts: 1 for
/// elements, an element's size for bytes.
void findGaps(int rank, const int64_t *shape, const int64_t *strides,
              int64_t unit, Layout &to);

/// In row-major order, without gaps. `strides` (in elements) may be null.
inline bool isRowMajor(int rank, const int64_t *shape, const int64_t *strides) {
  int64_t expected = 1;
  for (int i = strides ? rank - 1 : -1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != expected) {
      return false;
    }
    expected *= shape[i];
  }
  return true;
}

/// What a launch must look at before it runs: an argument whose layout is not
/// plain, or that has elements and no memory.
struct Doubt {
  size_t argument;
  PyObject *value, *name; // the launch's
  Layout layout;
  bool hasNoMemory;

  /// The kernel touches memory that is not there, or writes what is read-only.
  /// `use`: what the kernel does with it, or null if that is not known.
  bool isCertain(const tz_pointer_use *use) const;
  /// The array has gaps that the kernel does not know of: neither its text has
  /// such a step, nor do the launch's arguments have the number of elements
  /// with the gaps. A mask may leave them out all the same.
  bool isLikely(const tz_pointer_use *use, const tz_arg *arguments,
                size_t numArguments) const;
};

} // namespace tz::python

#endif
