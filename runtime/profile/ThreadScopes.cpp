//===- ThreadScopes.cpp - the names under which a thread launches ---------===//
//
// What   See ThreadScopes.h.
// Why    See ThreadScopes.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ThreadScopes.h"

#include "runtime/profile/Recorder.h"

#include <atomic>
#include <climits>
#include <cstddef>
#include <new>
#include <pthread.h>

namespace tz::runtime {

ThreadScopes &ThreadScopes::ofThisThread() {
  // No thread_local with a destructor: the C library ends the process where it
  // has no memory to note one. Without the key's the scopes outlive the thread.
  static const pthread_key_t key = [] {
    pthread_key_t made = PTHREAD_KEYS_MAX;
    (void)pthread_key_create(&made, [](void *scopes) {
      static_cast<ThreadScopes *>(scopes)->~ThreadScopes();
    });
    return made;
  }();
  alignas(
      ThreadScopes) static thread_local std::byte storage[sizeof(ThreadScopes)];
  static thread_local ThreadScopes *scopes = nullptr;
  if (!scopes) {
    scopes = new (storage) ThreadScopes;
    (void)pthread_setspecific(key, scopes);
  }
  return *scopes;
}

ThreadScopes::ThreadScopes() {
  static std::atomic<uint32_t> threads{0};
  threadNumber = threads.fetch_add(1, std::memory_order_relaxed);
}

void ThreadScopes::enter(std::string name) {
  scopes.push_back({std::move(name), monotonicNs(), {}});
  ++changes, ++pathChanges;
  Recorder::forEach([&](Recorder &recorder) { recorder.pathBegins(*this); });
}

Status ThreadScopes::leave(const char *name) {
  if (scopes.empty()) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "no scope of the profile is open on this thread");
  }
  Scope &ending = scopes.back();
  if (name && ending.name != name) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "the innermost scope of the profile is '" + ending.name +
                      "', not '" + name + "'");
  }
  const uint64_t ended = monotonicNs();
  Recorder::forEach([&](Recorder &recorder) {
    recorder.scopeLeft(*this, ending.began, ended, ending.metrics);
  });
  scopes.pop_back();
  ++changes, ++pathChanges;
  Recorder::forEach([&](Recorder &recorder) { recorder.pathEnds(*this); });
  return Status();
}

void ThreadScopes::enterRange(std::string_view name, bool isWanted) {
  ranges.emplace_back();
  if (isWanted) {
    enter(std::string(name));
    ranges.back() = name;
  }
}

/// Scopes of the program that are open in it stay: ranges and scopes that are
/// not nested have no order that could be kept.
void ThreadScopes::leaveRange() {
  if (ranges.empty()) {
    return;
  }
  if (const std::optional<std::string> &name = ranges.back()) {
    (void)leave(name->c_str());
  }
  ranges.pop_back();
}

void ThreadScopes::enterState(std::string name) {
  states.push_back(std::move(name));
  ++changes, ++pathChanges;
  Recorder::forEach([&](Recorder &recorder) { recorder.pathBegins(*this); });
}

Status ThreadScopes::leaveState() {
  if (states.empty()) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "no state of the profile is open on this thread");
  }
  states.pop_back();
  ++changes, ++pathChanges;
  Recorder::forEach([&](Recorder &recorder) { recorder.pathEnds(*this); });
  return Status();
}

void ThreadScopes::nameLaunches(std::optional<std::string> name) {
  launch = std::move(name);
  launchMetrics.clear();
  ++changes;
}

Status ThreadScopes::addMetric(const NamedMetric &metric) {
  Status status;
  Recorder::forEach([&](Recorder &recorder) {
    Status s = recorder.addMetric(*this, metric);
    status = status.ok() ? std::move(s) : std::move(status);
  });
  if (status.ok() && launch) {
    launchMetrics.push_back(metric);
  } else if (status.ok() && !scopes.empty()) {
    scopes.back().metrics.push_back(metric);
  }
  return status;
}

void ThreadScopes::setFrames(std::vector<std::string> given) {
  if (frames != given) { // a loop launches at one place
    frames = std::move(given);
    ++changes;
  }
}

std::vector<std::string_view> ThreadScopes::path(bool hasFrames) const {
  std::vector<std::string_view> names;
  names.reserve(scopes.size() + frames.size() + 1);
  for (const Scope &scope : scopes) {
    names.push_back(scope.name);
  }
  if (hasFrames) {
    names.insert(names.end(), frames.begin(), frames.end());
  }
  if (!states.empty()) {
    names.push_back(states.back());
  }
  return names;
}

} // namespace tz::runtime
