//===- LaunchCost.h - What programs of a kernel cost ----------------------===//
//
// What   The time of a program as launches measured it, alone on the calling
//        thread and shared with others, and the choice between the two.
// Why    The same program takes longer beside others, which use the same
//        memory and caches. Judged by that time, a kernel whose first launch
//        was shared would be shared for ever, and one that ran alone would not.
//        So only the time alone decides, and it is measured where it may. Where
//        threads sleep, what waking them cost before decides with it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHCOST_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHCOST_H

#include <atomic>
#include <cstdint>

namespace tz::cpu {

/// Of one kernel. Any thread; lost updates do no harm.
class LaunchCost {
public:
  /// Below this much work in a whole grid a wake-up costs more than it saves.
  static constexpr uint64_t InlineNs = 6000;

  /// Is a launch of so many programs one for the calling thread alone? Now and
  /// then it is, or is not, to measure. `gainNs`: below this much work, sharing
  /// with threads that sleep has cost more than it saved; 0: none sleeps, or it
  /// is not known.
  bool runsAlone(int64_t programs, uint64_t gainNs = 0);
  /// What the calling thread measured of the programs that it ran.
  void note(bool wasAlone, uint64_t elapsedNs, int64_t programs);
  /// Nanoseconds that a program may take; 0: unknown.
  uint32_t perProgram() const;
  /// Nanoseconds that a program takes alone; 0: unknown.
  uint32_t perProgramAlone() const {
    return alone.load(std::memory_order_relaxed);
  }

private:
  std::atomic<uint32_t> alone{0}, shared{0}; // ns a program; 0: unknown
  std::atomic<uint32_t> launches{0};
};

/// What it costs to share a launch with threads that sleep: that they come
/// late, and that their cores are slow and their caches empty at first. Of one
/// pool. Any thread; lost updates do no harm.
class WakingCost {
public:
  /// A launch for which threads were woken took so long, and would have taken
  /// `sharedNs` on threads that were awake; 0: not known.
  void note(uint64_t elapsedNs, uint64_t sharedNs);
  /// The work below which waking `asleep` of `others` costs more than they take
  /// over; 0: most of them are awake.
  uint64_t gain(uint64_t asleep, uint64_t others) const;

private:
  /// At first a guess that lets kernels to which it matters be timed alone.
  std::atomic<uint32_t> ns{50000};
};

} // namespace tz::cpu

#endif
