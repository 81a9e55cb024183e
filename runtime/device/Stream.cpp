//===- Stream.cpp - streams and events ------------------------------------===//
//
// What   Ordered work on a device, and the memory that launches on it need:
//        ring buffers, ticket, workspaces, made at first use and kept.
// Why    A stream belongs to one thread, so a launch finds all of it without a
//        lock and, after the first, without an allocation.
//===----------------------------------------------------------------------===//
#include "runtime/device/RuntimeDevice.h"

#include <algorithm>

namespace tz::runtime {

Stream::Stream(std::shared_ptr<Device> device) : owner(std::move(device)) {}

Stream::~Stream() {
  // Destroying waits for what the stream holds; only then may memory go.
  if (native) {
    owner->api().stream_destroy(native);
  }
  rings.clear();
  for (const auto &log : partLogs) {
    (void)log->read(); // a profile may still ask for it
  }
  for (Workspace &space : workspaces) {
    (void)owner->free(space.memory);
  }
  raceMemory.release(*owner);
  (void)owner->free(ticketMemory);
}

Status Stream::copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) {
  if (bytes == 0) {
    return Status();
  }
  if (!to || !from) {
    return Status(TZ_E_INVALID_ARGUMENT, "copy from or to a null address");
  }
  Status s = owner->check(owner->api().copy(native, to, from, bytes, kind));
  if (s.ok() && owner->written().isUsed()) [[unlikely]] {
    s = owner->written().wrote(*this, to, bytes);
  }
  return s;
}

Status Stream::fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
                    uint32_t patternBytes) {
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "a fill pattern has 1, 2 or 4 bytes, not " +
                      std::to_string(patternBytes));
  }
  if (bytes % patternBytes) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "a fill of " + std::to_string(bytes) +
                      " bytes is no multiple of its pattern");
  }
  if (bytes == 0) {
    return Status();
  }
  if (!to) {
    return Status(TZ_E_INVALID_ARGUMENT, "fill of a null address");
  }
  Status s =
      owner->check(owner->api().fill(native, to, bytes, pattern, patternBytes));
  if (s.ok() && owner->written().isUsed()) [[unlikely]] {
    s = owner->written().wrote(*this, to, bytes);
  }
  return s;
}

/// A wait was ended; what it was for goes on.
static Status stillBusy(int32_t code, const Device &device) {
  return Status(code, interrupted(code, device.name()).message() +
                          "; its kernel still runs, nothing but its own end "
                          "or that of the process stops it, and the device is "
                          "busy until then");
}

static uint64_t intervalNs() {
  return uint64_t(std::chrono::nanoseconds(Interrupt::Interval).count());
}

/// Asks an event instead of the driver's own wait, which nothing can end.
Status Stream::waitInSteps() {
  if (!passed) {
    Result<std::unique_ptr<Event>> made = owner->createEvent(false);
    if (!made) {
      return owner->check(owner->api().stream_sync(native));
    }
    passed = std::move(*made);
  }
  TimeLimit limit(timeoutNs);
  const Interrupt &interrupt = owner->plugin().interrupt();
  if (Status s = passed->record(*this); !s.ok()) {
    return s;
  }
  cancelled = false;
  int32_t code = TZ_E_OK;
  Status s;
  do {
    s = passed->synchronize(intervalNs());
    if (s.code() != TZ_E_TIMEOUT) {
      break;
    }
    code = cancelled ? int32_t(TZ_E_CANCELLED) : interrupt.code();
  } while (code == TZ_E_OK);
  if (code == TZ_E_OK) {
    // Faults of what ran are told here.
    return s.ok() ? owner->check(owner->api().stream_sync(native)) : s;
  }
  return stillBusy(code, *owner);
}

Status Stream::finish() {
  // On the host a launch has ended when it returns.
  const bool mayEnd = !owner->isHostMemory() &&
                      (timeoutNs || owner->plugin().interrupt().isPossible());
  return mayEnd ? waitInSteps()
                : owner->check(owner->api().stream_sync(native));
}

Status Stream::cancel() {
  cancelled = true;
  if (owner->api().stream_cancel) {
    return owner->check(owner->api().stream_cancel(native));
  }
  return owner->isHostMemory()
             ? Status(TZ_E_UNIMPLEMENTED,
                      owner->name() + ": what runs here cannot be ended")
             : Status();
}

Status Stream::synchronize(LaunchParts *parts) {
  Status first = finish();
  for (const auto &ring : rings) {
    if (first.ok()) {
      first = ring->read(print, parts);
    }
  }
  for (const auto &log : partLogs) {
    if (first.ok() && hasMessages(*log->of())) {
      Status read = log->read();
      first = log->tell(print);
      first = first.ok() ? std::move(read) : std::move(first);
    }
  }
  return first;
}

Status Stream::poll() {
  Status first;
  for (const auto &ring : rings) {
    Status s = ring->poll(print);
    first = first.ok() ? std::move(s) : std::move(first);
  }
  return first;
}

bool Stream::isRecording() const {
  int32_t answer = 0;
  return owner->api().stream_recording &&
         owner->check(owner->api().stream_recording(native, &answer)).ok() &&
         answer != 0;
}

void Stream::knowMemory(std::span<const tz_memory_range> ranges) {
  knownRanges.assign(ranges.begin(), ranges.end());
  knownNames.clear();
  for (tz_memory_range &range : knownRanges) {
    range.name =
        knownNames.emplace_back(range.name ? range.name : "memory").c_str();
  }
  known = {{sizeof(known), nullptr, TZ_EXT_KNOWN_MEMORY, 0, 0},
           knownRanges.data(),
           knownRanges.size()};
}

std::optional<tz_memory_range> Stream::memoryAt(tz_dptr address) const {
  const tz_memory_range *best = nullptr;
  for (const tz_memory_range &range : knownRanges) {
    const bool holds =
        address - range.address < std::max<uint64_t>(range.bytes, 1);
    if (holds && (!best || range.bytes < best->bytes)) {
      best = &range;
    }
  }
  return best ? std::optional(*best) : owner->allocationAt(address);
}

Status Stream::wait(Event &event) {
  if (owner->api().stream_wait && event.device().handle() == owner->handle()) {
    return owner->check(owner->api().stream_wait(native, event.handle()));
  }
  return event.synchronize();
}

Status Stream::callback(void (*fn)(void *, int32_t), void *user) {
  if (!owner->api().stream_callback) {
    return Status(TZ_E_UNIMPLEMENTED, "this device has no stream callbacks");
  }
  return owner->check(owner->api().stream_callback(native, fn, user));
}

Result<tz_dptr>
Stream::logRing(const std::shared_ptr<const Artifact> &artifact) {
  if (nextLog) {
    return std::exchange(nextLog, 0);
  }
  auto known = std::find_if(rings.begin(), rings.end(), [&](const auto &ring) {
    return ring->of() == artifact.get();
  });
  if (known == rings.end()) {
    rings.push_back(std::make_unique<LogRing>(*this, artifact));
    known = std::prev(rings.end());
  }
  return (*known)->take(isRecording());
}

Result<std::shared_ptr<PartLog>>
Stream::beginParts(const std::shared_ptr<const Artifact> &artifact, uint64_t id,
                   uint64_t programs) {
  auto known =
      std::find_if(partLogs.begin(), partLogs.end(), [&](const auto &log) {
        return log->of() == artifact.get();
      });
  if (known == partLogs.end()) {
    partLogs.push_back(std::make_shared<PartLog>(owner, artifact));
    known = std::prev(partLogs.end());
  }
  Result<tz_dptr> place = (*known)->begin(id, programs);
  if (!place) {
    return place.takeStatus();
  }
  nextLog = *place;
  return *known;
}

Result<tz_dptr> Stream::ticket() {
  if (!ticketMemory) {
    Result<tz_dptr> memory = owner->allocate(256, 64);
    if (!memory) {
      return memory;
    }
    ticketMemory = *memory;
  }
  if (Status s = fill(ticketMemory, 4, 0, 4); !s.ok()) {
    return s;
  }
  return ticketMemory;
}

Result<tz_dptr> Stream::workspace(const void *user, uint64_t bytes,
                                  uint64_t align, uint32_t zero) {
  const void *key = zero == TZ_ZERO_ONCE ? user : nullptr;
  Workspace *found = nullptr;
  for (Workspace &space : workspaces) {
    if (space.owner == key) {
      found = &space;
    }
  }
  if (!found) {
    workspaces.push_back({key, 0, 0, 0});
    found = &workspaces.back();
  }
  if (found->bytes < bytes || found->align < align) {
    align = std::max<uint64_t>({align, found->align, 64});
    Result<tz_dptr> memory = owner->allocate(bytes, align);
    if (!memory) {
      return memory;
    }
    // Launches that still run may use the old one; freeing is in stream order.
    Status s = owner->free(found->memory, this);
    *found = {key, *memory, bytes, align};
    if (s.ok() && zero == TZ_ZERO_ONCE) {
      s = fill(found->memory, bytes, 0, 1);
    }
    if (!s.ok()) {
      found->bytes = 0; // nobody may believe in its zeros
      return s;
    }
  }
  if (zero == TZ_ZERO_EACH) {
    if (Status s = fill(found->memory, bytes, 0, 1); !s.ok()) {
      return s;
    }
  }
  return found->memory;
}

Event::~Event() {
  if (native) {
    owner->api().event_destroy(native);
  }
}

Status Event::record(Stream &stream) {
  return owner->check(owner->api().event_record(native, stream.handle()));
}

Result<bool> Event::query() {
  int32_t done = 0;
  if (Status s = owner->check(owner->api().event_query(native, &done));
      !s.ok()) {
    return s;
  }
  return done != 0;
}

Status Event::synchronize(uint64_t timeoutNs) {
  const Interrupt &interrupt = owner->plugin().interrupt();
  const bool mayEnd = timeoutNs == UINT64_MAX && !owner->isHostMemory() &&
                      interrupt.isPossible();
  if (!mayEnd) {
    return owner->check(owner->api().event_sync(native, timeoutNs));
  }
  while (true) {
    Status s = owner->check(owner->api().event_sync(native, intervalNs()));
    if (s.code() != TZ_E_TIMEOUT) {
      return s;
    }
    if (int32_t code = interrupt.code()) {
      return stillBusy(code, *owner);
    }
  }
}

Result<uint64_t> Event::elapsedNs(Event &stop) {
  if (!owner->api().event_elapsed_ns) {
    return Status(TZ_E_UNIMPLEMENTED, "this device does not time events");
  }
  uint64_t ns = 0;
  if (Status s =
          owner->check(owner->api().event_elapsed_ns(native, stop.native, &ns));
      !s.ok()) {
    return s;
  }
  return ns;
}

} // namespace tz::runtime
