//===- CudaDriver.cpp - the CUDA driver, opened at run time ---------------===//
//
// What   Loading, version check, start; the table of what each result means.
// Why    A result is a number. What went wrong, and what to do, is written down
//        here once.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDriver.h"

#include <terrazzo/plugin/DriverLibrary.h>

namespace tz::nvidia {

using namespace driver;

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
    "memory that was freed, or memory of the host or of another device; 'tz "
    "run --check' finds the line, compute-sanitizer the instruction";
constexpr const char *BadCode =
    "the code that ran is damaged or jumped out of itself, for example through "
    "inline assembly";
constexpr const char *Capturing =
    "the stream records a graph, which must not be waited for";

constexpr Meaning Meanings[] = {
    {InvalidValue, TZ_E_INVALID_ARGUMENT, 0, nullptr},
    {OutOfMemory, TZ_E_OUT_OF_MEMORY, 0, nullptr},
    {NotInitialized, TZ_E_FAILED_PRECONDITION, 0,
     "the driver is not started in this process; a child of fork must exec"},
    {Deinitialized, TZ_E_FAILED_PRECONDITION, 0, "the process is ending"},
    {StubLibrary, TZ_E_UNAVAILABLE, 0,
     "this libcuda.so.1 is the toolkit's stub for linking; take its folder out "
     "of the library path"},
    {CallRequiresNewerDriver, TZ_E_UNIMPLEMENTED, 0, "update the driver"},
    {DeviceUnavailable, TZ_E_UNAVAILABLE, TZ_ERR_RETRY,
     "another process holds the device alone (compute mode of nvidia-smi), or "
     "it is being reset"},
    {NoDevice, TZ_E_UNAVAILABLE, 0,
     "no device is visible; CUDA_VISIBLE_DEVICES may hide it"},
    {InvalidDevice, TZ_E_NOT_FOUND, 0, nullptr},
    {DeviceNotLicensed, TZ_E_UNAVAILABLE, 0, nullptr},
    {InvalidImage, TZ_E_DATA_LOSS, 0,
     "the machine code is damaged, or newer than the driver"},
    {InvalidContext, TZ_E_FAILED_PRECONDITION, 0,
     "the object belongs to another device or to another context"},
    {NoBinaryForGpu, TZ_E_FAILED_PRECONDITION, 0,
     "the code was compiled for another architecture than this device's"},
    {EccUncorrectable, TZ_E_DEVICE_LOST, Sticky,
     "the device's memory has failed; see 'nvidia-smi -q -d ECC', then reset "
     "or replace it"},
    {InvalidPtx, TZ_E_DATA_LOSS, 0, nullptr},
    {NvlinkUncorrectable, TZ_E_DEVICE_LOST, Sticky,
     "a link between devices has failed"},
    {JitCompilerNotFound, TZ_E_UNAVAILABLE, 0,
     "the driver's libnvidia-ptxjitcompiler.so.1 is missing; install the whole "
     "driver, or compile with ptxas and the option ahead_of_time=1"},
    {UnsupportedPtxVersion, TZ_E_FAILED_PRECONDITION, 0,
     "the PTX is newer than the driver; update the driver, or compile with a "
     "ptxas"},
    {JitCompilationDisabled, TZ_E_FAILED_PRECONDITION, 0,
     "CUDA_DISABLE_PTX_JIT is set; unset it, or compile with ptxas and the "
     "option ahead_of_time=1"},
    {Contained, TZ_E_DEVICE_LOST, Sticky, "the device's memory has failed"},
    {OperatingSystem, TZ_E_UNAVAILABLE, 0,
     "the device files /dev/nvidia* are missing or not yours to open"},
    {InvalidHandle, TZ_E_INVALID_ARGUMENT, 0,
     "the object was destroyed, or belongs to another device or context"},
    {NotFound, TZ_E_NOT_FOUND, 0, nullptr},
    {NotReady, TZ_E_FAILED_PRECONDITION, 0, nullptr},
    {IllegalAddress, TZ_E_DEVICE_LOST, Sticky, BadAccess},
    {LaunchOutOfResources, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {LaunchTimeout, TZ_E_DEVICE_LOST, Sticky,
     "the device also drives a display, and the watchdog ended a long kernel"},
    {ContextIsDestroyed, TZ_E_DEVICE_LOST, Sticky,
     "the application has reset the device (cudaDeviceReset)"},
    {Assert, TZ_E_DEVICE_LOST, Sticky,
     "an assertion in a kernel of the application failed"},
    {HardwareStackError, TZ_E_DEVICE_LOST, Sticky, BadCode},
    {IllegalInstruction, TZ_E_DEVICE_LOST, Sticky, BadCode},
    {MisalignedAddress, TZ_E_DEVICE_LOST, Sticky,
     "a kernel used an address that is no multiple of the access's size: a "
     "pointer or stride differs from what it was compiled for"},
    {InvalidAddressSpace, TZ_E_DEVICE_LOST, Sticky, BadAccess},
    {InvalidPc, TZ_E_DEVICE_LOST, Sticky, BadCode},
    {LaunchFailed, TZ_E_DEVICE_LOST, Sticky, BadAccess},
    {CooperativeLaunchTooLarge, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {TensorMemoryLeak, TZ_E_DEVICE_LOST, Sticky,
     "a kernel ended without giving back its tensor memory"},
    {NotPermitted, TZ_E_FAILED_PRECONDITION, 0, nullptr},
    {NotSupported, TZ_E_UNIMPLEMENTED, 0, nullptr},
    {SystemNotReady, TZ_E_UNAVAILABLE, TZ_ERR_RETRY,
     "a service of the driver does not run (nvidia-fabricmanager on machines "
     "with NVSwitch)"},
    {SystemDriverMismatch, TZ_E_UNAVAILABLE, 0,
     "libcuda.so.1 and the kernel module are of different versions; restart "
     "the machine after a driver update"},
    {CompatNotSupportedOnDevice, TZ_E_UNAVAILABLE, 0,
     "this device does not take the forward-compatibility package; take its "
     "folder out of the library path"},
    {StreamCaptureUnsupported, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {StreamCaptureInvalidated, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {StreamCaptureImplicit, TZ_E_FAILED_PRECONDITION, 0, Capturing},
    {ExternalDevice, TZ_E_DEVICE_LOST, Sticky, nullptr},
    {InvalidClusterSize, TZ_E_RESOURCE_LIMIT, 0, nullptr},
    {UnknownResult, TZ_E_UNKNOWN, 0,
     "the kernel log (dmesg, 'NVRM' or 'Xid') may say more"},
};

const Meaning &meaningOf(Result result) {
  for (const Meaning &m : Meanings) {
    if (m.result == result) {
      return m;
    }
  }
  static constexpr Meaning unknown = {UnknownResult, TZ_E_UNKNOWN, 0, nullptr};
  return unknown;
}

Failure unavailable(const std::string &text) {
  return Failure(TZ_E_UNAVAILABLE, text);
}

std::string tooOld(const std::string &library, int version) {
  return "driver too old: " + library + " serves CUDA " + versionText(version) +
         ", Terrazzo needs " + versionText(OldestDriver) +
         " or newer (driver 525.60.13); update the driver";
}

} // namespace

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Driver::Driver(const std::string &library) {
  plugin::DriverLibrary opened("driver",
                               library.empty() ? "libcuda.so.1" : library);
#define TZ_DRIVER(member, symbol, parameters) opened.load(member, #symbol);
#define TZ_DRIVER_OPTIONAL(member, symbol, parameters)                         \
  opened.load(member, #symbol, /*isRequired=*/false);
#include "backends/nvidia/device/DriverFunctions.def"
  const std::string &name = opened.name();
  if (driverGetVersion && driverGetVersion(&apiVersion) == Success &&
      apiVersion != 0 && apiVersion < OldestDriver) {
    throw unavailable(tooOld(name, apiVersion));
  }
  if (opened.missing()) {
    throw unavailable("no driver: " + name + " has no function " +
                      opened.missing() + "; it is no CUDA driver of version " +
                      versionText(OldestDriver) + " or newer");
  }
  Result started = init(0);
  if (started != Success && started != NoDevice) {
    Failure why = failure(started, "start the driver " + name);
    why.code = TZ_E_UNAVAILABLE;
    throw why;
  }
  devices = started == Success;
}

int32_t Driver::codeOf(Result result) { return meaningOf(result).code; }
uint32_t Driver::flagsOf(Result result) { return meaningOf(result).flags; }

Failure Driver::failure(Result result, std::string_view attempt,
                        std::string_view facts) const {
  const Meaning &meaning = meaningOf(result);
  const char *name = nullptr, *text = nullptr;
  std::string message = "cannot " + std::string(attempt) + ": ";
  if (getErrorString(result, &text) == Success && text) {
    message += text;
    message += ' ';
  }
  if (getErrorName(result, &name) == Success && name) {
    message += "(" + std::string(name) + ")";
  } else {
    message += "(result " + std::to_string(result) + ")";
  }
  if (!facts.empty()) {
    message += "; " + std::string(facts);
  }
  if (meaning.advice) {
    message += "; " + std::string(meaning.advice);
  }
  return Failure(meaning.code, std::move(message), result, meaning.flags);
}

} // namespace tz::nvidia
