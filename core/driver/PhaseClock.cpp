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
  double time = std::chrono::duration<double, std::milli>(now - last).count();
  last = now;
  for (CompileReport::Phase &phase : report->phases) {
    if (phase.name == name) {
      phase.milliseconds += time;
      return;
    }
  }
  report->phases.push_back({std::move(name), time});
}

} // namespace tz::driver
