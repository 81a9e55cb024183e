//===- PartTimes.h - parts of programs in a profile -----------------------===//
//
// What   Makes nodes and records of what a launch tells of its parts.
// Why    Clocks of devices begin anywhere and count what they like: the launch
//        that they are of says when it began, and how long it took.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PARTTIMES_H
#define TERRAZZO_RUNTIME_PROFILE_PARTTIMES_H

#include "runtime/launch/ProgramParts.h"
#include "runtime/profile/Profile.h"

namespace tz::runtime {

/// A kernel that has run.
struct KernelRun {
  uint32_t node;
  uint64_t launch, began, ended; ///< ns of the host's clock
};

/// Each part is a node below the one it stands in, with `visits`, `cycles`
/// (`steps` of an interpreter), summed over subgroups, and
/// `normalized_cycles`, the mean of subgroups. With the recorder's lock.
void addPartTimes(Profile &profile, ProfilePhase &phase, const KernelRun &run,
                  const LaunchParts &parts);

/// Remembers now, so that the pace of the processor's counter is known later.
void watchTicks();

} // namespace tz::runtime

#endif
