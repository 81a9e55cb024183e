//===- HipTypes.h - HIP's types, declared by us ---------------------------===//
//
// What   Numbers and handles of HIP 6 and 7, as far as this half uses them.
// Why    Nothing of ROCm is needed to build. HipTypesTest compares them with
//        HIP's own header where there is one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DEVICE_HIPTYPES_H
#define TERRAZZO_PLUGINS_AMD_DEVICE_HIPTYPES_H

#include <cstddef>
#include <cstdint>

namespace tz::amd::hip {

enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  InvalidConfiguration = 9,
  InvalidDevicePointer = 17,
  InsufficientDriver = 35,
  InvalidDeviceFunction = 98,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccNotCorrectable = 214,
  InvalidKernelFile = 218,
  SharedObjectInitFailed = 303,
  OperatingSystem = 304,
  InvalidHandle = 400,
  IllegalState = 401,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeOut = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  LaunchFailure = 719,
  CooperativeLaunchTooLarge = 720,
  NotSupported = 801,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureImplicit = 906,
  UnknownResult = 999,
  RuntimeMemory = 1052,
  RuntimeOther = 1053
};

enum DeviceAttribute : int {
  EccEnabled = 0,
  ClockKHz = 5,
  ConcurrentManagedAccess = 9,
  CooperativeLaunch = 10,
  Integrated = 16,
  L2Bytes = 19,
  ManagedMemory = 24,
  MaxGridX = 29,
  MaxGridY = 30,
  MaxGridZ = 31,
  MaxThreadsPerBlock = 56,
  ThreadsPerUnit = 57,
  MemoryBusBits = 59,
  MemoryClockKHz = 60,
  Units = 63,
  PageableMemoryAccess = 65,
  HostPageTables = 66,
  RegistersPerBlock = 71,
  RegistersPerUnit = 72,
  SharedPerBlock = 74,
  SharedPerUnit = 76,
  WarpSize = 87,
  MemoryPools = 88
};

enum FunctionAttribute : int {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4
};

enum CopyKind : int {
  HostToHost = 0,
  HostToDevice = 1,
  DeviceToHost = 2,
  DeviceToDevice = 3,
  CopyAny = 4
};

enum MemoryType : int { // of HIP 6: other numbers than before
  Unregistered = 0,
  HostMemory = 1,
  DeviceMemory = 2,
  ManagedMemoryType = 3
};
struct PointerAttributes {
  MemoryType type;
  int device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned allocationFlags;
};

enum CaptureMode : int { CaptureRelaxed = 2 };
enum CaptureStatus : int { CaptureNone = 0 };

inline constexpr unsigned StreamNonBlocking = 1, EventDisableTiming = 2,
                          HostPortable = 1, AttachGlobal = 1;
/// What stands before a packed buffer of arguments, its size, and the end.
inline void *const LaunchBuffer = reinterpret_cast<void *>(1);
inline void *const LaunchBufferBytes = reinterpret_cast<void *>(2);
inline void *const LaunchEnd = reinterpret_cast<void *>(3);

using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Pointer = void *;
using StreamCallback = void (*)(Stream, Result, void *user);

/// Streams that are nobody's object.
inline const auto LegacyStream = reinterpret_cast<Stream>(1);
inline const auto PerThreadStream = reinterpret_cast<Stream>(2);

struct Uuid {
  char bytes[16];
};

/// hipDeviceProp_t as of 6.0 (hipGetDevicePropertiesR0600). Only the name of
/// the architecture is read; the rest may grow.
struct Properties {
  char before[1160];
  char architecture[256]; ///< "gfx942:sramecc+:xnack-"
  char behind[2680];
};

} // namespace tz::amd::hip

#endif
