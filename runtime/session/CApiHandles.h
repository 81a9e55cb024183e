//===- CApiHandles.h - what all of terrazzo.h needs -----------------------===//
//
// What   What is behind the handles, option structs of other versions, and one
//        wrapper that lets no exception out.
// Why    All decisions are in the classes; the C API is translation, in a file
//        for each kind of handle.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_CAPIHANDLES_H
#define TERRAZZO_RUNTIME_SESSION_CAPIHANDLES_H

#include "runtime/session/Fork.h"
#include "runtime/session/KernelFunction.h"

#include <terrazzo/terrazzo.h>

#include <cstring>
#include <map>
#include <new>

struct tz_status_s {
  tz::runtime::Status status;
};
struct tz_session_s {
  std::unique_ptr<tz::runtime::Session> session;
  std::mutex lock;
  std::map<tz::runtime::Device *, std::unique_ptr<tz_device_s>> devices;
};
struct tz_device_s {
  tz::runtime::Session *session;
  std::shared_ptr<tz::runtime::Device> device;
};
struct tz_stream_s {
  tz::runtime::Session *session;
  std::unique_ptr<tz::runtime::Stream> stream;
};
struct tz_event_s {
  std::unique_ptr<tz::runtime::Event> event;
};
struct tz_kernel_s {
  std::unique_ptr<tz::runtime::KernelFunction> kernel;
};

namespace tz::runtime {

/// For when there is no memory to say that there is none.
inline tz_status_s &exhausted() {
  static tz_status_s status{Status(TZ_E_OUT_OF_MEMORY, "out of memory")};
  return status;
}

inline tz_status_t give(Status &&status) {
  if (status.ok()) [[likely]] {
    return nullptr;
  }
  auto *made = new (std::nothrow) tz_status_s{std::move(status)};
  return made ? made : &exhausted();
}

inline bool isForked() {
  return forkedWithSession.load(std::memory_order_relaxed);
}

/// What a handle holds has threads and devices that a forked child lacks; to
/// destroy it there would wait for them.
template <typename Handle>
void destroy(Handle handle) {
  if (!isForked()) {
    delete handle;
  }
}

template <typename Body>
tz_status_t guarded(Body &&body) noexcept {
  try {
    if (isForked()) [[unlikely]] {
      return give(forkedStatus());
    }
    return give(body());
  } catch (const std::bad_alloc &) {
    return &exhausted();
  } catch (const std::exception &e) {
    try {
      return give(Status(TZ_E_INTERNAL, e.what()));
    } catch (...) {
      return &exhausted();
    }
  } catch (...) {
    return &exhausted();
  }
}

inline Status isNull(const char *what) {
  return Status(TZ_E_INVALID_ARGUMENT, std::string(what) + " is NULL");
}

/// The caller's struct as this library knows it; missing fields are zero.
template <typename T>
bool readStruct(const T *from, T &to) {
  to = T{};
  if (!from || from->struct_size < sizeof(size_t)) {
    return false;
  }
  std::memcpy(&to, from, std::min(sizeof(T), from->struct_size));
  return true;
}

template <typename T>
void writeStruct(T *out, T value) {
  value.struct_size = std::min(out->struct_size, sizeof(T));
  std::memcpy(static_cast<void *>(out), &value, value.struct_size);
}

#define TZ_REQUIRE(pointer)                                                    \
  if (!(pointer)) {                                                            \
    return give(isNull(#pointer));                                             \
  }

} // namespace tz::runtime

#endif
