//===- ZeStream.cpp - command lists and events ----------------------------===//
//
// What   Immediate command lists of our own and wrapped ones of the
//        application; events as marks in a list.
// Why    A failure of what ran shows at the calls of this file.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <terrazzo/plugin/Device.h>

#include <algorithm>

namespace tz::intel {

//===--- Streams ----------------------------------------------------------===//

/// What a newer loader tells of a list, held against the device.
static void checkList(tz_device &device, ze_command_list_handle_t list) {
  const ZeDriver &driver = device.driver;
  ze_context_handle_t context = nullptr;
  ze_device_handle_t native = nullptr;
  if (driver.listContext &&
      driver.listContext(list, &context) == ZE_RESULT_SUCCESS &&
      context != device.context()) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the list to be wrapped is in another context than " +
                      device.label +
                      "; make a device of that context first (device_wrap)");
  }
  if (driver.listDevice &&
      driver.listDevice(list, &native) == ZE_RESULT_SUCCESS &&
      native != device.native) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the list to be wrapped is one of another device than " +
                      device.label);
  }
}

static std::unique_ptr<tz_stream> wrapStream(tz_device &device,
                                             const tz_native &native) {
  const ZeForeign foreign = readNative(native);
  if (!foreign.list) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the list to be wrapped is null; it is an immediate "
                  "ze_command_list_handle_t");
  }
  if (foreign.device && foreign.device != device.native) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the list to be wrapped is one of another device than " +
                      device.label);
  }
  if (foreign.context && !device.adopt(foreign.context)) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the list to be wrapped is in another context than " +
                      device.label +
                      "; make a device of that context first (device_wrap)");
  }
  checkList(device, foreign.list);
  auto made = std::make_unique<tz_stream>(tz_stream{device});
  made->list = {foreign.list, nullptr};
  made->isForeign = true;
  return made;
}

std::unique_ptr<tz_stream> Slots::createStream(tz_device &device,
                                               const tz_stream_desc &desc) {
  if (desc.native) {
    return wrapStream(device, *desc.native);
  }
  const ZeDriver &driver = device.driver;
  ze_command_queue_desc_t queue{};
  queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queue.ordinal = device.facts.queueGroup;
  queue.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  queue.priority = desc.priority > 0   ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
                   : desc.priority < 0 ? ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
                                       : ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
  ze_command_list_handle_t list = nullptr;
  auto made = std::make_unique<tz_stream>(tz_stream{device});
  ZeDriver::check(driver.zeCommandListCreateImmediate(
                      device.context(), device.native, &queue, &list),
                  [&] { return "make a stream on " + device.label; });
  made->list = {list, driver.zeCommandListDestroy};
  return made;
}

static void barrier(tz_stream &stream, ze_event_handle_t signal) {
  ZeDriver::check(stream.device.driver.zeCommandListAppendBarrier(
                      stream.list.get(), signal, 0, nullptr),
                  [&] {
                    return "order the commands of a stream on " +
                           stream.device.label;
                  });
}

void keepOrderBefore(tz_stream &stream) {
  // Nobody knows what others appended.
  if (stream.isForeign) {
    barrier(stream, nullptr);
  }
}

void keepOrderBehind(tz_stream &stream) { barrier(stream, nullptr); }

static std::shared_ptr<const ZeMark> mark(tz_stream &stream, bool isTimed) {
  std::shared_ptr<const ZeMark> made = stream.device.marks.take();
  try {
    if (isTimed) {
      keepOrderBefore(stream);
      ZeDriver::check(
          stream.device.driver.zeCommandListAppendWriteGlobalTimestamp(
              stream.list.get(), made->time, made->event, 0, nullptr),
          [&] { return "record an event on " + stream.device.label; });
    } else {
      barrier(stream, made->event);
    }
  } catch (...) {
    stream.device.marks.giveUnused(std::move(made));
    throw;
  }
  return made;
}

/// Of a wait that failed: what ran last is the nearest that is known.
static void waitFor(tz_stream &stream, const ZeMark &reached) {
  const ze_result_t result =
      stream.device.driver.zeEventHostSynchronize(reached.event, UINT64_MAX);
  if (result != ZE_RESULT_SUCCESS) [[unlikely]] {
    Failure why = ZeDriver::failure(
        result, "wait for a stream of " + stream.device.label,
        stream.last ? "the last kernel on it was '" + *stream.last + "'"
                    : "no kernel of Terrazzo ran on it");
    why.code = TZ_E_DEVICE_LOST;
    why.flags = TZ_ERR_STICKY;
    throw why;
  }
}

void Slots::synchronize(tz_stream &stream) {
  waitFor(stream, *mark(stream, false));
  stream.held.clear();
}

void Slots::wait(tz_stream &stream, tz_event &event) {
  constexpr size_t mostHeld = 1024;
  if (!event.mark) {
    return; // never recorded: there is nothing to wait for
  }
  if (event.device.context() != stream.device.context()) {
    // Lists of two contexts do not know each other's events.
    synchronize(event, UINT64_MAX);
    return;
  }
  if (stream.held.size() >= mostHeld) {
    synchronize(stream);
  }
  stream.held.push_back(event.mark);
  ze_event_handle_t other = event.mark->event;
  ZeDriver::check(stream.device.driver.zeCommandListAppendWaitOnEvents(
                      stream.list.get(), 1, &other),
                  [] { return "let a stream wait for an event"; });
  keepOrderBehind(stream);
}

void Slots::callBack(tz_stream &stream, void (*fn)(void *, int32_t),
                     void *user) {
  ZeCallbacks &callbacks = stream.device.callbacks;
  callbacks.prepare();
  callbacks.add({&stream, mark(stream, false), fn, user});
}

void Slots::finish(tz_stream &stream) {
  synchronize(stream);
  stream.device.callbacks.finish(stream);
}

//===--- Events -----------------------------------------------------------===//

/// An event of the driver does not tell its context, so the program does.
static std::unique_ptr<tz_event> wrapEvent(tz_device &device,
                                           const tz_event_desc &desc) {
  const tz_native &native = *desc.native;
  plugin::requireNative(plugin::str(ZeNativeKinds), native);
  if (!native.kind || std::string_view(native.kind) == "sycl") {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "events of SYCL are not taken on " + device.label +
                      "; give its ze_event_handle_t as 'level_zero'");
  }
  if (!native.object || !native.context) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  native.object ? "the event to be wrapped does not tell its "
                                  "context; give it too (a ze_context_handle_t)"
                                : "the event to be wrapped is null; it is a "
                                  "ze_event_handle_t");
  }
  if (!device.adopt(static_cast<ze_context_handle_t>(native.context))) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event to be wrapped is in another context than " +
                      device.label +
                      "; make a device of that context first (device_wrap)");
  }
  if (desc.flags & TZ_EVENT_TIMING) {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "an event of the program's measures no time on " +
                      device.label);
  }
  auto event = std::make_unique<tz_event>(tz_event{device});
  event->mark = std::make_shared<const ZeMark>(
      ZeMark{static_cast<ze_event_handle_t>(native.object), nullptr});
  event->isForeign = true;
  return event;
}

std::unique_ptr<tz_event> Slots::createEvent(tz_device &device,
                                             const tz_event_desc &desc) {
  if (desc.native) {
    return wrapEvent(device, desc);
  }
  auto event = std::make_unique<tz_event>(tz_event{device});
  event->isTimed = desc.flags & TZ_EVENT_TIMING;
  return event; // its mark is made when it is recorded
}

void Slots::record(tz_event &event, tz_stream &stream) {
  if (&stream.device != &event.device) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the event belongs to " + event.device.label +
                      ", the stream to " + stream.device.label);
  }
  if (event.isForeign) {
    // A second signal, without a reset that the program knows of, is lost.
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "an event of the program's is waited for, not recorded, on " +
                      event.device.label);
  }
  event.mark = mark(stream, event.isTimed);
}

/// False after `timeoutNs`.
static bool isReached(const tz_event &event, uint64_t timeoutNs) {
  if (!event.mark) {
    return true;
  }
  const ze_result_t result =
      event.device.driver.zeEventHostSynchronize(event.mark->event, timeoutNs);
  if (result == ZE_RESULT_NOT_READY) {
    return false;
  }
  ZeDriver::check(result, [] { return "wait for an event"; });
  return true;
}

bool Slots::query(tz_event &event) {
  if (!event.mark) {
    return true;
  }
  const ze_result_t result =
      event.device.driver.zeEventQueryStatus(event.mark->event);
  if (result == ZE_RESULT_NOT_READY) {
    return false;
  }
  ZeDriver::check(result, [] { return "ask an event"; });
  return true;
}

void Slots::synchronize(tz_event &event, uint64_t timeoutNs) {
  if (!isReached(event, timeoutNs)) {
    throw Failure(TZ_E_TIMEOUT, "the event was not reached in time");
  }
}

uint64_t Slots::elapsedNs(tz_event &start, tz_event &stop) {
  for (tz_event *one : {&start, &stop}) {
    if (!one->mark) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event that measures time was never recorded");
    }
    if (!one->isTimed) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event was made without TZ_EVENT_TIMING");
    }
    if (!query(*one)) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "an event that measures time was not reached yet");
    }
  }
  const ZeFacts &facts = start.device.facts;
  if (facts.ticksPerSecond == 0) {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "the driver does not tell how fast its clock is");
  }
  // The clock begins again at 0 now and then.
  const uint64_t ticks =
      (*stop.mark->time - *start.mark->time) & facts.tickMask;
  return uint64_t(__uint128_t(ticks) * 1000000000u / facts.ticksPerSecond);
}

} // namespace tz::intel
