//===- CudaCopy.cpp - copies and fills ------------------------------------===//
//
// What   copy and fill of any size, direction and alignment, in stream order.
// Why    The driver fills only aligned 2- and 4-byte patterns; the rest is
//        put together here.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"

namespace tz::nvidia {

using namespace driver;

void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
          uint32_t kind) {
  tz_device &device = stream.device;
  device.mustWork();
  if (bytes == 0) {
    return;
  }
  if (to == 0 || from == 0) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "copy from or to a null address");
  }
  ContextScope scope(device);
  const Driver &driver = device.driver;
  Result result = InvalidValue;
  switch (kind) {
  case TZ_COPY_ANY:
    result = driver.copyAny(to, from, bytes, stream.native);
    break;
  case TZ_COPY_HOST_TO_DEVICE:
    result = driver.copyToDevice(to, reinterpret_cast<const void *>(from),
                                 bytes, stream.native);
    break;
  case TZ_COPY_DEVICE_TO_HOST:
    result = driver.copyToHost(reinterpret_cast<void *>(to), from, bytes,
                               stream.native);
    break;
  case TZ_COPY_DEVICE_TO_DEVICE:
    result = driver.copyOnDevice(to, from, bytes, stream.native);
    break;
  default:
    throw Failure(TZ_E_INVALID_ARGUMENT, "there is no copy of kind " +
                                             std::to_string(kind) +
                                             " (TZ_COPY_*)");
  }
  if (result != Success) [[unlikely]] {
    std::string facts;
    if (result == InvalidValue) {
      facts = "the destination is " + whatIs(device.platform, to) +
              "; the source is " + whatIs(device.platform, from);
    }
    device.fail(result, "copy " + sizeText(bytes) + " on " + device.label(),
                facts);
  }
}

/// The first result that is no success.
static Result fillAligned(const Driver &driver, tz_stream &stream, tz_dptr to,
                          uint64_t bytes, uint32_t pattern,
                          uint32_t patternBytes) {
  if (patternBytes == 4) {
    return driver.fill32(to, pattern, bytes / 4, stream.native);
  }
  if (patternBytes == 2) {
    return driver.fill16(to, static_cast<unsigned short>(pattern), bytes / 2,
                         stream.native);
  }
  return driver.fill8(to, static_cast<unsigned char>(pattern), bytes,
                      stream.native);
}

/// Byte by byte of the pattern, each as a column of one byte width.
static Result fillColumns(const Driver &driver, tz_stream &stream, tz_dptr to,
                          uint64_t bytes, uint32_t pattern,
                          uint32_t patternBytes) {
  for (uint32_t i = 0; i < patternBytes; ++i) {
    Result result = driver.fillRows8(
        to + i, patternBytes, static_cast<unsigned char>(pattern >> (8 * i)), 1,
        bytes / patternBytes, stream.native);
    if (result != Success) {
      return result;
    }
  }
  return Success;
}

void fill(tz_stream &stream, tz_dptr to, uint64_t bytes, uint32_t pattern,
          uint32_t patternBytes) {
  tz_device &device = stream.device;
  device.mustWork();
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "a fill pattern has 1, 2 or 4 bytes, not " +
                      std::to_string(patternBytes));
  }
  if (bytes % patternBytes) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "a fill of " + std::to_string(bytes) +
                                             " bytes is no multiple of its "
                                             "pattern");
  }
  if (bytes == 0) {
    return;
  }
  if (to == 0) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "fill of a null address");
  }
  ContextScope scope(device);
  auto fillWith = to % patternBytes ? fillColumns : fillAligned;
  Result result =
      fillWith(device.driver, stream, to, bytes, pattern, patternBytes);
  if (result != Success) [[unlikely]] {
    device.fail(result, "fill " + sizeText(bytes) + " on " + device.label(),
                result == InvalidValue
                    ? "the memory is " + whatIs(device.platform, to)
                    : std::string());
  }
}

} // namespace tz::nvidia
