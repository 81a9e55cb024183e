//===- HipTypesTest.cpp - our declarations are HIP's ----------------------===//
//
// What   Numbers, sizes and places, held to HIP's header where there is one.
// Why    HipTypes.h is written by hand.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipTypes.h"

#include <gtest/gtest.h>

#ifdef TZ_HAVE_HIP_HEADER
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#endif

namespace tz::amd::hip {
namespace {

#ifdef TZ_HAVE_HIP_HEADER

#define EXPECT_RESULT(ours, theirs) EXPECT_EQ(int(ours), int(theirs))

TEST(HipTypes, ResultsHaveHipsNumbers) {
  EXPECT_RESULT(InvalidValue, hipErrorInvalidValue);
  EXPECT_RESULT(OutOfMemory, hipErrorOutOfMemory);
  EXPECT_RESULT(InvalidConfiguration, hipErrorInvalidConfiguration);
  EXPECT_RESULT(InvalidDevicePointer, hipErrorInvalidDevicePointer);
  EXPECT_RESULT(InsufficientDriver, hipErrorInsufficientDriver);
  EXPECT_RESULT(InvalidDeviceFunction, hipErrorInvalidDeviceFunction);
  EXPECT_RESULT(NoDevice, hipErrorNoDevice);
  EXPECT_RESULT(InvalidDevice, hipErrorInvalidDevice);
  EXPECT_RESULT(InvalidImage, hipErrorInvalidImage);
  EXPECT_RESULT(InvalidContext, hipErrorInvalidContext);
  EXPECT_RESULT(NoBinaryForGpu, hipErrorNoBinaryForGpu);
  EXPECT_RESULT(EccNotCorrectable, hipErrorECCNotCorrectable);
  EXPECT_RESULT(InvalidKernelFile, hipErrorInvalidKernelFile);
  EXPECT_RESULT(SharedObjectInitFailed, hipErrorSharedObjectInitFailed);
  EXPECT_RESULT(OperatingSystem, hipErrorOperatingSystem);
  EXPECT_RESULT(InvalidHandle, hipErrorInvalidHandle);
  EXPECT_RESULT(IllegalState, hipErrorIllegalState);
  EXPECT_RESULT(NotFound, hipErrorNotFound);
  EXPECT_RESULT(NotReady, hipErrorNotReady);
  EXPECT_RESULT(IllegalAddress, hipErrorIllegalAddress);
  EXPECT_RESULT(LaunchOutOfResources, hipErrorLaunchOutOfResources);
  EXPECT_RESULT(LaunchTimeOut, hipErrorLaunchTimeOut);
  EXPECT_RESULT(ContextIsDestroyed, hipErrorContextIsDestroyed);
  EXPECT_RESULT(Assert, hipErrorAssert);
  EXPECT_RESULT(LaunchFailure, hipErrorLaunchFailure);
  EXPECT_RESULT(CooperativeLaunchTooLarge, hipErrorCooperativeLaunchTooLarge);
  EXPECT_RESULT(NotSupported, hipErrorNotSupported);
  EXPECT_RESULT(StreamCaptureUnsupported, hipErrorStreamCaptureUnsupported);
  EXPECT_RESULT(StreamCaptureInvalidated, hipErrorStreamCaptureInvalidated);
  EXPECT_RESULT(StreamCaptureImplicit, hipErrorStreamCaptureImplicit);
  EXPECT_RESULT(UnknownResult, hipErrorUnknown);
  EXPECT_RESULT(RuntimeMemory, hipErrorRuntimeMemory);
  EXPECT_RESULT(RuntimeOther, hipErrorRuntimeOther);
}

TEST(HipTypes, AttributesHaveHipsNumbers) {
  EXPECT_RESULT(EccEnabled, hipDeviceAttributeEccEnabled);
  EXPECT_RESULT(ClockKHz, hipDeviceAttributeClockRate);
  EXPECT_RESULT(ConcurrentManagedAccess,
                hipDeviceAttributeConcurrentManagedAccess);
  EXPECT_RESULT(CooperativeLaunch, hipDeviceAttributeCooperativeLaunch);
  EXPECT_RESULT(Integrated, hipDeviceAttributeIntegrated);
  EXPECT_RESULT(L2Bytes, hipDeviceAttributeL2CacheSize);
  EXPECT_RESULT(ManagedMemory, hipDeviceAttributeManagedMemory);
  EXPECT_RESULT(MaxGridX, hipDeviceAttributeMaxGridDimX);
  EXPECT_RESULT(MaxGridY, hipDeviceAttributeMaxGridDimY);
  EXPECT_RESULT(MaxGridZ, hipDeviceAttributeMaxGridDimZ);
  EXPECT_RESULT(MaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock);
  EXPECT_RESULT(ThreadsPerUnit, hipDeviceAttributeMaxThreadsPerMultiProcessor);
  EXPECT_RESULT(MemoryBusBits, hipDeviceAttributeMemoryBusWidth);
  EXPECT_RESULT(MemoryClockKHz, hipDeviceAttributeMemoryClockRate);
  EXPECT_RESULT(Units, hipDeviceAttributeMultiprocessorCount);
  EXPECT_RESULT(PageableMemoryAccess, hipDeviceAttributePageableMemoryAccess);
  EXPECT_RESULT(HostPageTables,
                hipDeviceAttributePageableMemoryAccessUsesHostPageTables);
  EXPECT_RESULT(RegistersPerBlock, hipDeviceAttributeMaxRegistersPerBlock);
  EXPECT_RESULT(RegistersPerUnit,
                hipDeviceAttributeMaxRegistersPerMultiprocessor);
  EXPECT_RESULT(SharedPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock);
  EXPECT_RESULT(SharedPerUnit, hipDeviceAttributeSharedMemPerMultiprocessor);
  EXPECT_RESULT(WarpSize, hipDeviceAttributeWarpSize);
  EXPECT_RESULT(MemoryPools, hipDeviceAttributeMemoryPoolsSupported);
  EXPECT_RESULT(FunctionMaxThreads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_RESULT(FunctionSharedBytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_RESULT(FunctionLocalBytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EXPECT_RESULT(FunctionRegisters, HIP_FUNC_ATTRIBUTE_NUM_REGS);
}

TEST(HipTypes, StructuresAndTheirKindsAreHips) {
  EXPECT_EQ(offsetof(Properties, architecture),
            offsetof(hipDeviceProp_tR0600, gcnArchName));
  EXPECT_GE(sizeof(Properties), sizeof(hipDeviceProp_tR0600));
  EXPECT_EQ(sizeof(PointerAttributes), sizeof(hipPointerAttribute_t));
  EXPECT_EQ(offsetof(PointerAttributes, isManaged),
            offsetof(hipPointerAttribute_t, isManaged));
  EXPECT_EQ(sizeof(Uuid), sizeof(hipUUID));
  EXPECT_RESULT(DeviceMemory, hipMemoryTypeDevice);
  EXPECT_RESULT(HostMemory, hipMemoryTypeHost);
  EXPECT_RESULT(ManagedMemoryType, hipMemoryTypeManaged);
  EXPECT_RESULT(HostToDevice, hipMemcpyHostToDevice);
  EXPECT_RESULT(DeviceToHost, hipMemcpyDeviceToHost);
  EXPECT_RESULT(DeviceToDevice, hipMemcpyDeviceToDevice);
  EXPECT_RESULT(CopyAny, hipMemcpyDefault);
  EXPECT_RESULT(CaptureRelaxed, hipStreamCaptureModeRelaxed);
  EXPECT_EQ(StreamNonBlocking, unsigned(hipStreamNonBlocking));
  EXPECT_EQ(EventDisableTiming, unsigned(hipEventDisableTiming));
  EXPECT_EQ(LaunchBuffer, HIP_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(LaunchBufferBytes, HIP_LAUNCH_PARAM_BUFFER_SIZE);
  EXPECT_EQ(LaunchEnd, HIP_LAUNCH_PARAM_END);
  EXPECT_EQ(static_cast<void *>(PerThreadStream),
            static_cast<void *>(hipStreamPerThread));
}

#else
TEST(HipTypes, AreHeldToHipsHeader) {
  GTEST_SKIP() << "no header of HIP 6 or newer on this machine; "
                  "-DTERRAZZO_HIP_HEADER names its folder";
}
#endif

} // namespace
} // namespace tz::amd::hip
