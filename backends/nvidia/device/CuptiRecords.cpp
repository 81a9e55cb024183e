//===- CuptiRecords.cpp - when kernels ran, as CUPTI tells ----------------===//
//
// What   See CuptiRecords.h.
// Why    See CuptiRecords.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CuptiRecords.h"

#include "backends/nvidia/device/CudaDevice.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <initializer_list>
#include <iterator>
#include <new>

using namespace tz::nvidia;
using tz::plugin::Failure;
namespace plugin = tz::plugin;

namespace tz::nvidia {

/// CUPTI's own buffers, which records are read from.
static constexpr size_t CuptiBufferBytes = size_t(1) << 20;
static constexpr size_t CuptiAlignment = 8;
/// Whose numbers are kept for records that come later.
static constexpr size_t MostCalls = size_t(1) << 20;

/// Where CUPTI is looked for: the program's choice first. A process that has
/// loaded one already (torch has) is given that one.
std::vector<std::string> cuptiLibraries() {
  if (const char *file = secure_getenv("TERRAZZO_NVIDIA_CUPTI")) {
    return {file};
  }
  std::vector<std::string> names;
  for (const char *variable :
       {"TERRAZZO_CUPTI_LIB_PATH", "TRITON_CUPTI_LIB_PATH"}) {
    if (const char *folder = secure_getenv(variable); folder && *folder) {
      names.push_back(std::string(folder) + "/libcupti.so");
    }
  }
  for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                           "/usr/local/cuda/lib64/libcupti.so"}) {
    names.emplace_back(name);
  }
  return names;
}

Cupti::Cupti(std::vector<std::string> names) {
  plugin::DriverLibrary opened("CUPTI", names);
#define TZ_CUPTI_LOAD(name, symbol, parameters) opened.load(name, #symbol);
  TZ_CUPTI_FUNCTIONS(TZ_CUPTI_LOAD)
#undef TZ_CUPTI_LOAD
#define TZ_CUPTI_LOAD(name, symbol, parameters)                                \
  opened.load(name, #symbol, /*isRequired=*/false);
  TZ_CUPTI_GRAPH_FUNCTIONS(TZ_CUPTI_LOAD)
#undef TZ_CUPTI_LOAD
  uint32_t version = 0;
  if (getVersion && getVersion(&version) == cupti::Success &&
      version < cupti::OldestVersion) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "CUPTI is too old: " + opened.name() + " has version " +
                      std::to_string(version) + ", records need " +
                      std::to_string(cupti::OldestVersion) +
                      " (CUDA 11.0) or newer");
  }
  if (opened.missing()) {
    throw Failure(TZ_E_UNAVAILABLE, "no CUPTI: " + opened.name() +
                                        " has no function " + opened.missing());
  }
}

void Cupti::check(cupti::Result result, const char *attempt) const {
  if (result != cupti::Success) {
    failCupti(getResultString, result, attempt);
  }
}

void failCupti(cupti::Result (*getResultString)(cupti::Result, const char **),
               cupti::Result result, const char *attempt) {
  const char *text = nullptr;
  std::string message = "cannot " + std::string(attempt) + ": ";
  message += getResultString(result, &text) == cupti::Success && text
                 ? text
                 : "CUPTI's result " + std::to_string(result);
  if (result == cupti::InsufficientPrivileges ||
      result == cupti::VirtualPrivileges) {
    message += "; the machine's administrator allows it to users with "
               "NVreg_RestrictProfilingToAdminUsers=0, or run as root";
  } else if (result == cupti::MultipleSubscribers) {
    message += "; another profiler in this process has CUPTI";
  }
  throw Failure(TZ_E_UNAVAILABLE, message, result);
}

//===--- Numbers of calls -------------------------------------------------===//

/// Of a number that is put: it is a launch's, else a scope's.
static constexpr uint64_t OfALaunch = uint64_t(1) << 63;
/// Of a slot that was never put.
static constexpr uint64_t Put = uint64_t(1) << 32;

CallNumbers::CallNumbers()
    : slots(static_cast<Slot *>(std::calloc(Most, sizeof(Slot))), std::free) {
  if (!slots) {
    throw std::bad_alloc();
  }
}

void CallNumbers::put(uint32_t call, uint64_t number) {
  Slot &slot = slotOf(call);
  std::atomic_ref(slot.number).store(number, std::memory_order_relaxed);
  std::atomic_ref(slot.call).store(call | Put, std::memory_order_release);
}

uint64_t CallNumbers::find(uint32_t call) const {
  Slot &slot = slotOf(call);
  return std::atomic_ref(slot.call).load(std::memory_order_acquire) ==
                 (call | Put)
             ? std::atomic_ref(slot.number).load(std::memory_order_relaxed)
             : 0;
}

} // namespace tz::nvidia

namespace {

/// Guards the only one there may be, and CUPTI's callbacks against its end.
std::mutex &ownerMutex() {
  static auto &mutex = *new std::mutex; // CUPTI's thread outlives statics
  return mutex;
}
tz_profiler *owner = nullptr;
/// Takes the numbers of launches, where no callback tells them; else null.
std::atomic<const Cupti *> takesNumbers{nullptr};

} // namespace

tz_profiler::tz_profiler(tz_platform &platform,
                         const tz::plugin::RecordHost &host)
    : cupti(*new Cupti(cuptiLibraries())), platform(platform), told(host) {
  std::lock_guard guard(ownerMutex());
  if (owner) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "another session of this process has CUPTI's records");
  }
  owner = this;
}

tz_profiler::~tz_profiler() {
  try {
    enable(0);
    flush(false);
  } catch (const Failure &) {
    // What is not told now is told to nobody.
  }
  std::lock_guard guard(ownerMutex());
  owner = nullptr;
}

void tz_profiler::enable(uint64_t kinds) {
  if (kinds && !isRecording) {
    // Again: another profiler of the process may have registered meanwhile.
    cupti.check(cupti.registerCallbacks(request, complete),
                "register for CUPTI's records");
  }
  constexpr std::pair<uint32_t, cupti::Kind> table[] = {
      {TZ_RECORD_KERNEL, cupti::ConcurrentKernel},
      {TZ_RECORD_COPY, cupti::Memcpy},
      {TZ_RECORD_FILL, cupti::Memset}};
  subscribe(kinds != 0);
  recordCalls(kinds != 0);
  for (const auto &[record, kind] : table) {
    change(kind, kinds & (uint64_t(1) << record));
  }
  isRecording = kinds != 0;
  recordedPlatform.store(kinds ? &platform : nullptr,
                         std::memory_order_release);
}

void tz_profiler::change(cupti::Kind kind, bool isWanted) {
  const uint64_t bit = uint64_t(1) << kind;
  if (isWanted && !(enabled & bit)) {
    cupti.check(cupti.enable(kind), "start records of the device");
    enabled |= bit;
  } else if (!isWanted && (enabled & bit)) {
    enabled &= ~bit;
    cupti.check(cupti.disable(kind), "end records of the device");
  }
}

/// A subscriber is told the number of each launch; else numbers are pushed,
/// and CUPTI tells them before the record of the call inside of which they
/// were: without records of all calls nothing tells them, and these cost more
/// than the launch.
void tz_profiler::recordCalls(bool isWanted) {
  const bool areWanted = isWanted && !subscriber;
  takesNumbers.store(areWanted ? &cupti : nullptr, std::memory_order_release);
  for (cupti::Kind kind :
       {cupti::ExternalCorrelation, cupti::DriverCall, cupti::RuntimeCall}) {
    change(kind, areWanted);
  }
}

void tz_profiler::flush(bool waits) {
  if (waits) {
    platform.eachDevice([](tz_device &device) {
      if (device.hasContext()) {
        ContextScope scope(device);
        // While a graph is recorded it refuses; the records come later.
        if (device.driver.contextSynchronize) {
          (void)device.driver.contextSynchronize();
        }
      }
      return false;
    });
  }
  cupti.check(cupti.flushAll(0), "read records of the device");
  std::lock_guard guard(mutex);
  tellWaiting();
  if (waits) {
    pushed.clear();
  }
  told.flush();
}

//===--- Scopes, launches and graphs --------------------------------------===//

/// Those that this thread has open, innermost last.
static thread_local std::vector<uint64_t> openScopes;
/// What the host said of the launch that this thread is in; 0: nothing.
static thread_local uint64_t launchScope = 0;
/// Of the launch of this platform that the thread is in; 0: it is in none.
static thread_local uint64_t ownLaunch = 0;

void LaunchNumber::push(uint64_t number) {
  isOpen = true;
  ownLaunch = number;
  launchScope = 0;
  cupti = takesNumbers.load(std::memory_order_acquire);
  if (cupti) {
    (void)cupti->pushExternal(cupti::OfLaunches, number);
  }
}

void LaunchNumber::pop() {
  ownLaunch = 0;
  if (cupti) {
    uint64_t number = 0;
    (void)cupti->popExternal(cupti::OfLaunches, &number);
  }
}

void tz_profiler::push(uint64_t id) {
  openScopes.push_back(id);
  (void)cupti.pushExternal(cupti::OfScopes, id);
}

uint64_t tz_profiler::pop() {
  uint64_t id = 0;
  (void)cupti.popExternal(cupti::OfScopes, &id);
  if (!openScopes.empty()) {
    openScopes.pop_back();
  }
  return id;
}

void tz_profiler::watch(const tz_profiler_watcher &wanted) {
  if (wanted.range_begins && wanted.range_ends) {
    // NVTX, which is a part of each program that names ranges, looks at its
    // first call for a library that hears of them.
    Dl_info place;
    if (dladdr(reinterpret_cast<void *>(cupti.getVersion), &place)) {
      (void)setenv("NVTX_INJECTION64_PATH", place.dli_fname, /*overwrite=*/0);
    }
  }
  subscribe(false);
  watcher = wanted;
  subscribe(isRecording);
  recordCalls(isRecording);
}

/// CUPTI has one subscriber in a process. If another profiler is it, each
/// launch costs records of calls, kernels of other libraries have the scopes
/// that were pushed, those of graphs are told without the place where they were
/// recorded, and ranges are not told.
void tz_profiler::subscribe(bool isWatched) {
  const bool isThere =
      cupti.subscribe && cupti.unsubscribe && cupti.enableCallback;
  if (isThere && isWatched && !subscriber) {
    if (cupti.subscribe(&subscriber, called, this) != cupti::Success) {
      subscriber = nullptr;
      return;
    }
    auto enable = [&](uint32_t domain, std::initializer_list<uint32_t> all) {
      for (uint32_t what : all) {
        (void)cupti.enableCallback(1, subscriber, domain, what);
      }
    };
    if (cupti.getGraphNodeId) {
      enable(cupti::ResourceDomain,
             {cupti::GraphNodeMade, cupti::GraphNodeCopied});
    }
    for (uint32_t call : cupti::LaunchCalls) {
      enable(cupti::DriverDomain, {call});
    }
    for (const auto &[first, last] : cupti::CopyCalls) {
      for (uint32_t call = first; call <= last; ++call) {
        enable(cupti::DriverDomain, {call});
      }
    }
    if (watcher.range_begins && watcher.range_ends) {
      enable(cupti::RangeDomain,
             {cupti::RangePushed, cupti::RangePushedWith, cupti::RangePopped});
    }
  } else if (!isWatched && subscriber) {
    (void)cupti.unsubscribe(std::exchange(subscriber, nullptr));
  }
}

void tz_profiler::called(void *self, uint32_t domain, uint32_t what,
                         const void *data) {
  auto &records = *static_cast<tz_profiler *>(self);
  try {
    switch (domain) {
    case cupti::DriverDomain:
      return records.callBegins(what, data);
    case cupti::RangeDomain:
      return records.rangeChanges(what, data);
    case cupti::ResourceDomain:
      return records.graphNode(what, data);
    default:
      return;
    }
  } catch (const std::bad_alloc &) { // its kernel stands at the root
  }
}

/// Also when it ends, when there is nothing left to do.
void tz_profiler::callBegins(uint32_t what, const void *data) {
  cupti::CallData call;
  std::memcpy(&call, data, sizeof(call));
  launchScope = 0;
  if (call.site != cupti::CallEntered) {
    return;
  }
  const bool isLaunch =
      std::find(std::begin(cupti::LaunchCalls), std::end(cupti::LaunchCalls),
                what) != std::end(cupti::LaunchCalls);
  if (isLaunch && ownLaunch) {
    calls.put(call.correlationId, ownLaunch | OfALaunch);
    return;
  }
  const uint64_t told = watcher.launching ? watcher.launching(watcher.ctx) : 0;
  launchScope = isLaunch ? told : 0;
  const uint64_t open = openScopes.empty() ? 0 : openScopes.back();
  if (const uint64_t scope = told ? told : open) {
    calls.put(call.correlationId, scope);
  }
}

void tz_profiler::rangeChanges(uint32_t what, const void *data) const {
  cupti::RangeData range;
  std::memcpy(&range, data, sizeof(range));
  if (what == cupti::RangePopped) {
    watcher.range_ends(watcher.ctx);
    return;
  }
  const char *name = nullptr;
  std::memcpy(&name, range.parameters, sizeof(name));
  if (what == cupti::RangePushedWith && name) {
    cupti::RangeAttributes attributes;
    std::memcpy(&attributes, name, sizeof(attributes));
    name = attributes.messageKind == 1 ? attributes.message : nullptr;
  }
  // A range without a name ends, too.
  watcher.range_begins(watcher.ctx, plugin::str(name ? name : "unnamed range"));
}

/// A graph that is instantiated has copies of the nodes that were recorded.
void tz_profiler::graphNode(uint32_t what, const void *data) {
  cupti::ResourceData resource;
  std::memcpy(&resource, data, sizeof(resource));
  if (!resource.descriptor) {
    return;
  }
  cupti::GraphData graph;
  std::memcpy(&graph, resource.descriptor, sizeof(graph));
  uint64_t node = 0, original = 0;
  if (cupti.getGraphNodeId(graph.node, &node) != cupti::Success) {
    return;
  }
  std::lock_guard guard(nodesMutex);
  if (scopeOfNode.size() > MostCalls) {
    scopeOfNode.clear(); // of a program that makes graphs again and again
  }
  if (what == cupti::GraphNodeMade) {
    const uint64_t open = openScopes.empty() ? 0 : openScopes.back();
    scopeOfNode[node] = launchScope ? launchScope : open;
  } else if (cupti.getGraphNodeId(graph.originalNode, &original) ==
             cupti::Success) {
    if (auto known = scopeOfNode.find(original); known != scopeOfNode.end()) {
      scopeOfNode[node] = uint64_t(known->second);
    }
  }
}

//===--- CUPTI's side -----------------------------------------------------===//

void tz_profiler::request(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer = static_cast<uint8_t *>(
      std::aligned_alloc(CuptiAlignment, CuptiBufferBytes));
  *size = *buffer ? CuptiBufferBytes : 0; // without one it counts as dropped
  *most = 0;
}

void tz_profiler::complete(void *context, uint32_t stream, uint8_t *buffer,
                           size_t, size_t valid) {
  const std::unique_ptr<uint8_t, void (*)(void *)> owned(buffer, std::free);
  std::lock_guard guard(ownerMutex());
  if (owner && buffer) {
    owner->read(buffer, valid, context, stream);
  }
}

void tz_profiler::read(uint8_t *records, size_t valid, void *context,
                       uint32_t stream) {
  std::lock_guard guard(mutex);
  void *record = nullptr;
  while (valid &&
         cupti.getNextRecord(records, valid, &record) == cupti::Success) {
    try {
      readOne(record);
    } catch (const std::bad_alloc &) {
      told.drop(1);
    }
  }
  size_t lost = 0;
  if (cupti.getDropped(context, stream, &lost) == cupti::Success) {
    told.drop(lost);
  }
  tellWaiting();
}

/// Into this host's clock's unit and the ABI's words.
void tz_profiler::readOne(const void *record) {
  uint32_t kind = 0;
  std::memcpy(&kind, record, sizeof(kind));
  tz_record made{};
  uint32_t call = 0;
  auto fill = [&](const auto &from) {
    made.t0_ns = from.start;
    made.t1_ns = from.end;
    made.device = from.deviceId;
    made.stream = from.streamId;
    call = from.correlationId;
  };
  if (kind == cupti::ExternalCorrelation) {
    cupti::ExternalRecord from;
    std::memcpy(&from, record, sizeof(from));
    Pushed &one = pushed[from.correlationId];
    (from.externalKind == cupti::OfLaunches ? one.launch : one.scope) =
        from.externalId;
    return;
  }
  if (kind == cupti::ConcurrentKernel) {
    cupti::KernelRecord from;
    std::memcpy(&from, record, sizeof(from));
    fill(from);
    made.kind = TZ_RECORD_KERNEL;
    made.name = kept(from.name);
    uint64_t node = 0;
    std::memcpy(&node,
                static_cast<const char *>(record) + cupti::GraphNodeOffset,
                sizeof(node));
    std::lock_guard guard(nodesMutex);
    if (auto scope = scopeOfNode.find(node); scope != scopeOfNode.end()) {
      made.a = scope->second;
      made.b = 1;
    }
  } else if (kind == cupti::Memcpy) {
    cupti::MemcpyRecord from;
    std::memcpy(&from, record, sizeof(from));
    fill(from);
    made.kind = TZ_RECORD_COPY;
    made.a = from.bytes;
  } else if (kind == cupti::Memset) {
    cupti::MemsetRecord from;
    std::memcpy(&from, record, sizeof(from));
    fill(from);
    made.kind = TZ_RECORD_FILL;
    made.a = from.bytes;
  } else {
    return;
  }
  waiting.emplace_back(call, made);
}

/// Numbers that were put are there. Pushed ones may stand behind a record, but
/// in the same buffer; those of old calls go: a call tells its numbers before
/// the device runs it.
void tz_profiler::tellWaiting() {
  for (auto &[call, record] : waiting) {
    if (const uint64_t number = calls.find(call)) {
      (number & OfALaunch ? record.correlation : record.external) =
          number & ~OfALaunch;
    } else if (auto one = pushed.find(call); one != pushed.end()) {
      record.correlation = one->second.launch;
      record.external = one->second.scope;
    }
    told.add(record);
  }
  waiting.clear();
  while (pushed.size() > MostCalls) {
    pushed.erase(pushed.begin());
  }
}

tz_str tz_profiler::kept(const char *name) {
  return plugin::str(*names.emplace(name ? name : "unnamed kernel").first);
}

//===--- The table --------------------------------------------------------===//

namespace tz::nvidia {

namespace {

struct Records {
  static tz_profiler *create(tz_platform &platform,
                             const plugin::RecordHost &host) {
    return new tz_profiler(platform, host);
  }
  static void destroy(tz_profiler &records) { delete &records; }
  static void enable(tz_profiler &records, uint64_t kinds) {
    records.enable(kinds);
  }
  static void flush(tz_profiler &records, bool waits) { records.flush(waits); }
  static void push(tz_profiler &records, uint64_t id) { records.push(id); }
  static uint64_t pop(tz_profiler &records) { return records.pop(); }
  static void watch(tz_profiler &records, const tz_profiler_watcher &wanted) {
    records.watch(wanted);
  }
  static void clockPair(tz_device &, uint64_t &device, uint64_t &host) {
    std::lock_guard guard(ownerMutex());
    if (!owner) {
      throw Failure(TZ_E_FAILED_PRECONDITION, "no records are made");
    }
    timespec now;
    owner->cupti.check(owner->cupti.getTimestamp(&device),
                       "read CUPTI's clock");
    clock_gettime(CLOCK_MONOTONIC, &now);
    host = uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
  }
};

} // namespace

const tz_profiler_api &profilerApi() {
  return plugin::profilerTableOf<Records>();
}

} // namespace tz::nvidia
