//===- CudaDevice.cpp - platform, devices, contexts, faults ---------------===//
//
// What   See CudaDevice.h.
// Why    Everything that happens to a device as a whole: it is found, its
//        context is retained, it is lost.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"

#include "backends/nvidia/device/CuptiSamples.h"

#include <terrazzo/plugin/Device.h>

#include <algorithm>

using namespace tz::nvidia;
using namespace tz::nvidia::driver;

//===--- Platform ---------------------------------------------------------===//

tz_platform::tz_platform(const std::string &library) : driver(library) {
  driverVersion = "CUDA " + versionText(driver.version());
  if (!driver.hasDevices()) {
    return;
  }
  int count = 0;
  if (Result r = driver.deviceGetCount(&count); r != Success) {
    throw driver.failure(r, "count the devices");
  }
  for (int i = 0; i < count; ++i) {
    devices.push_back(std::make_unique<tz_device>(*this, i));
    handles.push_back(devices.back().get());
  }
}

const std::string *tz_platform::intern(std::string_view name) {
  std::lock_guard guard(namesMutex);
  auto it = names.find(name);
  if (it == names.end()) {
    it = names.emplace(name).first;
  }
  return &*it;
}

void tz_platform::add(tz_device *foreign) {
  std::lock_guard guard(foreignMutex);
  foreignDevices.push_back(foreign);
}

void tz_platform::remove(tz_device *foreign) {
  std::lock_guard guard(foreignMutex);
  std::erase(foreignDevices, foreign);
}

//===--- Device -----------------------------------------------------------===//

tz_device::tz_device(tz_platform &platform, int ordinal)
    : platform(platform), driver(platform.driver), ordinal(ordinal) {
  if (Result r = driver.deviceGet(&number, ordinal); r != Success) {
    throw driver.failure(r, "open device " + std::to_string(ordinal));
  }
  facts = readFacts(driver, ordinal, number);
}

tz_device::tz_device(const tz_device &primary, Context foreign)
    : platform(primary.platform), driver(primary.driver),
      ordinal(primary.ordinal), isForeign(true), number(primary.number),
      facts(primary.facts), retained(foreign) {
  platform.add(this);
}

tz_device::~tz_device() {
  if (isForeign) {
    platform.remove(this);
  }
  if (!hasContext()) {
    return;
  }
  endSamplesOf(*this);
  // What nobody freed. After a fault all of this fails, and need not succeed.
  try {
    ContextScope scope(*this);
    for (const auto &[address, allocation] : allocations) {
      if (allocation.kind == TZ_MEM_HOST_PINNED) {
        (void)driver.memFreeHost(reinterpret_cast<void *>(allocation.base));
      } else {
        (void)driver.memFree(allocation.base);
      }
    }
  } catch (const Failure &) {
  }
  if (!isForeign) {
    (void)driver.primaryContextRelease(number);
  }
}

Context tz_device::context() {
  if (Context known = retained.load(std::memory_order_acquire)) {
    return known;
  }
  Context made = nullptr;
  Result result = Success;
  {
    std::lock_guard guard(mutex);
    if (Context known = retained.load(std::memory_order_acquire)) {
      return known;
    }
    result = driver.primaryContextRetain(&made, number);
    if (result == Success) {
      retained.store(made, std::memory_order_release);
    }
  }
  if (result == Success) {
    sampleContextOf(*this);
    return made;
  }
  fail(result, "start work on device " + label() + " (" + facts.name + ")");
}

void tz_device::add(tz_stream *stream) {
  std::lock_guard guard(mutex);
  streams.push_back(stream);
}

void tz_device::remove(tz_stream *stream) {
  std::lock_guard guard(mutex);
  std::erase(streams, stream);
}

//===--- Contexts of the program's ----------------------------------------===//

/// The number of the device that a context is of.
static DeviceNumber deviceOf(const Driver &driver, Context context) {
  Result result = driver.contextPush(context);
  if (result == Success) {
    DeviceNumber number = 0;
    result = driver.contextGetDevice(&number);
    Context popped = nullptr;
    (void)driver.contextPop(&popped);
    if (result == Success) {
      return number;
    }
  }
  throw driver.failure(result, "work in a context of the program's");
}

std::unique_ptr<tz_device> tz::nvidia::wrapDevice(tz_platform &platform,
                                                  const tz_native &native) {
  plugin::requireNative(plugin::str(NativeKind), native);
  auto *context = static_cast<Context>(native.context);
  if (!context) {
    throw Failure(
        TZ_E_INVALID_ARGUMENT,
        "native.context is NULL; to wrap a device needs the CUcontext "
        "that it works in");
  }
  const DeviceNumber number = deviceOf(platform.driver, context);
  // A CUdevice is a number, and 0 is one: NULL names none.
  const auto given = DeviceNumber(reinterpret_cast<intptr_t>(native.device));
  if (native.device && given != number) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "native.device is CUdevice " + std::to_string(given) +
                      ", but the context is of CUdevice " +
                      std::to_string(number));
  }
  for (tz_device *device : platform.handles) {
    if (device->number == number) {
      return std::make_unique<tz_device>(*device, context);
    }
  }
  throw Failure(TZ_E_NOT_FOUND, "the context is of CUdevice " +
                                    std::to_string(number) +
                                    ", which is not among the devices");
}

//===--- Faults -----------------------------------------------------------===//

/// The kernels that may have caused a fault. The caller holds the mutex.
std::string tz_device::kernelsInFlight() {
  std::vector<const std::string *> kernels;
  for (tz_stream *stream : streams) {
    stream->recent.collect(kernels);
  }
  return tz::plugin::kernelsText(kernels);
}

void tz_device::fail(Result result, std::string_view attempt,
                     std::string_view facts) {
  if (!(Driver::flagsOf(result) & TZ_ERR_STICKY)) {
    throw driver.failure(result, attempt, facts);
  }
  {
    std::lock_guard guard(mutex);
    if (!lost.load(std::memory_order_relaxed)) {
      Failure first = driver.failure(result, attempt, kernelsInFlight());
      lostMessage = "device " + label() + " is lost: " + first.message +
                    "; this process must restart to use the device again";
      lostResult = result;
      lost.store(true, std::memory_order_release);
    }
  }
  throwLost();
}

void tz_device::throwLost() const {
  std::lock_guard guard(mutex);
  throw Failure(TZ_E_DEVICE_LOST, lostMessage, lostResult, TZ_ERR_STICKY);
}

//===--- Context ----------------------------------------------------------===//

ContextScope::ContextScope(tz_device &device) : driver(device.driver) {
  Context wanted = device.context();
  Context current = nullptr;
  if (driver.contextGetCurrent(&current) == Success && current == wanted) {
    return;
  }
  device.check(driver.contextPush(wanted),
               [&] { return "make " + device.label() + " current"; });
  pushed = true;
}

ContextScope::~ContextScope() {
  if (pushed) {
    Context ours = nullptr;
    (void)driver.contextPop(&ours);
  }
}
