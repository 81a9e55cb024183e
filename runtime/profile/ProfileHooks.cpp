//===- ProfileHooks.cpp - who wants to know what the runtime does ---------===//
//
// What   Installing and removing listeners while others launch; telling them.
// Why    See ProfileHooks.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileHooks.h"

#include "runtime/profile/Recorder.h"

#include <algorithm>
#include <cstring>

namespace tz::runtime {

/// With the lock held. Starting and stopping again and again makes no more than
/// one entry for each pair. Null: nobody listens.
const Listeners *ProfileHooks::entryOf(const tz_hooks *hooks,
                                       Recorder *recorder) {
  if (!hooks && !recorder) {
    return nullptr;
  }
  auto known = std::find_if(
      allListeners.begin(), allListeners.end(), [&](const auto &one) {
        return one->hooks == hooks && one->recorder == recorder;
      });
  if (known == allListeners.end()) {
    allListeners.push_back(
        std::make_unique<Listeners>(Listeners{hooks, recorder}));
    known = std::prev(allListeners.end());
  }
  return known->get();
}

void ProfileHooks::set(const tz_hooks *hooks) {
  std::unique_ptr<tz_hooks> copy;
  if (hooks) {
    copy = std::make_unique<tz_hooks>();
    std::memcpy(copy.get(), hooks,
                std::min(sizeof(tz_hooks), hooks->struct_size));
  }
  std::lock_guard guard(lock);
  all.reserve(all.size() + 1);
  const Listeners *now = current();
  const Listeners *next = entryOf(copy.get(), now ? now->recorder : nullptr);
  entryOf(copy.get(), nullptr); // for a recorder that goes without memory
  active.store(next, std::memory_order_release);
  if (copy) {
    all.push_back(std::move(copy));
  }
}

void ProfileHooks::setRecorder(Recorder *recorder) {
  std::lock_guard guard(lock);
  const Listeners *now = current();
  active.store(entryOf(now ? now->hooks : nullptr, recorder),
               std::memory_order_release);
}

void Activity::enter(ProfileHooks &hooks, const char *name,
                     const LaunchedKernel *kernel) {
  if (listeners->recorder) {
    id = listeners->recorder->enter(hooks, kind, name, stream, kernel, began);
  } else {
    id = hooks.nextId();
  }
  if (listeners->hooks && listeners->hooks->enter) {
    listeners->hooks->enter(listeners->hooks->ctx, kind, id, name);
  }
}

void Activity::tellParts(uint64_t launch, LaunchParts parts) {
  listeners->recorder->addParts(launch, std::move(parts));
}

void Activity::awaitParts(const std::shared_ptr<PartLog> &log) {
  listeners->recorder->awaitParts(id, log);
}

void Activity::loseParts() { listeners->recorder->loseParts(id); }

void Activity::leave() {
  if (listeners->hooks && listeners->hooks->exit) {
    listeners->hooks->exit(listeners->hooks->ctx, kind, id, code);
  }
  if (listeners->recorder) {
    listeners->recorder->leave(kind, id, code, stream, began);
  }
}

} // namespace tz::runtime
