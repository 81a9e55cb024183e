//===- Counters.h - memory operations in flight ---------------------------===//
//
// What   The wait counters of a wave, and the registers that loads in flight
//        will write.
// Why    The executor writes a loaded value at once; a device does it some time
//        before the counter falls. Who uses the register earlier is told.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_COUNTERS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_COUNTERS_H

#include "plugins/amd/simulator/decode/Instruction.h"
#include "plugins/amd/simulator/execute/Processor.h"

#include <array>
#include <deque>

namespace tz::amd::sim {

enum class Counter : uint8_t {
  Memory,      ///< vmcnt: vector memory; stores too before gfx10
  Shared,      ///< lgkmcnt: LDS and scalar memory
  Export,      ///< expcnt
  VectorStore, ///< vscnt of gfx10 and later
  Count
};
const char *name(Counter counter);

/// One operation of memory that has been issued.
struct InFlight {
  Operand destination;       ///< File::None for a store
  bool isOutOfOrder = false; ///< scalar loads return in any order
  bool writesShared = false; ///< LDS changes when it is done
};

class Counters {
public:
  explicit Counters(const Machine &machine);

  /// A counter that is at its largest value delays the operation until the
  /// oldest is done: code counts on that.
  void issue(Counter counter, InFlight operation);
  /// Waits until at most `left` are in flight.
  void wait(Counter counter, unsigned left);
  bool isEmpty(Counter counter) const { return queue(counter).empty(); }
  /// The number of the next operation.
  uint32_t upcoming() const { return next; }
  /// All operations of the counter up to this number are done.
  uint32_t settled(Counter counter) const {
    return isEmpty(counter) ? next - 1 : queue(counter).front().number - 1;
  }
  /// Whether a store of LDS is in flight, which a barrier orders only if it was
  /// waited for. Copies from memory may be, across many of them.
  bool storesShared() const;

  /// The counter that tells when a register of the operand is there;
  /// Counter::Count when it is.
  Counter pending(const Operand &operand) const;
  /// Its registers count as there: one mistake is told once.
  void forget(const Operand &operand);

private:
  struct Entry {
    InFlight operation;
    uint32_t number;
  };
  /// The operation that will write a register, and its counter.
  struct Mark {
    uint32_t number = 0;
    Counter counter = Counter::Count;
  };
  const std::deque<Entry> &queue(Counter counter) const {
    return queues[size_t(counter)];
  }
  bool hasAnyOrder(Counter counter) const;
  Mark &mark(const Operand &operand, unsigned dword);
  void land(const Entry &entry);

  std::array<unsigned, size_t(Counter::Count)> largest;
  std::array<std::deque<Entry>, size_t(Counter::Count)> queues;
  std::vector<Mark> vectors;
  std::array<Mark, scalar::Count> scalars;
  uint32_t next = 1;
  size_t marked = 0;
};

} // namespace tz::amd::sim

#endif
