//===- PhaseClock.h - the time of each phase of a compilation -------------===//
//
// What   Adds up the time of each phase.
// Why    A report of a compilation says where its time went.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_PHASECLOCK_H
#define TERRAZZO_CORE_DRIVER_PHASECLOCK_H

#include "core/driver/Driver.h"

#include <chrono>

namespace tz::driver {

/// Adds the time since the last mark to what a name has; null: not wanted.
class PhaseClock {
public:
  explicit PhaseClock(CompileReport *report);
  void mark(std::string name);
  /// The phases that another clock has marked since the last mark of this one.
  void add(const CompileReport &other);

private:
  void add(const std::string &name, double milliseconds);

  CompileReport *report;
  std::chrono::steady_clock::time_point last;
};

} // namespace tz::driver

#endif
