//===- Races.cpp - accesses that nothing orders ---------------------------===//
//
// What   See Races.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Races.h"

#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Wave.h"

namespace tz::amd::sim {

Access Races::accessOf(const Wave &wave, AccessKind kind, Counter counter) {
  Access now;
  now.wave = uint32_t(wave.group.number * wavesOfGroup + wave.index + 1);
  now.number = wave.counters.upcoming();
  now.time = ++time;
  now.place = wave.current ? uint32_t(wave.current->address - entry) : 0;
  now.counter = counter;
  now.isAtomic = kind == AccessKind::Atomic;
  return now;
}

bool Races::isOrdered(const Wave &wave, const Access &before,
                      bool isShared) const {
  const uint64_t group = (before.wave - 1) / wavesOfGroup;
  if (group == wave.group.number) {
    const Wave &other = *wave.group.waves[(before.wave - 1) % wavesOfGroup];
    const bool needsNoWait = !isShared && before.counter != Counter::Shared &&
                             wave.environment.machine.ordersMemory;
    return before.number <=
           (needsNoWait ? other.issued : other.settled[size_t(before.counter)]);
  }
  return lastAtomic[group] > before.time &&
         lastAtomic[wave.group.number] > before.time;
}

std::optional<Access> Races::note(const Wave &wave, ByteHistory &byte,
                                  const Access &now, AccessKind kind,
                                  bool isShared) const {
  auto racesWith = [&](const Access &before, bool isWrite) {
    if (before.wave == now.wave) { // its copies to LDS may be late
      return isShared && isWrite && before.counter == Counter::Memory &&
             now.counter != Counter::Memory &&
             before.number > wave.counters.settled(Counter::Memory);
    }
    // Who guesses the value of a compare and exchange reads beside atomics.
    const bool isGuess = (before.isAtomic && kind == AccessKind::Read) ||
                         (!isWrite && now.isAtomic);
    return before.wave != 0 && !isGuess && !(before.isAtomic && now.isAtomic) &&
           !isOrdered(wave, before, isShared);
  };
  std::optional<Access> found;
  if (racesWith(byte.write, true)) {
    found = byte.write;
  }
  if (kind == AccessKind::Read) {
    if (byte.reads[0].wave != now.wave) {
      byte.reads[1] = byte.reads[0];
    }
    byte.reads[0] = now;
    return found;
  }
  for (const Access &read : byte.reads) {
    if (!found && racesWith(read, false)) {
      found = read;
    }
  }
  byte.write = now;
  byte.reads[0] = byte.reads[1] = {};
  return found;
}

void Races::tell(Wave &wave, unsigned lane, const std::string &where,
                 unsigned bytes, AccessKind kind, const Access &before) {
  const uint64_t group = (before.wave - 1) / wavesOfGroup;
  wave.found(
      Found::Race,
      text("lane {} {} {} bytes {}, which wave {} of {} has accessed at {}; "
           "{}",
           lane,
           kind == AccessKind::Read    ? "reads"
           : kind == AccessKind::Write ? "writes"
                                       : "changes",
           bytes, where, (before.wave - 1) % wavesOfGroup,
           group == wave.group.number ? std::string("this work-group")
                                      : text("work-group number {}", group),
           wave.environment.describe(before.place),
           group == wave.group.number
               ? text("no barrier that it reached after a wait with {} lies "
                      "between them",
                      name(before.counter))
               : std::string("no atomic orders the two")));
}

void Races::shared(Wave &wave, unsigned lane, uint64_t address, unsigned bytes,
                   AccessKind kind, Counter counter, uint64_t which) {
  std::vector<ByteHistory> &history = wave.group.sharedHistory;
  history.resize(wave.group.shared.size());
  const Access now = accessOf(wave, kind, counter);
  std::optional<Access> race;
  for (unsigned i = 0; i < bytes; ++i) {
    if (!(which >> i & 1)) {
      continue;
    }
    auto found = note(wave, history[address + i], now, kind, true);
    race = race ? race : found;
  }
  if (race) {
    tell(wave, lane, text("at {} of LDS", address), bytes, kind, *race);
  }
}

void Races::device(Wave &wave, unsigned lane, uint64_t address, unsigned bytes,
                   AccessKind kind, Counter counter, uint64_t which) {
  if (kind == AccessKind::Atomic) {
    synchronise(wave);
  }
  const Access now = accessOf(wave, kind, counter);
  std::optional<Access> race;
  for (unsigned i = 0; i < bytes; ++i) {
    if (!(which >> i & 1)) {
      continue;
    }
    const uint64_t at = address + i;
    if (at / PageBytes != lastNumber) {
      std::unique_ptr<Page> &page = pages[at / PageBytes];
      page = page ? std::move(page) : std::make_unique<Page>();
      lastPage = page.get();
      lastNumber = at / PageBytes;
    }
    auto found = note(wave, (*lastPage)[at % PageBytes], now, kind, false);
    race = race ? race : found;
  }
  if (race) {
    tell(wave, lane, "of " + wave.environment.memory.nearest(address), bytes,
         kind, *race);
  }
}

void Races::synchronise(const Wave &wave) {
  lastAtomic[wave.group.number] = ++time;
}

} // namespace tz::amd::sim
