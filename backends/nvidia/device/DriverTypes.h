//===- DriverTypes.h - types and constants of the CUDA driver API ---------===//
//
// What   The part of the driver's binary interface that the device half uses:
//        handles, numbers, two structs.
// Why    cuda.h belongs to the toolkit, which a machine that launches kernels
//        does not have, and its licence keeps it out of this tree. All of this
//        is ABI: the driver never changes a number or a layout.
//
// Each block names the page of the "CUDA Driver API" reference that specifies
// it. test/DriverTypesTest.cpp compares all of it with cuda.h where one is
// installed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_DRIVERTYPES_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace tz::nvidia::driver {

// "Data types used by CUDA driver": opaque handles. A device is a number from
// cuDeviceGet, a device pointer 64 bits.
using DeviceNumber = int;
using Pointer = uint64_t;
using Context = struct ContextObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
struct Uuid {
  unsigned char bytes[16];
};

// "Stream Management": handles that stand for the two default streams.
inline const Stream LegacyStream = reinterpret_cast<Stream>(1);
inline const Stream PerThreadStream = reinterpret_cast<Stream>(2);

// enum CUresult. Only those with a meaning of their own here.
enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  CallRequiresNewerDriver = 36,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  DeviceNotLicensed = 102,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  JitCompilationDisabled = 223,
  Contained = 226,
  OperatingSystem = 304,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  CooperativeLaunchTooLarge = 720,
  TensorMemoryLeak = 721,
  NotPermitted = 800,
  NotSupported = 801,
  SystemNotReady = 802,
  SystemDriverMismatch = 803,
  CompatNotSupportedOnDevice = 804,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureImplicit = 906,
  ExternalDevice = 911,
  InvalidClusterSize = 912,
  UnknownResult = 999,
};

// enum CUdevice_attribute.
enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxGridY = 6, ///< and Z; X is 2^31-1 on every device that is served
  SharedPerBlock = 8,
  WarpSize = 10,
  RegistersPerBlock = 12,
  ClockKHz = 13,
  Multiprocessors = 16,
  Integrated = 18,
  EccEnabled = 32,
  MemoryClockKHz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  ThreadsPerMultiprocessor = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  SharedPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  ManagedMemory = 83,
  PageableMemoryAccess = 88,
  ConcurrentManagedAccess = 89,
  CooperativeLaunch = 95,
  SharedPerBlockOptin = 97,
  BlocksPerMultiprocessor = 106,
  MemoryPools = 115,
  ClusterLaunch = 120,
  TensorMaps = 127,
  HostNumaNode = 134,
};

// enum CUpointer_attribute; enum CUmemorytype.
enum PointerAttribute : int {
  ContextOf = 1,
  MemoryTypeOf = 2,
  IsManaged = 8,
  DeviceOrdinal = 9,
  RangeStart = 11,
  RangeSize = 12,
};
enum MemoryType : unsigned { HostMemory = 1, DeviceMemory = 2 };

// enum CUfunction_attribute.
enum FunctionAttribute : int {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionMaxDynamicShared = 8,
  FunctionNonPortableCluster = 14,
};

// enum CUjit_option: options and values are parallel arrays, numbers travel in
// the pointer itself.
enum JitOption : int {
  JitInfoLog = 3,
  JitInfoLogBytes = 4,
  JitErrorLog = 5,
  JitErrorLogBytes = 6,
};

// enum CUstreamCaptureMode, CUstreamCaptureStatus.
enum CaptureMode : int { CaptureGlobal = 0, CaptureRelaxed = 2 };
enum CaptureStatus : int { CaptureNone = 0, CaptureActive = 1 };

// Flags of cuStreamCreateWithPriority, cuEventCreate, cuMemHostAlloc,
// cuMemAllocManaged.
inline constexpr unsigned StreamNonBlocking = 1;
inline constexpr unsigned EventDisableTiming = 2;
inline constexpr unsigned HostAllocPortable = 1;
inline constexpr unsigned AttachGlobal = 1;

// struct CUlaunchAttribute and the members of its union that are used here;
// struct CUlaunchConfig ("Execution Control", cuLaunchKernelEx).
enum LaunchAttributeId : unsigned {
  LaunchCooperative = 2,
  LaunchClusterDimension = 4,
};
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char size[64];
    int flag;
    unsigned cluster[3];
  } value;
};
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned dynamicShared;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

// `extra` of a launch: the packed arguments (CU_LAUNCH_PARAM_*).
inline void *const ParamEnd = nullptr;
inline void *const ParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const ParamBufferSize = reinterpret_cast<void *>(2);

// "Tensor Map Object Management": struct CUtensorMap and the enumerations of
// cuTensorMapEncodeTiled. Alignment 128 since CUDA 13, 64 before.
struct alignas(128) TensorMap {
  uint64_t words[16];
};
enum TensorElement : int {
  TensorU8 = 0,
  TensorU16 = 1,
  TensorU32 = 2,
  TensorI32 = 3,
  TensorU64 = 4,
  TensorI64 = 5,
  TensorF16 = 6,
  TensorF32 = 7,
  TensorF64 = 8,
  TensorBF16 = 9,
  TensorTF32 = 11,
};
enum TensorSwizzle : int {
  SwizzleNone = 0,
  Swizzle32 = 1,
  Swizzle64 = 2,
  Swizzle128 = 3,
};
enum TensorPromotion : int {
  PromoteNone = 0,
  Promote64 = 1,
  Promote128 = 2,
  Promote256 = 3,
};
enum TensorFill : int { FillZero = 0, FillNan = 1 };

/// cuStreamAddCallback.
using StreamCallback = void (*)(Stream, Result, void *user);

} // namespace tz::nvidia::driver

#endif
