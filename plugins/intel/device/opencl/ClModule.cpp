//===- ClModule.cpp - loaded code, its kernels, launches ------------------===//
//
// What   A module of SPIR-V as a program; what the driver's compiler says as
//        diagnostics; kernels as pools of kernel objects; launches.
// Why    clSetKernelArg is not safe for threads: each launch has a kernel
//        object to itself while it sets arguments.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Notes.h"
#include "plugins/intel/device/ForeignMemory.h"
#include "plugins/intel/device/LoadedCode.h"
#include "plugins/intel/device/opencl/ClBinaries.h"

#include <terrazzo/plugin/Structs.h>

#include <algorithm>
#include <cstdlib>
#include <strings.h>

using namespace tz::intel;

tz_module::~tz_module() {
  for (auto &[name, kernel] : kernels) {
    kernel.objects.clear(
        [&](cl_kernel object) { (void)device.driver.clReleaseKernel(object); });
  }
}

namespace tz::intel {

//===--- Modules ----------------------------------------------------------===//

static std::string buildLog(tz_device &device, cl_program program) {
  size_t bytes = 0;
  const ClDriver &driver = device.driver;
  if (driver.clGetProgramBuildInfo(program, device.native, CL_PROGRAM_BUILD_LOG,
                                   0, nullptr, &bytes) != CL_SUCCESS) {
    return {};
  }
  std::string log(bytes, '\0');
  if (driver.clGetProgramBuildInfo(program, device.native, CL_PROGRAM_BUILD_LOG,
                                   bytes, log.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return log.substr(0, log.find('\0'));
}

/// Whether the environment asks Intel's runtime for CPUs to have sub-groups in
/// code that it does not optimise. Else such code has none of more than a lane.
static bool wantsQuickBuilds() {
  const char *text = secure_getenv("CL_CONFIG_CPU_O0_VECTORIZATION");
  return text && (std::string_view(text) == "1" || !strcasecmp(text, "true"));
}

/// What the compiler for GPUs is told. Others refuse options that they do not
/// know.
static std::string optionsOf(const tz_device &device,
                             const SpirvModule &module) {
  if (device.isSimulator) {
    return wantsQuickBuilds() ? "-cl-opt-disable" : "";
  }
  // Without the first one the compiler takes it that no buffer is larger.
  std::string options = "-cl-intel-greater-than-4GB-buffer-required";
  if (module.wantsLargeFile) {
    options += " " + std::string(LargeFileOption);
  }
  return options;
}

std::unique_ptr<tz_module> Slots::load(tz_device &device,
                                       const tz_module_desc &desc) {
  const ClDriver &driver = device.driver;
  const tz_bytes code = spirvOf(desc);
  auto module = std::make_unique<tz_module>(device);
  module->spirv = readSpirv({static_cast<const char *>(code.data), code.size});
  checkModule(module->spirv, device.facts.abilities,
              device.label + " (" + device.facts.name + ")");
  auto attempt = [&] {
    return "load SPIR-V on " + device.label + " (" + device.facts.name + ")";
  };
  const std::string options = optionsOf(device, module->spirv);
  const ClBinary known(device, code, options);
  if (module->program = known.find(); module->program) {
    return module;
  }
  cl_int result = CL_SUCCESS;
  module->program = {driver.clCreateProgramWithIL(device.context(), code.data,
                                                  code.size, &result),
                     driver.clReleaseProgram};
  ClDriver::check(result, attempt);
  result = driver.clBuildProgram(module->program.get(), 1, &device.native,
                                 options.c_str(), nullptr, nullptr);
  const std::string log = buildLog(device, module->program.get());
  plugin::reportLog(
      desc, result == CL_SUCCESS ? TZ_SEVERITY_REMARK : TZ_SEVERITY_ERROR, log);
  if (result != CL_SUCCESS) {
    const std::string said = firstError(log);
    throw ClDriver::failure(
        result, attempt(),
        said.empty() ? said : "the driver's compiler says: " + said);
  }
  known.keep(module->program.get());
  return module;
}

/// Code may reach memory through addresses that no parameter is, for example
/// those that lie in memory.
static void allowIndirect(tz_device &device, cl_kernel object) {
  if (!device.facts.hasUnifiedMemory) {
    return;
  }
  const cl_bool yes = CL_TRUE;
  constexpr cl_kernel_exec_info kinds[] = {
      CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
      CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
      CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL};
  for (cl_kernel_exec_info what : kinds) {
    ClDriver::check(
        device.driver.clSetKernelExecInfo(object, what, sizeof(yes), &yes),
        [] { return "let a kernel reach memory through addresses"; });
  }
}

static cl_kernel makeObject(const tz_kernel &kernel) {
  tz_module &module = kernel.module;
  const ClDriver &driver = module.device.driver;
  cl_int result = CL_SUCCESS;
  ClOwned<cl_kernel> object(driver.clCreateKernel(module.program.get(),
                                                  kernel.about.name.c_str(),
                                                  &result),
                            driver.clReleaseKernel);
  ClDriver::check(result,
                  [&] { return "find kernel '" + kernel.about.name + "'"; });
  allowIndirect(module.device, object.get());
  return object.release();
}

tz_kernel &Slots::find(tz_module &module, std::string_view name) {
  std::lock_guard guard(module.mutex);
  const auto known = module.kernels.find(name);
  if (known != module.kernels.end()) {
    return known->second;
  }
  const SpirvKernel *about = module.spirv.find(name);
  if (!about) {
    throw Failure(TZ_E_NOT_FOUND,
                  "the module has no kernel '" + std::string(name) + "'");
  }
  auto made = module.kernels.try_emplace(about->name, module, *about).first;
  try {
    // The first object now, so that a launch need not fail for want of it.
    (void)made->second.objects.take([&] { return makeObject(made->second); });
  } catch (...) {
    module.kernels.erase(made);
    throw;
  }
  return made->second;
}

plugin::Global Slots::global(tz_module &module, std::string_view name) {
  tz_device &device = module.device;
  const std::string text(name);
  if (!device.extensions.globalPointer) {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "the driver of " + device.label +
                      " does not tell where variables of the code lie");
  }
  size_t size = 0;
  void *found = nullptr;
  const cl_int result = device.extensions.globalPointer(
      device.native, module.program.get(), text.c_str(), &size, &found);
  if (result != CL_SUCCESS || !found) {
    throw Failure(TZ_E_NOT_FOUND, "the module has no variable '" + text + "'",
                  result);
  }
  return {reinterpret_cast<tz_dptr>(found), size};
}

//===--- Launches ---------------------------------------------------------===//

static void setArguments(const tz_kernel &kernel, cl_kernel object,
                         const void *packed) {
  tz_device &device = kernel.module.device;
  const auto *bytes = static_cast<const unsigned char *>(packed);
  cl_uint number = 0;
  for (const KernelParameter &parameter : kernel.about.parameters) {
    const unsigned char *value = bytes + parameter.offset;
    cl_int result = CL_SUCCESS;
    if (parameter.isPointer) {
      void *address = nullptr;
      std::memcpy(&address, value, sizeof(address));
      if (device.platform.contexts.load(std::memory_order_relaxed) > 1)
          [[unlikely]] {
        refuseForeign(device, kernel.about, number,
                      reinterpret_cast<tz_dptr>(address));
      }
      result =
          device.facts.hasUnifiedMemory
              ? device.extensions.clSetKernelArgMemPointerINTEL(object, number,
                                                                address)
              : device.driver.clSetKernelArgSVMPointer(object, number, address);
    } else {
      result =
          device.driver.clSetKernelArg(object, number, parameter.bytes, value);
    }
    ClDriver::check(result, [&] {
      return "set argument " + std::to_string(number) + " of kernel '" +
             kernel.about.name + "'";
    });
    ++number;
  }
}

void Slots::launch(tz_stream &stream, tz_kernel &kernel,
                   const tz_launch &request) {
  tz_device &device = stream.device;
  if (request.next) [[unlikely]] {
    plugin::refuseExtensions(request.next);
  }
  if (&kernel.module.device != &device) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "kernel '" + kernel.about.name + "' was loaded on " +
                      kernel.module.device.label + ", the stream belongs to " +
                      device.label);
  }
  checkLaunch(kernel.about, request, device.facts.abilities, device.label);
  if (request.flags & TZ_LAUNCH_COOPERATIVE) [[unlikely]] {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "kernel '" + kernel.about.name +
                      "' must have all its programs running at once, which "
                      "OpenCL does not promise");
  }
  size_t local[3], global[3];
  for (int axis = 0; axis < 3; ++axis) {
    local[axis] = std::max(request.block[axis], 1u);
    global[axis] = local[axis] * std::max(request.grid[axis], 1u);
  }
  const auto object = kernel.objects.take([&] { return makeObject(kernel); });
  setArguments(kernel, object.get(), request.args);
  ClDriver::check(device.driver.clEnqueueNDRangeKernel(
                      stream.queue.get(), object.get(), 3, nullptr, global,
                      local, 0, nullptr, nullptr),
                  [&] {
                    return "launch kernel '" + kernel.about.name + "' on " +
                           device.label + " (" + std::to_string(local[0]) +
                           "x" + std::to_string(local[1]) + "x" +
                           std::to_string(local[2]) + " work-items a group)";
                  });
  stream.last = &kernel.about.name;
  begin(stream);
}

} // namespace tz::intel
