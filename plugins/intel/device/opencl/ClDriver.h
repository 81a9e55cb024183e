//===- ClDriver.h - OpenCL, opened at run time ----------------------------===//
//
// What   The table of the library's functions, loaded from libOpenCL.so.1, and
//        the turning of its results into failures that a person can act on.
// Why    Nothing of OpenCL is linked: without it Terrazzo still starts, and
//        says what is missing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLDRIVER_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLDRIVER_H

#include <terrazzo/plugin/Error.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <vector>

namespace tz::intel {

using plugin::Failure;

/// Functions of the library. [thread: any] once it is made.
class ClDriver {
public:
  /// Opens the library; empty: the usual libOpenCL.so.1. Asks it nothing.
  /// Throws TZ_E_UNAVAILABLE if it is not there or lacks functions.
  explicit ClDriver(const std::string &library);

#define TZ_OPENCL(name) decltype(&::name) name = nullptr;
#include "plugins/intel/device/opencl/ClFunctions.def"

  /// The platforms; none is no failure.
  std::vector<cl_platform_id> platforms() const;
  /// All devices of a type; none is no failure.
  std::vector<cl_device_id> devices(cl_platform_id platform,
                                    cl_device_type type) const;
  /// A fact of fixed size; T() if the driver does not tell it.
  template <typename T>
  T info(cl_device_id device, cl_device_info what) const {
    T value{};
    return clGetDeviceInfo(device, what, sizeof(value), &value, nullptr) ==
                   CL_SUCCESS
               ? value
               : T();
  }
  /// A list of numbers; empty if the driver does not tell it.
  template <typename T>
  std::vector<T> list(cl_device_id device, cl_device_info what) const {
    size_t bytes = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS) {
      return {};
    }
    std::vector<T> values(bytes / sizeof(T));
    return clGetDeviceInfo(device, what, bytes, values.data(), nullptr) ==
                   CL_SUCCESS
               ? values
               : std::vector<T>();
  }
  std::string text(cl_device_id device, cl_device_info what) const;

  /// "cannot build a program: CL_BUILD_PROGRAM_FAILURE (-11); <cause>".
  static Failure failure(cl_int result, std::string_view attempt,
                         std::string_view facts = {});
  /// Throws if the result is a failure; `attempt` is only called then.
  template <typename Attempt>
  static void check(cl_int result, Attempt attempt) {
    if (result != CL_SUCCESS) [[unlikely]] {
      throw failure(result, attempt());
    }
  }
};

/// Functions that a platform adds; null where it does not.
struct ClExtensions {
  ClExtensions() = default;
  ClExtensions(const ClDriver &driver, cl_platform_id platform);

#define TZ_OPENCL(name)
#define TZ_OPENCL_EXTENSION(name) name##_fn name = nullptr;
#include "plugins/intel/device/opencl/ClFunctions.def"

  /// Whether the functions are there that unified memory cannot do without.
  bool haveUnifiedMemory() const {
    return clHostMemAllocINTEL && clDeviceMemAllocINTEL &&
           clSharedMemAllocINTEL && clMemFreeINTEL && clGetMemAllocInfoINTEL &&
           clSetKernelArgMemPointerINTEL && clEnqueueMemFillINTEL &&
           clEnqueueMemcpyINTEL;
  }

  /// Also a driver without unified memory may have it: the variables of code.
  cl_int(CL_API_CALL *globalPointer)(cl_device_id, cl_program, const char *name,
                                     size_t *bytes, void **address) = nullptr;
};

/// Lets go of a handle at its end.
template <typename Handle>
class ClOwned {
public:
  using Release = cl_int(CL_API_CALL *)(Handle);
  ClOwned() = default;
  ClOwned(Handle handle, Release end) : handle(handle), end(end) {}
  ClOwned(ClOwned &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), end(other.end) {}
  ClOwned &operator=(ClOwned &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(end, other.end);
    return *this;
  }
  ~ClOwned() {
    if (handle) {
      (void)end(handle);
    }
  }
  Handle get() const { return handle; }
  /// The caller lets go of it.
  Handle release() { return std::exchange(handle, nullptr); }
  explicit operator bool() const { return handle; }

private:
  Handle handle = nullptr;
  Release end = nullptr;
};

} // namespace tz::intel

#endif
