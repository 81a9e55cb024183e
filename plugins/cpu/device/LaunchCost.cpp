//===- LaunchCost.cpp - What programs of a kernel cost --------------------===//
//
// What   See LaunchCost.h.
// Why    See LaunchCost.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LaunchCost.h"

#include <algorithm>

namespace tz::cpu {

/// Beside others a program takes at most so many times as long; what is above
/// even then needs no measuring alone.
static constexpr uint64_t Slower = 4;
/// Launches between two measurements alone.
static constexpr uint32_t Interval = 256;
/// And between two for which others are woken though that did not pay before.
static constexpr uint32_t WakingInterval = 16;

static bool isBelow(uint64_t limitNs, uint32_t each, int64_t programs) {
  return static_cast<uint64_t>(programs) < limitNs / each + 1;
}

bool LaunchCost::runsAlone(int64_t programs, uint64_t gainNs) {
  const uint32_t single = alone.load(std::memory_order_relaxed);
  if (single && isBelow(InlineNs, single, programs)) {
    return true;
  }
  const uint64_t limit = std::max(InlineNs, gainNs);
  if (single && isBelow(limit, single, programs)) {
    // What waking costs may have changed.
    return launches.fetch_add(1, std::memory_order_relaxed) % WakingInterval !=
           WakingInterval - 1;
  }
  const uint32_t beside = shared.load(std::memory_order_relaxed);
  if (!beside || !isBelow(Slower * limit, beside, programs)) {
    return false;
  }
  // One time alone may have been disturbed.
  return !single ||
         launches.fetch_add(1, std::memory_order_relaxed) % Interval == 0;
}

void LaunchCost::note(bool wasAlone, uint64_t elapsedNs, int64_t programs) {
  if (programs <= 0) {
    return;
  }
  const uint64_t each = elapsedNs / static_cast<uint64_t>(programs);
  (wasAlone ? alone : shared)
      .store(static_cast<uint32_t>(std::clamp<uint64_t>(each, 1, UINT32_MAX)),
             std::memory_order_relaxed);
}

uint32_t LaunchCost::perProgram() const {
  return std::max(alone.load(std::memory_order_relaxed),
                  shared.load(std::memory_order_relaxed));
}

void WakingCost::note(uint64_t elapsedNs, uint64_t sharedNs) {
  // Of longer launches, what else differs is more than waking.
  constexpr uint64_t longest = 500000;
  if (sharedNs == 0 || sharedNs > longest) {
    return;
  }
  const uint64_t late =
      std::min(elapsedNs > sharedNs ? elapsedNs - sharedNs : 0, longest);
  const uint64_t before = ns.load(std::memory_order_relaxed);
  ns.store(static_cast<uint32_t>((3 * before + late) / 4),
           std::memory_order_relaxed);
}

uint64_t WakingCost::gain(uint64_t asleep, uint64_t others) const {
  return others != 0 && 2 * asleep >= others
             ? ns.load(std::memory_order_relaxed) * (others + 1) / others
             : 0;
}

} // namespace tz::cpu
