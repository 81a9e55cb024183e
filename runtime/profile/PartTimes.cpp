//===- PartTimes.cpp - parts of programs in a profile ---------------------===//
//
// What   See PartTimes.h.
// Why    See PartTimes.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/PartTimes.h"

#include "runtime/launch/RuntimeArtifact.h"

#include <algorithm>

namespace tz::runtime {

//===--- Clocks -----------------------------------------------------------===//

namespace {
/// The processor's counter and the time, read together.
struct Instant {
  uint64_t ticks, ns;

  static Instant now() {
#if defined(__x86_64__)
    return {__builtin_ia32_rdtsc(), monotonicNs()};
#else
    return {monotonicNs(), monotonicNs()};
#endif
  }
};
} // namespace

static const Instant &firstInstant() {
  static const Instant first = Instant::now();
  return first;
}

void watchTicks() { (void)firstInstant(); }

static double nsPerTick() {
  constexpr uint64_t enough = 1000000; // ns, for a thousandth
  const Instant &first = firstInstant();
  Instant now = Instant::now();
  while (now.ns - first.ns < enough) {
    now = Instant::now();
  }
  return now.ticks > first.ticks
             ? double(now.ns - first.ns) / double(now.ticks - first.ticks)
             : 1;
}

namespace {

/// From a program's clock to ns since the launch began.
class LaunchClock {
public:
  LaunchClock(const KernelRun &run, const std::vector<ProgramParts> &programs)
      : hasNs(programs.front().beganNs) {
    uint64_t ns = 0, units = 0;
    for (const ProgramParts &one : programs) {
      ns += one.endedNs - one.beganNs;
      units += one.ended - one.began;
      first = std::min(first, hasNs ? one.beganNs : one.began);
    }
    switch (programs.front().clock) {
    case TZ_CLOCK_TICKS:
      scale = nsPerTick();
      isShared = true;
      break;
    case TZ_CLOCK_STEPS:
      // Programs run one after the other.
      scale = double(run.ended - run.began) / double(std::max(units, one));
      break;
    default:
      scale = hasNs ? double(ns) / double(std::max(units, one)) : 1;
    }
  }

  /// When the program began; programs come in the order of the log.
  double begin(const ProgramParts &program) {
    if (hasNs) {
      return double(program.beganNs - first);
    }
    if (isShared) {
      return double(program.began - first) * scale;
    }
    if (program.clock != TZ_CLOCK_STEPS) {
      return 0; // each core's counter is its own
    }
    const double at = passed;
    passed += double(program.ended - program.began) * scale;
    return at;
  }

  double scale = 1; ///< ns of a unit

private:
  static constexpr uint64_t one = 1;
  const bool hasNs;
  bool isShared = false;
  uint64_t first = UINT64_MAX;
  double passed = 0;
};

/// What is open in a program.
struct OpenPart {
  uint32_t node;
  uint64_t clock;
  std::string_view name;
};

class PartWriter {
public:
  PartWriter(Profile &profile, ProfilePhase &phase, const KernelRun &run,
             const LaunchParts &parts)
      : profile(profile), phase(phase), run(run),
        sites(parts.artifact->logSites), programs(parts.programs),
        clock(run, parts.programs),
        unit(programs.front().clock == TZ_CLOCK_STEPS ? "steps" : "cycles") {}

  void write() {
    for (const ProgramParts &program : programs) {
      profile.lostParts.events += program.forgotten;
      write(program);
    }
  }

private:
  void write(const ProgramParts &program) {
    const double began = clock.begin(program);
    const uint64_t row = phase.partRow(program.program, program.subgroup);
    std::vector<OpenPart> open;
    for (const ProgramParts::Event &event : program.events) {
      const LogSite &site = sites[event.site];
      if (!(site.flags & TZ_LOG_END)) {
        const uint32_t parent = open.empty() ? run.node : open.back().node;
        open.push_back(
            {phase.child(parent, site.text), event.clock, site.text});
        continue;
      }
      // A part that began before the oldest event, or that nobody ended.
      auto part =
          std::find_if(open.rbegin(), open.rend(), [&](const OpenPart &one) {
            return one.name == site.text;
          });
      if (part == open.rend()) {
        continue;
      }
      const OpenPart ended = *part;
      open.erase(std::prev(part.base()), open.end());
      add(ended, event.clock, began, row);
    }
  }

  void add(const OpenPart &part, uint64_t end, double began, uint64_t row) {
    const uint64_t units = std::max(part.clock, end) - part.clock;
    count(part.node, "visits", int64_t(1));
    count(part.node, unit, int64_t(units));
    count(part.node, "normalized_" + unit,
          double(units) / double(programs.size()));
    const auto at = [&](uint64_t when) {
      return run.began + uint64_t(began + double(when) * clock.scale);
    };
    phase.addEvent({at(part.clock), at(part.clock + units), row, run.launch,
                    part.node, 0, phase.nodes()[run.node].device,
                    TZ_PROFILE_PART},
                   {namedMetric(unit, int64_t(units))});
  }

  /// Not summed over the parts inside, whose time is in it.
  void count(uint32_t node, const std::string &name, MetricValue value) {
    const NamedMetric metric = namedMetric(name + " (exc)", std::move(value));
    if (Result<uint32_t> number = profile.metrics.number(metric)) {
      phase.addMetric(node, *number, metric);
    }
  }

  Profile &profile;
  ProfilePhase &phase;
  const KernelRun run;
  const std::vector<LogSite> &sites;
  const std::vector<ProgramParts> &programs;
  LaunchClock clock;
  const std::string unit;
};

} // namespace

void addPartTimes(Profile &profile, ProfilePhase &phase, const KernelRun &run,
                  const LaunchParts &parts) {
  profile.lostParts.records += parts.lost;
  if (!parts.programs.empty()) {
    PartWriter(profile, phase, run, parts).write();
  }
}

} // namespace tz::runtime
