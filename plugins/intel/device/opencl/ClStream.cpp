//===- ClStream.cpp - queues, callbacks, events ---------------------------===//
//
// What   In-order queues of our own and wrapped ones of the application; events
//        as marks in a queue.
// Why    A failure of what ran shows at the calls of this file.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/opencl/ClDevice.h"

#include <terrazzo/plugin/Device.h>
#include <terrazzo/plugin/EventWait.h>

#include <chrono>
#include <thread>

namespace tz::intel {

//===--- Streams ----------------------------------------------------------===//

/// A fact of a queue.
template <typename T>
static T queueInfo(const ClDriver &driver, cl_command_queue queue,
                   cl_command_queue_info what) {
  T value{};
  ClDriver::check(driver.clGetCommandQueueInfo(queue, what, sizeof(value),
                                               static_cast<void *>(&value),
                                               nullptr),
                  [] { return "wrap a queue"; });
  return value;
}

static std::unique_ptr<tz_stream> wrapStream(tz_device &device,
                                             const tz_native &native) {
  plugin::requireNative(plugin::str(ClNativeKind), native);
  const ClDriver &driver = device.driver;
  auto *queue = static_cast<cl_command_queue>(native.object);
  if (!queue) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the queue to be wrapped is null; it is a cl_command_queue");
  }
  const auto context = queueInfo<cl_context>(driver, queue, CL_QUEUE_CONTEXT);
  if (context != device.context() ||
      (native.context && native.context != context)) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the queue to be wrapped is in another context than " +
                      device.label +
                      "; make a device of that context first (device_wrap)");
  }
  if (queueInfo<cl_device_id>(driver, queue, CL_QUEUE_DEVICE) !=
      device.native) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the queue to be wrapped is one of another device than " +
                      device.label);
  }
  const auto properties = queueInfo<cl_command_queue_properties>(
      driver, queue, CL_QUEUE_PROPERTIES);
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the queue to be wrapped runs its commands out of order; a "
                  "stream needs one that keeps their order");
  }
  ClDriver::check(driver.clRetainCommandQueue(queue),
                  [] { return "keep the program's queue"; });
  auto made = std::make_unique<tz_stream>(tz_stream{device});
  made->queue = {queue, driver.clReleaseCommandQueue};
  made->isTimed = properties & CL_QUEUE_PROFILING_ENABLE;
  return made;
}

std::unique_ptr<tz_stream> Slots::createStream(tz_device &device,
                                               const tz_stream_desc &desc) {
  if (desc.native) {
    return wrapStream(device, *desc.native);
  }
  auto made = std::make_unique<tz_stream>(tz_stream{device});
  cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                      CL_QUEUE_PROFILING_ENABLE, 0, 0, 0};
  if (device.facts.hasPriorities && desc.priority != 0) {
    properties[2] = CL_QUEUE_PRIORITY_KHR;
    properties[3] = desc.priority > 0 ? CL_QUEUE_PRIORITY_HIGH_KHR
                                      : CL_QUEUE_PRIORITY_LOW_KHR;
  }
  cl_int result = CL_SUCCESS;
  made->queue = {device.driver.clCreateCommandQueueWithProperties(
                     device.context(), device.native, properties, &result),
                 device.driver.clReleaseCommandQueue};
  ClDriver::check(result, [&] { return "make a stream on " + device.label; });
  return made;
}

/// Of a wait that failed: what ran last is the nearest that is known.
static void checkWait(const tz_stream &stream, cl_int result) {
  if (result != CL_SUCCESS) [[unlikely]] {
    Failure why = ClDriver::failure(
        result, "wait for a stream of " + stream.device.label,
        stream.last ? "the last kernel on it was '" + *stream.last + "'"
                    : "no kernel of Terrazzo ran on it");
    why.code = TZ_E_DEVICE_LOST;
    why.flags = TZ_ERR_STICKY;
    throw why;
  }
}

void Slots::finish(tz_stream &stream) { synchronize(stream); }

void Slots::synchronize(tz_stream &stream) {
  checkWait(stream, stream.device.driver.clFinish(stream.queue.get()));
}

void begin(tz_stream &stream) {
  const ClDriver &driver = stream.device.driver;
  if (stream.device.isSimulator) {
    Slots::synchronize(stream);
  } else {
    // Another queue may wait for it, and an event be asked for it.
    ClDriver::check(driver.clFlush(stream.queue.get()),
                    [&] { return "begin work on " + stream.device.label; });
  }
}

/// A mark behind all that the queue holds.
static ClOwned<cl_event> mark(tz_stream &stream) {
  const ClDriver &driver = stream.device.driver;
  cl_event made = nullptr;
  ClDriver::check(
      driver.clEnqueueMarkerWithWaitList(stream.queue.get(), 0, nullptr, &made),
      [&] { return "record an event on " + stream.device.label; });
  ClOwned<cl_event> owned(made, driver.clReleaseEvent);
  begin(stream);
  return owned;
}

void Slots::wait(tz_stream &stream, tz_event &event) {
  const cl_event other = event.mark.get();
  if (!other) {
    return; // never recorded: there is nothing to wait for
  }
  if (event.device.context() != stream.device.context()) {
    // Queues of two contexts do not know each other's events.
    synchronize(event, UINT64_MAX);
    return;
  }
  ClDriver::check(stream.device.driver.clEnqueueBarrierWithWaitList(
                      stream.queue.get(), 1, &other, nullptr),
                  [] { return "let a stream wait for an event"; });
  begin(stream);
}

namespace {
struct Callback {
  void (*fn)(void *, int32_t);
  void *user;
  ClOwned<cl_event> mark;
};
} // namespace

void Slots::callBack(tz_stream &stream, void (*fn)(void *, int32_t),
                     void *user) {
  auto told = std::make_unique<Callback>(Callback{fn, user, mark(stream)});
  auto run = [](cl_event, cl_int status, void *data) {
    std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
    callback->fn(callback->user,
                 status < 0 ? int32_t(TZ_E_DEVICE_LOST) : int32_t(TZ_E_OK));
  };
  // From here on the callback owns itself: it may run before this returns.
  Callback *const given = told.release();
  const cl_event event = given->mark.get();
  const cl_int result =
      stream.device.driver.clSetEventCallback(event, CL_COMPLETE, run, given);
  if (result != CL_SUCCESS) {
    told.reset(given);
    throw ClDriver::failure(result, "add a callback to a stream");
  }
}

//===--- Events -----------------------------------------------------------===//

std::unique_ptr<tz_event> Slots::createEvent(tz_device &device,
                                             const tz_event_desc &desc) {
  auto event = std::make_unique<tz_event>(tz_event{device});
  event->isTimed = desc.flags & TZ_EVENT_TIMING;
  if (!desc.native) {
    return event; // made when it is recorded
  }
  const ClDriver &driver = device.driver;
  plugin::requireNative(plugin::str(ClNativeKind), *desc.native);
  auto *native = static_cast<cl_event>(desc.native->object);
  cl_context context = nullptr;
  if (!native) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event to be wrapped is null; it is a cl_event");
  }
  ClDriver::check(driver.clGetEventInfo(native, CL_EVENT_CONTEXT,
                                        sizeof(cl_context),
                                        static_cast<void *>(&context), nullptr),
                  [] { return "wrap an event"; });
  if (context != device.context()) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event to be wrapped is in another context than " +
                      device.label);
  }
  ClDriver::check(driver.clRetainEvent(native),
                  [] { return "keep the program's event"; });
  event->mark = {native, driver.clReleaseEvent};
  return event;
}

void Slots::record(tz_event &event, tz_stream &stream) {
  if (&stream.device != &event.device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event belongs to " + event.device.label +
                      ", the stream to " + stream.device.label);
  }
  if (event.isTimed && !stream.isTimed) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the event is to measure time, which its queue does not "
                  "keep: the program made it without "
                  "CL_QUEUE_PROFILING_ENABLE");
  }
  event.mark = mark(stream);
}

static cl_int statusOf(const tz_event &event) {
  cl_int status = CL_COMPLETE;
  if (event.mark) {
    ClDriver::check(event.device.driver.clGetEventInfo(
                        event.mark.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                        sizeof(status), &status, nullptr),
                    [] { return "ask an event"; });
  }
  return status;
}

bool Slots::query(tz_event &event) {
  const cl_int status = statusOf(event);
  if (status < 0) {
    Failure why = ClDriver::failure(status, "reach an event");
    why.code = TZ_E_DEVICE_LOST;
    throw why;
  }
  return status == CL_COMPLETE;
}

void Slots::synchronize(tz_event &event, uint64_t timeoutNs) {
  if (!event.mark) {
    return;
  }
  if (timeoutNs == UINT64_MAX) {
    const cl_event native = event.mark.get();
    ClDriver::check(event.device.driver.clWaitForEvents(1, &native),
                    [] { return "wait for an event"; });
    return;
  }
  plugin::waitUntil([&] { return query(event); }, timeoutNs);
}

uint64_t Slots::elapsedNs(tz_event &start, tz_event &stop) {
  cl_ulong ends[2] = {};
  tz_event *const both[2] = {&start, &stop};
  for (int i = 0; i < 2; ++i) {
    if (!both[i]->mark) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event that measures time was never recorded");
    }
    if (!both[i]->isTimed) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event was made without TZ_EVENT_TIMING");
    }
    if (!query(*both[i])) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event that measures time was not reached yet");
    }
    ClDriver::check(start.device.driver.clGetEventProfilingInfo(
                        both[i]->mark.get(), CL_PROFILING_COMMAND_END,
                        sizeof(ends[i]), &ends[i], nullptr),
                    [] { return "ask an event for its time"; });
  }
  return ends[1] > ends[0] ? ends[1] - ends[0] : 0;
}

} // namespace tz::intel
