//===- ClBinaries.cpp - what a driver's compiler made before --------------===//
//
// What   See ClBinaries.h.
// Why    The key has all that decides the code: the module, the options, the
//        device and its driver, and the variables by which the runtime is told
//        how to compile.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/opencl/ClBinaries.h"

#include <algorithm>
#include <unistd.h>
#include <vector>

namespace tz::intel {

/// Of Intel's runtime for CPUs, sorted.
static std::string settings() {
  std::vector<std::string_view> found;
  for (char **at = environ; at && *at; ++at) {
    if (std::string_view(*at).starts_with("CL_CONFIG_")) {
      found.emplace_back(*at);
    }
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (std::string_view one : found) {
    text.append(one).push_back('\0');
  }
  return text;
}

ClBinary::ClBinary(tz_device &device, tz_bytes spirv, std::string options)
    : device(device), host(device.isSimulator ? device.platform.host : nullptr),
      options(std::move(options)) {
  if (!host || !TZ_HAS_FN(host, tz_host, cache_get) ||
      !TZ_HAS_FN(host, tz_host, cache_put)) {
    host = nullptr;
    return;
  }
  for (const std::string &part :
       {std::string("OpenCL binary/1"), device.facts.name,
        device.facts.driverVersion, this->options, settings()}) {
    key += std::to_string(part.size()) + " " + part;
  }
  key.append(static_cast<const char *>(spirv.data), spirv.size);
}

ClOwned<cl_program> ClBinary::find() const {
  const ClDriver &driver = device.driver;
  ClOwned<cl_program> none(nullptr, driver.clReleaseProgram);
  void *data = nullptr;
  size_t size = 0;
  if (!host || host->cache_get(host->ctx, {key.data(), key.size()}, &data,
                               &size) != TZ_E_OK) {
    return none;
  }
  const auto *bytes = static_cast<const unsigned char *>(data);
  cl_int status = CL_SUCCESS, result = CL_SUCCESS;
  ClOwned<cl_program> made(
      driver.clCreateProgramWithBinary(device.context(), 1, &device.native,
                                       &size, &bytes, &status, &result),
      driver.clReleaseProgram);
  host->free(host->ctx, data, size, 1);
  const bool isBuilt =
      made && result == CL_SUCCESS && status == CL_SUCCESS &&
      driver.clBuildProgram(made.get(), 1, &device.native, options.c_str(),
                            nullptr, nullptr) == CL_SUCCESS;
  return isBuilt ? std::move(made) : std::move(none);
}

void ClBinary::keep(cl_program built) const {
  const ClDriver &driver = device.driver;
  size_t size = 0;
  if (!host ||
      driver.clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(size),
                              &size, nullptr) != CL_SUCCESS ||
      size == 0) {
    return;
  }
  std::vector<unsigned char> bytes(size);
  unsigned char *to = bytes.data();
  if (driver.clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(to),
                              static_cast<void *>(&to),
                              nullptr) == CL_SUCCESS) {
    (void)host->cache_put(host->ctx, {key.data(), key.size()},
                          {bytes.data(), bytes.size()});
  }
}

} // namespace tz::intel
