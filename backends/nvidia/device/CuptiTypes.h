//===- CuptiTypes.h - what of CUPTI is used, declared here ----------------===//
//
// What   Constants, functions and the heads of activity records, as CUPTI's
//        documentation gives them.
// Why    The toolkit's headers are not needed to build, and a record's head has
//        been the same in all versions that are taken (CUDA 11 and newer): the
//        numbers of its later versions stand behind it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTITYPES_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTITYPES_H

#include <cstddef>
#include <cstdint>

namespace tz::nvidia::cupti {

using Result = int;
constexpr Result Success = 0, MaxLimitReached = 12, NotInitialized = 15,
                 InsufficientPrivileges = 35, MultipleSubscribers = 39,
                 VirtualPrivileges = 40;

/// CUPTI_API_VERSION of CUDA 11.0, whose kernel records have this head.
constexpr uint32_t OldestVersion = 13;

enum Kind : uint32_t {
  Memcpy = 1,
  Memset = 2,
  DriverCall = 4,
  RuntimeCall = 5,
  ConcurrentKernel = 10,
  ExternalCorrelation = 39
};

/// Whose numbers are pushed: of launches, and of scopes.
enum ExternalKind : uint32_t { OfLaunches = 3, OfScopes = 4 };

struct KernelRecord {
  uint32_t kind;
  uint8_t cacheConfig, sharedMemoryConfig;
  uint16_t registersPerThread;
  uint32_t partitionedRequested, partitionedExecuted;
  uint64_t start, end, completed;
  uint32_t deviceId, contextId, streamId;
  int32_t grid[3], block[3];
  int32_t staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId;
  int64_t gridId;
  const char *name;
};
static_assert(offsetof(KernelRecord, start) == 16 &&
              offsetof(KernelRecord, deviceId) == 40 &&
              offsetof(KernelRecord, correlationId) == 92 &&
              offsetof(KernelRecord, name) == 104);

struct MemcpyRecord {
  uint32_t kind;
  uint8_t copyKind, sourceKind, targetKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
};
static_assert(offsetof(MemcpyRecord, bytes) == 8 &&
              offsetof(MemcpyRecord, deviceId) == 32);

struct MemsetRecord {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
};
static_assert(offsetof(MemsetRecord, start) == 16);

/// The documentation packs it; it has no padding of its own.
struct ExternalRecord {
  uint32_t kind, externalKind;
  uint64_t externalId;
  uint32_t correlationId, reserved;
};
static_assert(sizeof(ExternalRecord) == 24);

/// In a kernel's record: the number of its node; 0: no graph launched it.
constexpr size_t GraphNodeOffset = 144;

/// Callbacks of the driver's objects, where nodes of graphs are made or copied.
constexpr uint32_t ResourceDomain = 3, GraphNodeMade = 13, GraphNodeCopied = 20;
using Callback = void (*)(void *user, uint32_t domain, uint32_t what,
                          const void *data);

/// Of calls of the driver: before each launch, by any library.
constexpr uint32_t DriverDomain = 1, CallEntered = 0;
/// cuLaunchKernel, cuLaunchCooperativeKernel, cuGraphLaunch, cuLaunchKernelEx,
/// each also for threads with default streams of their own.
constexpr uint32_t LaunchCalls[] = {307, 442, 477, 478, 514, 515, 652, 653};
/// First and last of rows that copy or fill: cuMemcpy*, cuMemset*, of CUDA 4
/// and later.
constexpr uint32_t CopyCalls[][2] = {{248, 254}, {276, 293}, {305, 306},
                                     {318, 321}, {397, 416}, {418, 433},
                                     {776, 779}, {796, 799}};

struct CallData {
  uint32_t site; ///< CallEntered, or the call's end
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
  void *context;
  uint32_t contextNumber;
  uint64_t *shared;
  uint32_t correlationId; ///< of the records that the call makes
};
static_assert(offsetof(CallData, correlationId) == 64);

/// Of NVTX, whose ranges of this thread begin and end.
constexpr uint32_t RangeDomain = 5, RangePushed = 8, RangePushedWith = 10,
                   RangePopped = 11;

struct RangeData {
  const char *function;
  const void *parameters; ///< a pointer to the name, or to RangeAttributes
};

/// Of NVTX 3.
struct RangeAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t colorKind;
  uint32_t color;
  int32_t payloadKind, reserved;
  uint64_t payload;
  int32_t messageKind; ///< 1: `message` is a text of bytes
  const char *message;
};
static_assert(offsetof(RangeAttributes, message) == 40);

struct ResourceData {
  void *context, *handle;
  const void *descriptor; ///< GraphData
};

struct GraphData {
  void *graph, *originalGraph, *node, *originalNode;
};

using BufferRequested = void (*)(uint8_t **buffer, size_t *size,
                                 size_t *maxRecords);
using BufferCompleted = void (*)(void *context, uint32_t stream,
                                 uint8_t *buffer, size_t size, size_t valid);

/// Name here, symbol, parameters.
#define TZ_CUPTI_FUNCTIONS(X)                                                  \
  X(getVersion, cuptiGetVersion, (uint32_t *))                                 \
  X(getResultString, cuptiGetResultString, (cupti::Result, const char **))     \
  X(getTimestamp, cuptiGetTimestamp, (uint64_t *))                             \
  X(registerCallbacks, cuptiActivityRegisterCallbacks,                         \
    (cupti::BufferRequested, cupti::BufferCompleted))                          \
  X(enable, cuptiActivityEnable, (uint32_t))                                   \
  X(disable, cuptiActivityDisable, (uint32_t))                                 \
  X(flushAll, cuptiActivityFlushAll, (uint32_t))                               \
  X(getNextRecord, cuptiActivityGetNextRecord, (uint8_t *, size_t, void **))   \
  X(getDropped, cuptiActivityGetNumDroppedRecords,                             \
    (void *, uint32_t, size_t *))                                              \
  X(pushExternal, cuptiActivityPushExternalCorrelationId,                      \
    (uint32_t, uint64_t))                                                      \
  X(popExternal, cuptiActivityPopExternalCorrelationId, (uint32_t, uint64_t *))

/// Those that may be missing: kernels of graphs do without.
#define TZ_CUPTI_GRAPH_FUNCTIONS(X)                                            \
  X(subscribe, cuptiSubscribe, (void **, cupti::Callback, void *))             \
  X(unsubscribe, cuptiUnsubscribe, (void *))                                   \
  X(enableCallback, cuptiEnableCallback,                                       \
    (uint32_t, void *, uint32_t, uint32_t))                                    \
  X(getGraphNodeId, cuptiGetGraphNodeId, (void *, uint64_t *))

} // namespace tz::nvidia::cupti

#endif
