//===- Recorder.cpp - what a session's profiles hear ----------------------===//
//
// What   Profiles that begin and end; launches, scopes and metrics.
// Why    See Recorder.h. RecordedTimes.cpp has what devices tell later.
//===----------------------------------------------------------------------===//
#include "runtime/profile/Recorder.h"

#include "runtime/launch/LogDecoder.h"
#include "runtime/profile/PartTimes.h"

#include <algorithm>

namespace tz::runtime {

std::atomic<bool> Recorder::busy{false};

/// An object that is never destroyed, since threads may outlive statics, and
/// that takes no memory, since a session that ends asks for it.
template <typename T>
static T &everlasting() {
  alignas(T) static std::byte place[sizeof(T)];
  static T &one = *new (place) T;
  return one;
}

std::mutex &Recorder::listLock() { return everlasting<std::mutex>(); }

std::vector<Recorder *> &Recorder::list() {
  return everlasting<std::vector<Recorder *>>();
}

void Recorder::setListed(bool isListed) {
  std::lock_guard guard(listLock());
  std::erase(list(), this);
  if (isListed) {
    list().push_back(this);
  }
  busy.store(!list().empty(), std::memory_order_release);
}

Recorder::~Recorder() {
  setListed(false);
  hooks.setRecorder(nullptr);
}

//===--- Profiles ---------------------------------------------------------===//

std::shared_ptr<Profile>
Recorder::start(const ProfileSettings &settings,
                const std::vector<std::shared_ptr<Device>> &devices) {
  watchTicks();
  auto made = std::make_shared<Profile>(settings);
  {
    std::unique_lock guard(lock);
    mainThread = ThreadScopes::ofThisThread().number();
    keepMainPath(ThreadScopes::ofThisThread(), /*isWhole=*/true);
    profiles.push_back(made);
    if (settings.samplePeriod && sampled) {
      made->note("no samples of instructions: another profile takes them");
    } else if (settings.samplePeriod) {
      sampled = made;
      askedForSamples.clear();
    }
    for (const std::shared_ptr<Device> &device : devices) {
      made->place(*device);
      sourceOf(*device, guard);
    }
  }
  publish();
  for (const std::shared_ptr<Device> &device : devices) {
    sample(*device);
  }
  return made;
}

void Recorder::stop(const Profile &profile) {
  std::vector<std::shared_ptr<PartLog>> logs;
  std::vector<std::shared_ptr<DeviceSampler>> ended;
  {
    std::lock_guard guard(lock);
    std::erase_if(profiles,
                  [&](const auto &one) { return one.get() == &profile; });
    for (Pending &one : pending) {
      if (one.profile == &profile) {
        one.phase = nullptr;
      }
    }
    popDone();
    if (sampled.get() == &profile) {
      sampled = nullptr;
      ended.swap(samplers);
    }
    if (profiles.empty()) {
      externals.clear(); // scopes that are still open name nothing any more
      externalOfPath.clear();
      renumber();
      logs.swap(partLogs);
    }
  }
  publish();
  for (const std::shared_ptr<PartLog> &log : logs) {
    log->release();
  }
}

void Recorder::activate(Profile &profile, bool isActive) {
  if (!isActive) {
    // What was launched counts: kernels of others may run behind this call.
    if (Status s = flush(); !s.ok()) {
      locked([&] { profile.note("records before a pause: " + s.message()); });
    }
  }
  std::vector<std::shared_ptr<DeviceSampler>> told;
  {
    std::lock_guard guard(lock);
    profile.isActive = isActive;
    keepMainPath(ThreadScopes::ofThisThread(), /*isWhole=*/true);
    profile.activeSince = isActive ? monotonicNs() : profile.activeSince;
    if (sampled.get() == &profile) {
      told = samplers;
    }
  }
  publish();
  for (const std::shared_ptr<DeviceSampler> &one : told) {
    if (Status s = one->enable(isActive); !s.ok()) {
      locked([&] { profile.note("samples: " + s.message()); });
    }
  }
}

/// Launches tell this recorder while a profile runs, and plugins record. Needs
/// no memory where none runs any more.
void Recorder::publish() {
  std::unique_lock guard(lock);
  auto isAny = [&](auto &&wanted) {
    return std::any_of(profiles.begin(), profiles.end(), [&](const auto &one) {
      return one->isActive && wanted(*one);
    });
  };
  const bool isActive = isAny([](const Profile &) { return true; });
  wantsFrames = isAny([](const Profile &one) { return one.hasFrames; });
  wantsRanges = isAny([](const Profile &one) { return one.hasRanges; });
  tellEnds();
  for (size_t i = 0; i < sources.size(); ++i) {
    if (DeviceActivity *activity = sources[i].activity.get()) {
      guard.unlock();
      (void)activity->enable(isActive);
      guard.lock();
    }
  }
  guard.unlock();
  setListed(isActive);
  hooks.setRecorder(isActive ? this : nullptr);
}

/// With the lock.
void Recorder::tellEnds() {
  wantsEnds = std::any_of(sources.begin(), sources.end(),
                          [](const Source &one) { return !one.activity; }) ||
              std::any_of(profiles.begin(), profiles.end(),
                          [](const auto &one) { return one->isTrace; });
}

/// `guard` is given up while a plugin is asked.
Recorder::Source &Recorder::sourceOf(const Device &device,
                                     std::unique_lock<std::mutex> &guard) {
  const tz_platform *platform = device.half().platform;
  auto find = [&] {
    return std::find_if(sources.begin(), sources.end(), [&](const auto &one) {
      return one.platform == platform;
    });
  };
  if (auto known = find(); known != sources.end()) {
    return *known;
  }
  Source &made = sources.emplace_back();
  made.platform = platform;
  guard.unlock();
  Result<std::unique_ptr<DeviceActivity>> opened = DeviceActivity::open(
      device, [this, &made](const tz_record &record) { read(made, record); },
      {[this] { return launching(); },
       [this](std::string_view name) {
         ThreadScopes::ofThisThread().enterRange(name, wantsRanges);
       },
       [] { ThreadScopes::ofThisThread().leaveRange(); }});
  Status s;
  if (opened) {
    s = (*opened)->enable(true);
  } else {
    s = opened.takeStatus();
  }
  sample(device);
  guard.lock();
  if (s.ok()) {
    made.activity = std::move(*opened);
  } else {
    made.why = s.message();
  }
  tellEnds();
  return made;
}

//===--- Launches ---------------------------------------------------------===//

/// Of the thread's scopes. A launch under the scopes of the last one finds it
/// again without looking.
uint32_t Recorder::nodeOf(ThreadScopes &scopes, const Profile &profile,
                          bool hasFrames) const {
  ProfilePhase &phase = *profile.current();
  if (worksForMain(scopes)) {
    std::vector<std::string_view> path(mainScopes.begin(), mainScopes.end());
    for (std::string_view name : scopes.path(hasFrames)) {
      path.push_back(name);
    }
    if (mainState && !scopes.state()) {
      path.push_back(*mainState);
    }
    return phase.find(path);
  }
  ThreadScopes::Found &found = scopes.found[hasFrames];
  if (found.phase != phase.serial() || found.version != scopes.version()) {
    found = {phase.serial(), scopes.version(),
             phase.find(scopes.path(hasFrames))};
  }
  return found.node;
}

void Recorder::addPending(ThreadScopes &scopes, uint64_t id, const char *name,
                          const Device &device, const LaunchedKernel &kernel,
                          bool isMade) {
  const auto &given = scopes.launchName();
  const KernelFacts facts = KernelFacts::of(kernel.artifact);
  const uint64_t programs = programsOf(kernel.grid);
  for (const std::shared_ptr<Profile> &one : profiles) {
    if (!one->isActive) {
      continue;
    }
    const std::shared_ptr<ProfilePhase> &phase = one->current();
    const uint32_t node =
        phase->child(nodeOf(scopes, *one, one->hasFrames),
                     given ? *given : name, one->place(device));
    if (!phase->hasBegun(node)) {
      phase->begins(node, monotonicNs());
    }
    phase->describe(node, facts);
    for (const NamedMetric &metric : scopes.launchMetrics) {
      if (Result<uint32_t> number = one->metrics.number(metric)) {
        phase->addMetric(node, *number, metric);
      }
    }
    ++phase->pending;
    Pending &made = pending.emplace_back();
    made.id = id;
    made.profile = one.get();
    made.phase = phase;
    made.serial = phase->serial();
    made.node = node;
    made.programs = programs;
    made.isMade = isMade;
    if (one->isTrace && !scopes.launchMetrics.empty()) {
      made.rest().extras = scopes.launchMetrics;
    }
  }
}

uint64_t Recorder::enter(ProfileHooks &hooks, uint32_t kind, const char *name,
                         Stream *stream, const LaunchedKernel *kernel,
                         uint64_t &began) {
  if (!stream || !kernel) {
    began = monotonicNs();
    return hooks.nextId();
  }
  ThreadScopes &scopes = ThreadScopes::ofThisThread();
  const Device &device = stream->device();
  // What a graph records does not run now. Without the lock: a driver may give
  // its records inside of any call.
  const bool runs = device.isHostMemory() || !stream->isRecording();
  if (runs && wantsFrames.load(std::memory_order_relaxed)) {
    askForFrames();
  }
  std::unique_lock guard(lock);
  const Source &source = sourceOf(device, guard);
  // With the lock: launches are in order of their ids.
  const uint64_t id = hooks.nextId();
  if (runs) {
    uint64_t none = 0;
    const bool isCall = source.activity &&
                        !wantsEnds.load(std::memory_order_relaxed) &&
                        !hasParts(kernel->artifact) &&
                        callOf(scopes).launch.compare_exchange_strong(
                            none, id, std::memory_order_relaxed);
    addPending(scopes, id, name, device, *kernel, /*isMade=*/isCall);
    if (!source.activity) {
      // A launch on the host has ended when its call returns.
      if (!device.isHostMemory()) {
        for (const std::shared_ptr<Profile> &one : profiles) {
          one->note("kernel times of " + device.label() +
                    " come from events around launches: " + source.why);
        }
        if (!beginEvents(id, *stream).ok()) {
          drop(id, true);
        }
      }
    }
  }
  if (wantsEnds.load(std::memory_order_relaxed)) {
    began = monotonicNs(); // without what was done here
  }
  return id;
}

void Recorder::addParts(uint64_t id, LaunchParts parts) {
  auto shared = std::make_shared<const LaunchParts>(std::move(parts));
  std::lock_guard guard(lock);
  std::optional<std::array<uint64_t, 3>> times;
  for (auto one = firstOf(id); one != pending.end() && one->id == id; ++one) {
    one->awaitsParts = false;
    if (!one->phase) {
      continue;
    }
    if (!one->phase->keepsEvents()) {
      // When the kernel ran does not matter; kept, they fill the memory.
      if (one->serial == one->phase->serial()) {
        addPartTimes(*one->profile, *one->phase, {one->node, id, 0, 0},
                     *shared);
      }
    } else {
      one->rest().parts = shared;
    }
    times = one->isMade && one->more ? one->more->times : std::nullopt;
  }
  if (times) {
    complete(id, (*times)[0], (*times)[1], (*times)[2]);
  }
}

void Recorder::awaitParts(uint64_t id, const std::shared_ptr<PartLog> &log) {
  std::lock_guard guard(lock);
  for (auto one = firstOf(id); one != pending.end() && one->id == id; ++one) {
    one->awaitsParts = true;
  }
  if (std::find(partLogs.begin(), partLogs.end(), log) == partLogs.end()) {
    partLogs.push_back(log);
  }
}

void Recorder::loseParts(uint64_t id) {
  std::lock_guard guard(lock);
  for (auto one = firstOf(id); one != pending.end() && one->id == id; ++one) {
    if (one->phase) {
      ++one->profile->lostParts.launches;
    }
  }
}

void Recorder::leave(uint32_t kind, uint64_t id, int32_t code, Stream *stream,
                     uint64_t began) {
  ThreadScopes &scopes = ThreadScopes::ofThisThread();
  if (std::atomic<uint64_t> &call = callOf(scopes).launch;
      call.load(std::memory_order_relaxed) == id) {
    call.store(0, std::memory_order_release);
    if (code == TZ_E_OK) {
      scopes.launchMetrics.clear();
      return;
    }
  }
  const uint64_t ended =
      wantsEnds.load(std::memory_order_relaxed) ? monotonicNs() : began;
  std::unique_lock guard(lock);
  const bool isLaunch = kind == TZ_ACTIVITY_LAUNCH && stream;
  std::optional<std::array<uint64_t, 3>> times;
  if (isLaunch) {
    for (auto one = firstOf(id); one != pending.end() && one->id == id; ++one) {
      one->isMade = true;
      times = one->more && one->more->times ? one->more->times : times;
    }
  }
  uint32_t node = 0;
  for (const std::shared_ptr<Profile> &one : profiles) {
    if (!one->isActive || !one->isTrace) {
      continue;
    }
    ProfilePhase &phase = *one->current();
    std::string_view name = "compile";
    if (isLaunch) {
      auto of = firstOf(id);
      while (of != pending.end() && of->id == id && of->profile != one.get()) {
        ++of;
      }
      if (of == pending.end() || of->id != id || of->serial != phase.serial()) {
        continue;
      }
      node = of->node;
    } else {
      name = kind == TZ_ACTIVITY_COMPILE ? "compile"
             : kind == TZ_ACTIVITY_LOAD  ? "load"
                                         : "sync";
      node = phase.child(nodeOf(scopes, *one, false), name);
    }
    const uint32_t recorded = isLaunch                      ? TZ_PROFILE_LAUNCH
                              : kind == TZ_ACTIVITY_COMPILE ? TZ_PROFILE_COMPILE
                              : kind == TZ_ACTIVITY_LOAD    ? TZ_PROFILE_LOAD
                                                            : TZ_PROFILE_SYNC;
    phase.addEvent({began, ended, scopes.number(), isLaunch ? id : 0, node, 0,
                    NoDevice, recorded},
                   {});
  }
  if (!isLaunch) {
    return;
  }
  scopes.launchMetrics.clear();
  const Source &source = sourceOf(stream->device(), guard);
  if (code != TZ_E_OK) {
    drop(id, false);
  } else if (times) {
    complete(id, (*times)[0], (*times)[1], (*times)[2]);
  } else if (source.activity) {
    return;
  } else if (stream->device().isHostMemory()) {
    complete(id, began, ended, 0);
  } else {
    endEvents(id, *stream);
  }
}

//===--- Scopes and metrics -----------------------------------------------===//

/// Scopes may be deep: the path is made again only where something was missed,
/// as in a pause.
void Recorder::keepMainPath(const ThreadScopes &scopes, bool isWhole) {
  if (scopes.number() != mainThread) {
    return;
  }
  if (isWhole || scopes.pathVersion() != mainVersion + 1) {
    mainScopes.clear();
  }
  mainVersion = scopes.pathVersion();
  while (mainScopes.size() > scopes.depth()) {
    mainScopes.pop_back();
  }
  while (mainScopes.size() < scopes.depth()) {
    mainScopes.push_back(scopes.scopeAt(mainScopes.size()));
  }
  mainState.reset();
  if (const std::string *state = scopes.state()) {
    mainState = *state;
  }
}

bool Recorder::worksForMain(const ThreadScopes &scopes) const {
  return !scopes.depth() && scopes.number() != mainThread &&
         (!mainScopes.empty() || mainState);
}

void Recorder::pathBegins(const ThreadScopes &scopes) {
  std::vector<DeviceActivity *> told;
  uint64_t external = 0;
  {
    std::lock_guard guard(lock);
    keepMainPath(scopes, /*isWhole=*/false);
    for (const Source &source : sources) {
      if (source.activity && source.activity->hasExternals()) {
        told.push_back(source.activity.get());
      }
    }
    if (told.empty()) {
      return;
    }
    const std::vector<std::string_view> names = scopes.path(false);
    external = numberOf({{names.begin(), names.end()}, 0, 0});
  }
  for (DeviceActivity *activity : told) {
    activity->push(external);
  }
}

void Recorder::scopeLeft(ThreadScopes &scopes, uint64_t began, uint64_t ended,
                         const std::vector<NamedMetric> &metrics) {
  std::lock_guard guard(lock);
  for (const std::shared_ptr<Profile> &one : profiles) {
    if (one->isActive && one->isTrace) {
      ProfilePhase &phase = *one->current();
      phase.addEvent({began, ended, scopes.number(), 0,
                      nodeOf(scopes, *one, false), 0, NoDevice,
                      TZ_PROFILE_SCOPE},
                     metrics);
    }
  }
}

void Recorder::pathEnds(const ThreadScopes &scopes) {
  std::vector<DeviceActivity *> told;
  {
    std::lock_guard guard(lock);
    keepMainPath(scopes, /*isWhole=*/false);
    for (const Source &source : sources) {
      if (source.activity && source.activity->hasExternals()) {
        told.push_back(source.activity.get());
      }
    }
  }
  for (DeviceActivity *activity : told) {
    activity->pop();
  }
}

Status Recorder::addMetric(ThreadScopes &scopes, const NamedMetric &metric) {
  std::lock_guard guard(lock);
  for (const std::shared_ptr<Profile> &one : profiles) {
    if (!one->isActive) {
      continue;
    }
    Result<uint32_t> number = one->metrics.number(metric);
    if (!number) {
      return number.takeStatus();
    }
    if (!scopes.launchName()) { // of launches: when they come
      ProfilePhase &phase = *one->current();
      phase.addMetric(nodeOf(scopes, *one, false), *number, metric);
    }
  }
  return Status();
}

} // namespace tz::runtime
