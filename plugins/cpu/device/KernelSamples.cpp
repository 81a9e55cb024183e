//===- KernelSamples.cpp - Which instructions kernels were found at -------===//
//
// What   See KernelSamples.h.
// Why    See KernelSamples.h. What runs in the handler calls nothing that may
//        lock or allocate.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/KernelSamples.h"

#include "plugins/cpu/device/CpuDevice.h"

#include <cerrno>
#include <csignal>
#include <sys/time.h>
#include <ucontext.h>

using tz::plugin::Failure;

namespace tz::cpu {

namespace {

/// Cycles count as of a processor of 3 GHz: clocks change from moment to
/// moment.
constexpr uint64_t CyclesOfMicrosecond = 3000;
/// The system's own clock ticks are not shorter.
constexpr uint64_t ShortestMicroseconds = 1000;
constexpr uint64_t LongestMicroseconds = 10000000;

/// Instructions that a handler found, until somebody takes them.
class Found {
public:
  static constexpr uint64_t Capacity = uint64_t(1) << 18;

  Found() : places(Capacity) {}

  /// In a signal's handler, of any thread.
  void add(uint64_t pc) {
    const uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
    if (mine - taken.load(std::memory_order_acquire) >= Capacity) {
      next.fetch_sub(1, std::memory_order_relaxed);
      lost.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    places[mine % Capacity].store(pc, std::memory_order_release);
  }
  /// One thread at a time. 0: there is none, or it is being written.
  uint64_t take() {
    const uint64_t first = taken.load(std::memory_order_relaxed);
    const uint64_t pc =
        places[first % Capacity].exchange(0, std::memory_order_acquire);
    if (pc) {
      taken.store(first + 1, std::memory_order_release);
    }
    return pc;
  }
  uint64_t takeLost() { return lost.exchange(0, std::memory_order_relaxed); }

private:
  std::vector<std::atomic<uint64_t>> places;
  std::atomic<uint64_t> next{0}, taken{0}, lost{0};
};

/// Where a sample was, with texts that outlive the module.
struct Place {
  std::string kernel, file;
  uint64_t offset;
  uint32_t line, col;
  auto operator<=>(const Place &) const = default;
};

/// Of the process: there is one timer and one signal.
struct State {
  std::mutex lock; ///< guards what follows
  bool isOpen = false;
  struct sigaction before = {};
  uint64_t microseconds = 0;
  std::map<uint64_t, tz_module *> modules; ///< by the end of their code
  std::map<Place, uint64_t> counts;
};

State &state() {
  static auto &made = *new State; // threads outlive statics
  return made;
}

/// Made once, and never destroyed: a signal may be on its way.
std::atomic<Found *> found{nullptr};
std::atomic<bool> isSampling{false};

void onTimer(int, siginfo_t *, void *context) {
  const int savedError = errno;
#if defined(__x86_64__)
  if (isSampling.load(std::memory_order_acquire)) {
    found.load(std::memory_order_acquire)
        ->add(static_cast<uint64_t>(static_cast<const ucontext_t *>(context)
                                        ->uc_mcontext.gregs[REG_RIP]));
  }
#endif
  errno = savedError;
}

void setTimer(uint64_t microseconds) {
  itimerval value{};
  value.it_interval.tv_sec = time_t(microseconds / 1000000);
  value.it_interval.tv_usec = suseconds_t(microseconds % 1000000);
  value.it_value = value.it_interval;
  if (setitimer(ITIMER_PROF, &value, nullptr) != 0) {
    throw Failure(TZ_E_UNAVAILABLE, "cpu: the system gives no timer of "
                                    "processor time (setitimer)");
  }
}

/// The function that holds the instruction; samples of a helper of a module
/// with one kernel are that kernel's.
Place placeIn(tz_module &module, uint64_t pc) {
  Place place{{}, {}, 0, 0, 0};
  for (const auto &[name, symbol] : module.object->functions()) {
    const auto begin = reinterpret_cast<uint64_t>(symbol.address);
    if (pc >= begin && pc - begin < std::max<uint64_t>(symbol.size, 1)) {
      place.kernel = name;
      place.offset = pc - begin;
    }
  }
  std::lock_guard<std::mutex> guard(module.mutex);
  if (module.kernels.size() == 1) {
    place.kernel = module.kernels.begin()->first;
  }
  if (auto source = findLine(module, pc)) {
    place.file = plugin::view(source->file);
    place.line = source->line;
    place.col = source->col;
  }
  return place;
}

/// With the lock: while all modules that were sampled are there.
void settle(State &s) {
  Found *all = found.load(std::memory_order_acquire);
  if (!all) {
    return;
  }
  std::map<uint64_t, uint64_t> counts;
  while (const uint64_t pc = all->take()) {
    ++counts[pc];
  }
  for (const auto &[pc, count] : counts) {
    auto holder = s.modules.upper_bound(pc);
    if (holder != s.modules.end() &&
        pc >= reinterpret_cast<uint64_t>(
                  holder->second->object->codeBytes().data())) {
      s.counts[placeIn(*holder->second, pc)] += count;
    }
  }
}

tz_sampler *const handle = reinterpret_cast<tz_sampler *>(&found);

void open(uint64_t &period) {
#if !defined(__x86_64__)
  throw Failure(TZ_E_UNAVAILABLE, "cpu: no samples on this processor");
#endif
  State &s = state();
  std::lock_guard guard(s.lock);
  if (s.isOpen) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "cpu: another session of this process takes samples");
  }
  struct sigaction ours = {}, now = {};
  sigaction(SIGPROF, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) ||
      (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "cpu: another profiler in this process has the signal "
                  "SIGPROF; stop it first");
  }
  if (!found.load()) {
    found.store(new Found);
  }
  ours.sa_sigaction = onTimer;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGPROF, &ours, &s.before);
  s.microseconds = std::clamp(period / CyclesOfMicrosecond,
                              ShortestMicroseconds, LongestMicroseconds);
  period = s.microseconds * CyclesOfMicrosecond;
  s.isOpen = true;
  s.counts.clear();
}

void enable(bool samples) {
  State &s = state();
  std::lock_guard guard(s.lock);
  isSampling.store(samples, std::memory_order_release);
  setTimer(samples ? s.microseconds : 0);
}

void close() {
  try {
    enable(false);
  } catch (const Failure &) { // it was not begun either
  }
  State &s = state();
  std::lock_guard guard(s.lock);
  // One that is on its way would end the process.
  if (s.before.sa_handler == SIG_DFL) {
    s.before.sa_handler = SIG_IGN;
  }
  sigaction(SIGPROF, &s.before, nullptr);
  while (found.load()->take()) {
  }
  s.isOpen = false;
}

void read(void *ctx, void (*told)(void *, const tz_sample *), uint64_t &lost) {
  State &s = state();
  std::map<Place, uint64_t> counts;
  {
    std::lock_guard guard(s.lock);
    settle(s);
    counts.swap(s.counts);
    lost = found.load()->takeLost();
  }
  for (const auto &[place, count] : counts) {
    tz_sample sample{};
    sample.struct_size = sizeof(sample);
    sample.kernel = plugin::str(place.kernel);
    sample.offset = place.offset;
    sample.count = count;
    sample.line = place.line;
    sample.col = place.col;
    sample.file = plugin::str(place.file);
    told(ctx, &sample);
  }
}

} // namespace

void beginSamplesOf(tz_module &module) {
  const auto code = module.object->codeBytes();
  State &s = state();
  std::lock_guard guard(s.lock);
  s.modules[reinterpret_cast<uint64_t>(code.data()) + code.size()] = &module;
}

void endSamplesOf(tz_module &module) {
  if (!module.object) {
    return;
  }
  const auto code = module.object->codeBytes();
  State &s = state();
  std::lock_guard guard(s.lock);
  auto known =
      s.modules.find(reinterpret_cast<uint64_t>(code.data()) + code.size());
  if (known != s.modules.end() && known->second == &module) {
    try {
      settle(s);
    } catch (const std::bad_alloc &) { // they are no kernel's any more
    }
    s.modules.erase(known);
  }
}

const tz_sampler_api &samplerApi() {
  static constexpr tz_sampler_api table = {
      sizeof(tz_sampler_api),
      [](tz_platform *, uint64_t *period, tz_sampler **out) {
        return plugin::guarded([&] {
          open(*period);
          *out = handle;
        });
      },
      [](tz_sampler *) { close(); },
      [](tz_sampler *, int32_t samples) {
        return plugin::guarded([&] { enable(samples != 0); });
      },
      [](tz_sampler *, void *ctx, void (*told)(void *, const tz_sample *),
         uint64_t *lost) {
        return plugin::guarded([&] { read(ctx, told, *lost); });
      }};
  return table;
}

} // namespace tz::cpu
