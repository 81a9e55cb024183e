//===- ArrayLayout.cpp - how the elements of an array lie -----------------===//
//
// What   See ArrayLayout.h.
// Why    See ArrayLayout.h.
//===----------------------------------------------------------------------===//
#include "values/ArrayLayout.h"

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
  int64_t expected = unit, last = 0;
  for (size_t i = 0; i < count; ++i) {
    auto [size, stride] = dimensions[i];
    last += distance(stride) * (size - 1);
    if (stride < 0 || stride > expected) {
      if (to.numGaps == Layout::MaxGaps) {
        to.numGaps = 0;
        return;
      }
      to.gaps[to.numGaps++] = distance(stride) / unit;
    }
    expected = distance(stride) * size;
  }
  to.extent = last / unit + 1;
  to.padded = expected / unit;
}

bool Doubt::isCertain(const tz_pointer_use *use) const {
  if (hasNoMemory) {
    return !use || use->is_read || use->is_written;
  }
  return layout.isReadOnly && use && use->is_written;
}

/// Is it a number of elements of the array's memory, those in gaps counted?
static bool isExtent(const Layout &layout, const tz_arg &value) {
  const auto number = int64_t(value.bits);
  return value.type >= TZ_TYPE_I8 && value.type <= TZ_TYPE_U64 &&
         number >= layout.extent && number <= layout.padded;
}

bool Doubt::isLikely(const tz_pointer_use *use, const tz_arg *arguments,
                     size_t numArguments) const {
  if (!layout.numGaps || !use || !use->has_constant_steps ||
      (!use->is_read && !use->is_written)) {
    return false; // only its strides or its size are arguments, say
  }
  const int64_t *gapsEnd = layout.gaps + layout.numGaps;
  const int64_t *stepsEnd = use->steps + use->num_steps;
  return std::find_first_of(layout.gaps, gapsEnd, use->steps, stepsEnd) ==
             gapsEnd &&
         std::none_of(
             arguments, arguments + numArguments,
             [&](const tz_arg &value) { return isExtent(layout, value); });
}

} // namespace tz::python
