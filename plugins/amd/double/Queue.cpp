//===- Queue.cpp - a stream of simulated work -----------------------------===//
//
// What   See Queue.h.
// Why    See Queue.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Queue.h"

#include <terrazzo/plugin/EventWait.h>

namespace tz::amd::hip {

//===--- Marks ------------------------------------------------------------===//

void Mark::reach(Fault with) {
  std::lock_guard guard(mutex);
  when = std::chrono::steady_clock::now();
  met = std::move(with);
  reached = true;
  changed.notify_all();
}

void Mark::wait() {
  std::unique_lock guard(mutex);
  plugin::waitFor(changed, guard, [&] { return reached; });
}

bool Mark::isReached() const {
  std::lock_guard guard(mutex);
  return reached;
}

std::chrono::steady_clock::time_point Mark::time() const {
  std::lock_guard guard(mutex);
  return when;
}

Fault Mark::fault() const {
  std::lock_guard guard(mutex);
  return met;
}

//===--- Queues -----------------------------------------------------------===//

Queue::Queue(int device) : device(device), thread([this] { run(); }) {}

Queue::~Queue() {
  {
    std::lock_guard guard(mutex);
    isEnding = true;
    changed.notify_all();
  }
  thread.join();
}

void Queue::add(std::function<Fault()> work) {
  std::lock_guard guard(mutex);
  waiting.emplace_back([this, work = std::move(work)] {
    Fault fault = work();
    if (fault.result != Success) {
      std::lock_guard inner(mutex);
      if (met.result == Success) {
        met = std::move(fault);
      }
    }
  });
  ++added;
  changed.notify_all();
}

void Queue::addKnowing(std::function<void(const Fault &)> work) {
  add([this, work = std::move(work)] {
    Fault known;
    {
      std::lock_guard guard(mutex);
      known = met;
    }
    work(known);
    return Fault();
  });
}

void Queue::wait() {
  std::unique_lock guard(mutex);
  const uint64_t until = added;
  plugin::waitFor(changed, guard, [&] { return done >= until; });
}

Fault Queue::take() {
  std::lock_guard guard(mutex);
  return std::exchange(met, {});
}

void Queue::run() {
  std::unique_lock guard(mutex);
  while (true) {
    plugin::waitFor(changed, guard,
                    [&] { return !waiting.empty() || isEnding; });
    if (waiting.empty()) {
      return;
    }
    const std::function<void()> work = std::move(waiting.front());
    waiting.pop_front();
    guard.unlock();
    work();
    guard.lock();
    ++done;
    changed.notify_all();
  }
}

} // namespace tz::amd::hip
