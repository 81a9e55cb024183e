//===- Stopwatch.h - how long a launch takes ------------------------------===//
//
// What   Times launches on a device: by its events, or by the host's clock
//        where a launch is the host's own work.
// Why    One launch says little. The median of many, with the spread, does; and
//        data that the launch before left in a cache make a kernel look faster
//        than it will be in a program.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EXECUTION_STOPWATCH_H
#define TERRAZZO_CORE_EXECUTION_STOPWATCH_H

#include "runtime/device/RuntimeDevice.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::tool {

/// Nanoseconds of one launch.
struct Times {
  double median = 0;
  double low = 0, high = 0; // a tenth of the launches took less, a tenth more
  unsigned count = 0;       // of samples
};

/// "1.06 us": with a unit, four digits or so.
std::string timeText(double nanoseconds);

/// How long to time. Samples are taken until `seconds` have passed, `least` of
/// them at least; if `exactly` is not 0, so many, however long it takes.
struct TimingEffort {
  double seconds = 0.3;
  unsigned least = 3, exactly = 0;
};

class Stopwatch {
public:
  /// `sweeps`: memory of more than the caches hold is written before each
  /// launch that is timed. The stream must live as long.
  static runtime::Result<std::unique_ptr<Stopwatch>>
  make(runtime::Stream &stream, bool sweeps);
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;

  /// `launch` puts one launch into the stream. A few launches come before those
  /// that are timed. What the kernel prints is shown of the first launch if
  /// `showsPrints`, else of none.
  runtime::Result<Times> time(llvm::function_ref<runtime::Status()> launch,
                              const TimingEffort &effort, bool showsPrints);

private:
  explicit Stopwatch(runtime::Stream &stream) : stream(stream) {}
  runtime::Status sweep();
  runtime::Result<double> estimate(llvm::function_ref<runtime::Status()> launch,
                                   double seconds);
  runtime::Result<Times> measure(llvm::function_ref<runtime::Status()> launch,
                                 const TimingEffort &effort);
  runtime::Status timeOnHost(llvm::function_ref<runtime::Status()> launch);
  runtime::Status timeByEvents(llvm::function_ref<runtime::Status()> launch,
                               size_t samples, unsigned batch);

  runtime::Stream &stream;
  tz_dptr swept = 0;
  uint64_t sweptBytes = 0;
  std::vector<std::unique_ptr<runtime::Event>> events; // start, stop, start ...
  std::vector<double> taken;
};

} // namespace tz::tool

#endif
