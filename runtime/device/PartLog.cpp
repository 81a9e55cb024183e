//===- PartLog.cpp - what launches tell of their parts, read later --------===//
//
// What   See PartLog.h.
// Why    See PartLog.h.
//===----------------------------------------------------------------------===//
#include "runtime/device/PartLog.h"

#include "runtime/device/RuntimeDevice.h"
#include "runtime/loader/Host.h"

#include <algorithm>
#include <cstring>

namespace tz::runtime {

/// Pieces up to this size together get their headers by one copy. A few larger
/// ones get them one by one.
static constexpr uint64_t SmallBlock = uint64_t(4) << 20;
static constexpr uint64_t LargeBlock = uint64_t(64) << 20;
static constexpr uint64_t FewPieces = 8;
/// What a program is thought to tell before one was read.
static constexpr uint64_t GuessedProgram = 8 << 10;

uint64_t partCapacity() {
  static const uint64_t capacity = [] {
    constexpr uint64_t usual = uint64_t(512) << 20, least = uint64_t(1) << 20,
                       most = uint64_t(1) << 38;
    auto text = environment("TERRAZZO_PROFILE_PART_BYTES");
    if (!text) {
      return usual;
    }
    char *end = nullptr;
    const unsigned long long value = std::strtoull(text->c_str(), &end, 10);
    if (end && !*end && value >= least && value <= most) {
      return uint64_t(value);
    }
    logMessage(1, "",
               "TERRAZZO_PROFILE_PART_BYTES must be from " +
                   std::to_string(least) + " to " + std::to_string(most));
    return usual;
  }();
  return capacity;
}

PartLog::PartLog(std::shared_ptr<Device> device,
                 std::shared_ptr<const Artifact> artifact)
    : device(std::move(device)), artifact(std::move(artifact)) {}

PartLog::~PartLog() { release(); }

void PartLog::release() {
  std::lock_guard guard(lock);
  for (Block &block : blocks) {
    if (block.passed && block.isUnread()) {
      (void)block.passed->synchronize(); // kernels may still write
    }
    (void)device->free(block.memory);
  }
  blocks.clear();
  allocated = 0;
}

//===--- Launches ---------------------------------------------------------===//

/// Of a piece, with its header.
uint64_t PartLog::bytesFor(uint64_t programs) const {
  // Loops may run longer than in the launch that was read.
  const uint64_t each =
      bytesOfProgram ? bytesOfProgram + bytesOfProgram / 4 : GuessedProgram;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(programs, each, &bytes)) {
    bytes = partCapacity();
  }
  constexpr uint64_t line = 64;
  bytes = std::clamp(bytes, uint64_t(4) << 10, partCapacity() / 2);
  return sizeof(tz_log_header) + (bytes + line - 1) / line * line;
}

Status PartLog::readerStream() {
  if (!reader) {
    Result<std::unique_ptr<Stream>> made = device->createStream();
    if (!made) {
      return made.takeStatus();
    }
    reader = std::move(*made);
  }
  return Status();
}

/// Of a block whose pieces have so many bytes.
static uint64_t blockBytes(uint64_t need) {
  const uint64_t few = std::min(LargeBlock, need * FewPieces);
  return std::max({need, few, std::min(SmallBlock, partCapacity() / 2)});
}

Status PartLog::allocate(Block &block, uint64_t need) {
  const uint64_t bytes = blockBytes(need);
  Result<tz_dptr> memory = device->allocate(bytes, 64);
  if (!memory) {
    return memory.takeStatus();
  }
  block.memory = *memory;
  block.bytes = bytes;
  allocated += bytes;
  return Status();
}

/// Pieces of `need` bytes, all of them empty.
Status PartLog::cut(Block &block, uint64_t need) {
  block.launches.clear();
  block.made = block.read = 0;
  block.pieceBytes = need;
  block.pieces = 0;
  if (Status s = readerStream(); !s.ok()) {
    return s;
  }
  const size_t pieces =
      std::min(block.bytes / need, std::max(FewPieces, SmallBlock / need));
  const tz_log_header empty = emptyLogHeader(need - sizeof(tz_log_header));
  auto copy = [&](uint64_t offset, const void *from, size_t bytes) {
    return reader->copy(block.memory + offset,
                        reinterpret_cast<uintptr_t>(from), bytes,
                        TZ_COPY_HOST_TO_DEVICE);
  };
  std::vector<uint8_t> whole;
  Status s;
  if (pieces * need <= SmallBlock) {
    whole.resize((pieces - 1) * need + sizeof(empty));
    for (size_t i = 0; i < pieces; ++i) {
      std::memcpy(&whole[i * need], &empty, sizeof(empty));
    }
    s = copy(0, whole.data(), whole.size());
  } else {
    for (size_t i = 0; s.ok() && i < pieces; ++i) {
      s = copy(i * need, &empty, sizeof(empty));
    }
  }
  s = s.ok() ? reader->finish() : std::move(s); // what was copied is ours
  block.pieces = s.ok() ? pieces : 0;
  return s;
}

/// Makes the last block one with a free piece.
Status PartLog::next(uint64_t need) {
  auto reuse = [&](std::deque<Block>::iterator free) {
    Block block = std::move(*free);
    blocks.erase(free);
    if (block.bytes < need) {
      allocated -= block.bytes;
      (void)device->free(std::exchange(block.memory, 0));
      if (Status s = allocate(block, need); !s.ok()) {
        return s;
      }
    }
    Status s = cut(block, need);
    blocks.push_back(std::move(block));
    return s;
  };
  auto free = std::find_if(blocks.begin(), blocks.end(),
                           [](const Block &one) { return !one.isUnread(); });
  if (free != blocks.end()) {
    return reuse(free);
  }
  if (allocated + blockBytes(need) <= partCapacity() || blocks.empty()) {
    Block made;
    Result<std::unique_ptr<Event>> passed = device->createEvent(false);
    if (!passed) {
      return passed.takeStatus();
    }
    made.passed = std::move(*passed);
    Status s = allocate(made, need);
    if (s.ok()) {
      s = cut(made, need);
      blocks.push_back(std::move(made));
      return s;
    }
    if (blocks.empty()) {
      return s;
    }
  }
  Result<bool> isDone = blocks.front().passed->query();
  if (!isDone) {
    return isDone.takeStatus();
  }
  if (!*isDone) {
    return Status(TZ_E_RESOURCE_LIMIT, "no room for what launches tell");
  }
  Status s = readBlock(blocks.front());
  return s.ok() ? reuse(blocks.begin()) : s;
}

Result<tz_dptr> PartLog::begin(uint64_t launch, uint64_t programs) {
  std::lock_guard guard(lock);
  const uint64_t need = bytesFor(programs);
  auto room =
      std::find_if(blocks.rbegin(), blocks.rend(),
                   [&](const Block &one) { return hasRoom(one, need); });
  if (room != blocks.rend()) {
    std::rotate(std::prev(room.base()), room.base(), blocks.end());
  } else if (Status s = next(need); !s.ok()) {
    return s;
  }
  Block &block = blocks.back();
  block.launches.push_back({launch, std::max<uint64_t>(programs, 1)});
  return block.memory + (block.launches.size() - 1) * block.pieceBytes;
}

Status PartLog::end(Stream &stream, bool isMade) {
  std::lock_guard guard(lock);
  Block &block = blocks.back();
  if (!isMade) {
    block.launches.pop_back();
    return Status();
  }
  Status s = block.passed->record(stream);
  block.made = block.launches.size();
  return s;
}

//===--- Reading ----------------------------------------------------------===//

void PartLog::decode(const Launch &launch, const tz_log_header &header,
                     std::span<const uint8_t> records) {
  bytesOfProgram =
      std::max(bytesOfProgram, header.reserved / launch.programs + 1);
  LaunchParts parts;
  parts.artifact = artifact;
  Status s = decodeLog(
      *artifact, header, records,
      [&](std::string_view line) { lines.emplace_back(line); }, &parts);
  failure = failure.ok() ? std::move(s) : std::move(failure);
  told.emplace_back(launch.id, std::move(parts));
}

/// All that was launched with it has ended.
Status PartLog::readBlock(Block &block) {
  if (Status s = readerStream(); !s.ok()) {
    return s;
  }
  const size_t first = std::exchange(block.read, block.made);
  const uint64_t capacity = block.pieceBytes - sizeof(tz_log_header);
  auto fetch = [&](void *to, tz_dptr from, uint64_t bytes) {
    return reader->copy(reinterpret_cast<uintptr_t>(to), from, bytes,
                        TZ_COPY_DEVICE_TO_HOST);
  };
  std::vector<tz_log_header> headers(block.made - first);
  Status s;
  for (size_t i = first; s.ok() && i < block.made; ++i) {
    s = fetch(&headers[i - first], block.memory + i * block.pieceBytes,
              sizeof(tz_log_header));
  }
  s = s.ok() ? reader->finish() : std::move(s);
  std::vector<uint8_t> records;
  for (size_t i = first; s.ok() && i < block.made; ++i) {
    tz_log_header &header = headers[i - first];
    header.capacity = capacity; // a kernel may have overwritten it
    records.resize(std::min(header.reserved, capacity));
    if (!records.empty()) {
      s = fetch(records.data(),
                block.memory + i * block.pieceBytes + sizeof(header),
                records.size());
      s = s.ok() ? reader->finish() : std::move(s);
    }
    if (s.ok()) {
      decode(block.launches[i], header, records);
    }
  }
  return s;
}

Status PartLog::read() {
  std::lock_guard guard(lock);
  Status first;
  for (Block &block : blocks) {
    if (block.read == block.made) {
      continue;
    }
    Status s = block.passed->synchronize();
    s = s.ok() ? readBlock(block) : std::move(s);
    first = first.ok() ? std::move(s) : std::move(first);
  }
  return first;
}

PartLog::Told PartLog::take() {
  std::lock_guard guard(lock);
  return std::exchange(told, {});
}

Status PartLog::tell(const PrintSink &sink) {
  std::vector<std::string> said;
  Status status;
  {
    std::lock_guard guard(lock);
    said.swap(lines);
    status = std::exchange(failure, Status());
  }
  if (sink) {
    for (const std::string &line : said) {
      sink(line);
    }
  }
  return status;
}

} // namespace tz::runtime
