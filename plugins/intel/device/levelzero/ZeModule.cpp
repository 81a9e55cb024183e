//===- ZeModule.cpp - loaded code, its kernels, launches ------------------===//
//
// What   A module of SPIR-V; what the driver's compiler says as diagnostics;
//        kernels as pools of kernel objects; launches.
// Why    Arguments are kept in the kernel object: each launch has one to
//        itself while it sets them.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/ForeignMemory.h"
#include "plugins/intel/device/LoadedCode.h"
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <terrazzo/plugin/Structs.h>

#include <algorithm>
#include <cstring>

using namespace tz::intel;

tz_module::~tz_module() {
  for (auto &[name, kernel] : kernels) {
    kernel.objects.clear([&](ze_kernel_handle_t object) {
      (void)device.driver.zeKernelDestroy(object);
    });
  }
}

namespace tz::intel {

//===--- Modules ----------------------------------------------------------===//

static std::string buildLog(const ZeDriver &driver,
                            ze_module_build_log_handle_t from) {
  size_t bytes = 0;
  if (!from || driver.zeModuleBuildLogGetString(from, &bytes, nullptr) !=
                   ZE_RESULT_SUCCESS) {
    return {};
  }
  std::string log(bytes, '\0');
  if (bytes && driver.zeModuleBuildLogGetString(from, &bytes, log.data()) !=
                   ZE_RESULT_SUCCESS) {
    return {};
  }
  return log.substr(0, log.find('\0'));
}

std::unique_ptr<tz_module> Slots::load(tz_device &device,
                                       const tz_module_desc &desc) {
  const ZeDriver &driver = device.driver;
  const tz_bytes code = spirvOf(desc);
  auto module = std::make_unique<tz_module>(device);
  module->spirv = readSpirv({static_cast<const char *>(code.data), code.size});
  checkModule(module->spirv, device.facts.abilities,
              device.label + " (" + device.facts.name + ")");
  ze_module_desc_t about{};
  about.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  about.format = ZE_MODULE_FORMAT_IL_SPIRV;
  about.inputSize = code.size;
  about.pInputModule = static_cast<const uint8_t *>(code.data);
  // Without the first one the compiler takes it that no buffer is larger.
  about.pBuildFlags = module->spirv.wantsLargeFile
                          ? "-ze-opt-greater-than-4GB-buffer-required "
                            "-ze-opt-large-register-file"
                          : "-ze-opt-greater-than-4GB-buffer-required";
  ze_module_handle_t native = nullptr;
  ze_module_build_log_handle_t said = nullptr;
  const ze_result_t result = driver.zeModuleCreate(
      device.context(), device.native, &about, &native, &said);
  const ZeOwned<ze_module_build_log_handle_t> ownedLog(
      said, driver.zeModuleBuildLogDestroy);
  if (result == ZE_RESULT_SUCCESS) {
    module->native = {native, driver.zeModuleDestroy};
  }
  const std::string log = buildLog(driver, said);
  plugin::reportLog(desc,
                    result == ZE_RESULT_SUCCESS ? TZ_SEVERITY_REMARK
                                                : TZ_SEVERITY_ERROR,
                    log);
  if (result != ZE_RESULT_SUCCESS) {
    const std::string first = firstError(log);
    throw ZeDriver::failure(
        result,
        "load SPIR-V on " + device.label + " (" + device.facts.name + ")",
        first.empty() ? first : "the driver's compiler says: " + first);
  }
  return module;
}

static ze_kernel_handle_t makeObject(const tz_kernel &kernel) {
  tz_module &module = kernel.module;
  const ZeDriver &driver = module.device.driver;
  const ze_kernel_desc_t desc{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0,
                              kernel.about.name.c_str()};
  auto attempt = [&] { return "find kernel '" + kernel.about.name + "'"; };
  ze_kernel_handle_t native = nullptr;
  ZeDriver::check(driver.zeKernelCreate(module.native.get(), &desc, &native),
                  attempt);
  ZeOwned<ze_kernel_handle_t> object(native, driver.zeKernelDestroy);
  // Code may reach memory through addresses that no parameter is.
  ZeDriver::check(driver.zeKernelSetIndirectAccess(
                      native, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED),
                  attempt);
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
  const std::string text(name);
  size_t size = 0;
  void *found = nullptr;
  const ze_result_t result = module.device.driver.zeModuleGetGlobalPointer(
      module.native.get(), text.c_str(), &size, &found);
  if (result == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME) {
    throw Failure(TZ_E_NOT_FOUND, "the module has no variable '" + text + "'",
                  result);
  }
  ZeDriver::check(result, [&] { return "find variable '" + text + "'"; });
  return {reinterpret_cast<tz_dptr>(found), size};
}

//===--- Launches ---------------------------------------------------------===//

static void setArguments(const tz_kernel &kernel, ze_kernel_handle_t object,
                         const void *packed) {
  tz_device &device = kernel.module.device;
  const ZeDriver &driver = device.driver;
  const bool hasOthers =
      device.platform.contexts.load(std::memory_order_relaxed) > 1;
  const auto *bytes = static_cast<const unsigned char *>(packed);
  uint32_t number = 0;
  for (const KernelParameter &parameter : kernel.about.parameters) {
    if (hasOthers && parameter.isPointer) [[unlikely]] {
      tz_dptr address = 0;
      std::memcpy(&address, bytes + parameter.offset, sizeof(address));
      refuseForeign(device, kernel.about, number, address);
    }
    ZeDriver::check(driver.zeKernelSetArgumentValue(object, number,
                                                    parameter.bytes,
                                                    bytes + parameter.offset),
                    [&] {
                      return "set argument " + std::to_string(number) +
                             " of kernel '" + kernel.about.name + "'";
                    });
    ++number;
  }
}

tz_occupancy ZeSlots::occupancy(tz_kernel &kernel, const tz_launch &request) {
  const tz_device &device = kernel.module.device;
  const ZeDriver &driver = device.driver;
  checkLaunch(kernel.about, request, device.facts.abilities, device.label,
              /*hasArguments=*/false);
  auto attempt = [&] {
    return "ask how many work-groups of kernel '" + kernel.about.name +
           "' run at once on " + device.label;
  };
  const auto object = kernel.objects.take([&] { return makeObject(kernel); });
  ZeDriver::check(driver.zeKernelSetGroupSize(object.get(),
                                              std::max(request.block[0], 1u),
                                              std::max(request.block[1], 1u),
                                              std::max(request.block[2], 1u)),
                  attempt);
  uint32_t onDevice = 0;
  ZeDriver::check(
      driver.zeKernelSuggestMaxCooperativeGroupCount(object.get(), &onDevice),
      attempt);
  ze_kernel_properties_t about{};
  about.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  ZeDriver::check(driver.zeKernelGetProperties(object.get(), &about), attempt);
  tz_occupancy result{};
  result.struct_size = sizeof(result);
  // Less than one for each unit counts as unknown.
  result.blocks = onDevice / std::max(device.facts.computeUnits, 1u);
  result.scratch = about.localMemSize;
  result.local = uint64_t(about.privateMemSize) + about.spillMemSize;
  return result;
}

void Slots::launch(tz_stream &stream, tz_kernel &kernel,
                   const tz_launch &request) {
  tz_device &device = stream.device;
  const ZeDriver &driver = device.driver;
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
  uint32_t block[3];
  for (int axis = 0; axis < 3; ++axis) {
    block[axis] = std::max(request.block[axis], 1u);
  }
  const ze_group_count_t groups{std::max(request.grid[0], 1u),
                                std::max(request.grid[1], 1u),
                                std::max(request.grid[2], 1u)};
  auto attempt = [&] {
    return "launch kernel '" + kernel.about.name + "' on " + device.label +
           " (" + std::to_string(block[0]) + "x" + std::to_string(block[1]) +
           "x" + std::to_string(block[2]) + " work-items a group)";
  };
  const auto object = kernel.objects.take([&] { return makeObject(kernel); });
  ZeDriver::check(
      driver.zeKernelSetGroupSize(object.get(), block[0], block[1], block[2]),
      attempt);
  setArguments(kernel, object.get(), request.args);
  keepOrderBefore(stream);
  const auto append = request.flags & TZ_LAUNCH_COOPERATIVE
                          ? driver.zeCommandListAppendLaunchCooperativeKernel
                          : driver.zeCommandListAppendLaunchKernel;
  ZeDriver::check(
      append(stream.list.get(), object.get(), &groups, nullptr, 0, nullptr),
      attempt);
  stream.last = &kernel.about.name;
  keepOrderBehind(stream);
}

} // namespace tz::intel
