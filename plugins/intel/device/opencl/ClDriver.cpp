//===- ClDriver.cpp - OpenCL, opened at run time --------------------------===//
//
// What   Loading; the table of what each result means.
// Why    A result is a number. What went wrong, and what to do, is written down
//        here once.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/opencl/ClDriver.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <cstring>

namespace tz::intel {

namespace {

/// What clGetPlatformIDs of the loader answers when there is no platform.
constexpr cl_int NoPlatform = -1001;

struct Meaning {
  cl_int result;
  const char *name;
  int32_t code;
  uint32_t flags;
  const char *advice; // cause and cure, or null
};

#define TZ_MEANING(name, code, flags, advice) {name, #name, code, flags, advice}
constexpr Meaning Meanings[] = {
    TZ_MEANING(CL_DEVICE_NOT_FOUND, TZ_E_UNAVAILABLE, 0, nullptr),
    TZ_MEANING(CL_DEVICE_NOT_AVAILABLE, TZ_E_UNAVAILABLE, TZ_ERR_RETRY,
               "another process may hold the device"),
    TZ_MEANING(CL_COMPILER_NOT_AVAILABLE, TZ_E_UNAVAILABLE, 0,
               "this driver has no compiler; install the whole of it"),
    TZ_MEANING(CL_MEM_OBJECT_ALLOCATION_FAILURE, TZ_E_OUT_OF_MEMORY, 0,
               nullptr),
    TZ_MEANING(CL_OUT_OF_RESOURCES, TZ_E_RESOURCE_LIMIT, 0,
               "the device has too little of something for this, or what ran "
               "on it before has failed"),
    TZ_MEANING(CL_OUT_OF_HOST_MEMORY, TZ_E_OUT_OF_MEMORY, TZ_ERR_RETRY,
               nullptr),
    TZ_MEANING(CL_PROFILING_INFO_NOT_AVAILABLE, TZ_E_FAILED_PRECONDITION, 0,
               "the queue was made without CL_QUEUE_PROFILING_ENABLE"),
    TZ_MEANING(CL_BUILD_PROGRAM_FAILURE, TZ_E_UNSUPPORTED_OP, 0, nullptr),
    TZ_MEANING(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, TZ_E_DEVICE_LOST,
               0, "what ran on the device before has failed"),
    TZ_MEANING(CL_INVALID_VALUE, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_DEVICE, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_CONTEXT, TZ_E_INVALID_ARGUMENT, 0,
               "the objects are of different contexts"),
    TZ_MEANING(CL_INVALID_COMMAND_QUEUE, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_BINARY, TZ_E_DATA_LOSS, 0, nullptr),
    TZ_MEANING(CL_INVALID_PROGRAM, TZ_E_UNSUPPORTED_OP, 0, nullptr),
    TZ_MEANING(CL_INVALID_PROGRAM_EXECUTABLE, TZ_E_UNSUPPORTED_OP, 0, nullptr),
    TZ_MEANING(CL_INVALID_KERNEL_NAME, TZ_E_NOT_FOUND, 0, nullptr),
    TZ_MEANING(CL_INVALID_KERNEL_ARGS, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_ARG_INDEX, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_ARG_VALUE, TZ_E_INVALID_ARGUMENT, 0,
               "memory of another context is none of this device's"),
    TZ_MEANING(CL_INVALID_ARG_SIZE, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_WORK_GROUP_SIZE, TZ_E_RESOURCE_LIMIT, 0,
               "the kernel's registers or shared memory do not fit a "
               "work-group of this size; fewer warps need less"),
    TZ_MEANING(CL_INVALID_WORK_ITEM_SIZE, TZ_E_RESOURCE_LIMIT, 0, nullptr),
    TZ_MEANING(CL_INVALID_GLOBAL_WORK_SIZE, TZ_E_OUT_OF_RANGE, 0, nullptr),
    TZ_MEANING(CL_INVALID_EVENT, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_EVENT_WAIT_LIST, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(CL_INVALID_OPERATION, TZ_E_UNIMPLEMENTED, 0, nullptr),
    TZ_MEANING(CL_INVALID_BUFFER_SIZE, TZ_E_OUT_OF_MEMORY, 0,
               "it is more than the driver gives in one piece"),
    TZ_MEANING(CL_INVALID_PROPERTY, TZ_E_UNIMPLEMENTED, 0, nullptr),
    TZ_MEANING(CL_INVALID_QUEUE_PROPERTIES, TZ_E_UNIMPLEMENTED, 0, nullptr),
};
#undef TZ_MEANING

const Meaning *meaningOf(cl_int result) {
  for (const Meaning &one : Meanings) {
    if (one.result == result) {
      return &one;
    }
  }
  return nullptr;
}

template <typename Pointer>
bool resolve(Pointer &pointer, void *address) {
  static_assert(sizeof(pointer) == sizeof(address));
  std::memcpy(&pointer, &address, sizeof(address));
  return address;
}

} // namespace

ClDriver::ClDriver(const std::string &library) {
  plugin::DriverLibrary opened("OpenCL",
                               library.empty() ? "libOpenCL.so.1" : library);
#define TZ_OPENCL(function) opened.load(function, #function);
#include "plugins/intel/device/opencl/ClFunctions.def"
  if (opened.missing()) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "no OpenCL: " + opened.name() + " has no function " +
                      opened.missing() +
                      "; it is no loader of OpenCL 2.1 or newer");
  }
}

std::vector<cl_platform_id> ClDriver::platforms() const {
  cl_uint count = 0;
  const cl_int result = clGetPlatformIDs(0, nullptr, &count);
  if (result == NoPlatform || (result == CL_SUCCESS && count == 0)) {
    return {};
  }
  check(result, [] { return "list the platforms of OpenCL"; });
  std::vector<cl_platform_id> found(count);
  check(clGetPlatformIDs(count, found.data(), nullptr),
        [] { return "list the platforms of OpenCL"; });
  return found;
}

std::vector<cl_device_id> ClDriver::devices(cl_platform_id platform,
                                            cl_device_type type) const {
  cl_uint count = 0;
  // A platform that fails here is passed over: others may work.
  if (clGetDeviceIDs(platform, type, 0, nullptr, &count) != CL_SUCCESS) {
    return {};
  }
  std::vector<cl_device_id> found(count);
  return count && clGetDeviceIDs(platform, type, count, found.data(),
                                 nullptr) == CL_SUCCESS
             ? found
             : std::vector<cl_device_id>();
}

std::string ClDriver::text(cl_device_id device, cl_device_info what) const {
  std::vector<char> letters = list<char>(device, what);
  return std::string(letters.begin(), letters.end()).c_str();
}

Failure ClDriver::failure(cl_int result, std::string_view attempt,
                          std::string_view facts) {
  const Meaning *meaning = meaningOf(result);
  std::string message = "cannot " + std::string(attempt) + ": ";
  message +=
      meaning ? std::string(meaning->name) + " (" + std::to_string(result) + ")"
              : "result " + std::to_string(result) + " of OpenCL";
  if (!facts.empty()) {
    message += "; " + std::string(facts);
  }
  if (meaning && meaning->advice) {
    message += std::string("; ") + meaning->advice;
  }
  return Failure(meaning ? meaning->code : int32_t(TZ_E_UNKNOWN), message,
                 result, meaning ? meaning->flags : 0);
}

ClExtensions::ClExtensions(const ClDriver &driver, cl_platform_id platform) {
  auto load = [&](auto &function, const char *name) {
    resolve(function,
            driver.clGetExtensionFunctionAddressForPlatform(platform, name));
  };
#define TZ_OPENCL(name)
#define TZ_OPENCL_EXTENSION(name) load(name, #name);
#include "plugins/intel/device/opencl/ClFunctions.def"
  load(globalPointer, "clGetDeviceGlobalVariablePointerINTEL");
}

} // namespace tz::intel
