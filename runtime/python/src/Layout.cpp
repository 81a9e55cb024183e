//===- Layout.cpp - how the elements of an array lie ----------------------===//
//
// What   See Layout.h.
// Why    See Layout.h.
//===----------------------------------------------------------------------===//
#include "Layout.h"

#include <algorithm>
#include <array>

namespace tz::python {

void findGaps(int rank, const int64_t *shape, const int64_t *strides,
              int64_t unit, Layout &to) {
  struct Dimension {
    int64_t size, stride;
  };
  std::array<Dimension, 64> dimensions;
  size_t count = 0;
  for (int i = 0; i < rank && count < dimensions.size(); ++i) {
    if (shape[i] == 0) {
      return; // no elements
    }
    // Elements that are one and the same leave nothing out.
    if (shape[i] > 1 && strides[i] != 0) {
      dimensions[count++] = {shape[i], strides[i]};
    }
  }
  auto distance = [](int64_t stride) { return stride < 0 ? -stride : stride; };
  std::sort(dimensions.begin(), dimensions.begin() + count,
            [&](const Dimension &a, const Dimension &b) {
              return distance(a.stride) < distance(b.stride);
            });
  int64_t expected = unit;
  for (size_t i = 0; i < count; ++i) {
    auto [size, stride] = dimensions[i];
    if (stride < 0 || stride > expected) {
      if (to.numGaps == Layout::MaxGaps) {
        to.numGaps = 0;
        return;
      }
      to.gaps[to.numGaps++] = distance(stride) / unit;
    }
    expected = distance(stride) * size;
  }
}

bool Doubt::isJustified(const tz_pointer_use *use) const {
  if (hasNoMemory) {
    return true;
  }
  if (!use) {
    return false;
  }
  if (layout.isReadOnly && use->is_written) {
    return true;
  }
  if (!use->is_read && !use->is_written) {
    return false; // only its strides or its size are arguments, say
  }
  const int64_t *end = use->steps + use->num_steps;
  return layout.numGaps && use->has_constant_steps &&
         std::find_first_of(layout.gaps, layout.gaps + layout.numGaps,
                            use->steps, end) == layout.gaps + layout.numGaps;
}

} // namespace tz::python
