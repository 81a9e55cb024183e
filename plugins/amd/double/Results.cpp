//===- Results.cpp - names and texts of results ---------------------------===//
//
// What   hipGetErrorName, hipGetErrorString and hipGetLastError.
// Why    A fault's text is what the simulator found: the device half quotes it
//        as it quotes HIP.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Results.h"

namespace tz::amd::hip {

namespace {

struct Said {
  Result result;
  const char *name, *text;
};
constexpr Said Texts[] = {
    {Success, "hipSuccess", "no error"},
    {InvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {OutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {NoDevice, "hipErrorNoDevice", "no device"},
    {InvalidDevice, "hipErrorInvalidDevice", "invalid device number"},
    {InvalidImage, "hipErrorInvalidImage", "the code object is damaged"},
    {NoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "the code object is of another processor"},
    {InvalidHandle, "hipErrorInvalidHandle", "invalid handle"},
    {NotFound, "hipErrorNotFound", "named symbol not found"},
    {NotReady, "hipErrorNotReady", "not ready"},
    {IllegalAddress, "hipErrorIllegalAddress", "illegal address"},
    {LaunchFailure, "hipErrorLaunchFailure", "a kernel failed"},
    {CooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge",
     "too many work-groups to run at once"},
    {NotSupported, "hipErrorNotSupported", "not supported"},
    {UnknownResult, "hipErrorUnknown", "unknown error"},
};

const Said &said(Result result) {
  for (const Said &one : Texts) {
    if (one.result == result) {
      return one;
    }
  }
  return Texts[std::size(Texts) - 1];
}

std::string &faultText() {
  static thread_local std::string text;
  return text;
}

} // namespace

void requireNone(Fault fault) {
  if (fault.result != Success) {
    faultText() = std::move(fault.text);
    throw Refused{fault.result};
  }
}

Result &lastResult() {
  static thread_local Result result = Success;
  return result;
}

Result resultOfException() {
  try {
    throw;
  } catch (const Refused &refused) {
    return refused.result;
  } catch (const plugin::Failure &failure) {
    return failure.code == TZ_E_DATA_LOSS ? InvalidImage : NoBinaryForGpu;
  } catch (const std::bad_alloc &) {
    return OutOfMemory;
  } catch (...) {
    return UnknownResult;
  }
}

} // namespace tz::amd::hip

using namespace tz::amd::hip;

TZ_HIP_ENTRY hipGetLastError() { return std::exchange(lastResult(), Success); }

extern "C" [[gnu::visibility("default")]] const char *
hipGetErrorName(Result result) {
  return said(result).name;
}

extern "C" [[gnu::visibility("default")]] const char *
hipGetErrorString(Result result) {
  const bool isFault = result == IllegalAddress || result == LaunchFailure;
  return isFault && !faultText().empty() ? faultText().c_str()
                                         : said(result).text;
}
