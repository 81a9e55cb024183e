//===- LeftThreads.cpp - threads that their caller leaves -----------------===//
//
// What   See LeftThreads.h.
// Why    See LeftThreads.h.
//===----------------------------------------------------------------------===//
#include "core/driver/LeftThreads.h"

#include "core/ir/CompileBudget.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unistd.h>

namespace tz::driver {

namespace {
/// Threads that run. Never destroyed: one may outlive its caller.
struct Running {
  std::mutex lock;
  std::condition_variable changed;
  size_t count = 0;

  static Running &all() {
    static Running &running = *new Running;
    return running;
  }
  void begin() {
    std::lock_guard guard(lock);
    ++count;
  }
  void end() {
    std::lock_guard guard(lock);
    --count;
    changed.notify_all();
  }
  /// Before the compilers' libraries are taken down.
  static void awaitAll(int status, void *) {
    constexpr std::chrono::seconds patience(1);
    std::unique_lock guard(all().lock);
    if (!all().changed.wait_for(guard, patience,
                                [] { return all().count == 0; })) {
      (void)std::fflush(nullptr);
      _exit(status);
    }
  }
};
} // namespace

static void *run(void *given) {
  {
    std::unique_ptr<std::function<void()>> work(
        static_cast<std::function<void()> *>(given));
    (*work)();
  }
  Running::all().end();
  return nullptr;
}

std::optional<pthread_t> startThread(std::function<void()> work) {
  // LLVM recurses; a thread's usual stack is less than a program's own.
  constexpr size_t stackBytes = size_t(16) << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  sigset_t all, before;
  sigfillset(&all);
  // Signals that tell of this thread's own mistakes stay.
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigdelset(&all, own);
  }
  auto given = std::make_unique<std::function<void()>>(std::move(work));
  Running::all().begin();
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  const bool isStarted =
      pthread_create(&thread, &attributes, run, given.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!isStarted) {
    Running::all().end();
    return std::nullopt;
  }
  (void)given.release(); // the thread's
  return thread;
}

void leaveThread(pthread_t thread) {
  (void)pthread_detach(thread);
  [[maybe_unused]] static const int registered =
      on_exit(Running::awaitAll, nullptr);
}

namespace {
/// Work, and what its thread and its caller say to each other.
struct Errand {
  Errand(std::function<void()> work, const CompileBudget &budget)
      : work(std::move(work)),
        budget(budget.share([this] { return isLeft.load(); })) {}

  void run() {
    {
      CompileBudget mine(budget);
      work();
      outcome = mine.outcome();
    }
    work = nullptr; // and all that it owns
    std::lock_guard guard(lock);
    isDone = true;
    changed.notify_all();
  }

  std::function<void()> work;
  const CompileBudget::Share budget;
  CompileBudget::Outcome outcome; // the thread's until `isDone`
  std::atomic<int32_t> isLeft = 0;
  std::mutex lock;
  std::condition_variable changed;
  bool isDone = false; // guarded by `lock`
};
} // namespace

bool runLeavable(std::function<void()> work) {
  // The budget asks its caller no more often than every 40 ms.
  constexpr std::chrono::milliseconds interval(10);
  CompileBudget *const budget = CompileBudget::current();
  auto errand = budget ? std::make_shared<Errand>(work, *budget) : nullptr;
  const std::optional<pthread_t> thread =
      errand ? startThread([errand] { errand->run(); }) : std::nullopt;
  if (!thread) {
    work();
    return true;
  }
  work = nullptr;
  std::unique_lock guard(errand->lock);
  while (!errand->changed.wait_for(guard, interval,
                                   [&] { return errand->isDone; })) {
    guard.unlock();
    if (CompileBudget::isInterrupted()) {
      errand->isLeft = budget->interruption();
      leaveThread(*thread);
      return false;
    }
    guard.lock();
  }
  guard.unlock();
  (void)pthread_join(*thread, nullptr);
  budget->adopt(std::move(errand->outcome));
  return true;
}

} // namespace tz::driver
