//===- RecordedTimes.cpp - when kernels ran -------------------------------===//
//
// What   Records of plugins, and events around launches, taken to the launches
//        that they are of.
// Why    A device tells its times later, from another thread, or never.
//===----------------------------------------------------------------------===//
#include "runtime/profile/PartTimes.h"
#include "runtime/profile/Recorder.h"

#include <algorithm>

namespace tz::runtime {

/// With the lock held, as all but flush() and read().
void Recorder::popDone() {
  while (!pending.empty() && !pending.front().phase) {
    pending.pop_front();
  }
}

/// Most are asked for when they are the newest, or the oldest.
std::deque<Recorder::Pending>::iterator Recorder::firstOf(uint64_t id) {
  if (pending.empty() || pending.front().id >= id) {
    return pending.begin();
  }
  auto last = std::prev(pending.end());
  if (last->id < id) {
    return pending.end();
  }
  if (std::prev(last)->id < id) {
    return last;
  }
  return std::lower_bound(
      pending.begin(), pending.end(), id,
      [](const Pending &p, uint64_t wanted) { return p.id < wanted; });
}

/// Calls `body` for each profile that waits for launch `id`, from the first.
template <typename Pendings, typename Iterator, typename Body>
static void forLaunch(Pendings &pending, Iterator one, uint64_t id,
                      Body &&body) {
  for (; one != pending.end() && one->id == id; ++one) {
    if (one->phase) {
      body(*one);
      --one->phase->pending;
      one->phase = nullptr;
    }
  }
}

void Recorder::drop(uint64_t id, bool isLost) {
  forLaunch(pending, firstOf(id), id, [&](Pending &one) {
    one.phase->dropped += isLost && one.serial == one.phase->serial();
  });
  popDone();
}

void Recorder::complete(uint64_t id, uint64_t began, uint64_t ended,
                        uint64_t row) {
  ended = std::max(began, ended);
  // While its call goes on, what it tells of its parts may be yet to come; and
  // while nobody has read its log.
  bool isComing = false;
  for (auto one = firstOf(id); one != pending.end() && one->id == id; ++one) {
    if (one->phase && (!one->isMade || one->awaitsParts)) {
      one->rest().times = {began, ended, row};
      isComing = true;
    }
  }
  if (isComing) {
    return;
  }
  forLaunch(pending, firstOf(id), id, [&](Pending &one) {
    if (one.serial != one.phase->serial()) {
      return; // its phase was cleared
    }
    one.phase->addKernel(one.node, ended - began, one.programs);
    static const std::vector<NamedMetric> none;
    one.phase->addEvent({began, ended, row, id, one.node, 0,
                         one.phase->nodes()[one.node].device,
                         TZ_PROFILE_KERNEL},
                        one.more ? one.more->extras : none);
    if (one.more && one.more->parts) {
      addPartTimes(*one.profile, *one.phase, {one.node, id, began, ended},
                   *one.more->parts);
    }
  });
  popDone();
}

//===--- Records of plugins -----------------------------------------------===//

void Recorder::read(const Source &source, const tz_record &record) {
  std::lock_guard guard(lock);
  if (record.kind == TZ_RECORD_DROPPED) {
    for (const std::shared_ptr<Profile> &one : profiles) {
      one->current()->dropped += record.a;
    }
  } else if (record.kind == TZ_RECORD_KERNEL && record.correlation) {
    // The first record may come before open() has given the activity.
    const auto host = [&](uint64_t ns) {
      return source.activity ? source.activity->hostTime(ns) : ns;
    };
    complete(record.correlation, host(record.t0_ns), host(record.t1_ns),
             record.stream);
  } else {
    readForeign(source, record);
  }
}

/// What the runtime did not launch: kernels of other libraries, copies, fills.
void Recorder::readForeign(const Source &source, const tz_record &record) {
  uint32_t kind = 0;
  std::string_view name;
  switch (record.kind) {
  case TZ_RECORD_KERNEL:
    kind = TZ_PROFILE_KERNEL;
    name = record.name.data ? view(record.name) : "unnamed kernel";
    break;
  case TZ_RECORD_COPY:
    kind = TZ_PROFILE_COPY;
    name = "<copy>";
    break;
  case TZ_RECORD_FILL:
    kind = TZ_PROFILE_FILL;
    name = "<fill>";
    break;
  default:
    return;
  }
  const uint64_t began =
      source.activity ? source.activity->hostTime(record.t0_ns) : record.t0_ns;
  const uint64_t ns = std::max(record.t0_ns, record.t1_ns) - record.t0_ns;
  for (const std::shared_ptr<Profile> &one : profiles) {
    if (!one->isActive || one->isOwn || began < one->activeSince) {
      continue;
    }
    ProfilePhase &phase = *one->current();
    uint32_t node = scopesOf(phase, 0, record.external, one->hasFrames);
    if (kind == TZ_PROFILE_KERNEL && record.b) {
      node = scopesOf(phase, phase.child(node, "<captured_at>"), record.a,
                      one->hasFrames);
    }
    const int32_t device = one->place(source.platform, int(record.device));
    node = phase.child(node, name, device);
    phase.begins(node, began);
    phase.addKernel(node, ns, 0);
    std::vector<NamedMetric> extras;
    if (one->isTrace && kind != TZ_PROFILE_KERNEL) {
      extras.push_back(namedMetric("bytes", int64_t(record.a)));
    }
    phase.addEvent({began, began + ns, record.stream, 0, node, 0, device, kind},
                   extras);
  }
}

//===--- Events around launches -------------------------------------------===//

/// Distances of events are told from an anchor, whose time is the host's.
Status Recorder::beginEvents(uint64_t id, Stream &stream) {
  Device &device = stream.device();
  auto make = [&]() -> Result<std::shared_ptr<Event>> {
    Result<std::unique_ptr<Event>> made = device.createEvent(true);
    if (!made) {
      return made.takeStatus();
    }
    return std::shared_ptr<Event>(std::move(*made));
  };
  auto &[anchor, anchorNs] = anchors[&device];
  if (!anchor) {
    Result<std::shared_ptr<Event>> made = make();
    if (!made) {
      return made.takeStatus();
    }
    Status s = (*made)->record(stream);
    s = s.ok() ? (*made)->synchronize() : std::move(s);
    if (!s.ok()) {
      return s;
    }
    anchor = std::move(*made);
    anchorNs = monotonicNs();
  }
  Result<std::shared_ptr<Event>> before = make(), after = make();
  if (!before || !after) {
    return before ? after.takeStatus() : before.takeStatus();
  }
  Status s = (*before)->record(stream);
  if (s.ok()) {
    const uint64_t row = reinterpret_cast<uintptr_t>(stream.handle());
    timed.push_back(
        {id, anchor, std::move(*before), std::move(*after), anchorNs, row});
  }
  return s;
}

void Recorder::endEvents(uint64_t id, Stream &stream) {
  for (auto one = timed.rbegin(); one != timed.rend(); ++one) {
    if (one->id == id) {
      one->isMade = one->after->record(stream).ok();
      if (!one->isMade) {
        timed.erase(std::prev(one.base()));
        drop(id, true);
      }
      return;
    }
  }
}

void Recorder::readEvents() {
  for (Timed &one : timed) {
    if (!one.isMade) {
      continue; // by another thread, now
    }
    Status s = one.after->synchronize();
    uint64_t began = 0, ended = 0;
    for (auto [event, time] : {std::pair(one.before.get(), &began),
                               std::pair(one.after.get(), &ended)}) {
      if (s.ok()) {
        Result<uint64_t> ns = one.anchor->elapsedNs(*event);
        s = ns ? Status() : ns.takeStatus();
        *time = ns ? one.anchorNs + *ns : 0;
      }
    }
    if (s.ok()) {
      complete(one.id, began, ended, one.row);
    } else {
      drop(one.id, true);
    }
  }
  std::erase_if(timed, [](const Timed &one) { return one.isMade; });
  // The next anchor is nearer: distances are told with few digits.
  anchors.clear();
}

Status Recorder::flush() {
  std::vector<DeviceActivity *> told;
  {
    std::lock_guard guard(lock);
    readEvents();
    for (const Source &source : sources) {
      if (source.activity) {
        told.push_back(source.activity.get());
      }
    }
    // Others are being made by other threads.
    std::vector<uint64_t> open;
    for (const Call &call : calls) {
      open.push_back(call.launch.load(std::memory_order_acquire));
    }
    for (Pending &one : pending) {
      one.isAsked = one.isMade &&
                    std::find(open.begin(), open.end(), one.id) == open.end();
    }
  }
  Status status = readParts();
  for (DeviceActivity *activity : told) {
    Status s = activity->flush();
    status = status.ok() ? std::move(s) : std::move(status);
  }
  readSamples(); // whose kernels have their places now
  dropAsked();
  return status;
}

/// Without the lock: logs wait for their launches.
Status Recorder::readParts() {
  std::vector<std::shared_ptr<PartLog>> logs;
  locked([&] { logs = partLogs; });
  Status status;
  for (const std::shared_ptr<PartLog> &log : logs) {
    Status s = log->read();
    status = status.ok() ? std::move(s) : std::move(status);
    for (auto &[launch, parts] : log->take()) {
      addParts(launch, std::move(parts));
    }
  }
  return status;
}

//===--- Samples ----------------------------------------------------------===//

/// Without the lock. Of each device half once, while a profile wants samples.
void Recorder::sample(const Device &device) {
  const tz_platform *platform = device.half().platform;
  std::shared_ptr<Profile> profile;
  {
    std::lock_guard guard(lock);
    if (!sampled || std::find(askedForSamples.begin(), askedForSamples.end(),
                              platform) != askedForSamples.end()) {
      return;
    }
    askedForSamples.push_back(platform);
    profile = sampled;
  }
  Result<std::unique_ptr<DeviceSampler>> opened =
      DeviceSampler::open(device, profile->samplePeriod);
  Status s = opened ? (*opened)->enable(true) : opened.takeStatus();
  std::lock_guard guard(lock);
  if (!s.ok()) {
    profile->note("no samples of instructions: " + s.message());
  } else if (sampled == profile) {
    samplers.push_back(std::move(*opened));
  }
}

namespace {
/// What a plugin told, whose texts were its own.
struct KeptSample {
  tz_sample sample;
  std::string kernel, reason, file;

  explicit KeptSample(const tz_sample &from)
      : sample(from), kernel(view(from.kernel)), reason(view(from.reason)),
        file(view(from.file)) {}
  tz_sample whole() const {
    tz_sample made = sample;
    made.kernel = str(kernel);
    made.reason = str(reason);
    made.file = str(file);
    return made;
  }
};
} // namespace

void Recorder::readSamples() {
  std::vector<std::shared_ptr<DeviceSampler>> asked;
  std::shared_ptr<Profile> profile;
  locked([&] {
    asked = samplers;
    profile = sampled;
  });
  for (const std::shared_ptr<DeviceSampler> &one : asked) {
    std::vector<KeptSample> told;
    uint64_t lost = 0;
    Status s = one->read(
        [&](const tz_sample &sample) { told.emplace_back(sample); }, lost);
    std::lock_guard guard(lock);
    if (!s.ok()) { // what was told counts
      profile->note("samples of instructions are missing: " + s.message());
    }
    profile->lostSamples += lost;
    SampleNodes nodes(*profile, one->platform());
    for (const KeptSample &sample : told) {
      nodes.add(sample.whole());
    }
  }
}

/// What is left of launches that were made before has no record, or no parts.
void Recorder::dropAsked() {
  std::lock_guard guard(lock);
  std::map<uint64_t, std::optional<std::array<uint64_t, 3>>> lost;
  for (Pending &one : pending) {
    if (one.isAsked && one.phase) {
      one.profile->lostParts.launches += one.awaitsParts;
      one.awaitsParts = false;
      lost[one.id] = one.more ? one.more->times : std::nullopt;
    }
  }
  for (const auto &[id, times] : lost) {
    if (times) {
      complete(id, (*times)[0], (*times)[1], (*times)[2]);
    } else {
      drop(id, true);
    }
  }
  popDone();
}

} // namespace tz::runtime
