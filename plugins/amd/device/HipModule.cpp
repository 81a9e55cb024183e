//===- HipModule.cpp - loaded code and its kernels ------------------------===//
//
// What   Reads the code object, holds it against the device, and gives it to
//        HIP; finds kernels and variables.
// Why    HIP ends the process on some damaged code, and says of code for
//        another machine no more than a number.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

namespace tz::amd {

using namespace hip;

HipModule::~HipModule() {
  if (native) {
    (void)device.driver.told(device.driver.moduleUnload(native));
  }
}

static std::string_view codeOf(const tz_module_desc &desc) {
  for (size_t i = 0; i < desc.num_blobs; ++i) {
    const tz_blob &blob = desc.blobs[i];
    if (plugin::view(blob.format) == "hsaco" && blob.bytes.size) {
      return {static_cast<const char *>(blob.bytes.data), blob.bytes.size};
    }
  }
  throw Failure(TZ_E_INVALID_ARGUMENT,
                "the artifact has no blob of format 'hsaco'");
}

std::unique_ptr<HipModule> HipDevice::load(const tz_module_desc &desc) {
  mustWork();
  const std::string_view code = codeOf(desc);
  auto module = std::make_unique<HipModule>(*this);
  module->about = readCodeObject(code);
  if (module->about.processor != facts.processor) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the code object is for " + module->about.processor + ", " +
                      label() + " is " + facts.processor + "; compile it for " +
                      facts.target);
  }
  module->image = code;
  DeviceScope scope(*this);
  PreparationScope preparation(driver);
  check(driver.moduleLoadData(&module->native, module->image.data()), [&] {
    return "load a code object on " + label() + " (" + facts.processor + ")";
  });
  return module;
}

HipKernel *HipModule::find(std::string_view name) {
  device.mustWork();
  std::lock_guard guard(mutex);
  if (auto known = kernels.find(name); known != kernels.end()) {
    return known->second.get();
  }
  const auto about = this->about.kernels.find(name);
  if (about == this->about.kernels.end()) {
    return nullptr;
  }
  DeviceScope scope(device);
  PreparationScope preparation(device.driver);
  const HipDriver &driver = device.driver;
  auto kernel = std::make_unique<HipKernel>(*this, std::string(name));
  kernel->facts = about->second;
  auto attempt = [&] { return "find kernel '" + kernel->name + "'"; };
  device.check(
      driver.moduleGetFunction(&kernel->function, native, kernel->name.c_str()),
      attempt);
  auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    device.check(driver.functionGetAttribute(&value, which, kernel->function),
                 attempt);
    return uint32_t(value);
  };
  kernel->registers = attribute(FunctionRegisters);
  kernel->maxThreads = attribute(FunctionMaxThreads);
  kernel->localBytes = attribute(FunctionLocalBytes);
  return kernels.emplace(kernel->name, std::move(kernel)).first->second.get();
}

std::optional<plugin::Global> HipModule::global(std::string_view name) {
  device.mustWork();
  DeviceScope scope(device);
  PreparationScope preparation(device.driver);
  const std::string text(name);
  void *address = nullptr;
  size_t bytes = 0;
  const Result result = device.driver.told(
      device.driver.moduleGetGlobal(&address, &bytes, native, text.c_str()));
  if (result == NotFound) {
    return std::nullopt;
  }
  device.check(result, [&] { return "find variable '" + text + "'"; });
  return plugin::Global{reinterpret_cast<tz_dptr>(address), bytes};
}

} // namespace tz::amd
