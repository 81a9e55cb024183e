//===- ProfiledLaunch.h - a launch that profiles hear of ------------------===//
//
// What   Tells listeners that a launch begins and has been made, and sees to
//        what its kernel tells of its parts.
// Why    Each way to launch a kernel does the same around it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILEDLAUNCH_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILEDLAUNCH_H

#include "runtime/device/RuntimeDevice.h"
#include "runtime/profile/ProfileHooks.h"

namespace tz::runtime {

/// begin(), the launch with id(), end(); else nobody hears of its end.
class ProfiledLaunch {
public:
  using Grid = std::array<int64_t, 3>;

  /// All outlive it.
  ProfiledLaunch(ProfileHooks &hooks, const char *name, Stream &stream,
                 const std::shared_ptr<const Artifact> &artifact,
                 const Grid &grid)
      : activity(hooks, name, stream, {*artifact, grid}), stream(stream),
        artifact(artifact), grid(grid) {}

  /// What a launch has that asks for it: tz_launch.correlation.
  uint64_t id() const { return activity.id; }
  /// An error: a kernel before has asserted.
  Status begin() {
    if (activity.wantsParts()) [[unlikely]] {
      return beginParts();
    }
    return Status();
  }
  /// The launch's status, or what went wrong behind it.
  Status end(Status made) {
    if (tellsParts) [[unlikely]] {
      made = endParts(std::move(made));
    }
    activity.code = made.code();
    return made;
  }

private:
  Status beginParts();
  Status endParts(Status made);

  Activity activity;
  Stream &stream;
  const std::shared_ptr<const Artifact> &artifact;
  const Grid &grid;
  bool tellsParts = false;
  std::shared_ptr<PartLog> log; ///< on a device with memory of its own
};

} // namespace tz::runtime

#endif
