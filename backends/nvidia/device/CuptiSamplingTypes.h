//===- CuptiSamplingTypes.h - CUPTI's sampling of instructions, declared --===//
//
// What   Constants, structs and functions of CUPTI's PC sampling interface.
// Why    As CuptiTypes.h: the toolkit's headers are not needed to build. Each
//        struct tells its size, by which CUPTI knows its version.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTISAMPLINGTYPES_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTISAMPLINGTYPES_H

#include "backends/nvidia/device/CuptiTypes.h"

namespace tz::nvidia::cupti {

constexpr Result OutOfMemory = 8;

/// Periods are powers of two, between these.
constexpr uint32_t LeastPeriodLog = 5, MostPeriodLog = 31;

enum SamplingAttribute : uint32_t {
  SamplingPeriod = 1,      ///< uint32_t: log2 of the cycles
  SamplingReasons = 2,     ///< ReasonList
  SamplingScratch = 3,     ///< size_t: bytes
  SamplingMode = 5,        ///< uint32_t
  SamplingStartStop = 6,   ///< uint32_t: 1, begun and ended by calls
  SamplingFormat = 7,      ///< uint32_t
  SamplingDestination = 8, ///< SamplingData *
};
constexpr uint32_t Continuous = 1, Parsed = 1;

#define TZ_CUPTI_PACKED __attribute__((packed, aligned(8)))

struct TZ_CUPTI_PACKED StallCount {
  uint32_t reason, samples;
};

/// One instruction.
struct TZ_CUPTI_PACKED SampledPlace {
  size_t size;
  uint64_t cubinCrc, offset;
  uint32_t functionIndex, pad;
  const char *function; ///< may be shared: it is never freed
  size_t reasons;
  StallCount *counts;
  uint32_t correlation;
};
static_assert(offsetof(SampledPlace, function) == 32 &&
              offsetof(SampledPlace, correlation) == 56);

struct TZ_CUPTI_PACKED SamplingData {
  size_t size;
  size_t room; ///< places
  uint64_t samples, dropped;
  size_t places, remaining;
  uint64_t range;
  SampledPlace *first;
  uint64_t samplesOfOthers;
  uint8_t isHardwareFull;
};
static_assert(offsetof(SamplingData, first) == 56 &&
              offsetof(SamplingData, isHardwareFull) == 72);

struct ReasonList {
  size_t count;
  uint32_t *reasons;
};

struct SamplingSetting {
  uint32_t attribute;
  Result status;
  union {
    uint64_t words[3];
    uint32_t number;
    size_t bytes;
    void *pointer;
    ReasonList reasons;
  };
};
static_assert(sizeof(SamplingSetting) == 32);

struct SamplingCall { ///< enable, disable, start, stop
  size_t size;
  void *reserved, *context;
};
struct SamplingSettings {
  size_t size;
  void *reserved, *context;
  size_t count;
  SamplingSetting *settings;
};
struct SamplingRead {
  size_t size;
  void *reserved, *context;
  void *data; ///< SamplingData
};
struct ReasonCount {
  size_t size;
  void *reserved, *context;
  size_t *count;
};
struct ReasonNames {
  size_t size;
  void *reserved, *context;
  size_t count;
  uint32_t *reasons;
  char **names; ///< of MostNameBytes each
};
constexpr size_t MostNameBytes = 128;

struct CubinCrc {
  size_t size;
  size_t cubinBytes;
  const void *cubin;
  uint64_t crc;
};
struct SourcePlace {
  size_t size;
  const void *cubin;
  const char *function;
  size_t cubinBytes;
  uint32_t line;
  uint64_t offset;
  char *file, *folder; ///< to be freed
};
static_assert(offsetof(SourcePlace, file) == 48);

/// Name here, symbol, parameters.
#define TZ_CUPTI_SAMPLING_FUNCTIONS(X)                                         \
  X(getResultString, cuptiGetResultString, (cupti::Result, const char **))     \
  X(enable, cuptiPCSamplingEnable, (cupti::SamplingCall *))                    \
  X(disable, cuptiPCSamplingDisable, (cupti::SamplingCall *))                  \
  X(start, cuptiPCSamplingStart, (cupti::SamplingCall *))                      \
  X(stop, cuptiPCSamplingStop, (cupti::SamplingCall *))                        \
  X(configure, cuptiPCSamplingSetConfigurationAttribute,                       \
    (cupti::SamplingSettings *))                                               \
  X(getData, cuptiPCSamplingGetData, (cupti::SamplingRead *))                  \
  X(countReasons, cuptiPCSamplingGetNumStallReasons, (cupti::ReasonCount *))   \
  X(nameReasons, cuptiPCSamplingGetStallReasons, (cupti::ReasonNames *))       \
  X(getCubinCrc, cuptiGetCubinCrc, (cupti::CubinCrc *))                        \
  X(getSourcePlace, cuptiGetSassToSourceCorrelation, (cupti::SourcePlace *))

} // namespace tz::nvidia::cupti

#endif
