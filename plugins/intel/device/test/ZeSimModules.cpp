//===- ZeSimModules.cpp - modules and kernels -----------------------------===//
//
// What   See ZeSim.h. Modules are programs of OpenCL.
// Why    The kernels of the tests are run by a compiler that others wrote.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ZeSimFunctions.h"

#include <cstring>

namespace tz::intel::test::sim {

static std::string buildLog(cl_program program) {
  char text[16384] = "";
  (void)machine()->driver.clGetProgramBuildInfo(
      program, machine()->device, CL_PROGRAM_BUILD_LOG, sizeof(text) - 1, text,
      nullptr);
  return text;
}

ze_result_t moduleCreate(ze_context_handle_t context, ze_device_handle_t,
                         const ze_module_desc_t *desc, ze_module_handle_t *out,
                         ze_module_build_log_handle_t *log) {
  auto made = std::make_unique<_ze_module_handle_t>();
  controls().flags = desc->pBuildFlags ? desc->pBuildFlags : "";
  cl_int result = CL_SUCCESS;
  const ClDriver &driver = machine()->driver;
  made->program = driver.clCreateProgramWithIL(
      context->native, desc->pInputModule, desc->inputSize, &result);
  if (result == CL_SUCCESS) {
    result = driver.clBuildProgram(made->program, 1, &machine()->device, "",
                                   nullptr, nullptr);
  }
  if (log) {
    *log = new _ze_module_build_log_handle_t;
    (*log)->text =
        controls().log.empty() ? buildLog(made->program) : controls().log;
  }
  if (fails("zeModuleCreate") || result != CL_SUCCESS) {
    if (made->program) {
      (void)driver.clReleaseProgram(made->program);
    }
    return fails("zeModuleCreate") ? failure()
                                   : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  }
  made->about = readSpirv(
      {reinterpret_cast<const char *>(desc->pInputModule), desc->inputSize});
  *out = made.release();
  return ZE_RESULT_SUCCESS;
}
ze_result_t moduleDestroy(ze_module_handle_t module) {
  (void)machine()->driver.clReleaseProgram(module->program);
  delete module;
  return ZE_RESULT_SUCCESS;
}
ze_result_t logText(ze_module_build_log_handle_t log, size_t *bytes,
                    char *out) {
  if (out) {
    std::memcpy(out, log->text.c_str(), std::min(*bytes, log->text.size() + 1));
  }
  *bytes = log->text.size() + 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t logDestroy(ze_module_build_log_handle_t log) {
  delete log;
  return ZE_RESULT_SUCCESS;
}
ze_result_t moduleGlobal(ze_module_handle_t module, const char *name,
                         size_t *bytes, void **out) {
  const cl_int result = machine()->add.globalPointer(
      machine()->device, module->program, name, bytes, out);
  return result == CL_SUCCESS && *out ? ZE_RESULT_SUCCESS
                                      : ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

//===--- Kernels ----------------------------------------------------------===//

ze_result_t kernelCreate(ze_module_handle_t module,
                         const ze_kernel_desc_t *desc,
                         ze_kernel_handle_t *out) {
  auto made = std::make_unique<_ze_kernel_handle_t>();
  cl_int result = CL_SUCCESS;
  made->native = machine()->driver.clCreateKernel(module->program,
                                                  desc->pKernelName, &result);
  const SpirvKernel *about = module->about.find(desc->pKernelName);
  if (result != CL_SUCCESS || !about) {
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  }
  made->about = *about;
  *out = made.release();
  return ZE_RESULT_SUCCESS;
}
ze_result_t kernelDestroy(ze_kernel_handle_t kernel) {
  (void)machine()->driver.clReleaseKernel(kernel->native);
  delete kernel;
  return ZE_RESULT_SUCCESS;
}

/// This thread prepares a launch of it now.
static void use(_ze_kernel_handle_t &kernel) {
  std::thread::id nobody, self = std::this_thread::get_id();
  if (!kernel.user.compare_exchange_strong(nobody, self) && nobody != self) {
    ++controls().shared;
  }
}

ze_result_t kernelGroup(ze_kernel_handle_t kernel, uint32_t x, uint32_t y,
                        uint32_t z) {
  use(*kernel);
  kernel->group[0] = x;
  kernel->group[1] = y;
  kernel->group[2] = z;
  return ZE_RESULT_SUCCESS;
}
ze_result_t kernelArgument(ze_kernel_handle_t kernel, uint32_t number,
                           size_t bytes, const void *value) {
  use(*kernel);
  if (number >= kernel->about.parameters.size()) {
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  }
  const KernelParameter &parameter = kernel->about.parameters[number];
  if (parameter.bytes != bytes) {
    return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
  }
  cl_int result = CL_SUCCESS;
  if (parameter.isPointer) {
    void *address = nullptr;
    std::memcpy(&address, value, sizeof(address));
    result = machine()->add.clSetKernelArgMemPointerINTEL(kernel->native,
                                                          number, address);
  } else {
    result =
        machine()->driver.clSetKernelArg(kernel->native, number, bytes, value);
  }
  return result == CL_SUCCESS ? ZE_RESULT_SUCCESS
                              : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t kernelIndirect(ze_kernel_handle_t kernel,
                           ze_kernel_indirect_access_flags_t) {
  const cl_bool yes = CL_TRUE;
  (void)machine()->driver.clSetKernelExecInfo(
      kernel->native, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
      sizeof(yes), &yes);
  return ZE_RESULT_SUCCESS;
}
/// As if each work-item took one of so many places.
ze_result_t kernelGroupsAtOnce(ze_kernel_handle_t kernel, uint32_t *out) {
  constexpr size_t places = 4096;
  *out = uint32_t(places /
                  (kernel->group[0] * kernel->group[1] * kernel->group[2]));
  return ZE_RESULT_SUCCESS;
}
ze_result_t kernelProperties(ze_kernel_handle_t, ze_kernel_properties_t *out) {
  out->localMemSize = 640;
  out->privateMemSize = 32;
  out->spillMemSize = 64;
  return ZE_RESULT_SUCCESS;
}

} // namespace tz::intel::test::sim
