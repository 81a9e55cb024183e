//===- Races.h - accesses that nothing orders -----------------------------===//
//
// What   Who accessed each byte of LDS and of device memory last, and whether a
//        barrier lies between two waves' accesses of which one writes.
// Why    Waves run one after the other here, so a missing barrier gives right
//        values.
//
// A barrier orders what its waves have waited for: an access that is in flight
// when its wave arrives may happen after it (Machine::ordersMemory has the
// exception). Work-groups are ordered by atomics alone; which ones belong
// together is not known, so two groups that both had atomics, or dropped their
// caches, after the first access count as ordered. Atomics do not race with
// each other, nor with reads, which may be the first guess of a loop of compare
// and exchange. Accesses past the caches count as atomics. A store of the value
// that is there already is no race.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_RACES_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_RACES_H

#include "plugins/amd/simulator/execute/Counters.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace tz::amd::sim {

struct Wave;

/// One access to a byte.
struct Access {
  uint32_t wave = 0;   ///< of the launch, from 1 on; 0: none
  uint32_t number = 0; ///< of its wave, as Counters has it
  uint32_t time = 0;   ///< of the launch
  uint32_t place = 0;  ///< of the instruction, from the kernel's entry
  Counter counter = Counter::Count; ///< that tells when it is done
  bool isAtomic = false;
};

/// The last write of a byte, and reads since then of two waves.
struct ByteHistory {
  Access write, reads[2];
};

enum class AccessKind : uint8_t { Read, Write, Atomic };

inline constexpr uint64_t AllBytes = ~uint64_t{0};

/// The bytes, up to 64, in which two values differ.
inline uint64_t changedBytes(const uint8_t *before, const uint8_t *now,
                             unsigned bytes) {
  uint64_t out = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    out |= uint64_t{before[i] != now[i]} << i;
  }
  return out;
}

class Races {
public:
  Races(uint64_t groups, unsigned wavesOfGroup, uint64_t entry)
      : wavesOfGroup(wavesOfGroup), entry(entry), lastAtomic(groups) {}

  /// Tells of a race, once for an access. `which`: a bit for each byte that
  /// counts.
  void shared(Wave &wave, unsigned lane, uint64_t address, unsigned bytes,
              AccessKind kind, Counter counter, uint64_t which = AllBytes);
  void device(Wave &wave, unsigned lane, uint64_t address, unsigned bytes,
              AccessKind kind, Counter counter, uint64_t which = AllBytes);
  /// The group of the wave is ordered with others.
  void synchronise(const Wave &wave);

private:
  static constexpr uint64_t PageBytes = 1024;
  using Page = std::array<ByteHistory, PageBytes>;

  Access accessOf(const Wave &wave, AccessKind kind, Counter counter);
  bool isOrdered(const Wave &wave, const Access &before, bool isShared) const;
  /// The earlier access with which `now` races.
  std::optional<Access> note(const Wave &wave, ByteHistory &byte,
                             const Access &now, AccessKind kind,
                             bool isShared) const;
  void tell(Wave &wave, unsigned lane, const std::string &where, unsigned bytes,
            AccessKind kind, const Access &before);

  const unsigned wavesOfGroup;
  const uint64_t entry;
  uint32_t time = 0;
  std::vector<uint32_t> lastAtomic; ///< of each group: when
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = ~uint64_t{0};
  Page *lastPage = nullptr;
};

} // namespace tz::amd::sim

#endif
