//===- LogRing.h - where kernels of a stream print and assert -------------===//
//
// What   The memory behind TZ_ARG_LOG of one artifact on one stream: made at
//        first use, read when its launches have ended, emptied.
// Why    The ring lies in pinned host memory where a device has some. So the
//        host looks at it without asking the device: a launch whose kernel
//        asserts costs no wait, and may be recorded in a graph. That of a
//        kernel that tells of its parts lies in the device's own memory: every
//        program writes there (PartLog.h has those that a profile reads).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_DEVICE_LOGRING_H
#define TERRAZZO_RUNTIME_DEVICE_LOGRING_H

#include "runtime/launch/LogDecoder.h"

namespace tz::runtime {

class Device;
class Event;
class Stream;

/// One thread at a time, as its stream.
class LogRing {
public:
  LogRing(Stream &stream, std::shared_ptr<const Artifact> artifact);
  ~LogRing();
  LogRing(const LogRing &) = delete;

  const Artifact *of() const { return artifact.get(); }
  /// The address for a launch. isRecorded: a graph keeps it, so that the ring
  /// stays at one place and is read by read() alone.
  Result<tz_dptr> take(bool isRecorded);
  /// All launches, and those of graphs, have ended: lines to `sink`, a failed
  /// assert as TZ_E_ASSERTION.
  Status read(const PrintSink &sink, LaunchParts *parts = nullptr);
  /// The same of launches that have ended, without waiting. What still may be
  /// written stays for a later call.
  Status poll(const PrintSink &sink);

private:
  /// Two parts take turns: one is written while the other one's launches end.
  struct Part {
    tz_dptr memory = 0;
    bool isReachable = false; ///< by the host, at the same address
    bool isUsed = false;      ///< launched with since it was read
  };
  Status allocate(Part &part);
  Status clear(Part &part);
  Status readPart(Part &part, const PrintSink &sink, LaunchParts *parts);
  Status readCopied(Part &part, const PrintSink &sink, LaunchParts *parts);
  /// Whether a kernel wrote anything; of a reachable part.
  static bool isWritten(const Part &part);
  /// Lets the next launches write to the other part.
  Status turn();

  Stream &stream;
  const std::shared_ptr<const Artifact> artifact;
  const uint64_t capacity;
  Part parts[2];
  unsigned current = 0;
  std::unique_ptr<Event> passed; ///< behind the launches with the other part
  bool isWaiting = false;        ///< for `passed`
  bool isInGraph = false;
};

} // namespace tz::runtime

#endif
