//===- DeviceViews.cpp - views of tensors as arguments of a kernel --------===//
//
// What   See DeviceViews.h.
// Why    See DeviceViews.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/DeviceViews.h"

#include "plugins/intel/Frame.h"

#include <terrazzo/plugin/Error.h>

#include <array>
#include <cstring>

namespace tz::intel {

void encodeView(const tz_tensor_view &view, void *to, size_t bytes) {
  const size_t rank = view.rank;
  if (rank < 2 || rank > TZ_VIEW_MAX_RANK || view.strides[rank - 1] != 1) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "a descriptor is of " + std::to_string(rank) +
                              " dimensions; it takes 2 to " +
                              std::to_string(TZ_VIEW_MAX_RANK) +
                              ", with the elements of a row beside each other");
  }
  // A kernel with several descriptors gives each the size of the largest.
  std::array<int64_t, 16> words{};
  if (bytes < frameBytes(rank) || bytes > sizeof(words)) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "a descriptor of " + std::to_string(rank) +
                              " dimensions takes " +
                              std::to_string(frameBytes(rank)) +
                              " bytes, its slot has " + std::to_string(bytes));
  }
  const int64_t element = view.element_bits / 8;
  words[FrameBase] = int64_t(view.base);
  words[FrameRowBytes] = view.shape[rank - 1] * element;
  words[FrameRows] = view.shape[rank - 2];
  words[FramePitch] = view.strides[rank - 2] * element;
  for (size_t dim = 0; dim + 2 < rank; ++dim) {
    words[FrameMore + 2 * dim] = view.shape[dim];
    words[FrameMore + 2 * dim + 1] = view.strides[dim] * element;
  }
  std::memcpy(to, words.data(), bytes);
}

} // namespace tz::intel
