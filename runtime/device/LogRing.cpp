//===- LogRing.cpp - where kernels of a stream print and assert -----------===//
//
// What   See LogRing.h.
// Why    See LogRing.h.
//===----------------------------------------------------------------------===//
#include "runtime/device/LogRing.h"

#include "runtime/device/RuntimeDevice.h"

#include <atomic>

namespace tz::runtime {

/// A program tells all of its parts at once: more than prints take. Where
/// nobody reads them, they need no room.
static uint64_t capacityFor(const Device &device, const Artifact &artifact) {
  const uint64_t ofParts = partCapacity() / 8;
  const bool isRead = device.isHostMemory() || hasMessages(artifact);
  return isRead && hasParts(artifact) ? std::max(logCapacity(), ofParts)
                                      : logCapacity();
}

LogRing::LogRing(Stream &stream, std::shared_ptr<const Artifact> artifact)
    : stream(stream), artifact(std::move(artifact)),
      capacity(capacityFor(stream.device(), *this->artifact)) {}

LogRing::~LogRing() {
  for (Part &part : parts) {
    (void)stream.device().free(part.memory);
  }
}

Result<tz_dptr> LogRing::take(bool isRecorded) {
  isInGraph |= isRecorded;
  Part &part = parts[current];
  if (!part.memory) {
    if (Status s = allocate(part); !s.ok()) {
      // Nobody may take a ring without its header.
      (void)stream.device().free(std::exchange(part.memory, 0));
      return s;
    }
  }
  part.isUsed = true;
  return part.memory;
}

Status LogRing::allocate(Part &part) {
  Device &device = stream.device();
  const uint64_t bytes = sizeof(tz_log_header) + capacity;
  part.isReachable = device.isHostMemory();
  if (!part.isReachable && !hasParts(*artifact)) {
    Result<tz_dptr> pinned = device.allocate(bytes, 64, TZ_MEM_HOST_PINNED);
    part.isReachable = pinned && device.isHostPinned(*pinned);
    if (part.isReachable) {
      part.memory = *pinned;
      return clear(part);
    }
    if (pinned) {
      (void)device.free(*pinned);
    }
  }
  Result<tz_dptr> memory = device.allocate(bytes, 64);
  if (!memory) {
    return memory.takeStatus();
  }
  part.memory = *memory;
  return clear(part);
}

Status LogRing::clear(Part &part) {
  const tz_log_header empty = emptyLogHeader(capacity);
  if (part.isReachable) {
    std::memcpy(reinterpret_cast<void *>(part.memory), &empty, sizeof(empty));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return Status();
  }
  // The header lies on this stack.
  Status s = stream.copy(part.memory, reinterpret_cast<uintptr_t>(&empty),
                         sizeof(empty), TZ_COPY_HOST_TO_DEVICE);
  return s.ok() ? stream.finish() : s;
}

bool LogRing::isWritten(const Part &part) {
  auto word = [&](size_t offset) {
    return *reinterpret_cast<const volatile uint32_t *>(part.memory + offset);
  };
  return word(offsetof(tz_log_header, reserved)) ||
         word(offsetof(tz_log_header, failed)) ||
         word(offsetof(tz_log_header, dropped));
}

Status LogRing::readCopied(Part &part, const PrintSink &sink,
                           LaunchParts *told) {
  tz_log_header header{};
  auto fetch = [&](void *to, tz_dptr from, uint64_t bytes) {
    Status s = stream.copy(reinterpret_cast<uintptr_t>(to), from, bytes,
                           TZ_COPY_DEVICE_TO_HOST);
    return s.ok() ? stream.finish() : s;
  };
  if (Status s = fetch(&header, part.memory, sizeof(header)); !s.ok()) {
    return s;
  }
  header.capacity = capacity; // a kernel may have overwritten it
  std::vector<uint8_t> records(std::min(header.reserved, capacity));
  if (!records.empty()) {
    if (Status s =
            fetch(records.data(), part.memory + sizeof(header), records.size());
        !s.ok()) {
      return s;
    }
  }
  return decodeLog(*artifact, header, records, sink, told);
}

Status LogRing::readPart(Part &part, const PrintSink &sink,
                         LaunchParts *parts) {
  const bool mayBeWritten =
      part.memory &&
      (part.isReachable ? isWritten(part) : part.isUsed || isInGraph);
  part.isUsed = false;
  if (!mayBeWritten) {
    return Status();
  }
  Status told;
  if (!parts && !hasMessages(*artifact)) {
    // Nobody wants them. A copy is not worth it: what is full stays so.
    return part.isReachable ? clear(part) : Status();
  }
  if (part.isReachable) {
    tz_log_header header{};
    std::memcpy(&header, reinterpret_cast<const void *>(part.memory),
                sizeof(header));
    header.capacity = capacity; // a kernel may have overwritten it
    told = decodeLog(
        *artifact, header,
        {reinterpret_cast<const uint8_t *>(part.memory + sizeof(header)),
         std::min(header.reserved, capacity)},
        sink, parts);
  } else {
    told = readCopied(part, sink, parts);
  }
  Status cleared = clear(part);
  return told.ok() ? cleared : told;
}

Status LogRing::read(const PrintSink &sink, LaunchParts *told) {
  isWaiting = false;
  Status earlier = readPart(parts[1 - current], sink, told);
  Status later = readPart(parts[current], sink, told);
  return earlier.ok() ? std::move(later) : std::move(earlier);
}

Status LogRing::turn() {
  if (!passed) {
    Result<std::unique_ptr<Event>> made = stream.device().createEvent(false);
    if (!made) {
      isInGraph = true; // without events read() alone tells
      return Status();
    }
    passed = std::move(*made);
  }
  if (Status s = passed->record(stream); !s.ok()) {
    return s;
  }
  isWaiting = true;
  current = 1 - current;
  return Status();
}

Status LogRing::poll(const PrintSink &sink) {
  const Part &part = parts[current];
  const bool isNews =
      part.isReachable && part.memory && !isInGraph && isWritten(part);
  if ((!isWaiting && !isNews) || stream.isRecording()) {
    return Status();
  }
  if (!isWaiting) {
    if (Status s = turn(); !s.ok() || !isWaiting) {
      return s;
    }
  }
  Result<bool> isDone = passed->query();
  if (!isDone) {
    return isDone.takeStatus();
  }
  if (!*isDone) {
    return Status();
  }
  isWaiting = false;
  return readPart(parts[1 - current], sink, nullptr);
}

} // namespace tz::runtime
