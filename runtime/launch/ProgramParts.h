//===- ProgramParts.h - when parts of programs ran ------------------------===//
//
// What   What a kernel's log says of the parts of its programs (tz_log_events).
// Why    The log is read where it lies; who wants to know of parts is
// elsewhere.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_PROGRAMPARTS_H
#define TERRAZZO_RUNTIME_LAUNCH_PROGRAMPARTS_H

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tz::runtime {

struct Artifact;

struct PartEvent {
  uint32_t site;  ///< of the artifact, of kind TZ_LOG_PART
  uint64_t clock; ///< since the program's `began`
};

/// Of one subgroup of a program.
struct ProgramParts {
  std::array<uint32_t, 3> program;
  uint32_t clock, subgroup; ///< TZ_CLOCK_*
  uint32_t core;            ///< that ran it, from 1; 0: not known
  uint64_t began, ended, beganNs, endedNs;
  uint64_t forgotten; ///< older events
  size_t firstEvent;  ///< of LaunchParts::events
  uint32_t numEvents;
};

/// Of all programs of a launch.
struct LaunchParts {
  std::shared_ptr<const Artifact> artifact;
  std::vector<ProgramParts> programs;
  std::vector<PartEvent> events; ///< of all programs, one after the other
  uint64_t lost = 0;             ///< records for which the log had no room

  std::span<const PartEvent> eventsOf(const ProgramParts &program) const {
    return std::span(events).subspan(program.firstEvent, program.numEvents);
  }
};

} // namespace tz::runtime

#endif
