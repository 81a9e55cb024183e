//===- CudaStream.cpp - streams, callbacks, events ------------------------===//
//
// What   Streams of our own and wrapped ones of the application; events with
//        and without time.
// Why    A fault of a kernel shows at the calls of this file.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"

#include <terrazzo/plugin/Device.h>
#include <terrazzo/plugin/EventWait.h>

#include <cmath>

using namespace tz::nvidia;

tz_stream::tz_stream(tz_device &device, driver::Stream native, bool owned)
    : device(device), native(native), owned(owned) {
  device.add(this);
}

tz_stream::~tz_stream() { device.remove(this); }

namespace tz::nvidia {

using namespace driver;

//===--- Streams ----------------------------------------------------------===//

std::unique_ptr<tz_stream> createStream(tz_device &device, int32_t priority) {
  device.mustWork();
  ContextScope scope(device);
  // The driver counts the other way round: the least number is most urgent.
  int least = 0, greatest = 0;
  device.check(device.driver.streamPriorityRange(&least, &greatest),
               [] { return "ask for the priorities of streams"; });
  int wanted = priority <= 0                  ? least
               : priority >= least - greatest ? greatest
                                              : least - priority;
  driver::Stream native = nullptr;
  device.check(device.driver.streamCreate(&native, StreamNonBlocking, wanted),
               [&] { return "make a stream on " + device.label(); });
  try {
    return std::make_unique<tz_stream>(device, native, true);
  } catch (...) { // no memory
    (void)device.driver.streamDestroy(native);
    throw;
  }
}

/// `what`: "stream".
static void checkNative(tz_device &device, const tz_native &native,
                        const char *what) {
  plugin::requireNative(plugin::str(NativeKind), native);
  if (native.context && native.context != device.context()) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  std::string("the ") + what +
                      " to be wrapped is said to be of another context than " +
                      device.contextName());
  }
}

std::unique_ptr<tz_stream> wrapStream(tz_device &device,
                                      const tz_native &native) {
  device.mustWork();
  checkNative(device, native, "stream");
  ContextScope scope(device);
  auto *stream = static_cast<driver::Stream>(native.object);
  // The default streams are those of whatever context is current.
  if (stream && stream != LegacyStream && stream != PerThreadStream) {
    Context owner = nullptr;
    device.check(device.driver.streamGetContext(stream, &owner),
                 [] { return "wrap a stream"; });
    if (owner != device.context()) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the stream to be wrapped belongs to another device than " +
                        device.label() + ", or to another context than " +
                        device.contextName());
    }
  }
  return std::make_unique<tz_stream>(device, stream, false);
}

void destroy(tz_stream &stream) {
  tz_device &device = stream.device;
  ContextScope scope(device);
  // A fault that nobody asked about any more is dropped with the stream.
  (void)device.driver.streamSynchronize(stream.native);
  if (stream.owned) {
    (void)device.driver.streamDestroy(stream.native);
  }
}

void synchronize(tz_stream &stream) {
  tz_device &device = stream.device;
  device.mustWork();
  ContextScope scope(device);
  device.check(device.driver.streamSynchronize(stream.native),
               [&] { return "wait for a stream of " + device.label(); });
  stream.recent.clear();
}

bool isRecording(tz_stream &stream) {
  ContextScope scope(stream.device);
  CaptureStatus status = CaptureNone;
  return stream.device.driver.streamIsCapturing(stream.native, &status) ==
             Success &&
         status != CaptureNone;
}

static void sameDevice(const tz_stream &stream, const tz_event &event) {
  if (&stream.device != &event.device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event belongs to " + event.device.label() +
                      ", the stream to " + stream.device.label());
  }
}

void wait(tz_stream &stream, tz_event &event) {
  // Across devices this is legal and wanted: that is how they are ordered.
  tz_device &device = stream.device;
  device.mustWork();
  ContextScope scope(device);
  device.check(device.driver.streamWaitEvent(stream.native, event.native, 0),
               [] { return "let a stream wait for an event"; });
}

namespace {
struct Callback {
  void (*fn)(void *, int32_t);
  void *user;
};
} // namespace

void callBack(tz_stream &stream, void (*fn)(void *, int32_t), void *user) {
  tz_device &device = stream.device;
  device.mustWork();
  if (!fn) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "the callback is null");
  }
  ContextScope scope(device);
  auto told = std::make_unique<Callback>(Callback{fn, user});
  // Unlike cuLaunchHostFunc this one is also called after a fault.
  auto run = [](driver::Stream, Result result, void *data) {
    std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
    callback->fn(callback->user,
                 result == Success ? int32_t(TZ_E_OK) : Driver::codeOf(result));
  };
  device.check(
      device.driver.streamAddCallback(stream.native, run, told.get(), 0),
      [] { return "add a callback to a stream"; });
  (void)told.release(); // the callback frees it
}

//===--- Events -----------------------------------------------------------===//

std::unique_ptr<tz_event> createEvent(tz_device &device, bool timed) {
  device.mustWork();
  ContextScope scope(device);
  auto event = std::make_unique<tz_event>(tz_event{device});
  event->timed = timed;
  device.check(
      device.driver.eventCreate(&event->native, timed ? 0 : EventDisableTiming),
      [&] { return "make an event on " + device.label(); });
  return event;
}

std::unique_ptr<tz_event> wrapEvent(tz_device &device, const tz_native &native,
                                    bool timed) {
  device.mustWork();
  checkNative(device, native, "event");
  if (!native.object) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "the event to be wrapped is null");
  }
  auto event = std::make_unique<tz_event>(tz_event{device});
  event->native = static_cast<driver::Event>(native.object);
  event->timed = timed;
  event->recorded = true; // by the program, for all that is known
  event->owned = false;
  return event;
}

void destroy(tz_event &event) {
  if (!event.owned) {
    return;
  }
  ContextScope scope(event.device);
  (void)event.device.driver.eventDestroy(event.native);
}

void record(tz_event &event, tz_stream &stream) {
  tz_device &device = event.device;
  device.mustWork();
  sameDevice(stream, event);
  ContextScope scope(device);
  device.check(device.driver.eventRecord(event.native, stream.native),
               [] { return "record an event"; });
  event.recorded = true;
}

bool query(tz_event &event) {
  tz_device &device = event.device;
  device.mustWork();
  ContextScope scope(device);
  // Asking is no part of a graph that some other stream records.
  PreparationScope preparation(device.driver);
  Result result = device.driver.eventQuery(event.native);
  if (result == NotReady) {
    return false;
  }
  device.check(result, [] { return "ask an event"; });
  return true;
}

void synchronize(tz_event &event, uint64_t timeoutNs) {
  tz_device &device = event.device;
  if (timeoutNs == UINT64_MAX) {
    device.mustWork();
    ContextScope scope(device);
    device.check(device.driver.eventSynchronize(event.native),
                 [] { return "wait for an event"; });
    return;
  }
  plugin::waitUntil([&] { return query(event); }, timeoutNs);
}

uint64_t elapsedNs(tz_event &start, tz_event &stop) {
  tz_device &device = start.device;
  device.mustWork();
  for (const tz_event *event : {&start, &stop}) {
    if (!event->timed) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event of the pair was made without TZ_EVENT_TIMING");
    }
    if (!event->recorded) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event of the pair was not recorded");
    }
  }
  if (&start.device != &stop.device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the events belong to different devices");
  }
  ContextScope scope(device);
  float milliseconds = 0;
  Result result =
      device.driver.eventElapsedTime(&milliseconds, start.native, stop.native);
  if (result == NotReady) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "an event of the pair has not come yet; wait for it first");
  }
  device.check(result, [] { return "measure between two events"; });
  if (milliseconds < 0) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the stop event came before the start event");
  }
  return uint64_t(std::llround(double(milliseconds) * 1e6));
}

} // namespace tz::nvidia
