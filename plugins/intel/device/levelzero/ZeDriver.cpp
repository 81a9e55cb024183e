//===- ZeDriver.cpp - Level Zero, opened at run time ----------------------===//
//
// What   Loading and start; the table of what each result means.
// Why    A result is a number. What went wrong, and what to do, is written down
//        here once.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDriver.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <cstdio>
#include <cstring>

namespace tz::intel {

namespace {

struct Meaning {
  ze_result_t result;
  const char *name;
  int32_t code;
  uint32_t flags;
  const char *advice; // cause and cure, or null
};

#define TZ_MEANING(name, code, flags, advice) {name, #name, code, flags, advice}
constexpr Meaning Meanings[] = {
    TZ_MEANING(ZE_RESULT_NOT_READY, TZ_E_TIMEOUT, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_DEVICE_LOST, TZ_E_DEVICE_LOST, TZ_ERR_STICKY,
               "a kernel did not end or used an address that it may not; this "
               "process must restart to use the device again"),
    TZ_MEANING(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, TZ_E_OUT_OF_MEMORY,
               TZ_ERR_RETRY, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, TZ_E_OUT_OF_MEMORY, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, TZ_E_UNSUPPORTED_OP, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, TZ_E_UNSUPPORTED_OP, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, TZ_E_UNAVAILABLE, 0,
               "this user may not open the device; the group 'render' may"),
    TZ_MEANING(ZE_RESULT_ERROR_NOT_AVAILABLE, TZ_E_UNAVAILABLE, TZ_ERR_RETRY,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, TZ_E_UNAVAILABLE, 0,
               "a library that the driver needs is missing, for example its "
               "compiler"),
    TZ_MEANING(ZE_RESULT_ERROR_UNINITIALIZED, TZ_E_UNAVAILABLE, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_UNSUPPORTED_VERSION, TZ_E_UNIMPLEMENTED, 0,
               "update the driver"),
    TZ_MEANING(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, TZ_E_UNIMPLEMENTED, 0,
               "update the driver"),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_ARGUMENT, TZ_E_INVALID_ARGUMENT, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, TZ_E_INVALID_ARGUMENT, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_NULL_POINTER, TZ_E_INVALID_ARGUMENT, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_SIZE, TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, TZ_E_OUT_OF_MEMORY, 0,
               "it is more than the driver gives in one piece"),
    TZ_MEANING(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, TZ_E_INVALID_ARGUMENT, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_ENUMERATION, TZ_E_INVALID_ARGUMENT, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, TZ_E_DATA_LOSS, 0,
               nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, TZ_E_NOT_FOUND, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, TZ_E_NOT_FOUND, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
               TZ_E_RESOURCE_LIMIT, 0,
               "the kernel's registers or shared memory do not fit a "
               "work-group of this size; fewer warps need less"),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
               TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
               TZ_E_INVALID_ARGUMENT, 0, nullptr),
    TZ_MEANING(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, TZ_E_UNSUPPORTED_OP, 0,
               "the code calls a function that nobody has"),
};
#undef TZ_MEANING

const Meaning *meaningOf(ze_result_t result) {
  for (const Meaning &one : Meanings) {
    if (one.result == result) {
      return &one;
    }
  }
  return nullptr;
}

std::string hexText(ze_result_t result) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", unsigned(result));
  return text;
}

} // namespace

ZeDriver::ZeDriver(const std::string &library) {
  plugin::DriverLibrary opened("Level Zero",
                               library.empty() ? "libze_loader.so.1" : library);
#define TZ_LEVEL_ZERO(function) opened.load(function, #function);
#define TZ_LEVEL_ZERO_OPTIONAL(function)                                       \
  opened.load(function, #function, /*isRequired=*/false);
#include "plugins/intel/device/levelzero/ZeFunctions.def"
  opened.load(listContext, "zeCommandListGetContextHandle", false);
  opened.load(listDevice, "zeCommandListGetDeviceHandle", false);
  const std::string &name = opened.name();
  if (opened.missing()) {
    throw Failure(TZ_E_UNAVAILABLE, "no Level Zero: " + name +
                                        " has no function " + opened.missing() +
                                        "; it is no loader of Level Zero");
  }
  // After a failure nothing else may be asked: loaders crash then.
  const ze_result_t started = zeInit(ZE_INIT_FLAG_GPU_ONLY);
  if (started == ZE_RESULT_ERROR_UNINITIALIZED) {
    throw Failure(TZ_E_UNAVAILABLE,
                  "no Level Zero: " + name + " found no driver with a device",
                  started);
  }
  if (started != ZE_RESULT_SUCCESS) {
    Failure why = failure(started, "start Level Zero (" + name + ")");
    why.code = TZ_E_UNAVAILABLE;
    throw why;
  }
}

/// What a function that counts, and then fills, lists.
template <typename Handle, typename Ask>
static std::vector<Handle> listOf(Ask ask, const char *what) {
  uint32_t count = 0;
  auto attempt = [&] { return std::string("list the ") + what; };
  ZeDriver::check(ask(&count, nullptr), attempt);
  std::vector<Handle> found(count);
  if (count) {
    ZeDriver::check(ask(&count, found.data()), attempt);
  }
  found.resize(std::min<size_t>(count, found.size()));
  return found;
}

std::vector<ze_driver_handle_t> ZeDriver::drivers() const {
  return listOf<ze_driver_handle_t>(zeDriverGet, "drivers of Level Zero");
}

std::vector<ze_device_handle_t>
ZeDriver::devices(ze_driver_handle_t driver) const {
  return listOf<ze_device_handle_t>(
      [&](uint32_t *count, ze_device_handle_t *out) {
        return zeDeviceGet(driver, count, out);
      },
      "devices of Level Zero");
}

Failure ZeDriver::failure(ze_result_t result, std::string_view attempt,
                          std::string_view facts) {
  const Meaning *meaning = meaningOf(result);
  std::string message = "cannot " + std::string(attempt) + ": ";
  message += meaning ? std::string(meaning->name) + " (" + hexText(result) + ")"
                     : "result " + hexText(result) + " of Level Zero";
  if (!facts.empty()) {
    message += "; " + std::string(facts);
  }
  if (meaning && meaning->advice) {
    message += std::string("; ") + meaning->advice;
  }
  return Failure(meaning ? meaning->code : int32_t(TZ_E_UNKNOWN), message,
                 result, meaning ? meaning->flags : 0);
}

} // namespace tz::intel
