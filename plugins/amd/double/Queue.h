//===- Queue.h - a stream of simulated work -------------------------------===//
//
// What   Work that a thread of the queue does in order; marks that others wait
//        for; the first fault that nobody was told of.
// Why    A device works beside its host. What a device half does wrong with
//        order shows only if this one does, too.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DOUBLE_QUEUE_H
#define TERRAZZO_PLUGINS_AMD_DOUBLE_QUEUE_H

#include "plugins/amd/device/HipTypes.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace tz::amd::hip {

/// What a kernel did wrong.
struct Fault {
  Result result = Success;
  std::string text;
};

/// A place in a queue, once it is recorded. [thread: any]
class Mark {
public:
  void reach(Fault with);
  void wait();
  bool isReached() const;
  /// Of a mark that is reached.
  std::chrono::steady_clock::time_point time() const;
  Fault fault() const;

private:
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
  std::chrono::steady_clock::time_point when;
  Fault met;
};

/// [thread: any]
class Queue {
public:
  explicit Queue(int device);
  /// Does what it holds first.
  ~Queue();
  Queue(const Queue &) = delete;

  /// The work of a kernel answers its fault; other work none.
  void add(std::function<Fault()> work);
  /// Work that is to know of the fault that the queue has met.
  void addKnowing(std::function<void(const Fault &)> work);
  /// Until all is done that was added before.
  void wait();
  /// The first fault since the last call.
  Fault take();

  const int device; ///< its number

private:
  void run();

  std::mutex mutex; ///< guards what follows
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  uint64_t added = 0, done = 0;
  bool isEnding = false;
  Fault met;
  std::thread thread; // the last: it uses the others
};

} // namespace tz::amd::hip

#endif
