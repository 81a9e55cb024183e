//===- TensorMap.h - reading the artifact's tensor views ------------------===//
//
// What   The reader of the blob that backends/nvidia/TensorViews.h describes.
// Why    An artifact may come from a file: every word of it is checked.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_TENSORMAP_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_TENSORMAP_H

#include "backends/nvidia/TensorViews.h"

#include <string_view>

namespace tz::nvidia {

/// Throws TZ_E_DATA_LOSS that names the line and what is wrong with it.
std::vector<TensorView> parseTensorViews(std::string_view text);

} // namespace tz::nvidia

#endif
