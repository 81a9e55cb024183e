//===- SyclStandIn.cpp - a SYCL runtime with what the tests need of it ----===//
//
// What   The classes and functions of libsycl.so.9 that SyclQueue.cpp asks,
//        declared as that library declares them.
// Why    The compiler makes the symbols' names and the way in which objects are
//        returned, so that both are held against what SyclQueue.cpp takes for
//        granted.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/SyclStandIn.h"

#include <memory>

using tz::intel::test::StandInQueue;

#define EXPORTED __attribute__((visibility("default")))

namespace sycl {
inline namespace _V1 {

enum class backend : char { any };

class EXPORTED context {
public:
  explicit context(uintptr_t handle)
      : impl(std::make_shared<uintptr_t>(handle)) {}
  uintptr_t getNative() const;

private:
  std::shared_ptr<uintptr_t> impl;
};
class EXPORTED device {
public:
  explicit device(uintptr_t handle)
      : impl(std::make_shared<uintptr_t>(handle)) {}
  uintptr_t getNative() const;

private:
  std::shared_ptr<uintptr_t> impl;
};

class EXPORTED queue {
public:
  context get_context() const;
  device get_device() const;
  uintptr_t getNative(int32_t &isList) const;
  backend get_backend() const noexcept;
  bool is_in_order() const;

private:
  const StandInQueue &self() const {
    return *reinterpret_cast<const StandInQueue *>(this);
  }
};

uintptr_t context::getNative() const { return *impl; }
uintptr_t device::getNative() const { return *impl; }
context queue::get_context() const { return context(self().context); }
device queue::get_device() const { return device(self().device); }
uintptr_t queue::getNative(int32_t &isList) const {
  isList = self().isList;
  return self().list;
}
backend queue::get_backend() const noexcept { return backend(self().backend); }
bool queue::is_in_order() const { return self().isInOrder; }

} // namespace _V1
} // namespace sycl
