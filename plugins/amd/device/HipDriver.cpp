//===- HipDriver.cpp - HIP, opened at run time ----------------------------===//
//
// What   Loading, version check, start; the table of what each result means.
// Why    A result is a number. What went wrong, and what to do, is written down
//        here once.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDriver.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <vector>

namespace tz::amd {

using namespace hip;

namespace {

struct Meaning {
  Result result;
  int32_t code;
  uint32_t flags;
  const char *advice; // cause and cure, or null
};

constexpr uint32_t Sticky = TZ_ERR_STICKY;
constexpr const char *BadAccess =
    "a kernel used an address that it may not: an index outside its buffer, "
    "memory that was freed, or ordinary memory of the host; 'tz run --check' "
    "finds the line";
constexpr const char *Capturing =
    "the stream records a graph, which must not be waited for";

constexpr Meaning Meanings[] = {
    {InvalidValue, TZ_E_INVALID_ARGUMENT, 0, nullptr},
    {OutOfMemory, TZ_E_OUT_OF_MEMORY, 0, nullptr},
    {NotInitialized, TZ_E_FAILED_PRECONDITION, 0,
     "HIP is not started in this process; a child of fork must exec"},
    {Deinitialized, TZ_E_FAILED_PRECONDITION, 0, "the process is ending"},
    {InvalidConfiguration, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {InvalidDevicePointer, TZ_E_INVALID_ARGUMENT, 0, nullptr},
    {InsufficientDriver, TZ_E_UNAVAILABLE, 0,
     "the kernel's driver (amdgpu) is older than this ROCm; update it"},
    {InvalidDeviceFunction, TZ_E_FAILED_PRECONDITION, 0,
     "the code was compiled for another architecture than this device's"},
    {NoDevice, TZ_E_UNAVAILABLE, 0,
     "no device is visible; HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may "
     "hide it, and /dev/kfd must be yours to open (group 'render')"},
    {InvalidDevice, TZ_E_NOT_FOUND, 0, nullptr},
    {InvalidImage, TZ_E_DATA_LOSS, 0, "the code object is damaged"},
    {InvalidContext, TZ_E_FAILED_PRECONDITION, 0,
     "the object belongs to another device"},
    {NoBinaryForGpu, TZ_E_FAILED_PRECONDITION, 0,
     "the code was compiled for another architecture than this device's, or "
     "the code object is of a version that this ROCm does not know "
     "(--option code_object_version=5)"},
    {EccNotCorrectable, TZ_E_DEVICE_LOST, Sticky,
     "the device's memory has failed; 'rocm-smi --showrasinfo' tells more"},
    {InvalidKernelFile, TZ_E_DATA_LOSS, 0, "the code object is damaged"},
    {SharedObjectInitFailed, TZ_E_UNAVAILABLE, 0,
     "the code object could not be loaded; ROCm's log (AMD_LOG_LEVEL=3) says "
     "why"},
    {OperatingSystem, TZ_E_UNAVAILABLE, 0,
     "the device files /dev/kfd and /dev/dri/renderD* are missing or not "
     "yours to open (group 'render')"},
    {InvalidHandle, TZ_E_INVALID_ARGUMENT, 0,
     "the object was destroyed, or belongs to another device"},
    {IllegalState, TZ_E_FAILED_PRECONDITION, 0, nullptr},
    {NotFound, TZ_E_NOT_FOUND, 0, nullptr},
    {NotReady, TZ_E_FAILED_PRECONDITION, 0, nullptr},
    {IllegalAddress, TZ_E_DEVICE_LOST, Sticky, BadAccess},
    {LaunchOutOfResources, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {LaunchTimeOut, TZ_E_DEVICE_LOST, Sticky,
     "a kernel ran longer than the driver allows; the kernel log (dmesg, "
     "'amdgpu') says more"},
    {ContextIsDestroyed, TZ_E_DEVICE_LOST, Sticky,
     "the application has reset the device (hipDeviceReset)"},
    {Assert, TZ_E_DEVICE_LOST, Sticky,
     "an assertion in a kernel of the application failed"},
    {LaunchFailure, TZ_E_DEVICE_LOST, Sticky, BadAccess},
    {CooperativeLaunchTooLarge, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {NotSupported, TZ_E_UNIMPLEMENTED, 0, nullptr},
    {StreamCaptureUnsupported, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {StreamCaptureInvalidated, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {StreamCaptureImplicit, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {UnknownResult, TZ_E_UNKNOWN, 0,
     "the kernel log (dmesg, 'amdgpu') may say more"},
    {RuntimeMemory, TZ_E_OUT_OF_MEMORY, 0, nullptr},
    {RuntimeOther, TZ_E_UNKNOWN, 0,
     "the kernel log (dmesg, 'amdgpu') may say more"},
};

const Meaning &meaningOf(Result result) {
  for (const Meaning &one : Meanings) {
    if (one.result == result) {
      return one;
    }
  }
  static constexpr Meaning unknown = {UnknownResult, TZ_E_UNKNOWN, 0, nullptr};
  return unknown;
}

/// The newest first; what is too old is opened to say so.
std::vector<std::string> namesOf(const std::string &library) {
  if (!library.empty()) {
    return {library};
  }
  return {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so",
          "libamdhip64.so.5"};
}

Failure tooOld(const std::string &library, int version) {
  return Failure(TZ_E_UNAVAILABLE,
                 "HIP too old: " + library + " is of version " +
                     versionText(version) + ", Terrazzo needs 6.0 or newer; " +
                     "update ROCm");
}

} // namespace

std::string versionText(int version) {
  return std::to_string(version / 10000000) + "." +
         std::to_string(version % 10000000 / 100000) + "." +
         std::to_string(version % 100000);
}

HipDriver::HipDriver(const std::string &library) {
  const std::vector<std::string> names = namesOf(library);
  plugin::DriverLibrary opened("HIP", names);
#define TZ_HIP(member, symbol, parameters) opened.load(member, #symbol);
#define TZ_HIP_OPTIONAL(member, symbol, parameters)                            \
  opened.load(member, #symbol, /*isRequired=*/false);
#include "plugins/amd/device/HipFunctions.def"
  opened.load(getErrorName, "hipGetErrorName");
  opened.load(getErrorString, "hipGetErrorString");
  if (runtimeGetVersion && runtimeGetVersion(&hipVersion) == Success &&
      hipVersion != 0 && hipVersion < OldestHip) {
    throw tooOld(opened.name(), hipVersion);
  }
  if (opened.missing()) {
    throw Failure(TZ_E_UNAVAILABLE, "no HIP: " + opened.name() +
                                        " has no function " + opened.missing() +
                                        "; it is no HIP of version 6.0 or "
                                        "newer");
  }
  Result started = told(init(0));
  if (started == Success) {
    started = told(getDeviceCount(&devices));
  }
  if (started == NoDevice || started == InvalidDevice) {
    devices = 0; // both are what a machine without one answers
  } else if (started != Success) {
    const Failure why = failure(started, "start HIP (" + opened.name() + ")");
    throw Failure(TZ_E_UNAVAILABLE, why.message, why.native);
  }
}

int32_t HipDriver::codeOf(Result result) { return meaningOf(result).code; }
uint32_t HipDriver::flagsOf(Result result) { return meaningOf(result).flags; }

Failure HipDriver::failure(Result result, std::string_view attempt,
                           std::string_view facts) const {
  const Meaning &meaning = meaningOf(result);
  const char *name = getErrorName(result), *text = getErrorString(result);
  std::string message = "cannot " + std::string(attempt) + ": ";
  if (text) {
    message += std::string(text) + " ";
  }
  message +=
      "(" +
      (name ? std::string(name) : "result " + std::to_string(int(result))) +
      ")";
  if (!facts.empty()) {
    message += "; " + std::string(facts);
  }
  if (meaning.advice) {
    message += "; " + std::string(meaning.advice);
  }
  return Failure(meaning.code, std::move(message), result, meaning.flags);
}

} // namespace tz::amd
