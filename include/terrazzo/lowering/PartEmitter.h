//===- PartEmitter.h - when parts of a program begin and end ----*- C++ -*-===//
//
// What   A ring of events for one subgroup of a program, and the record of it
//        that the subgroup appends to the log when the program ends (tz_log_
//        events in plugin.h).
// Why    An event costs a clock and a store in memory that is near; the log is
//        far, and shared by all programs.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_PARTEMITTER_H
#define TERRAZZO_LOWERING_PARTEMITTER_H

#include "terrazzo/lowering/LogEmitter.h"

#include <functional>

namespace tz::lowering {

/// A device's clocks, i64. ns: that all programs share; null: none. core: i32,
/// the number of the core that runs the thread, from 0; null: it is not known.
struct PartClock {
  uint32_t kind; ///< TZ_CLOCK_*
  std::function<llvm::Value *(llvm::IRBuilderBase &)> now, ns, core = {};
};

/// Emits code for one thread of the subgroup that keeps the ring. Calls end in
/// another block than they began.
class PartEmitter {
public:
  /// capacity: events, a power of two; ring: room for so many uint64_t. The
  /// three slots live as long as the program: i32, i64 and i64.
  PartEmitter(llvm::IRBuilderBase &b, PartClock clock, uint32_t capacity,
              llvm::Value *ring, llvm::Value *count, llvm::Value *began,
              llvm::Value *beganNs)
      : b(b), clock(std::move(clock)), capacity(capacity), ring(ring),
        count(count), began(began), beganNs(beganNs) {}

  /// The program begins.
  void open();
  /// A part begins or ends here. keeps: i1, whether this thread keeps the ring;
  /// null: it does.
  void note(uint32_t site, llvm::Value *keeps);
  /// The program ends; subgroup: i32. Only in the thread that keeps the ring.
  void close(LogEmitter log, uint32_t site, llvm::Value *subgroup);

private:
  llvm::Value *eventAt(llvm::Value *number);
  llvm::Value *load(llvm::Type *type, llvm::Value *slot);
  void copyEvents(llvm::Value *first, llvm::Value *kept, llvm::Value *to);

  llvm::IRBuilderBase &b;
  const PartClock clock;
  const uint32_t capacity;
  llvm::Value *const ring, *const count, *const began, *const beganNs;
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_PARTEMITTER_H
