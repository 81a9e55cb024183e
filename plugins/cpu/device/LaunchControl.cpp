//===- LaunchControl.cpp - Ends a launch before its last program ----------===//
//
// What   See LaunchControl.h.
// Why    See LaunchControl.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LaunchControl.h"

#include <algorithm>
#include <csignal>
#include <system_error>

namespace tz::cpu {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

//===--- Reminder ---------------------------------------------------------===//

Reminder::~Reminder() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  if (thread.joinable()) {
    thread.join();
  }
}

void Reminder::add(LaunchControl &control) {
  std::lock_guard<std::mutex> lock(mutex);
  controls.push_back(&control);
}

void Reminder::remove(LaunchControl &control) {
  std::lock_guard<std::mutex> lock(mutex);
  std::erase(controls, &control);
}

void Reminder::wake() {
  std::lock_guard<std::mutex> lock(mutex);
  if (state.load() == NotStarted) {
    // Signals are for the program's own threads, but for those that tell of
    // this thread's mistakes: blocked, they end the process without a word.
    sigset_t all, before;
    sigfillset(&all);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
      sigdelset(&all, own);
    }
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
      thread = std::thread([this] { loop(); });
    } catch (const std::system_error &) {
      // Without it launches cannot be interrupted; the next one tries again.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread.joinable()) {
      return;
    }
  }
  state.store(Awake);
  changed.notify_all();
}

/// Is there a launch? Needs the mutex.
bool Reminder::remindAll() {
  bool any = false;
  for (LaunchControl *control : controls) {
    const bool now = control->active.load();
    if (now && control->isOld && control->callerWord.load() == 0) {
      control->callerWord.store(1);
    }
    control->isOld = now;
    any |= now;
  }
  return any;
}

void Reminder::loop() {
  constexpr int linger = 25; // intervals: about a second
  std::unique_lock<std::mutex> lock(mutex);
  int idle = 0;
  while (!stopping) {
    changed.wait_for(lock, AskInterval);
    idle = remindAll() ? 0 : idle + 1;
    if (idle < linger || stopping) {
      continue;
    }
    // A launch marks itself as active before it reads the state.
    state.store(Asleep);
    if (!remindAll()) {
      while (!stopping && state.load() != Awake) {
        // wait() alone needs a newer C++ library than users may have.
        changed.wait_for(lock, std::chrono::hours(1));
      }
    }
    state.store(Awake);
    idle = 0;
  }
}

//===--- LaunchControl ----------------------------------------------------===//

LaunchControl::LaunchControl(const tz_host *host, Reminder &reminder)
    : host(TZ_HAS_FN(host, tz_host, interrupted) ? host : nullptr),
      reminder(reminder) {
  reminder.add(*this);
}

LaunchControl::~LaunchControl() { reminder.remove(*this); }

void LaunchControl::begin() {
  why.store(TZ_E_OK, std::memory_order_relaxed);
  callerWord.store(0, std::memory_order_relaxed);
  workerWord.store(0, std::memory_order_relaxed);
  hasFault.store(false, std::memory_order_relaxed);
  active.store(true);
  if (host) {
    reminder.notice();
  }
}

void LaunchControl::stop(int32_t code) {
  int32_t none = TZ_E_OK;
  if (active.load()) {
    why.compare_exchange_strong(none, code);
    workerWord.store(1);
    callerWord.store(1);
  }
}

bool LaunchControl::ask() {
  callerWord.store(0);
  if (!isStopped() && host) {
    if (int32_t code = host->interrupted(host->ctx)) {
      stop(code);
    }
  }
  if (isStopped()) {
    callerWord.store(1); // for the loops around the one that asked
    return false;
  }
  return true;
}

void LaunchControl::noteFault(const Fault &found) {
  if (!hasFault.exchange(true)) {
    first = found;
  }
  stop(TZ_E_FAULT);
}

} // namespace tz::cpu
