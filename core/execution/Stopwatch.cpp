//===- Stopwatch.cpp - how long a launch takes ----------------------------===//
//
// What   See Stopwatch.h.
// Why    On a device whole samples are queued before the host waits, so that
//        its own cost of a launch hides: behind the sweep, or behind the
//        launches before in a batch.
//===----------------------------------------------------------------------===//
#include "core/execution/Stopwatch.h"

#include <algorithm>
#include <chrono>

namespace tz::tool {

using namespace runtime;
using Clock = std::chrono::steady_clock;

namespace {
constexpr uint64_t LeastSwept = 64 << 20; // bytes
constexpr size_t MostSamples = 100000;
constexpr size_t MostQueued = 16; // samples
constexpr double BatchTime = 1e6; // ns
} // namespace

std::string timeText(double nanoseconds) {
  static constexpr struct {
    double unit;
    const char *format;
  } forms[] = {{1e9, "%.3f s"}, {1e6, "%.3f ms"}, {1e3, "%.2f us"}};
  char text[32];
  for (const auto &form : forms) {
    if (nanoseconds >= form.unit) {
      std::snprintf(text, sizeof(text), form.format, nanoseconds / form.unit);
      return text;
    }
  }
  std::snprintf(text, sizeof(text), "%.0f ns", nanoseconds);
  return text;
}

static double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

Result<std::unique_ptr<Stopwatch>> Stopwatch::make(Stream &stream,
                                                   bool sweeps) {
  std::unique_ptr<Stopwatch> made(new Stopwatch(stream));
  Device &device = stream.device();
  if (sweeps) {
    const uint64_t bytes = std::max(4 * device.info().l2_bytes, LeastSwept);
    Result<tz_dptr> memory = device.allocate(bytes);
    if (!memory) {
      return std::move(memory.takeStatus()).in("memory to sweep the caches");
    }
    made->swept = *memory;
    made->sweptBytes = bytes;
  }
  // A plugin need not have events: then the host's clock counts.
  const bool hasEvents = !device.isHostMemory() && device.api().event_create &&
                         device.api().event_elapsed_ns;
  for (size_t i = 0; hasEvents && i < 2 * MostQueued; ++i) {
    Result<std::unique_ptr<Event>> event = device.createEvent(true);
    if (!event) {
      return event.takeStatus();
    }
    made->events.push_back(std::move(*event));
  }
  return made;
}

Stopwatch::~Stopwatch() {
  if (swept) {
    (void)stream.device().free(swept);
  }
}

Status Stopwatch::sweep() {
  return swept ? stream.fill(swept, sweptBytes, 0, 4) : Status();
}

/// The least of three, launch and wait; of fewer where they take long. Prints
/// of the first are shown.
Result<double> Stopwatch::estimate(llvm::function_ref<Status()> launch,
                                   double seconds) {
  double least = 0, total = 0;
  for (int i = 0; i < 3 && total < 1e9 * seconds; ++i) {
    Clock::time_point start = Clock::now();
    Status s = launch();
    s = s.ok() ? stream.synchronize() : std::move(s);
    if (!s.ok()) {
      return s;
    }
    double now = nanosecondsSince(start);
    total += now;
    least = i ? std::min(least, now) : now;
    stream.setPrintSink({});
  }
  return least;
}

Status Stopwatch::timeOnHost(llvm::function_ref<Status()> launch) {
  Status s = sweep();
  s = s.ok() ? stream.synchronize() : std::move(s);
  Clock::time_point start = Clock::now();
  s = s.ok() ? launch() : std::move(s);
  s = s.ok() ? stream.synchronize() : std::move(s);
  if (s.ok()) {
    taken.push_back(nanosecondsSince(start));
  }
  return s;
}

Status Stopwatch::timeByEvents(llvm::function_ref<Status()> launch,
                               size_t samples, unsigned batch) {
  for (size_t i = 0; i < samples; ++i) {
    Status s = sweep();
    s = s.ok() ? events[2 * i]->record(stream) : std::move(s);
    for (unsigned n = 0; s.ok() && n < batch; ++n) {
      s = launch();
    }
    s = s.ok() ? events[2 * i + 1]->record(stream) : std::move(s);
    if (!s.ok()) {
      return s;
    }
  }
  if (Status s = stream.synchronize(); !s.ok()) {
    return s;
  }
  for (size_t i = 0; i < samples; ++i) {
    Result<uint64_t> one = events[2 * i]->elapsedNs(*events[2 * i + 1]);
    if (!one) {
      return one.takeStatus();
    }
    taken.push_back(double(*one) / batch);
  }
  return Status();
}

Result<Times> Stopwatch::time(llvm::function_ref<Status()> launch,
                              const TimingEffort &effort, bool showsPrints) {
  PrintSink sink = stream.setPrintSink({});
  if (showsPrints) {
    stream.setPrintSink(sink);
  }
  Result<Times> times = measure(launch, effort);
  stream.setPrintSink(std::move(sink));
  return times;
}

Result<Times> Stopwatch::measure(llvm::function_ref<Status()> launch,
                                 const TimingEffort &effort) {
  Result<double> about = estimate(launch, effort.seconds);
  if (!about) {
    return about.takeStatus();
  }
  taken.clear();
  const double one = std::max(*about, 100.0);
  const auto batch =
      unsigned(swept ? 1 : std::clamp(BatchTime / one, 1.0, 200.0));
  const auto queued =
      size_t(std::clamp(1e8 / (one * batch), 1.0, double(MostQueued)));
  const size_t most = effort.exactly ? effort.exactly : MostSamples;
  const size_t least = effort.exactly ? effort.exactly : effort.least;
  const Clock::time_point start = Clock::now();
  while (taken.size() < most &&
         (taken.size() < least ||
          nanosecondsSince(start) < 1e9 * effort.seconds)) {
    Status s = events.empty()
                   ? timeOnHost(launch)
                   : timeByEvents(launch, std::min(queued, most - taken.size()),
                                  batch);
    if (!s.ok()) {
      return s;
    }
  }
  std::sort(taken.begin(), taken.end());
  auto at = [&](double share) {
    return taken[size_t(share * double(taken.size() - 1))];
  };
  return Times{at(0.5), at(0.1), at(0.9), unsigned(taken.size())};
}

} // namespace tz::tool
