//===- Copy.cpp - copy and fill -------------------------------------------===//
//
// What   Moves and fills memory; large ranges are shared by the pool.
// Why    One core reaches about half of the memory rate of a machine. Both are
//        written as grids, so that the pool has one kind of work only.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"
#include "plugins/cpu/device/DeviceErrors.h"

#include <algorithm>
#include <cstring>

namespace tz::cpu {

namespace {

constexpr uint64_t PieceBytes = uint64_t{1} << 20;
constexpr uint64_t ShareFrom = 4 * PieceBytes;

struct CopyArgs {
  char *dst;
  const char *src;
  uint64_t bytes;
};

void copyPieces(const void *args, const uint32_t *, int64_t first, int64_t last,
                void *, tz_cpu_run *) {
  auto *a = static_cast<const CopyArgs *>(args);
  uint64_t begin = static_cast<uint64_t>(first) * PieceBytes;
  uint64_t end = std::min(a->bytes, static_cast<uint64_t>(last) * PieceBytes);
  std::memcpy(a->dst + begin, a->src + begin, end - begin);
}

struct FillArgs {
  char *dst;
  uint64_t bytes;
  unsigned char pattern[4]; ///< repeated to four bytes
};

void fillPieces(const void *args, const uint32_t *, int64_t first, int64_t last,
                void *, tz_cpu_run *) {
  auto *a = static_cast<const FillArgs *>(args);
  uint64_t begin = static_cast<uint64_t>(first) * PieceBytes;
  uint64_t end = std::min(a->bytes, static_cast<uint64_t>(last) * PieceBytes);
  const unsigned char *p = a->pattern;
  if (p[0] == p[1] && p[0] == p[2] && p[0] == p[3]) {
    std::memset(a->dst + begin, p[0], end - begin);
    return;
  }
  // Pieces start at multiples of four, so the pattern starts anew in each.
  uint32_t word;
  std::memcpy(&word, p, 4);
  char *at = a->dst + begin, *whole = at + (end - begin) / 4 * 4;
  for (; at != whole; at += 4) {
    std::memcpy(at, &word, 4);
  }
  std::memcpy(at, p, (end - begin) % 4);
}

tz_error *runPieces(tz_stream *stream, tz_cpu_entry entry, const void *args,
                    uint64_t bytes) {
  GridJob job;
  job.entry = entry;
  job.args = args;
  job.programs = static_cast<int64_t>((bytes + PieceBytes - 1) / PieceBytes);
  if (bytes < ShareFrom) {
    entry(args, job.grid, 0, job.programs, nullptr, nullptr);
    return nullptr;
  }
  const GridEnd end = stream->device->platform->pool.run(job);
  return end.executor == TZ_E_OK
             ? nullptr
             : makeExecutorError(end.executor, "a copy or fill of " +
                                                   std::to_string(bytes) +
                                                   " bytes was ended before "
                                                   "it was done");
}

} // namespace

tz_error *copyMemory(tz_stream *stream, tz_dptr dst, tz_dptr src, uint64_t n,
                     uint32_t) {
  if (n == 0) {
    return nullptr;
  }
  if (dst == 0 || src == 0) {
    return makeError(TZ_E_INVALID_ARGUMENT, "cpu: copy with a null address");
  }
  CopyArgs args{reinterpret_cast<char *>(dst),
                reinterpret_cast<const char *>(src), n};
  if (dst < src + n && src < dst + n) {
    std::memmove(args.dst, args.src, n);
    return nullptr;
  }
  return runPieces(stream, copyPieces, &args, n);
}

tz_error *fillMemory(tz_stream *stream, tz_dptr dst, uint64_t n,
                     uint32_t pattern, uint32_t patternBytes) {
  if ((patternBytes != 1 && patternBytes != 2 && patternBytes != 4) ||
      n % patternBytes != 0) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: a fill pattern has 1, 2 or 4 bytes and divides the "
                     "size");
  }
  if (n == 0) {
    return nullptr;
  }
  if (dst == 0) {
    return makeError(TZ_E_INVALID_ARGUMENT, "cpu: fill of a null address");
  }
  FillArgs args{reinterpret_cast<char *>(dst), n, {}};
  for (unsigned i = 0; i < 4; ++i) {
    args.pattern[i] =
        static_cast<unsigned char>(pattern >> (8 * (i % patternBytes)));
  }
  return runPieces(stream, fillPieces, &args, n);
}

} // namespace tz::cpu
