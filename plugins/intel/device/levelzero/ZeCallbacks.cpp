//===- ZeCallbacks.cpp - functions that a stream calls --------------------===//
//
// What   A thread that calls what streams were given, when their marks are
//        reached; see ZeDevice.h.
// Why    Command lists cannot call the host.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <terrazzo/plugin/EventWait.h>

#include <algorithm>

namespace tz::intel {

ZeCallbacks::~ZeCallbacks() { end(); }

void ZeCallbacks::end() {
  {
    std::lock_guard guard(mutex);
    isEnding = true;
    changed.notify_all();
  }
  if (thread.joinable()) {
    thread.join(); // it calls what is left first
  }
}

void ZeCallbacks::prepare() {
  std::lock_guard guard(mutex);
  waiting.reserve(waiting.size() + 1);
  if (!thread.joinable()) {
    thread = std::thread([this] { run(); });
  }
}

void ZeCallbacks::add(Entry entry) {
  std::lock_guard guard(mutex);
  waiting.push_back(std::move(entry));
  changed.notify_all();
}

void ZeCallbacks::finish(const tz_stream &stream) {
  std::unique_lock guard(mutex);
  plugin::waitFor(changed, guard, [&] {
    return running != &stream && std::none_of(waiting.begin(), waiting.end(),
                                              [&](const Entry &entry) {
                                                return entry.stream == &stream;
                                              });
  });
}

/// The first that is reached, and before which nothing of its stream waits.
/// With the mutex held.
std::vector<ZeCallbacks::Entry>::iterator ZeCallbacks::findReached() {
  for (auto at = waiting.begin(); at != waiting.end(); ++at) {
    const bool isNext =
        std::none_of(waiting.begin(), at, [&](const Entry &before) {
          return before.stream == at->stream;
        });
    if (!isNext) {
      continue;
    }
    const ze_result_t result =
        device.driver.zeEventQueryStatus(at->mark->event);
    if (result != ZE_RESULT_NOT_READY) {
      at->code = result == ZE_RESULT_SUCCESS ? TZ_E_OK : TZ_E_DEVICE_LOST;
      return at;
    }
  }
  return waiting.end();
}

void ZeCallbacks::run() {
  constexpr uint64_t glanceNs = 1000000; // until the others are looked at again
  std::unique_lock guard(mutex);
  while (true) {
    plugin::waitFor(changed, guard,
                    [&] { return isEnding || !waiting.empty(); });
    if (waiting.empty()) {
      return;
    }
    const auto due = findReached();
    if (due == waiting.end()) {
      const std::shared_ptr<const ZeMark> first = waiting.front().mark;
      guard.unlock();
      (void)device.driver.zeEventHostSynchronize(first->event, glanceNs);
      guard.lock();
      continue;
    }
    const Entry entry = std::move(*due);
    waiting.erase(due);
    running = entry.stream;
    guard.unlock();
    entry.function(entry.user, entry.code);
    guard.lock();
    running = nullptr;
    changed.notify_all();
  }
}

} // namespace tz::intel
