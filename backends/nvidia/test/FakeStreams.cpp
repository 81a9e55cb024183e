//===- FakeStreams.cpp - streams and events of the fake driver ------------===//
//
// What   Handles that are checked; work was done when it was asked for.
// Why    See FakeDriver.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeState.h"

#include <chrono>

using namespace tz::nvidia::driver;
using namespace tz::nvidia::test;

bool tz::nvidia::test::isKnown(Stream s) {
  return !s || s == LegacyStream || s == PerThreadStream ||
         state().streams.count(s);
}

static double nowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

FAKE_API Result cuStreamCreateWithPriority(Stream *out, unsigned flags,
                                           int priority) {
  ENTER_CONTEXT(cuStreamCreateWithPriority)
  REQUIRE(flags == StreamNonBlocking, InvalidValue)
  *out = new StreamObject{current.back()};
  state().streams.insert(*out);
  ++state().control.streams;
  state().control.lastPriority = priority;
  return Success;
}

FAKE_API Result cuStreamDestroy_v2(Stream stream) {
  ENTER_CONTEXT(cuStreamDestroy_v2)
  REQUIRE(state().streams.erase(stream), InvalidHandle)
  delete stream;
  --state().control.streams;
  return Success;
}

FAKE_API Result cuStreamSynchronize(Stream stream) {
  ENTER_CONTEXT(cuStreamSynchronize)
  REQUIRE(isKnown(stream), InvalidHandle)
  REQUIRE(!state().control.recording, StreamCaptureUnsupported)
  return Success;
}

FAKE_API Result cuCtxSynchronize() {
  ENTER_CONTEXT(cuCtxSynchronize)
  REQUIRE(!state().control.recording, StreamCaptureUnsupported)
  return Success;
}

FAKE_API Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  ENTER_CONTEXT(cuStreamWaitEvent)
  REQUIRE(isKnown(stream) && state().events.count(event), InvalidHandle)
  return Success;
}

FAKE_API Result cuStreamAddCallback(Stream stream, StreamCallback fn,
                                    void *user, unsigned) {
  ENTER_CONTEXT(cuStreamAddCallback)
  REQUIRE(isKnown(stream), InvalidHandle)
  entry.lock.unlock();
  fn(stream, Success, user);
  return Success;
}

FAKE_API Result cuStreamGetCtx(Stream stream, Context *out) {
  ENTER_CONTEXT(cuStreamGetCtx)
  REQUIRE(state().streams.count(stream), InvalidHandle)
  *out = stream->context;
  return Success;
}

FAKE_API Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  ENTER(cuThreadExchangeStreamCaptureMode)
  std::swap(*mode, captureMode);
  return Success;
}

FAKE_API Result cuStreamIsCapturing(Stream stream, CaptureStatus *out) {
  ENTER_CONTEXT(cuStreamIsCapturing)
  REQUIRE(isKnown(stream), InvalidHandle)
  *out = state().control.recording ? CaptureActive : CaptureNone;
  return Success;
}

FAKE_API Result cuEventCreate(Event *out, unsigned flags) {
  ENTER_CONTEXT(cuEventCreate)
  *out = new EventObject{current.back(), !(flags & EventDisableTiming)};
  state().events.insert(*out);
  ++state().control.events;
  return Success;
}

FAKE_API Result cuEventDestroy_v2(Event event) {
  ENTER_CONTEXT(cuEventDestroy_v2)
  REQUIRE(state().events.erase(event), InvalidHandle)
  delete event;
  --state().control.events;
  return Success;
}

FAKE_API Result cuEventRecord(Event event, Stream stream) {
  ENTER_CONTEXT(cuEventRecord)
  REQUIRE(isKnown(stream) && state().events.count(event), InvalidHandle)
  event->recorded = true;
  event->ms = nowMs();
  return Success;
}

FAKE_API Result cuEventQuery(Event event) {
  ENTER_CONTEXT(cuEventQuery)
  REQUIRE(state().events.count(event), InvalidHandle)
  REQUIRE(mayPrepare(), StreamCaptureUnsupported)
  return state().control.eventsPending ? NotReady : Success;
}

FAKE_API Result cuEventSynchronize(Event event) {
  ENTER_CONTEXT(cuEventSynchronize)
  REQUIRE(state().events.count(event), InvalidHandle)
  return Success;
}

FAKE_API Result cuEventElapsedTime(float *ms, Event start, Event stop) {
  ENTER_CONTEXT(cuEventElapsedTime)
  REQUIRE(state().events.count(start) && state().events.count(stop) &&
              start->timed && stop->timed && start->recorded && stop->recorded,
          InvalidHandle)
  REQUIRE(!state().control.eventsPending, NotReady)
  *ms = float(stop->ms - start->ms);
  return Success;
}
