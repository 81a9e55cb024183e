//===- ZeDriver.h - Level Zero, opened at run time ------------------------===//
//
// What   The table of the loader's functions, from libze_loader.so.1, and the
//        turning of its results into failures that a person can act on.
// Why    Nothing of Level Zero is linked: without it Terrazzo still starts, and
//        says what is missing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_LEVELZERO_ZEDRIVER_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_LEVELZERO_ZEDRIVER_H

#include <terrazzo/plugin/Error.h>

#include <level_zero/ze_api.h>
#include <utility>
#include <vector>

namespace tz::intel {

using plugin::Failure;

/// Functions of the loader. [thread: any] once it is made.
class ZeDriver {
public:
  /// Opens and starts the loader; empty: the usual libze_loader.so.1. Throws
  /// TZ_E_UNAVAILABLE: no loader, one that lacks functions, no driver.
  explicit ZeDriver(const std::string &library);

#define TZ_LEVEL_ZERO(name) decltype(&::name) name = nullptr;
#include "plugins/intel/device/levelzero/ZeFunctions.def"
  /// Newer than the headers: whose list it is.
  ze_result_t(ZE_APICALL *listContext)(ze_command_list_handle_t,
                                       ze_context_handle_t *) = nullptr;
  ze_result_t(ZE_APICALL *listDevice)(ze_command_list_handle_t,
                                      ze_device_handle_t *) = nullptr;

  std::vector<ze_driver_handle_t> drivers() const;
  std::vector<ze_device_handle_t> devices(ze_driver_handle_t driver) const;

  /// "cannot make a module: ZE_RESULT_ERROR_... (0x78000004); <cause>".
  static Failure failure(ze_result_t result, std::string_view attempt,
                         std::string_view facts = {});
  /// Throws if the result is a failure; `attempt` is only called then.
  template <typename Attempt>
  static void check(ze_result_t result, Attempt attempt) {
    if (result != ZE_RESULT_SUCCESS) [[unlikely]] {
      throw failure(result, attempt());
    }
  }
};

/// Destroys a handle at its end.
template <typename Handle>
class ZeOwned {
public:
  using End = ze_result_t(ZE_APICALL *)(Handle);
  ZeOwned() = default;
  ZeOwned(Handle handle, End end) : handle(handle), end(end) {}
  ZeOwned(ZeOwned &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), end(other.end) {}
  ZeOwned &operator=(ZeOwned &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(end, other.end);
    return *this;
  }
  ~ZeOwned() {
    if (handle && end) {
      (void)end(handle);
    }
  }
  Handle get() const { return handle; }
  /// The caller destroys it.
  Handle release() { return std::exchange(handle, nullptr); }

private:
  Handle handle = nullptr;
  End end = nullptr; ///< null: it is the program's
};

} // namespace tz::intel

#endif
