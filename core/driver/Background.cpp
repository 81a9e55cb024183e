//===- Background.cpp - compilations that their caller may leave ----------===//
//
// What   See Background.h.
// Why    See Background.h.
//===----------------------------------------------------------------------===//
#include "core/driver/Background.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <pthread.h>

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
  /// Before the compilers' libraries are taken down.
  static void awaitAll() {
    std::unique_lock guard(all().lock);
    all().changed.wait(guard, [] { return all().count == 0; });
  }
};

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

/// False if the system gives no thread.
static bool start(const std::shared_ptr<Call> &call) {
  // LLVM recurses; a thread's usual stack is less than a program's own.
  constexpr size_t StackBytes = size_t(16) << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, StackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
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
  if (isStarted) {
    (void)given.release(); // the thread's
  } else {
    std::lock_guard guard(Running::all().lock);
    --Running::all().count;
  }
  return isStarted;
}

Result<Artifact> compileInBackground(Plugin &plugin, const CompileJob &job,
                                     std::string_view ir,
                                     const VendorListener &listener) {
  auto call = std::make_shared<Call>(plugin, job, ir);
  if (!start(call)) {
    return compileHere(plugin, job, ir, listener);
  }
  std::unique_lock guard(call->lock);
  while (true) {
    const bool isNews = call->changed.wait_for(guard, Interrupt::Interval, [&] {
      return call->result || !call->messages.empty();
    });
    while (!call->messages.empty()) {
      VendorMessage message = std::move(call->messages.front());
      call->messages.pop_front();
      guard.unlock();
      listener(message);
      guard.lock();
    }
    if (call->result) {
      return std::move(*call->result);
    }
    if (isNews) {
      continue;
    }
    guard.unlock();
    if (int32_t code = plugin.interrupt().code()) {
      [[maybe_unused]] static const int registered =
          std::atexit(Running::awaitAll);
      cancelRequest(call->request);
      return interrupted(code, "the compiler of '" + plugin.name() + "'");
    }
    guard.lock();
  }
}

} // namespace tz::driver
