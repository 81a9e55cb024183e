//===- CuptiSamples.cpp - which instructions kernels were found at --------===//
//
// What   See CuptiSamples.h.
// Why    See CuptiSamples.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CuptiSamples.h"

#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/device/CuptiRecords.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <list>

namespace plugin = tz::plugin;

namespace tz::nvidia {

namespace {

/// Instructions that one call gives.
constexpr size_t PlacesOfACall = 4096;
/// Cycles, where nobody chooses.
constexpr uint64_t UsualPeriod = 1 << 16;
/// CUPTI's own memory for what it has decoded, some 80,000 instructions.
constexpr size_t ScratchBytes = size_t(16) << 20;

/// CUPTI's functions. Throws TZ_E_UNAVAILABLE: it is absent, or too old.
struct SamplingFunctions {
  SamplingFunctions() {
    plugin::DriverLibrary opened("CUPTI", cuptiLibraries());
#define TZ_CUPTI_LOAD(name, symbol, parameters) opened.load(name, #symbol);
    TZ_CUPTI_SAMPLING_FUNCTIONS(TZ_CUPTI_LOAD)
#undef TZ_CUPTI_LOAD
    if (opened.missing()) {
      throw Failure(TZ_E_UNAVAILABLE,
                    "CUPTI is too old for samples of instructions: " +
                        opened.name() + " has no function " + opened.missing() +
                        "; CUDA 11.3 is the oldest that has them");
    }
  }
#define TZ_CUPTI_MEMBER(name, symbol, parameters)                              \
  cupti::Result(*name) parameters = nullptr;
  TZ_CUPTI_SAMPLING_FUNCTIONS(TZ_CUPTI_MEMBER)
#undef TZ_CUPTI_MEMBER

  void check(cupti::Result result, const char *attempt) const {
    if (result != cupti::Success) {
      failCupti(getResultString, result, attempt);
    }
  }
};

/// Room for what CUPTI tells.
class PlaceBuffer {
public:
  explicit PlaceBuffer(size_t reasons)
      : counts(PlacesOfACall * reasons), places(PlacesOfACall) {
    for (size_t i = 0; i < places.size(); ++i) {
      places[i].size = sizeof(cupti::SampledPlace);
      places[i].counts = &counts[i * reasons];
    }
    data.size = sizeof(data);
    data.room = places.size();
    data.first = places.data();
  }
  PlaceBuffer(const PlaceBuffer &) = delete;
  cupti::SamplingData data{};

private:
  std::vector<cupti::StallCount> counts;
  std::vector<cupti::SampledPlace> places;
};

/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" -> "long_scoreboard".
std::string reasonOf(std::string_view name) {
  constexpr std::string_view mark = "stalled_";
  const size_t at = name.rfind(mark);
  return std::string(at == name.npos ? name : name.substr(at + mark.size()));
}

/// A context that is sampled.
struct Sampled {
  tz_device &device;
  driver::Context const context;
  std::vector<std::string> reasons = {}; ///< by CUPTI's numbers
  /// What CUPTI writes when it must, and what a read asks for.
  std::unique_ptr<PlaceBuffer> pushed = nullptr, asked = nullptr;
  bool isRunning = false;

  template <typename Params>
  Params params() const {
    Params made{};
    made.size = sizeof(made);
    made.context = context;
    return made;
  }
};

/// Of the process.
struct Images {
  std::mutex lock;
  std::deque<std::string> waiting; ///< whose CRC nobody knows yet
  std::map<uint64_t, std::string> byCrc;
};

Images &images() {
  static auto &made = *new Images;
  return made;
}

std::mutex &samplerMutex() {
  static auto &mutex = *new std::mutex;
  return mutex;
}

} // namespace

} // namespace tz::nvidia

using namespace tz::nvidia;

/// The process has one: CUPTI samples a context for one client.
struct tz_sampler {
  tz_sampler(tz_platform &platform, uint64_t &period);
  ~tz_sampler();
  tz_sampler(const tz_sampler &) = delete;

  void enable(bool samples);
  void read(void *ctx, void (*told)(void *, const tz_sample *), uint64_t &lost);
  void addContext(tz_device &device);
  void removeContext(tz_device &device);

  tz_platform &platform;
  /// What a context that came later could not do; told by the next read.
  std::string laterFailure;

private:
  void begin(Sampled &one);
  void nameReasons(Sampled &one);
  void start(Sampled &one);
  void stop(Sampled &one);
  void collect(Sampled &one);
  void count(const Sampled &one, cupti::SamplingData &data);
  void tell(void *ctx, void (*told)(void *, const tz_sample *));

  const SamplingFunctions functions;
  uint32_t periodLog = 0;
  bool isEnabled = false;
  std::list<Sampled> contexts;
  struct Place {
    uint64_t crc;
    std::string function;
    uint64_t offset;
    uint32_t device;
    auto operator<=>(const Place &) const = default;
  };
  /// By reason; the empty one: the warp went on.
  std::map<Place, std::map<std::string, uint64_t>> counts;
  uint64_t lost = 0;
};

static tz_sampler *theSampler = nullptr; ///< with samplerMutex()
static std::atomic<bool> isThereASampler{false};

/// Has another library of the process made the device's context? Its kernels
/// are sampled before the first one of this plugin.
static bool isUsedByOthers(tz_device &device) {
  unsigned flags = 0;
  int isActive = 0;
  return device.driver.primaryContextState &&
         device.driver.primaryContextState(device.number, &flags, &isActive) ==
             driver::Success &&
         isActive;
}

tz_sampler::tz_sampler(tz_platform &platform, uint64_t &period)
    : platform(platform) {
  const uint64_t wanted = period ? period : UsualPeriod;
  periodLog = std::clamp(uint32_t(std::bit_width(wanted)) - 1,
                         cupti::LeastPeriodLog, cupti::MostPeriodLog);
  period = uint64_t(1) << periodLog;
  platform.eachDevice([&](tz_device &device) {
    if (device.hasContext() || isUsedByOthers(device)) {
      (void)device.context();
      addContext(device);
    }
    return false;
  });
  // Nobody has used a device yet. Who does next, without this plugin, most
  // likely takes the first one.
  platform.eachDevice([&](tz_device &device) {
    if (contexts.empty()) {
      (void)device.context();
      addContext(device);
    }
    return true;
  });
}

tz_sampler::~tz_sampler() {
  for (Sampled &one : contexts) {
    auto call = one.params<cupti::SamplingCall>();
    try {
      ContextScope scope(one.device);
      if (one.isRunning) {
        (void)functions.stop(&call);
      }
      (void)functions.disable(&call);
    } catch (const Failure &) { // the context is gone
    }
  }
}

void tz_sampler::addContext(tz_device &device) {
  contexts.push_back({device, device.context()});
  try {
    begin(contexts.back());
    if (isEnabled) {
      start(contexts.back());
    }
  } catch (...) {
    contexts.pop_back();
    throw;
  }
}

void tz_sampler::removeContext(tz_device &device) {
  contexts.remove_if([&](const Sampled &one) {
    if (&one.device != &device) {
      return false;
    }
    auto call = one.params<cupti::SamplingCall>();
    (void)functions.disable(&call);
    return true;
  });
}

void tz_sampler::nameReasons(Sampled &one) {
  size_t count = 0;
  auto asked = one.params<cupti::ReasonCount>();
  asked.count = &count;
  functions.check(functions.countReasons(&asked), "ask what warps wait for");
  std::vector<uint32_t> numbers(count);
  std::vector<std::array<char, cupti::MostNameBytes>> texts(count);
  std::vector<char *> names;
  for (auto &text : texts) {
    text.fill('\0');
    names.push_back(text.data());
  }
  auto named = one.params<cupti::ReasonNames>();
  named.count = count;
  named.reasons = numbers.data();
  named.names = names.data();
  functions.check(functions.nameReasons(&named), "ask what warps wait for");
  one.reasons.clear();
  for (size_t i = 0; i < count; ++i) {
    one.reasons.resize(
        std::max<size_t>(one.reasons.size(), size_t(numbers[i]) + 1));
    one.reasons[numbers[i]] = texts[i].data();
  }
}

void tz_sampler::begin(Sampled &one) {
  ContextScope scope(one.device);
  auto call = one.params<cupti::SamplingCall>();
  functions.check(functions.enable(&call), "sample instructions");
  try {
    nameReasons(one);
    std::vector<uint32_t> numbers;
    for (size_t i = 0; i < one.reasons.size(); ++i) {
      if (!one.reasons[i].empty()) {
        numbers.push_back(uint32_t(i));
      }
    }
    one.pushed = std::make_unique<PlaceBuffer>(numbers.size());
    one.asked = std::make_unique<PlaceBuffer>(numbers.size());
    cupti::SamplingSetting settings[7] = {};
    auto set = [&, next = size_t(0)](
                   uint32_t attribute) mutable -> cupti::SamplingSetting & {
      settings[next].attribute = attribute;
      return settings[next++];
    };
    set(cupti::SamplingPeriod).number = periodLog;
    set(cupti::SamplingReasons).reasons = {numbers.size(), numbers.data()};
    set(cupti::SamplingScratch).bytes = ScratchBytes;
    set(cupti::SamplingMode).number = cupti::Continuous;
    set(cupti::SamplingStartStop).number = 1;
    set(cupti::SamplingFormat).number = cupti::Parsed;
    set(cupti::SamplingDestination).pointer = &one.pushed->data;
    auto configured = one.params<cupti::SamplingSettings>();
    configured.count = std::size(settings);
    configured.settings = settings;
    functions.check(functions.configure(&configured),
                    "configure samples of instructions");
  } catch (...) {
    (void)functions.disable(&call);
    throw;
  }
}

void tz_sampler::start(Sampled &one) {
  if (!one.isRunning) {
    ContextScope scope(one.device);
    auto call = one.params<cupti::SamplingCall>();
    functions.check(functions.start(&call), "start samples of instructions");
    one.isRunning = true;
  }
}

void tz_sampler::stop(Sampled &one) {
  if (!one.isRunning) {
    return;
  }
  ContextScope scope(one.device);
  // While a graph is recorded it refuses; what runs then is told later.
  if (one.device.driver.contextSynchronize) {
    (void)one.device.driver.contextSynchronize();
  }
  auto call = one.params<cupti::SamplingCall>();
  functions.check(functions.stop(&call), "stop samples of instructions");
  one.isRunning = false;
  collect(one);
}

void tz_sampler::enable(bool samples) {
  isEnabled = samples;
  for (Sampled &one : contexts) {
    samples ? start(one) : stop(one);
  }
}

//===--- Reading ----------------------------------------------------------===//

/// Of a range that was stopped.
void tz_sampler::collect(Sampled &one) {
  count(one, one.pushed->data);
  auto call = one.params<cupti::SamplingRead>();
  call.data = &one.asked->data;
  do {
    const cupti::Result result = functions.getData(&call);
    if (result == cupti::OutOfMemory || one.asked->data.isHardwareFull) {
      count(one, one.asked->data);
      throw Failure(TZ_E_RESOURCE_LIMIT,
                    "the hardware's buffer of samples was full, and samples "
                    "are missing: a longer interval makes fewer",
                    result);
    }
    functions.check(result, "read samples of instructions");
    const bool isEmpty = one.asked->data.places == 0;
    count(one, one.asked->data);
    if (isEmpty) {
      break;
    }
  } while (one.asked->data.remaining);
}

/// The instruction that a warp waits for. Samples are at the one that it would
/// issue next; with a barrier that is the one behind it, whose line may be
/// another. Seen on an H200: all samples of a loop's barrier were at its
/// branch.
static uint64_t offsetOf(const cupti::SampledPlace &place,
                         std::string_view reason) {
  constexpr uint64_t bytes = 16; // of an instruction, since sm_70
  return reason == "barrier" && place.offset >= bytes ? place.offset - bytes
                                                      : place.offset;
}

/// Each reason is told twice: all samples, and those in which the scheduler had
/// no other warp ("_not_issued"); the first contain the others.
void tz_sampler::count(const Sampled &one, cupti::SamplingData &data) {
  constexpr std::string_view part = "_not_issued";
  lost += data.dropped;
  for (size_t i = 0; i < data.places; ++i) {
    const cupti::SampledPlace &place = data.first[i];
    for (size_t j = 0; j < place.reasons; ++j) {
      const cupti::StallCount &stall = place.counts[j];
      const std::string name = stall.reason < one.reasons.size()
                                   ? reasonOf(one.reasons[stall.reason])
                                   : "unknown";
      if (!name.ends_with(part) && stall.samples) {
        auto &found =
            counts[{place.cubinCrc, place.function ? place.function : "",
                    offsetOf(place, name), uint32_t(one.device.ordinal)}];
        found[name == "selected" ? "" : name] += stall.samples;
      }
    }
  }
  data.places = 0;
  data.dropped = 0;
}

namespace {

/// The line of an instruction; empty: it is not known.
struct Line {
  std::string file;
  uint32_t line = 0;
};

Line lineOf(const SamplingFunctions &functions, const std::string &image,
            const std::string &function, uint64_t offset) {
  cupti::SourcePlace place{};
  place.size = sizeof(place);
  place.cubin = image.data();
  place.cubinBytes = image.size();
  place.function = function.c_str();
  place.offset = offset;
  Line made;
  if (functions.getSourcePlace(&place) == cupti::Success && place.file) {
    made.line = place.line;
    if (place.folder && *place.folder && *place.file != '/') {
      made.file = std::string(place.folder) + "/";
    }
    made.file += place.file;
  }
  std::free(place.file);
  std::free(place.folder);
  return made;
}

} // namespace

void tz_sampler::tell(void *ctx, void (*told)(void *, const tz_sample *)) {
  Images &all = images();
  std::lock_guard guard(all.lock);
  for (; !all.waiting.empty(); all.waiting.pop_front()) {
    cupti::CubinCrc asked{};
    asked.size = sizeof(asked);
    asked.cubin = all.waiting.front().data();
    asked.cubinBytes = all.waiting.front().size();
    if (functions.getCubinCrc(&asked) == cupti::Success) {
      all.byCrc[asked.crc] = std::move(all.waiting.front());
    }
  }
  for (const auto &[place, byReason] : counts) {
    auto image = all.byCrc.find(place.crc);
    const Line line =
        image == all.byCrc.end()
            ? Line()
            : lineOf(functions, image->second, place.function, place.offset);
    for (const auto &[reason, samples] : byReason) {
      tz_sample sample{};
      sample.struct_size = sizeof(sample);
      sample.kernel = plugin::str(place.function);
      sample.reason = plugin::str(reason);
      sample.offset = place.offset;
      sample.count = samples;
      sample.device = place.device;
      sample.line = line.line;
      sample.file = plugin::str(line.file);
      told(ctx, &sample);
    }
  }
  counts.clear();
}

void tz_sampler::read(void *ctx, void (*told)(void *, const tz_sample *),
                      uint64_t &missing) {
  std::string failure = std::exchange(laterFailure, {});
  for (Sampled &one : contexts) {
    try {
      const bool goesOn = one.isRunning;
      stop(one);
      if (goesOn) {
        start(one);
      }
    } catch (const Failure &failed) { // those of other devices are told
      failure = failure.empty() ? failed.what() : failure;
    }
  }
  tell(ctx, told);
  missing = std::exchange(lost, 0);
  if (!failure.empty()) {
    throw Failure(TZ_E_UNAVAILABLE, failure);
  }
}

namespace tz::nvidia {

void keepLines(const std::string &image) {
  if (image.find(".debug_line") != image.npos) {
    Images &all = images();
    std::lock_guard guard(all.lock);
    all.waiting.push_back(image);
  }
}

void sampleContextOf(tz_device &device) {
  if (!isThereASampler.load(std::memory_order_acquire)) {
    return;
  }
  std::lock_guard guard(samplerMutex());
  if (theSampler && &theSampler->platform == &device.platform) {
    try {
      theSampler->addContext(device);
    } catch (const Failure &failed) {
      theSampler->laterFailure = failed.what();
    }
  }
}

void endSamplesOf(tz_device &device) {
  if (isThereASampler.load(std::memory_order_acquire)) {
    std::lock_guard guard(samplerMutex());
    if (theSampler) {
      theSampler->removeContext(device);
    }
  }
}

const tz_sampler_api &samplerApi() {
  static constexpr tz_sampler_api table = {
      sizeof(tz_sampler_api),
      [](tz_platform *platform, uint64_t *period, tz_sampler **out) {
        return plugin::guarded([&] {
          std::lock_guard guard(samplerMutex());
          if (theSampler) {
            throw Failure(
                TZ_E_FAILED_PRECONDITION,
                "another session of this process samples instructions");
          }
          theSampler = *out = new tz_sampler(*platform, *period);
          isThereASampler.store(true, std::memory_order_release);
        });
      },
      [](tz_sampler *sampler) {
        std::lock_guard guard(samplerMutex());
        isThereASampler.store(false, std::memory_order_release);
        theSampler = nullptr;
        delete sampler;
      },
      [](tz_sampler *sampler, int32_t samples) {
        return plugin::guarded([&] {
          std::lock_guard guard(samplerMutex());
          sampler->enable(samples != 0);
        });
      },
      [](tz_sampler *sampler, void *ctx,
         void (*told)(void *, const tz_sample *), uint64_t *lost) {
        return plugin::guarded([&] {
          std::lock_guard guard(samplerMutex());
          sampler->read(ctx, told, *lost);
        });
      }};
  return table;
}

} // namespace tz::nvidia
