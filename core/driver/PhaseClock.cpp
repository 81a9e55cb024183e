//===- PhaseClock.cpp - the time of each phase of a compilation -----------===//
//
// What   See PhaseClock.h.
// Why    See PhaseClock.h.
//===----------------------------------------------------------------------===//
#include "core/driver/PhaseClock.h"

namespace tz::driver {

using namespace runtime;

PhaseClock::PhaseClock(CompileReport *report)
    : report(report), last(std::chrono::steady_clock::now()) {}

void PhaseClock::mark(std::string name) {
  if (!report) {
    return;
  }
  auto now = std::chrono::steady_clock::now();
  add(name, std::chrono::duration<double, std::milli>(now - last).count());
  last = now;
}

void PhaseClock::add(const CompileReport &other) {
  if (!report) {
    return;
  }
  for (const CompileReport::Phase &phase : other.phases) {
    add(phase.name, phase.milliseconds);
  }
  last = std::chrono::steady_clock::now();
}

void PhaseClock::add(const std::string &name, double milliseconds) {
  for (CompileReport::Phase &phase : report->phases) {
    if (phase.name == name) {
      phase.milliseconds += milliseconds;
      return;
    }
  }
  report->phases.push_back({name, milliseconds});
}

} // namespace tz::driver
