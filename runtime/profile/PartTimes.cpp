//===- PartTimes.cpp - parts of programs in a profile ---------------------===//
//
// What   See PartTimes.h.
// Why    See PartTimes.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/PartTimes.h"

#include "runtime/launch/RuntimeArtifact.h"

#include <algorithm>
#include <unordered_map>

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
  uint32_t name; ///< the first site of the name
  size_t sum;    ///< of PartWriter::sums
  uint64_t clock;
};

/// Sums of a launch's programs go to the tree once: many thousands of programs
/// tell of the same few parts.
class PartWriter {
public:
  PartWriter(Profile &profile, ProfilePhase &phase, const KernelRun &run,
             const LaunchParts &parts)
      : profile(profile), phase(phase), run(run), parts(parts),
        clock(run, parts.programs),
        unit(parts.programs.front().clock == TZ_CLOCK_STEPS ? "steps"
                                                            : "cycles") {
    const std::vector<LogSite> &sites = parts.artifact->logSites;
    std::unordered_map<std::string_view, uint32_t> known;
    for (uint32_t i = 0; i < sites.size(); ++i) {
      names.push_back(known.try_emplace(sites[i].text, i).first->second);
    }
  }

  void write() {
    for (const ProgramParts &program : parts.programs) {
      profile.lostParts.events += program.forgotten;
      write(program);
    }
    for (const Sum &one : sums) {
      if (one.visits) {
        count(one.node, "visits", int64_t(one.visits));
        count(one.node, unit, int64_t(one.units));
        count(one.node, "normalized_" + unit,
              double(one.units) / double(parts.programs.size()));
      }
    }
  }

private:
  /// Of a node of the tree.
  struct Sum {
    uint32_t node;
    uint64_t visits = 0, units = 0;
  };
  static constexpr size_t NoSum = SIZE_MAX;

  void write(const ProgramParts &program) {
    const double began = clock.begin(program);
    const uint64_t row =
        phase.keepsEvents()
            ? phase.partRow({program.program, program.subgroup, program.core})
            : 0;
    open.clear();
    for (const PartEvent &event : parts.eventsOf(program)) {
      const uint32_t name = names[event.site];
      if (!(parts.artifact->logSites[event.site].flags & TZ_LOG_END)) {
        const size_t parent = open.empty() ? NoSum : open.back().sum;
        open.push_back({name, sumOf(parent, name), event.clock});
        continue;
      }
      // A part that began before the oldest event, or that nobody ended.
      auto part =
          std::find_if(open.rbegin(), open.rend(),
                       [&](const OpenPart &one) { return one.name == name; });
      if (part == open.rend()) {
        continue;
      }
      const OpenPart ended = *part;
      open.erase(std::prev(part.base()), open.end());
      add(ended, event.clock, began, row);
    }
  }

  size_t sumOf(size_t parent, uint32_t name) {
    // The parent's place begins at 1, so that 0 is the kernel.
    const uint64_t key = uint64_t(parent + 1) << 32 | name;
    auto [sum, isNew] = places.try_emplace(key, sums.size());
    if (isNew) {
      const uint32_t above = parent == NoSum ? run.node : sums[parent].node;
      sums.push_back({phase.child(above, parts.artifact->logSites[name].text)});
    }
    return sum->second;
  }

  void add(const OpenPart &part, uint64_t end, double began, uint64_t row) {
    const uint64_t units = std::max(part.clock, end) - part.clock;
    Sum &sum = sums[part.sum];
    ++sum.visits;
    sum.units += units;
    if (!phase.keepsEvents()) {
      return;
    }
    const auto at = [&](uint64_t when) {
      return run.began + uint64_t(began + double(when) * clock.scale);
    };
    phase.addEvent({at(part.clock), at(part.clock + units), row, run.launch,
                    sum.node, 0, phase.nodes()[run.node].device,
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
  const LaunchParts &parts;
  LaunchClock clock;
  const std::string unit;
  std::vector<uint32_t> names; ///< of each site the first of its name
  std::unordered_map<uint64_t, size_t> places;
  std::vector<Sum> sums;
  std::vector<OpenPart> open; ///< of one program
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
