//===- Background.cpp - compilations that their caller may leave ----------===//
//
// What   See Background.h.
// Why    See Background.h.
//===----------------------------------------------------------------------===//
#include "core/driver/vendor/Background.h"

#include "core/driver/options/Budget.h"

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <pthread.h>
#include <unistd.h>

namespace tz::driver {

using namespace runtime;

namespace {

/// Threads that compile. Never destroyed: one may outlive its caller.
struct Running {
  std::mutex lock;
  std::condition_variable changed;
  size_t count = 0;

  static Running &all() {
    static Running &running = *new Running;
    return running;
  }
  /// Before the compilers' libraries are taken down, which a thread that still
  /// compiles would not survive. If one does not end, the process does, with
  /// its status and without the rest of its clean-up.
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

/// The caller goes on without the thread, which is asked to stop.
void leave(pthread_t thread, uint64_t request) {
  (void)pthread_detach(thread);
  [[maybe_unused]] static const int registered =
      on_exit(Running::awaitAll, nullptr);
  cancelRequest(request);
}

/// What the caller and the thread share; the last one to leave frees it.
struct Call {
  Call(Plugin &plugin, const CompileJob &given, std::string_view ir)
      : plugin(plugin), use(std::in_place, plugin), ir(ir),
        request(nextRequestId()) {
    // What compilers read; the source's names belong to the calling thread.
    job.plugin = given.plugin;
    job.target = given.target;
    job.options = given.options;
    job.emit = given.emit;
  }

  void run() {
    Result<Artifact> made = compileHere(
        plugin, job, ir,
        [this](const VendorMessage &message) {
          std::lock_guard guard(lock);
          messages.push_back(message);
          changed.notify_all();
        },
        request);
    forgetRequest(request);
    std::lock_guard guard(lock);
    use.reset();
    result.emplace(std::move(made));
    changed.notify_all();
  }

  Plugin &plugin;
  std::optional<Plugin::Use> use;
  CompileJob job;
  const std::string ir;
  const uint64_t request;
  std::mutex lock; // guards what follows
  std::condition_variable changed;
  std::deque<VendorMessage> messages;
  std::optional<Result<Artifact>> result;
};

} // namespace

static void *runCall(void *given) {
  {
    std::unique_ptr<std::shared_ptr<Call>> call(
        static_cast<std::shared_ptr<Call> *>(given));
    (*call)->run();
  }
  Running &running = Running::all();
  std::lock_guard guard(running.lock);
  --running.count;
  running.changed.notify_all();
  return nullptr;
}

/// Nothing if the system gives no thread.
static std::optional<pthread_t> start(const std::shared_ptr<Call> &call) {
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
  auto given = std::make_unique<std::shared_ptr<Call>>(call);
  {
    std::lock_guard guard(Running::all().lock);
    ++Running::all().count;
  }
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  const bool isStarted =
      pthread_create(&thread, &attributes, runCall, given.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!isStarted) {
    std::lock_guard guard(Running::all().lock);
    --Running::all().count;
    return std::nullopt;
  }
  (void)given.release(); // the thread's
  return thread;
}

Result<Artifact> compileInBackground(Plugin &plugin, const CompileJob &job,
                                     std::string_view ir,
                                     const VendorListener &listener) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(secondsLeft()));
  auto call = std::make_shared<Call>(plugin, job, ir);
  const std::optional<pthread_t> thread = start(call);
  if (!thread) {
    return compileHere(plugin, job, ir, listener);
  }
  std::unique_lock guard(call->lock);
  while (true) {
    const bool isNews = call->changed.wait_until(
        guard, std::min(Clock::now() + Interrupt::Interval, deadline),
        [&] { return call->result || !call->messages.empty(); });
    while (!call->messages.empty()) {
      VendorMessage message = std::move(call->messages.front());
      call->messages.pop_front();
      guard.unlock();
      listener(message);
      guard.lock();
    }
    if (call->result) {
      guard.unlock();
      (void)pthread_join(*thread, nullptr);
      return std::move(*call->result);
    }
    if (isNews) {
      continue;
    }
    guard.unlock();
    if (Clock::now() >= deadline) {
      leave(*thread, call->request);
      return Status(TZ_E_TIMEOUT, "the compiler of '" + plugin.name() + "' " +
                                      tookTooLong() +
                                      " and was left; TERRAZZO_COMPILE_TIMEOUT "
                                      "(seconds) gives it more, "
                                      "TERRAZZO_COMPILE_WORKER=on stops it");
    }
    if (int32_t code = plugin.interrupt().code()) {
      leave(*thread, call->request);
      return interrupted(code, "the compiler of '" + plugin.name() + "'");
    }
    guard.lock();
  }
}

} // namespace tz::driver
