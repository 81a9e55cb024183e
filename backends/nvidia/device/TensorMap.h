//===- TensorMap.h - reading the artifact's tensor views ------------------===//
//
// What   The reader of the blob that backends/nvidia/TensorViews.h describes,
//        and the descriptors that a kernel's last launches made of its views.
// Why    An artifact may come from a file: every word of it is checked.
// Launches
//        repeat their tensors: what the driver made of them is kept.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_TENSORMAP_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_TENSORMAP_H

#include "backends/nvidia/TensorViews.h"
#include "backends/nvidia/device/DriverTypes.h"

#include "terrazzo/plugin.h"

#include <array>
#include <mutex>
#include <string_view>

namespace tz::nvidia {

/// What one kernel's views were encoded to, the oldest forgotten first. A
/// descriptor depends on the values of its view alone, so none grows stale.
/// Any thread may call.
class EncodedViews {
public:
  bool find(uint32_t slot, const tz_tensor_view &view,
            driver::TensorMap &map) const;
  void keep(uint32_t slot, const tz_tensor_view &view,
            const driver::TensorMap &map);

private:
  struct Entry {
    uint32_t slot = 0, rank = 0, elementBits = 0;
    tz_dptr base = 0;
    std::array<int64_t, TZ_VIEW_MAX_RANK> shape{}, strides{};
    driver::TensorMap map;

    bool isOf(uint32_t slot, const tz_tensor_view &view) const;
  };
  /// Three operands of a product with a few sets of buffers.
  static constexpr size_t Entries = 16;

  mutable std::mutex mutex;
  std::vector<Entry> entries;
  size_t oldest = 0;
};

/// Throws TZ_E_DATA_LOSS that names the line and what is wrong with it.
std::vector<TensorView> parseTensorViews(std::string_view text);

} // namespace tz::nvidia

#endif
