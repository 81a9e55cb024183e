//===- Capturer.h - which launches become files ---------------------------===//
//
// What   What TERRAZZO_CAPTURE asks for, and a launch with a copy of its memory
//        before it, which becomes a file if the launch fails, is slow, or
//        always.
// Why    See CaptureFile.h. The memory is copied before the launch: a kernel
//        that fails may have changed it, and a device that has failed gives
//        nothing back.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_CAPTURE_CAPTURER_H
#define TERRAZZO_RUNTIME_CAPTURE_CAPTURER_H

#include "runtime/capture/CaptureFile.h"
#include "runtime/device/RuntimeDevice.h"

#include <functional>
#include <set>

namespace tz::runtime {

struct CaptureOptions {
  std::string folder;
  bool failed = true; ///< launches that fail
  bool all = false;
  uint64_t slowerThanNs = 0;             ///< 0: none for being slow
  uint64_t maxBytes = uint64_t(1) << 30; ///< of the arrays of a file
  size_t maxFiles = 100;
};

/// From TERRAZZO_CAPTURE and those beside it. Nothing: no capture is asked for.
/// Words that it does not know are warned of.
std::optional<CaptureOptions> captureOptions();
/// "fail", "slow:2.5" (milliseconds), "all", a comma list. False and the word.
bool readOccasions(std::string_view list, CaptureOptions &to,
                   std::string &unknown);

/// A launch as its kernel knows it.
struct CaptureRequest {
  std::string kernel, source;
  const std::vector<KeyValue> *options = nullptr;
  const Artifact *artifact = nullptr;
  std::array<int64_t, 3> grid{};
  /// By user argument: the tz_arg that a launch gave.
  std::vector<tz_arg> arguments;
  /// The kernel as tile IR; a failure: there is only the artifact.
  std::function<Result<std::string>()> tile;
};

/// [thread: any]
class Capturer {
public:
  explicit Capturer(CaptureOptions options) : options(std::move(options)) {}

  /// Launches by `start` and waits for the stream. Equal launches become one
  /// file. A launch that is recorded in a graph is not captured.
  Status launch(const CaptureRequest &request, Stream &stream,
                const std::function<Status()> &start);

private:
  Status copyMemory(const CaptureRequest &request, Stream &stream,
                    CapturedLaunch &to) const;
  /// Writes the launch to `path`, or, if that is empty and the launch is new,
  /// to a new file, whose path it then is.
  Status keep(const CaptureRequest &request, Stream &stream,
              CapturedLaunch &launch, std::string reason, std::string &path);
  bool isNew(const CaptureRequest &request);
  void warnOnce(const std::string &text);

  const CaptureOptions options;
  std::mutex lock;
  std::set<std::string> known; ///< launches that are kept
  std::set<std::string> said;
  size_t files = 0;
};

} // namespace tz::runtime

#endif
