//===- HipStream.cpp - streams, callbacks, events -------------------------===//
//
// What   Streams of our own and wrapped ones of the application; events with
//        and without time.
// Why    A fault of a kernel shows at the calls of this file.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

#include <terrazzo/plugin/EventWait.h>

#include <cmath>

namespace tz::amd {

using namespace hip;

//===--- Streams ----------------------------------------------------------===//

HipStream::HipStream(HipDevice &device, hip::Stream native, bool isOwned)
    : device(device), native(native), isOwned(isOwned) {
  device.add(this);
}

HipStream::~HipStream() {
  device.remove(this);
  if (isOwned) {
    (void)device.driver.told(device.driver.streamDestroy(native));
  }
}

static void checkContext(const HipDevice &device, const tz_native &native) {
  if (native.context) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "native.context is not NULL; HIP has one context for each "
                  "device, and " +
                      device.label() + " works in its own");
  }
}

std::unique_ptr<HipStream> HipDevice::wrapStream(const tz_native &given) {
  checkContext(*this, given);
  auto *stream = static_cast<hip::Stream>(given.object);
  DeviceScope scope(*this);
  // The default streams are those of whatever device is current.
  if (stream && stream != LegacyStream && stream != PerThreadStream) {
    int owner = ordinal;
    check(driver.streamGetDevice(stream, &owner),
          [] { return "wrap a stream"; });
    if (owner != ordinal) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the stream to be wrapped belongs to device " +
                        std::to_string(owner) + " of HIP, and not to " +
                        label());
    }
  }
  return std::make_unique<HipStream>(*this, stream, false);
}

std::unique_ptr<HipStream> HipDevice::createStream(const tz_stream_desc &desc) {
  mustWork();
  if (desc.native) {
    return wrapStream(*desc.native);
  }
  DeviceScope scope(*this);
  // HIP counts the other way round: the least number is most urgent, 0 usual.
  int least = 0, greatest = 0;
  check(driver.streamPriorityRange(&least, &greatest),
        [] { return "ask for the priorities of streams"; });
  const int64_t wanted = -int64_t{desc.priority};
  const int priority = wanted > least      ? least
                       : wanted < greatest ? greatest
                                           : int(wanted);
  hip::Stream made = nullptr;
  check(driver.streamCreate(&made, StreamNonBlocking, priority),
        [&] { return "make a stream on " + label(); });
  try {
    return std::make_unique<HipStream>(*this, made, true);
  } catch (...) { // no memory
    (void)driver.told(driver.streamDestroy(made));
    throw;
  }
}

void HipStream::synchronize() {
  device.mustWork();
  DeviceScope scope(device);
  device.check(device.driver.streamSynchronize(native),
               [&] { return "wait for a stream of " + device.label(); });
  recent.clear();
}

bool HipStream::isRecording() {
  DeviceScope scope(device);
  CaptureStatus status = CaptureNone;
  const Result result =
      device.driver.told(device.driver.streamIsCapturing(native, &status));
  return result == Success && status != CaptureNone;
}

void HipStream::wait(HipEvent &event) {
  // Across devices this is legal and wanted: that is how they are ordered.
  device.mustWork();
  DeviceScope scope(device);
  device.check(device.driver.streamWaitEvent(native, event.native, 0),
               [] { return "let a stream wait for an event"; });
}

namespace {
struct Callback {
  void (*fn)(void *, int32_t);
  void *user;
};
} // namespace

void HipStream::callBack(void (*fn)(void *, int32_t), void *user) {
  device.mustWork();
  if (!fn) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "the callback is null");
  }
  DeviceScope scope(device);
  auto told = std::make_unique<Callback>(Callback{fn, user});
  auto run = [](hip::Stream, Result result, void *data) {
    std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
    callback->fn(callback->user, result == Success ? int32_t(TZ_E_OK)
                                                   : HipDriver::codeOf(result));
  };
  // From here on the callback owns itself: it may run before this returns.
  Callback *const given = told.release();
  const Result result = device.driver.streamAddCallback(native, run, given, 0);
  if (result != Success) {
    told.reset(given);
    device.fail(result, "add a callback to a stream");
  }
}

//===--- Events -----------------------------------------------------------===//

HipEvent::~HipEvent() {
  if (isOwned && native) {
    (void)device.driver.told(device.driver.eventDestroy(native));
  }
}

std::unique_ptr<HipEvent> HipDevice::createEvent(const tz_event_desc &desc) {
  mustWork();
  auto event = std::make_unique<HipEvent>(*this);
  event->isTimed = desc.flags & TZ_EVENT_TIMING;
  if (desc.native) {
    checkContext(*this, *desc.native);
    if (!desc.native->object) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the event to be wrapped is null; it is a hipEvent_t");
    }
    event->isOwned = false;
    event->isRecorded = true; // by the program, for all that is known
    event->native = static_cast<hip::Event>(desc.native->object);
    return event;
  }
  DeviceScope scope(*this);
  check(driver.eventCreate(&event->native,
                           event->isTimed ? 0 : EventDisableTiming),
        [&] { return "make an event on " + label(); });
  return event;
}

void HipStream::record(HipEvent &event) {
  device.mustWork();
  if (&event.device != &device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event belongs to " + event.device.label() +
                      ", the stream to " + device.label());
  }
  DeviceScope scope(device);
  device.check(device.driver.eventRecord(event.native, native),
               [] { return "record an event"; });
  event.isRecorded = true;
}

bool HipEvent::query() {
  device.mustWork();
  DeviceScope scope(device);
  // Asking is no part of a graph that some other stream records.
  PreparationScope preparation(device.driver);
  const Result result = device.driver.told(device.driver.eventQuery(native));
  if (result == NotReady) {
    return false;
  }
  device.check(result, [] { return "ask an event"; });
  return true;
}

void HipEvent::synchronize(uint64_t timeoutNs) {
  if (timeoutNs != UINT64_MAX) {
    plugin::waitUntil([&] { return query(); }, timeoutNs);
    return;
  }
  device.mustWork();
  DeviceScope scope(device);
  device.check(device.driver.eventSynchronize(native),
               [] { return "wait for an event"; });
}

uint64_t HipEvent::elapsedNs(HipEvent &stop) {
  device.mustWork();
  for (const HipEvent *event : {this, &stop}) {
    if (!event->isRecorded) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event that measures time was never recorded");
    }
    if (!event->isTimed) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event was made without TZ_EVENT_TIMING");
    }
  }
  if (&stop.device != &device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the events belong to different devices");
  }
  DeviceScope scope(device);
  float milliseconds = 0;
  const Result result = device.driver.told(
      device.driver.eventElapsedTime(&milliseconds, native, stop.native));
  if (result == NotReady) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "an event that measures time was not reached yet");
  }
  device.check(result, [] { return "measure between two events"; });
  if (milliseconds < 0) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the stop event came before the start event");
  }
  return uint64_t(std::llround(double(milliseconds) * 1e6));
}

} // namespace tz::amd
