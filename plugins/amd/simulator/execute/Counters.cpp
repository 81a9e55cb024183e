//===- Counters.cpp - memory operations in flight -------------------------===//
//
// What   See Counters.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Counters.h"

#include <algorithm>

namespace tz::amd::sim {

const char *name(Counter counter) {
  constexpr const char *names[] = {"vmcnt", "lgkmcnt", "expcnt", "vscnt"};
  return names[size_t(counter)];
}

Counters::Counters(const Machine &machine)
    : largest{machine.memoryInFlight, machine.sharedInFlight, 7,
              machine.memoryInFlight},
      vectors(2 * size_t{FirstAccumulator}) {}

Counters::Mark &Counters::mark(const Operand &operand, unsigned dword) {
  return operand.file == File::Vector ? vectors[operand.index + dword]
                                      : scalars[operand.index + dword];
}

void Counters::issue(Counter counter, InFlight operation) {
  wait(counter, largest[size_t(counter)] - 1);
  const uint32_t number = next++;
  if (operation.destination.file != File::None) {
    for (unsigned i = 0; i < operation.destination.dwords; ++i) {
      Mark &at = mark(operation.destination, i);
      marked += at.number == 0;
      at = {number, counter};
    }
  }
  queues[size_t(counter)].push_back({std::move(operation), number});
}

void Counters::land(const Entry &entry) {
  if (entry.operation.destination.file == File::None) {
    return;
  }
  for (unsigned i = 0; i < entry.operation.destination.dwords; ++i) {
    Mark &at = mark(entry.operation.destination, i);
    // A later load may have the register now.
    if (at.number == entry.number) {
      at = {};
      --marked;
    }
  }
}

bool Counters::hasAnyOrder(Counter counter) const {
  const std::deque<Entry> &entries = queue(counter);
  return std::any_of(entries.begin(), entries.end(), [](const Entry &entry) {
    return entry.operation.isOutOfOrder;
  });
}

void Counters::wait(Counter counter, unsigned left) {
  std::deque<Entry> &entries = queues[size_t(counter)];
  if (entries.size() <= left || (left != 0 && hasAnyOrder(counter))) {
    // Nothing is waited for, or which of them are done is not known: none is.
    return;
  }
  while (entries.size() > left) {
    land(entries.front());
    entries.pop_front();
  }
}

bool Counters::storesShared() const {
  const std::deque<Entry> &entries = queue(Counter::Shared);
  return std::any_of(entries.begin(), entries.end(), [](const Entry &entry) {
    return entry.operation.writesShared;
  });
}

Counter Counters::pending(const Operand &operand) const {
  if (marked == 0) {
    return Counter::Count;
  }
  for (unsigned i = 0; i < operand.dwords; ++i) {
    const Mark &at = operand.file == File::Vector ? vectors[operand.index + i]
                                                  : scalars[operand.index + i];
    if (at.number != 0) {
      return at.counter;
    }
  }
  return Counter::Count;
}

void Counters::forget(const Operand &operand) {
  for (unsigned i = 0; i < operand.dwords; ++i) {
    Mark &at = mark(operand, i);
    marked -= at.number != 0;
    at = {};
  }
}

} // namespace tz::amd::sim
