//===- ProfiledLaunch.cpp - a launch that profiles hear of ----------------===//
//
// What   See ProfiledLaunch.h.
// Why    See ProfiledLaunch.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfiledLaunch.h"

#include "runtime/launch/LogDecoder.h"
#include "runtime/profile/KernelFacts.h"

namespace tz::runtime {

Status ProfiledLaunch::beginParts() {
  tellsParts = hasParts(*artifact) && !stream.isRecording();
  if (!tellsParts) {
    return Status();
  }
  if (stream.device().isHostMemory()) {
    // What launches before have told is not of this one.
    return stream.synchronize();
  }
  Result<std::shared_ptr<PartLog>> made =
      stream.beginParts(artifact, activity.id, programsOf(grid));
  if (!made) { // no room, which the profile tells
    tellsParts = false;
    activity.loseParts();
    return Status();
  }
  log = std::move(*made);
  for (auto &[launch, parts] : log->take()) {
    activity.tellParts(launch, std::move(parts));
  }
  activity.awaitParts(log);
  return Status();
}

Status ProfiledLaunch::endParts(Status made) {
  if (log) {
    stream.forgetNextLog(); // of a launch that was refused
    Status ended = log->end(stream, made.ok());
    return made.ok() ? std::move(ended) : std::move(made);
  }
  if (!made.ok()) {
    return made;
  }
  // It has ended. The log does not say of which launch it is.
  LaunchParts parts;
  parts.artifact = artifact;
  made = stream.synchronize(&parts);
  activity.tellParts(activity.id, std::move(parts));
  return made;
}

} // namespace tz::runtime
