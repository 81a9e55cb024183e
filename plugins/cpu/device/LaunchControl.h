//===- LaunchControl.h - Ends a launch before its last program ------------===//
//
// What   One stream's launch as those see it who may end it: the host, which
//        the calling thread asks now and then; tz_device_api.stream_cancel; a
//        fault in the kernel. And the clock that makes the calling thread ask.
// Why    A kernel may never end. Its code reads one word between pieces of its
//        loops, the pool reads it between pieces of the grid, which costs next
//        to nothing; all that takes longer is behind a word that is not 0.
//
// The calling thread and the pool's threads read words of their own: asking the
// host is the calling thread's business alone.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHCONTROL_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHCONTROL_H

#include "plugins/cpu/KernelEntry.h"

#include "terrazzo/plugin.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tz::cpu {

class LaunchControl;

/// How often a launch that runs long asks the host.
inline constexpr std::chrono::milliseconds AskInterval{40};

/// Reminds the calling threads of launches that run long. Its thread begins
/// with the first launch, and sleeps while there are none.
class Reminder {
public:
  Reminder() = default;
  ~Reminder();
  Reminder(const Reminder &) = delete;
  Reminder &operator=(const Reminder &) = delete;

  void add(LaunchControl &control);
  void remove(LaunchControl &control);
  /// A launch has begun.
  void notice() {
    if (state.load() != Awake) [[unlikely]] {
      wake();
    }
  }

private:
  enum State : int { NotStarted, Asleep, Awake };
  void wake();
  void loop();
  bool remindAll();

  std::atomic<int> state{NotStarted};
  std::mutex mutex; ///< guards what follows
  std::condition_variable changed;
  std::vector<LaunchControl *> controls;
  bool stopping = false;
  std::thread thread;
};

/// What trapped in a kernel, and where; or what checked code did not do.
struct Fault {
  int signal = 0;
  const tz_cpu_access *access = nullptr; ///< of checked code
  bool hasAddress = false, isWrite = false;
  uint64_t address = 0;
  uint64_t pc = 0;
  int64_t program = 0;
};

class LaunchControl {
public:
  /// `host` may be null: then only stop() ends a launch. `reminder` outlives
  /// this object.
  LaunchControl(const tz_host *host, Reminder &reminder);
  ~LaunchControl();
  LaunchControl(const LaunchControl &) = delete;
  LaunchControl &operator=(const LaunchControl &) = delete;

  /// Around a launch, by the calling thread.
  void begin();
  void end() { active.store(false, std::memory_order_release); }

  /// [thread: any, also in a signal handler] Ends the launch that runs, if one
  /// does, with this TZ_E_* code. The first code counts.
  void stop(int32_t code);
  bool isStopped() const {
    return why.load(std::memory_order_relaxed) != TZ_E_OK;
  }
  /// TZ_E_OK: it goes on, or has ended by itself.
  int32_t code() const { return why.load(); }

  /// By the calling thread: asks the host. False: the launch is to end.
  bool ask();
  /// The same if it is time to.
  bool askIfReminded() {
    return callerWord.load(std::memory_order_relaxed) == 0 || ask();
  }

  /// The words that kernel code reads (tz_cpu_run.stop).
  const uint32_t *word(bool isCaller) const {
    return reinterpret_cast<const uint32_t *>(isCaller ? &callerWord
                                                       : &workerWord);
  }

  /// [in a signal handler] The first fault is kept, and ends the launch.
  void noteFault(const Fault &found);
  /// Valid once code() is TZ_E_FAULT and no thread is in the kernel.
  const Fault &fault() const { return first; }

private:
  friend class Reminder;
  const tz_host *const host;
  Reminder &reminder;
  std::atomic<bool> active{false};
  bool isOld = false; ///< the reminder's: was active when it looked last
  std::atomic<uint32_t> callerWord{0}, workerWord{0};
  std::atomic<int32_t> why{TZ_E_OK};
  std::atomic<bool> hasFault{false};
  Fault first;
};

} // namespace tz::cpu

#endif
