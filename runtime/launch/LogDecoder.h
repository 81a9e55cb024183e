//===- LogDecoder.h - print and assert, decoded ---------------------------===//
//
// What   The host's side of the log ring: its size, its reset, its records as
//        lines of text.
// Why    Records come from device memory that a wrong kernel may have
//        overwritten, so the decoder trusts no field.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_LOGDECODER_H
#define TERRAZZO_RUNTIME_LAUNCH_LOGDECODER_H

#include "runtime/launch/ProgramParts.h"
#include "runtime/launch/RuntimeArtifact.h"

#include <functional>
#include <span>

namespace tz::runtime {

/// Gets one line of a device print, without the newline.
using PrintSink = std::function<void(std::string_view line)>;

/// Bytes of records in a ring (TERRAZZO_LOG_BYTES, default 1 MiB).
uint64_t logCapacity();
tz_log_header emptyLogHeader(uint64_t capacity);

/// Lines for the records; then the failed assert, if any, else what sanitizers
/// have found, as TZ_E_ASSERTION.
/// `records` holds what the header says was written (or less). Parts of
/// programs are added to `parts`, or dropped if it is null.
Status decodeLog(const Artifact &artifact, const tz_log_header &header,
                 std::span<const uint8_t> records, const PrintSink &sink,
                 LaunchParts *parts = nullptr);
/// Does a kernel of the artifact record parts?
bool hasParts(const Artifact &artifact);
/// Does it tell anything else: prints, asserts, reports?
bool hasMessages(const Artifact &artifact);

/// "(3, 0, 0)"
std::string programText(const uint32_t (&program)[3]);
/// Row-major position of a linear index: "(3, 1)".
std::string indexText(uint64_t linear, const std::vector<int64_t> &shape);
/// The value of a TZ_TYPE_* of floats; NaN of another type.
double decodeFloat(uint32_t type, uint64_t bits);
/// A value of a TZ_TYPE_* as text; hex: its bits.
std::string formatValue(uint32_t type, const uint8_t *bytes, bool hex);

} // namespace tz::runtime

#endif
