//===- DriverTypesTest.cpp - our declarations against cuda.h --------------===//
//
// What   Every number, layout and function type of DriverTypes.h and
//        DriverFunctions.def, compared with the toolkit's header where one is
//        installed.
// Why    They were written down by hand; a wrong one is a crash on a machine
//        that the tests do not have.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "backends/nvidia/device/CudaDriver.h"

#ifdef TZ_HAVE_CUDA_HEADER
#include <cuda.h>
#endif

namespace {

#ifndef TZ_HAVE_CUDA_HEADER

TEST(DriverTypes, AreThoseOfTheHeader) {
  GTEST_SKIP() << "no cuda.h of version 12.4 or newer on this machine";
}

#else

namespace driver = tz::nvidia::driver;

/// A parameter or result as it is passed: what a register or the stack holds.
template <typename T>
struct Passed {
  using type = std::conditional_t<
      std::is_pointer_v<T>, void *,
      std::conditional_t<
          std::is_enum_v<T> || std::is_integral_v<T>,
          std::conditional_t<sizeof(T) == 8, uint64_t,
                             std::conditional_t<sizeof(T) == 4, uint32_t, T>>,
          T>>;
};
template <>
struct Passed<void> {
  using type = void *; // a result that is none; the tuple needs some type
};
template <typename R, typename... A>
struct Passed<R (*)(A...)> {
  using type =
      std::tuple<typename Passed<R>::type, typename Passed<A>::type...>;
};
template <typename F>
using PassedAs = typename Passed<std::decay_t<F>>::type;

TEST(DriverTypes, AreThoseOfTheHeader) {
#define SAME(ours, theirs) EXPECT_EQ(int(driver::ours), int(theirs)) << #theirs;
  SAME(Success, CUDA_SUCCESS)
  SAME(InvalidValue, CUDA_ERROR_INVALID_VALUE)
  SAME(OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)
  SAME(NotInitialized, CUDA_ERROR_NOT_INITIALIZED)
  SAME(Deinitialized, CUDA_ERROR_DEINITIALIZED)
  SAME(StubLibrary, CUDA_ERROR_STUB_LIBRARY)
  SAME(CallRequiresNewerDriver, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER)
  SAME(DeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE)
  SAME(NoDevice, CUDA_ERROR_NO_DEVICE)
  SAME(InvalidDevice, CUDA_ERROR_INVALID_DEVICE)
  SAME(DeviceNotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED)
  SAME(InvalidImage, CUDA_ERROR_INVALID_IMAGE)
  SAME(InvalidContext, CUDA_ERROR_INVALID_CONTEXT)
  SAME(NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
  SAME(EccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE)
  SAME(InvalidPtx, CUDA_ERROR_INVALID_PTX)
  SAME(NvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE)
  SAME(JitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
  SAME(UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
  SAME(JitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED)
  SAME(Contained, CUDA_ERROR_CONTAINED)
  SAME(OperatingSystem, CUDA_ERROR_OPERATING_SYSTEM)
  SAME(InvalidHandle, CUDA_ERROR_INVALID_HANDLE)
  SAME(NotFound, CUDA_ERROR_NOT_FOUND)
  SAME(NotReady, CUDA_ERROR_NOT_READY)
  SAME(IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS)
  SAME(LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
  SAME(LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT)
  SAME(ContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED)
  SAME(Assert, CUDA_ERROR_ASSERT)
  SAME(HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR)
  SAME(IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)
  SAME(MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS)
  SAME(InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE)
  SAME(InvalidPc, CUDA_ERROR_INVALID_PC)
  SAME(LaunchFailed, CUDA_ERROR_LAUNCH_FAILED)
  SAME(CooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
  SAME(TensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK)
  SAME(NotPermitted, CUDA_ERROR_NOT_PERMITTED)
  SAME(NotSupported, CUDA_ERROR_NOT_SUPPORTED)
  SAME(SystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY)
  SAME(SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
  SAME(CompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
  SAME(StreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
  SAME(StreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
  SAME(StreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
  SAME(ExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE)
  SAME(InvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE)
  SAME(UnknownResult, CUDA_ERROR_UNKNOWN)
  SAME(MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
  SAME(MaxGridY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
  SAME(SharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
  SAME(WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
  SAME(RegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
  SAME(ClockKHz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
  SAME(Multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
  SAME(Integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED)
  SAME(EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED)
  SAME(MemoryClockKHz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
  SAME(MemoryBusBits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
  SAME(L2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
  SAME(ThreadsPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
  SAME(CapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
  SAME(CapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
  SAME(SharedPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
  SAME(RegistersPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)
  SAME(ManagedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)
  SAME(PageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
  SAME(ConcurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
  SAME(CooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
  SAME(SharedPerBlockOptin,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
  SAME(BlocksPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)
  SAME(MemoryPools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
  SAME(ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
  SAME(TensorMaps, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED)
  SAME(HostNumaNode, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID)
  SAME(MemoryTypeOf, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
  SAME(IsManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED)
  SAME(DeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
  SAME(ContextOf, CU_POINTER_ATTRIBUTE_CONTEXT)
  SAME(RangeStart, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
  SAME(RangeSize, CU_POINTER_ATTRIBUTE_RANGE_SIZE)
  SAME(HostMemory, CU_MEMORYTYPE_HOST)
  SAME(DeviceMemory, CU_MEMORYTYPE_DEVICE)
  SAME(FunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
  SAME(FunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
  SAME(FunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
  SAME(FunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS)
  SAME(FunctionMaxDynamicShared,
       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
  SAME(FunctionNonPortableCluster,
       CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
  SAME(JitInfoLog, CU_JIT_INFO_LOG_BUFFER)
  SAME(JitInfoLogBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
  SAME(JitErrorLog, CU_JIT_ERROR_LOG_BUFFER)
  SAME(JitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
  SAME(StreamNonBlocking, CU_STREAM_NON_BLOCKING)
  SAME(CaptureGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL)
  SAME(CaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED)
  SAME(CaptureNone, CU_STREAM_CAPTURE_STATUS_NONE)
  SAME(CaptureActive, CU_STREAM_CAPTURE_STATUS_ACTIVE)
  SAME(EventDisableTiming, CU_EVENT_DISABLE_TIMING)
  SAME(HostAllocPortable, CU_MEMHOSTALLOC_PORTABLE)
  SAME(AttachGlobal, CU_MEM_ATTACH_GLOBAL)
  SAME(LaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
  SAME(LaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
  SAME(TensorU8, CU_TENSOR_MAP_DATA_TYPE_UINT8)
  SAME(TensorU16, CU_TENSOR_MAP_DATA_TYPE_UINT16)
  SAME(TensorU32, CU_TENSOR_MAP_DATA_TYPE_UINT32)
  SAME(TensorI32, CU_TENSOR_MAP_DATA_TYPE_INT32)
  SAME(TensorU64, CU_TENSOR_MAP_DATA_TYPE_UINT64)
  SAME(TensorI64, CU_TENSOR_MAP_DATA_TYPE_INT64)
  SAME(TensorF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
  SAME(TensorF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32)
  SAME(TensorF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64)
  SAME(TensorBF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)
  SAME(TensorTF32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32)
  SAME(SwizzleNone, CU_TENSOR_MAP_SWIZZLE_NONE)
  SAME(Swizzle32, CU_TENSOR_MAP_SWIZZLE_32B)
  SAME(Swizzle64, CU_TENSOR_MAP_SWIZZLE_64B)
  SAME(Swizzle128, CU_TENSOR_MAP_SWIZZLE_128B)
  SAME(PromoteNone, CU_TENSOR_MAP_L2_PROMOTION_NONE)
  SAME(Promote64, CU_TENSOR_MAP_L2_PROMOTION_L2_64B)
  SAME(Promote128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
  SAME(Promote256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
  SAME(FillZero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
  SAME(FillNan, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
#undef SAME
  EXPECT_EQ(driver::LegacyStream,
            reinterpret_cast<driver::Stream>(CU_STREAM_LEGACY));
  EXPECT_EQ(driver::PerThreadStream,
            reinterpret_cast<driver::Stream>(CU_STREAM_PER_THREAD));
  EXPECT_EQ(driver::ParamEnd, CU_LAUNCH_PARAM_END);
  EXPECT_EQ(driver::ParamBufferPointer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(driver::ParamBufferSize, CU_LAUNCH_PARAM_BUFFER_SIZE);
  static_assert(sizeof(driver::Uuid) == sizeof(CUuuid));
  static_assert(sizeof(driver::TensorMap) == sizeof(CUtensorMap));
  static_assert(alignof(driver::TensorMap) >= alignof(CUtensorMap));
  static_assert(sizeof(driver::LaunchAttribute) == sizeof(CUlaunchAttribute));
  static_assert(offsetof(driver::LaunchAttribute, value) ==
                offsetof(CUlaunchAttribute, value));
  static_assert(sizeof(driver::LaunchConfig) == sizeof(CUlaunchConfig));
  static_assert(offsetof(driver::LaunchConfig, block) ==
                offsetof(CUlaunchConfig, blockDimX));
  static_assert(offsetof(driver::LaunchConfig, dynamicShared) ==
                offsetof(CUlaunchConfig, sharedMemBytes));
  static_assert(offsetof(driver::LaunchConfig, stream) ==
                offsetof(CUlaunchConfig, hStream));
  static_assert(offsetof(driver::LaunchConfig, attributes) ==
                offsetof(CUlaunchConfig, attrs));
  static_assert(offsetof(driver::LaunchConfig, numAttributes) ==
                offsetof(CUlaunchConfig, numAttrs));
}

TEST(DriverTypes, FunctionsTakeWhatTheHeaderSays) {
  using Table = driver::Functions;
#define SAME(member, theirs)                                                   \
  EXPECT_TRUE((std::is_same_v<PassedAs<decltype(Table::member)>,               \
                              PassedAs<decltype(&theirs)>>))                   \
      << #theirs;
#define TZ_DRIVER(member, symbol, parameters) SAME(member, symbol)
#include "backends/nvidia/device/DriverFunctions.def"
#undef SAME
}

#endif

} // namespace
