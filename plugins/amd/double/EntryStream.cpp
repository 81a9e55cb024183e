//===- EntryStream.cpp - HIP's functions for streams and events -----------===//
//
// What   Queues, marks, callbacks. Nothing is ever recorded as a graph.
// Why    Times are those of the host, so that events have an order; they say
//        nothing of a device.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Results.h"
#include "plugins/amd/double/SimulatedDevice.h"

using namespace tz::amd::hip;

//===--- Streams ----------------------------------------------------------===//

TZ_HIP_ENTRY hipStreamCreateWithPriority(Stream *out, unsigned, int) {
  return answer([&] {
    require(out);
    *out = handleOf(current().createQueue());
  });
}

TZ_HIP_ENTRY hipStreamDestroy(Stream stream) {
  return answer([&] {
    Queue &queue = queueOf(stream);
    SimulatedDevice &device = *devices()[size_t(queue.device)];
    require(&queue != &device.defaultQueue(), InvalidHandle);
    device.destroyQueue(&queue);
  });
}

TZ_HIP_ENTRY hipStreamSynchronize(Stream stream) {
  return answer([&] {
    Queue &queue = queueOf(stream);
    queue.wait();
    requireNone(queue.take());
  });
}

TZ_HIP_ENTRY hipStreamGetDevice(Stream stream, int *device) {
  return answer([&] {
    require(device);
    *device = queueOf(stream).device;
  });
}

TZ_HIP_ENTRY hipStreamAddCallback(Stream stream, StreamCallback callback,
                                  void *user, unsigned flags) {
  return answer([&] {
    require(callback && flags == 0);
    queueOf(stream).addKnowing(
        [=](const Fault &fault) { callback(stream, fault.result, user); });
  });
}

TZ_HIP_ENTRY hipStreamIsCapturing(Stream stream, CaptureStatus *status) {
  return answer([&] {
    require(status);
    (void)queueOf(stream);
    *status = CaptureNone;
  });
}

TZ_HIP_ENTRY hipThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  return answer([&] {
    static thread_local CaptureMode current = CaptureMode(0);
    require(mode);
    std::swap(current, *mode);
  });
}

//===--- Events -----------------------------------------------------------===//

static EventObject &objectOf(Event event) {
  require(event, InvalidHandle);
  return *event;
}

TZ_HIP_ENTRY hipEventCreateWithFlags(Event *out, unsigned flags) {
  return answer([&] {
    require(out);
    auto made = std::make_unique<EventObject>();
    made->isTimed = !(flags & EventDisableTiming);
    *out = made.release();
  });
}

TZ_HIP_ENTRY hipEventDestroy(Event event) {
  return answer([&] { delete &objectOf(event); });
}

TZ_HIP_ENTRY hipEventRecord(Event event, Stream stream) {
  return answer([&] {
    EventObject &object = objectOf(event);
    auto mark = std::make_shared<Mark>();
    queueOf(stream).addKnowing(
        [mark](const Fault &fault) { mark->reach(fault); });
    std::lock_guard guard(object.mutex);
    object.mark = mark;
  });
}

TZ_HIP_ENTRY hipStreamWaitEvent(Stream stream, Event event, unsigned) {
  return answer([&] {
    Queue &queue = queueOf(stream);
    if (auto mark = objectOf(event).recorded()) {
      queue.add([mark] {
        mark->wait();
        return Fault();
      });
    }
  });
}

TZ_HIP_ENTRY hipEventQuery(Event event) {
  return answer([&] {
    if (auto mark = objectOf(event).recorded()) {
      require(mark->isReached(), NotReady);
      requireNone(mark->fault());
    }
  });
}

TZ_HIP_ENTRY hipEventSynchronize(Event event) {
  return answer([&] {
    if (auto mark = objectOf(event).recorded()) {
      mark->wait();
      requireNone(mark->fault());
    }
  });
}

TZ_HIP_ENTRY hipEventElapsedTime(float *milliseconds, Event start, Event stop) {
  return answer([&] {
    require(milliseconds);
    std::chrono::steady_clock::time_point times[2];
    Event both[] = {start, stop};
    for (int i = 0; i < 2; ++i) {
      EventObject &object = objectOf(both[i]);
      const auto mark = object.recorded();
      require(mark && object.isTimed, InvalidHandle);
      require(mark->isReached(), NotReady);
      times[i] = mark->time();
    }
    *milliseconds =
        std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
  });
}
