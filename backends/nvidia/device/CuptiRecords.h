//===- CuptiRecords.h - when kernels ran, as CUPTI tells ------------------===//
//
// What   The table x.terrazzo.profiler/0 over CUPTI's activity records, whose
//        library is opened when a profile begins.
// Why    Kernels have the driver's own times, and those of other libraries in
//        the process show, too.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTIRECORDS_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUPTIRECORDS_H

#include "backends/nvidia/device/CuptiTypes.h"

#include <terrazzo/plugin/ProfilerTable.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tz::nvidia {

/// The names by which CUPTI is looked for.
std::vector<std::string> cuptiLibraries();
/// `attempt`: "start records of kernels"; getResultString: CUPTI's.
[[noreturn]] void failCupti(cupti::Result (*getResultString)(cupti::Result,
                                                             const char **),
                            cupti::Result result, const char *attempt);

/// CUPTI's functions. Throws TZ_E_UNAVAILABLE: it is absent, or too old.
struct Cupti {
  explicit Cupti(std::vector<std::string> names);

#define TZ_CUPTI_MEMBER(name, symbol, parameters)                              \
  cupti::Result(*name) parameters = nullptr;
  TZ_CUPTI_FUNCTIONS(TZ_CUPTI_MEMBER)
  TZ_CUPTI_GRAPH_FUNCTIONS(TZ_CUPTI_MEMBER)
#undef TZ_CUPTI_MEMBER

  /// Throws if it is one; `attempt`: "start records of kernels".
  void check(cupti::Result result, const char *attempt) const;
};

/// Numbers of calls of the driver, by CUPTI's own number of the call. A call
/// puts its number before its records come; the oldest go. Without locks: the
/// launching thread writes, CUPTI's reads.
class CallNumbers {
public:
  CallNumbers();
  void put(uint32_t call, uint64_t number);
  /// 0: nothing was put.
  uint64_t find(uint32_t call) const;

private:
  struct Slot {
    uint64_t call, number;
  };
  Slot &slotOf(uint32_t call) const { return slots.get()[call % Most]; }
  static constexpr size_t Most = size_t(1) << 20;
  std::unique_ptr<Slot, void (*)(void *)> slots; ///< pages that are used
};

/// Whose launches tell their numbers; null: nobody's. One load and a branch of
/// each launch.
inline std::atomic<const tz_platform *> recordedPlatform{nullptr};

/// While it lives, what this thread launches on the platform has this number.
class LaunchNumber {
public:
  LaunchNumber(const tz_platform &platform, uint64_t number) {
    if (recordedPlatform.load(std::memory_order_acquire) == &platform && number)
        [[unlikely]] {
      push(number);
    }
  }
  ~LaunchNumber() {
    if (isOpen) [[unlikely]] {
      pop();
    }
  }
  LaunchNumber(const LaunchNumber &) = delete;

private:
  void push(uint64_t number);
  void pop();
  bool isOpen = false;
  const Cupti *cupti = nullptr; ///< it has the number
};

/// The table that get_interface(TZ_PROFILER_INTERFACE) answers.
const tz_profiler_api &profilerApi();

} // namespace tz::nvidia

/// CUPTI has one set of callbacks for a process; so there is one of these.
struct tz_profiler {
  tz_profiler(tz_platform &platform, const tz::plugin::RecordHost &host);
  ~tz_profiler();
  tz_profiler(const tz_profiler &) = delete;

  void enable(uint64_t kinds);
  void flush(bool waits);
  /// Of scopes.
  void push(uint64_t id);
  uint64_t pop();
  void watch(const tz_profiler_watcher &wanted);
  /// Never destroyed: a launch may be in it while records end.
  const tz::nvidia::Cupti &cupti;

private:
  static void request(uint8_t **buffer, size_t *size, size_t *most);
  static void complete(void *context, uint32_t stream, uint8_t *buffer,
                       size_t size, size_t valid);
  void read(uint8_t *buffer, size_t valid, void *context, uint32_t stream);
  void readOne(const void *record);
  void tellWaiting();
  tz_str kept(const char *name);
  static void called(void *self, uint32_t domain, uint32_t what,
                     const void *data);
  void callBegins(uint32_t what, const void *data);
  void rangeChanges(uint32_t what, const void *data) const;
  void graphNode(uint32_t what, const void *data);
  void subscribe(bool isWatched);
  void change(tz::nvidia::cupti::Kind kind, bool isWanted);
  void recordCalls(bool isWanted);

  tz_platform &platform;
  bool isRecording = false;
  uint64_t enabled = 0; ///< a bit for each of CUPTI's kinds
  tz::nvidia::CallNumbers calls;

  std::mutex mutex; ///< guards what follows
  /// Numbers that were pushed, by CUPTI's own number of a call.
  struct Pushed {
    uint64_t launch = 0, scope = 0;
  };
  std::map<uint32_t, Pushed> pushed;
  /// Records whose pushed numbers may come later, by the same number.
  std::deque<std::pair<uint32_t, tz_record>> waiting;
  std::set<std::string, std::less<>> names;
  tz::plugin::RecordBuffer told;

  void *subscriber = nullptr;
  tz_profiler_watcher watcher{};
  std::mutex nodesMutex; ///< guards what follows; taken inside of driver calls
  /// The scope in which a node of a graph was recorded.
  std::unordered_map<uint64_t, uint64_t> scopeOfNode;
};

#endif
