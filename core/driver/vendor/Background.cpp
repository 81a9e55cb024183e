//===- Background.cpp - compilations that their caller may leave ----------===//
//
// What   See Background.h.
// Why    See Background.h.
//===----------------------------------------------------------------------===//
#include "core/driver/vendor/Background.h"

#include "core/driver/LeftThreads.h"
#include "core/driver/options/Budget.h"

#include <condition_variable>
#include <deque>

namespace tz::driver {

using namespace runtime;

namespace {

/// The caller goes on without the thread, which is asked to stop.
void leave(pthread_t thread, uint64_t request) {
  leaveThread(thread);
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

Result<Artifact> compileInBackground(Plugin &plugin, const CompileJob &job,
                                     std::string_view ir,
                                     const VendorListener &listener) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(secondsLeft()));
  auto call = std::make_shared<Call>(plugin, job, ir);
  const std::optional<pthread_t> thread = startThread([call] { call->run(); });
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
