//===- ClShim.cpp - an OpenCL library in front of the real one ------------===//
//
// What   The functions that the tests change; all others are those of the real
//        library, which this one is linked with.
// Why    See ClShim.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ClShim.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <thread>

using tz::intel::test::ClShim;

static ClShim shim;

extern "C" __attribute__((visibility("default"))) ClShim *clShim() {
  return &shim;
}

namespace {

template <typename F>
F real(const char *name, F) {
  static void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  void *address = dlsym(library, name);
  F function = nullptr;
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

#define REAL(name) real(#name, decltype (&::name)(nullptr))
#define EXPORTED extern "C" __attribute__((visibility("default")))

bool fails(const char *name) { return shim.failing == name; }

cl_int give(const void *value, size_t bytes, size_t room, void *out,
            size_t *size) {
  if (size) {
    *size = bytes;
  }
  if (!out) {
    return CL_SUCCESS;
  }
  if (room < bytes) {
    return CL_INVALID_VALUE;
  }
  std::memcpy(out, value, bytes);
  return CL_SUCCESS;
}

/// The thread that has begun to set arguments of a kernel object.
std::mutex usesMutex;
std::map<cl_kernel, std::thread::id> uses;

void beginUse(cl_kernel kernel) {
  std::lock_guard guard(usesMutex);
  const auto [at, isNew] = uses.emplace(kernel, std::this_thread::get_id());
  shim.shared += !isNew && at->second != std::this_thread::get_id();
}

} // namespace

EXPORTED cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out,
                                 cl_uint *count) {
  ++shim.platformCalls;
  return shim.hasNoPlatform ? -1001 : REAL(clGetPlatformIDs)(room, out, count);
}

EXPORTED cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                               cl_uint room, cl_device_id *out,
                               cl_uint *count) {
  if (shim.isGpu) {
    if (type == CL_DEVICE_TYPE_CPU) {
      return CL_DEVICE_NOT_FOUND;
    }
    type = CL_DEVICE_TYPE_CPU;
  }
  return REAL(clGetDeviceIDs)(platform, type, room, out, count);
}

EXPORTED cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                size_t room, void *out, size_t *size) {
  const auto ask = REAL(clGetDeviceInfo);
  if (what == CL_DEVICE_TYPE && shim.isGpu) {
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    return give(&type, sizeof(type), room, out, size);
  }
  if (what == CL_DEVICE_ID_INTEL && shim.deviceId) {
    return give(&shim.deviceId, sizeof(shim.deviceId), room, out, size);
  }
  if (what == CL_DEVICE_IL_VERSION && shim.hidesIl) {
    return give(shim.ilVersion.c_str(), shim.ilVersion.size() + 1, room, out,
                size);
  }
  if (what == CL_DEVICE_EXTENSIONS && !shim.hidden.empty()) {
    size_t bytes = 0;
    (void)ask(device, what, 0, nullptr, &bytes);
    std::string text(bytes, '\0');
    (void)ask(device, what, bytes, text.data(), nullptr);
    if (const size_t at = text.find(shim.hidden); at != std::string::npos) {
      text.replace(at, shim.hidden.size(), shim.hidden.size(), 'x');
    }
    return give(text.data(), text.size(), room, out, size);
  }
  return ask(device, what, room, out, size);
}

EXPORTED cl_program clCreateProgramWithIL(cl_context context, const void *il,
                                          size_t bytes, cl_int *result) {
  ++shim.compiled;
  return REAL(clCreateProgramWithIL)(context, il, bytes, result);
}

EXPORTED cl_int clBuildProgram(cl_program program, cl_uint count,
                               const cl_device_id *devices, const char *options,
                               void(CL_CALLBACK *notify)(cl_program, void *),
                               void *user) {
  // Those of GPUs are unknown to the CPU behind.
  shim.options = options ? options : "";
  return fails("clBuildProgram") ? shim.result
                                 : REAL(clBuildProgram)(program, count, devices,
                                                        nullptr, notify, user);
}

static clDeviceMemAllocINTEL_fn allocateReally;

static void *CL_API_CALL allocate(cl_context context, cl_device_id device,
                                  const cl_mem_properties_intel *properties,
                                  size_t bytes, cl_uint align, cl_int *result) {
  shim.memoryFlags = properties ? properties[1] : 0;
  return allocateReally(context, device, nullptr, bytes, align, result);
}

EXPORTED void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                        const char *name) {
  void *found = REAL(clGetExtensionFunctionAddressForPlatform)(platform, name);
  if (!found || std::strcmp(name, "clDeviceMemAllocINTEL") != 0) {
    return found;
  }
  std::memcpy(&allocateReally, &found, sizeof(found));
  clDeviceMemAllocINTEL_fn own = allocate;
  std::memcpy(&found, &own, sizeof(found));
  return found;
}

EXPORTED cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                      cl_program_build_info what, size_t room,
                                      void *out, size_t *size) {
  return what == CL_PROGRAM_BUILD_LOG && !shim.log.empty()
             ? give(shim.log.c_str(), shim.log.size() + 1, room, out, size)
             : REAL(clGetProgramBuildInfo)(program, device, what, room, out,
                                           size);
}

EXPORTED cl_int clFinish(cl_command_queue queue) {
  const cl_int result = REAL(clFinish)(queue);
  return fails("clFinish") ? shim.result : result;
}

EXPORTED cl_context clCreateContext(const cl_context_properties *properties,
                                    cl_uint count, const cl_device_id *devices,
                                    void(CL_CALLBACK *notify)(const char *,
                                                              const void *,
                                                              size_t, void *),
                                    void *user, cl_int *result) {
  if (fails("clCreateContext")) {
    *result = shim.result;
    return nullptr;
  }
  return REAL(clCreateContext)(properties, count, devices, notify, user,
                               result);
}

EXPORTED cl_int clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes,
                               const void *value) {
  beginUse(kernel);
  return REAL(clSetKernelArg)(kernel, number, bytes, value);
}

EXPORTED cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                       cl_uint dimensions, const size_t *offset,
                                       const size_t *global,
                                       const size_t *local, cl_uint waits,
                                       const cl_event *events,
                                       cl_event *event) {
  if (fails("clEnqueueNDRangeKernel")) {
    return shim.result;
  }
  // A moment, in which another thread would meet this one.
  std::this_thread::yield();
  const cl_int result = REAL(clEnqueueNDRangeKernel)(
      queue, kernel, dimensions, offset, global, local, waits, events, event);
  std::lock_guard guard(usesMutex);
  uses.erase(kernel);
  return result;
}
