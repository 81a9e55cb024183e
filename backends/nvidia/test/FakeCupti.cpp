//===- FakeCupti.cpp - CUPTI's activity records without a GPU -------------===//
//
// What   Records of what the fake driver launches, with the layouts of CUPTI's
//        documentation, written by offset.
// Why    The declarations of CuptiTypes.h are held against other ones.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeCupti.h"

#include <cstring>
#include <iterator>
#include <mutex>

using namespace tz::nvidia::test;

namespace {

using Requested = void (*)(uint8_t **, size_t *, size_t *);
using Completed = void (*)(void *, uint32_t, uint8_t *, size_t, size_t);

constexpr size_t KernelBytes = 192, MemcpyBytes = 96, ExternalBytes = 24,
                 CallBytes = 40;

struct State {
  FakeCupti control;
  std::mutex lock;
  Requested requested = nullptr;
  Completed completed = nullptr;
  std::vector<std::vector<uint8_t>> records;
  std::vector<std::string *> names; ///< of kernels; as long as the process
  uint32_t calls = 0;               ///< of the driver
  void (*callback)(void *, uint32_t, uint32_t, const void *) = nullptr;
  void *user = nullptr;
  std::set<std::pair<uint32_t, uint32_t>> watched; ///< domain, callback
};

State &state() {
  static auto &made = *new State;
  return made;
}

template <typename T>
void put(std::vector<uint8_t> &record, size_t offset, T value) {
  std::memcpy(record.data() + offset, &value, sizeof(value));
}

size_t bytesOf(const uint8_t *record) {
  uint32_t kind = 0;
  std::memcpy(&kind, record, sizeof(kind));
  switch (kind) {
  case 4:
    return CallBytes;
  case 10:
    return KernelBytes;
  case 39:
    return ExternalBytes;
  default:
    return MemcpyBytes;
  }
}

/// The record of this call, and before it the numbers that are pushed. Without
/// the one the others are not made either.
void recordCall(uint32_t call) {
  State &s = state();
  if (!s.control.kinds.count(4)) {
    return;
  }
  for (const auto &[kind, numbers] : s.control.pushed) {
    if (!numbers.empty() && s.control.kinds.count(39)) {
      std::vector<uint8_t> record(ExternalBytes);
      put(record, 0, uint32_t(39));
      put(record, 4, kind);
      put(record, 8, numbers.back());
      put(record, 16, call);
      s.records.push_back(std::move(record));
    }
  }
  std::vector<uint8_t> record(CallBytes);
  put(record, 0, uint32_t(4));
  put(record, 32, call);
  s.records.push_back(std::move(record));
}

constexpr uint32_t LaunchKernel = 307, MemcpyHtoDAsync = 277;

/// A call begins (site 0) or ends.
void tellCall(uint32_t what, uint32_t site, uint32_t call) {
  State &s = state();
  if (s.callback && s.watched.count({1, what})) {
    std::vector<uint8_t> data(72);
    put(data, 0, site);
    put(data, 64, call);
    s.callback(s.user, 1, what, data.data());
  }
}

void tellLaunch(uint32_t site, uint32_t call) {
  tellCall(LaunchKernel, site, call);
}

void launched(const char *kernel) {
  State &s = state();
  const uint32_t call = ++s.calls;
  tellLaunch(0, call);
  if (s.control.recordedNode) { // a stream that is captured
    s.control.nodeMade(s.control.recordedNode);
    tellLaunch(1, call);
    return;
  }
  if (!s.control.isLate) {
    recordCall(call);
  }
  if (s.control.kinds.count(10)) {
    s.names.push_back(new std::string(kernel));
    std::vector<uint8_t> record(KernelBytes);
    put(record, 0, uint32_t(10));
    put(record, 16, s.control.clock);
    put(record, 24, s.control.clock + 100);
    put(record, 40, uint32_t(0)); // device
    put(record, 44, uint32_t(1)); // context
    put(record, 48, uint32_t(7)); // stream
    put(record, 92, call);
    put(record, 104, s.names.back()->c_str());
    put(record, 144, s.control.replayedNode);
    s.records.push_back(std::move(record));
    s.control.clock += 200;
  }
  if (s.control.isLate) {
    recordCall(call);
  }
  tellLaunch(1, call);
}

/// Of NVTX: a range begins with a name, with attributes, or ends.
void tellRange(uint32_t what, const void *parameters) {
  State &s = state();
  if (s.callback && s.watched.count({5, what})) {
    const void *data[3] = {"nvtx", parameters, nullptr};
    s.callback(s.user, 5, what, data);
  }
}

void copied(uint64_t bytes) {
  State &s = state();
  const uint32_t call = ++s.calls;
  tellCall(MemcpyHtoDAsync, 0, call);
  recordCall(call);
  if (s.control.kinds.count(1)) {
    std::vector<uint8_t> record(MemcpyBytes);
    put(record, 0, uint32_t(1));
    put(record, 8, bytes);
    put(record, 16, s.control.clock);
    put(record, 24, s.control.clock + 100);
    put(record, 40, uint32_t(7));
    put(record, 44, call);
    s.records.push_back(std::move(record));
  }
  tellCall(MemcpyHtoDAsync, 1, call);
}

/// As the driver does: a node's address is its number here.
void tellNode(uint32_t what, uint64_t node, uint64_t original) {
  State &s = state();
  if (s.callback && s.watched.count({3, what})) {
    const uint64_t graph[4] = {0, 0, node, original};
    const void *data[3] = {nullptr, nullptr, graph};
    s.callback(s.user, 3, what, data);
  }
}

/// What a call answers; counts it.
int enter(const char *function) {
  FakeCupti &control = state().control;
  ++control.calls[function];
  return control.failFunction == function ? control.failResult : 0;
}

} // namespace

#define FAKE_API extern "C" __attribute__((visibility("default")))
#define ENTER(function)                                                        \
  if (int result = enter(#function)) {                                         \
    return result;                                                             \
  }

FAKE_API FakeCupti *fakeCupti() {
  FakeCupti &control = state().control;
  control.launched = launched;
  control.copied = copied;
  control.nodeMade = [](uint64_t node) { tellNode(13, node, 0); };
  control.nodeCopied = [](uint64_t node, uint64_t original) {
    tellNode(20, node, original);
  };
  control.rangePushed = [](const char *name) { tellRange(8, &name); };
  control.rangePushedWith = [](const char *name) {
    std::vector<uint8_t> attributes(48);
    put(attributes, 0, uint16_t(3));
    put(attributes, 32, uint32_t(name ? 1 : 0));
    put(attributes, 40, name);
    const void *at = attributes.data();
    tellRange(10, &at);
  };
  control.rangePopped = [] { tellRange(11, nullptr); };
  control.registerOther = [] {
    state().requested = [](uint8_t **buffer, size_t *size, size_t *) {
      *buffer = nullptr;
      *size = 0;
    };
    state().completed = [](void *, uint32_t, uint8_t *, size_t, size_t) {};
  };
  control.reset = [] {
    State &s = state();
    const FakeCupti before = s.control;
    s.control = FakeCupti();
    s.control.launched = before.launched;
    s.control.copied = before.copied;
    s.control.nodeMade = before.nodeMade;
    s.control.nodeCopied = before.nodeCopied;
    s.control.rangePushed = before.rangePushed;
    s.control.rangePushedWith = before.rangePushedWith;
    s.control.rangePopped = before.rangePopped;
    s.control.registerOther = before.registerOther;
    s.control.reset = before.reset;
    s.records.clear();
  };
  return &control;
}

FAKE_API int cuptiGetVersion(uint32_t *version) {
  ENTER(cuptiGetVersion)
  *version = state().control.version;
  return 0;
}

FAKE_API int cuptiGetResultString(int result, const char **text) {
  *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                       : "CUPTI_ERROR_UNKNOWN";
  return 0;
}

FAKE_API int cuptiGetTimestamp(uint64_t *now) {
  ENTER(cuptiGetTimestamp)
  *now = state().control.clock;
  return 0;
}

FAKE_API int cuptiActivityRegisterCallbacks(Requested requested,
                                            Completed completed) {
  ENTER(cuptiActivityRegisterCallbacks)
  state().requested = requested;
  state().completed = completed;
  return 0;
}

FAKE_API int cuptiActivityEnable(uint32_t kind) {
  ENTER(cuptiActivityEnable)
  state().control.kinds.insert(kind);
  return 0;
}

FAKE_API int cuptiActivityDisable(uint32_t kind) {
  ENTER(cuptiActivityDisable)
  state().control.kinds.erase(kind);
  return 0;
}

FAKE_API int cuptiActivityFlushAll(uint32_t) {
  ENTER(cuptiActivityFlushAll)
  State &s = state();
  uint8_t *buffer = nullptr;
  size_t size = 0, most = 0, used = 0;
  s.requested(&buffer, &size, &most);
  for (const auto &record : s.records) {
    if (buffer && used + record.size() <= size) {
      std::memcpy(buffer + used, record.data(), record.size());
      used += record.size();
    } else {
      ++s.control.dropped;
    }
  }
  s.records.clear();
  s.completed(nullptr, 0, buffer, size, used);
  return 0;
}

FAKE_API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                        void **record) {
  auto *at = static_cast<uint8_t *>(*record);
  at = at ? at + bytesOf(at) : buffer;
  if (at >= buffer + valid) {
    return 12;
  }
  *record = at;
  return 0;
}

FAKE_API int cuptiActivityGetNumDroppedRecords(void *, uint32_t,
                                               size_t *dropped) {
  *dropped = state().control.dropped;
  state().control.dropped = 0;
  return 0;
}

//===--- Nodes of graphs --------------------------------------------------===//

FAKE_API int cuptiSubscribe(void **subscriber, decltype(State::callback) called,
                            void *user) {
  ENTER(cuptiSubscribe)
  if (state().callback) {
    return 39;
  }
  state().callback = called;
  state().user = user;
  *subscriber = &state();
  return 0;
}

FAKE_API int cuptiUnsubscribe(void *) {
  ENTER(cuptiUnsubscribe)
  state().callback = nullptr;
  state().watched.clear();
  return 0;
}

FAKE_API int cuptiEnableCallback(uint32_t, void *, uint32_t domain,
                                 uint32_t what) {
  ENTER(cuptiEnableCallback)
  state().watched.insert({domain, what});
  return 0;
}

FAKE_API int cuptiGetGraphNodeId(void *node, uint64_t *number) {
  ENTER(cuptiGetGraphNodeId)
  *number = reinterpret_cast<uint64_t>(node);
  return 0;
}

//===--- Samples of instructions ------------------------------------------===//

static constexpr const char *FakeReasons[] = {
    "smsp__pcsamp_warps_issue_stalled_selected",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_barrier"};
/// They have CUPTI's numbers from here on.
static constexpr uint32_t FirstReason = 4;

template <typename T>
static T get(const void *at, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(at) + offset, sizeof(value));
  return value;
}

template <typename T>
static void set(void *at, size_t offset, T value) {
  std::memcpy(static_cast<char *>(at) + offset, &value, sizeof(value));
}

FAKE_API int cuptiPCSamplingEnable(void *) {
  ENTER(cuptiPCSamplingEnable)
  state().control.isSamplerThere = true;
  return 0;
}

FAKE_API int cuptiPCSamplingDisable(void *) {
  ENTER(cuptiPCSamplingDisable)
  state().control.isSamplerThere = state().control.isSampling = false;
  return 0;
}

FAKE_API int cuptiPCSamplingStart(void *) {
  ENTER(cuptiPCSamplingStart)
  state().control.isSampling = true;
  return 0;
}

FAKE_API int cuptiPCSamplingStop(void *) {
  ENTER(cuptiPCSamplingStop)
  state().control.isSampling = false;
  return 0;
}

FAKE_API int cuptiPCSamplingSetConfigurationAttribute(void *params) {
  ENTER(cuptiPCSamplingSetConfigurationAttribute)
  const auto *settings = get<const char *>(params, 32);
  for (size_t i = 0; i < get<size_t>(params, 24); ++i) {
    const char *one = settings + 32 * i;
    state().control.settings[get<uint32_t>(one, 0)] = get<uint64_t>(one, 8);
  }
  return 0;
}

FAKE_API int cuptiPCSamplingGetNumStallReasons(void *params) {
  ENTER(cuptiPCSamplingGetNumStallReasons)
  *get<size_t *>(params, 24) = std::size(FakeReasons);
  return 0;
}

FAKE_API int cuptiPCSamplingGetStallReasons(void *params) {
  ENTER(cuptiPCSamplingGetStallReasons)
  for (size_t i = 0; i < std::size(FakeReasons); ++i) {
    get<uint32_t *>(params, 32)[i] = FirstReason + uint32_t(i);
    std::strcpy(get<char **>(params, 40)[i], FakeReasons[i]);
  }
  return 0;
}

/// Of what was found as much as a call gives. Only of a range that has ended.
FAKE_API int cuptiPCSamplingGetData(void *params) {
  ENTER(cuptiPCSamplingGetData)
  FakeCupti &control = state().control;
  char *data = get<char *>(params, 24), *places = get<char *>(data, 56);
  const size_t count = control.isSampling ? 0
                                          : std::min(control.placesOfACall,
                                                     control.found.size());
  for (size_t i = 0; i < count; ++i) {
    const FakePlace &from = control.found[i];
    char *to = places + 64 * i;
    set(to, 8, from.crc);
    set(to, 16, from.offset);
    set(to, 32, from.function);
    set(to, 40, from.counts.size());
    for (size_t j = 0; j < from.counts.size(); ++j) {
      set(get<char *>(to, 48), 8 * j, FirstReason + uint32_t(j));
      set(get<char *>(to, 48), 8 * j + 4, from.counts[j]);
    }
  }
  control.found.erase(control.found.begin(), control.found.begin() + count);
  set(data, 24, control.droppedSamples);
  control.droppedSamples = 0;
  set(data, 32, count);
  set(data, 40, control.found.size());
  set(data, 72, uint8_t(control.isHardwareFull));
  return control.isHardwareFull ? 8 : 0;
}

FAKE_API int cuptiGetCubinCrc(void *params) {
  ENTER(cuptiGetCubinCrc)
  set(params, 24, uint64_t(get<size_t>(params, 8)));
  return 0;
}

FAKE_API int cuptiGetSassToSourceCorrelation(void *params) {
  ENTER(cuptiGetSassToSourceCorrelation)
  set(params, 32, uint32_t(10 + get<uint64_t>(params, 40) / 16));
  set(params, 48, strdup("k.py"));
  set(params, 56, strdup("/src"));
  return 0;
}

FAKE_API int cuptiActivityPushExternalCorrelationId(uint32_t kind,
                                                    uint64_t id) {
  ENTER(cuptiActivityPushExternalCorrelationId)
  state().control.pushed[kind].push_back(id);
  return 0;
}

FAKE_API int cuptiActivityPopExternalCorrelationId(uint32_t kind,
                                                   uint64_t *id) {
  auto &numbers = state().control.pushed[kind];
  if (numbers.empty()) {
    return 18;
  }
  *id = numbers.back();
  numbers.pop_back();
  return 0;
}
