//===- ProfileHooks.cpp - who wants to know what the runtime does ---------===//
//
// What   Installing and removing hooks while others launch.
// Why    See ProfileHooks.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileHooks.h"

#include <algorithm>
#include <cstring>

namespace tz::runtime {

void ProfileHooks::set(const tz_hooks *hooks) {
  if (!hooks) {
    active.store(nullptr, std::memory_order_release);
    return;
  }
  auto copy = std::make_unique<tz_hooks>();
  std::memcpy(copy.get(), hooks,
              std::min(sizeof(tz_hooks), hooks->struct_size));
  std::lock_guard guard(lock);
  active.store(copy.get(), std::memory_order_release);
  all.push_back(std::move(copy));
}

} // namespace tz::runtime
