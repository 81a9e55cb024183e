//===- DeviceViews.h - views of tensors as arguments of a kernel ----------===//
//
// What   The words of a descriptor (Frame.h), of a view whose values the host
//        has computed.
// Why    Both halves pass the same arguments.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_DEVICEVIEWS_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_DEVICEVIEWS_H

#include <terrazzo/plugin.h>

#include <cstddef>

namespace tz::intel {

/// Writes `bytes` bytes. Throws TZ_E_INVALID_ARGUMENT: the slot is of another
/// size than such a view takes, or the view is no matrix whose rows have their
/// elements beside each other.
void encodeView(const tz_tensor_view &view, void *to, size_t bytes);

} // namespace tz::intel

#endif
