//===- CudaModule.cpp - loaded code and its kernels -----------------------===//
//
// What   Takes the blobs that the device can run: "cubin" (machine code) before
//        "ptx", which the driver compiles, each a part of the module with some
//        of its kernels; finds kernels and variables. PTX behind the first part
//        waits until a kernel is sought that no part before it has.
// Why    What the driver's compiler says belongs into the error, and what it
//        takes 50 ms for should be needed.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/device/CuptiSamples.h"
#include "backends/nvidia/device/TensorMap.h"

#include <terrazzo/plugin/Structs.h>

#include <algorithm>
#include <cstring>

using namespace tz::nvidia;

tz_module::~tz_module() {
  if (parts.empty()) {
    return;
  }
  try {
    ContextScope scope(device);
    for (driver::Module part : parts) {
      (void)device.driver.moduleUnload(part);
    }
  } catch (const Failure &) {
    // The context is gone, and the module with it.
  }
}

namespace tz::nvidia {

using namespace driver;

/// The first blob of the format, or null.
static const tz_blob *findBlob(const tz_blob *blobs, size_t count,
                               std::string_view format) {
  for (size_t i = 0; i < count; ++i) {
    if (plugin::view(blobs[i].format) == format) {
      return &blobs[i];
    }
  }
  return nullptr;
}

/// What the driver's compiler wrote before the first zero.
static std::string_view written(const std::string &log) {
  return std::string_view(log).substr(0, log.find('\0'));
}

/// The first line that says something.
static std::string firstLine(std::string_view log) {
  const size_t begin = std::min(log.find_first_not_of(" \r\n"), log.size());
  log.remove_prefix(begin);
  return std::string(log.substr(0, log.find_first_of("\r\n")));
}

static std::vector<TensorView> readViews(const tz_blob *blobs, size_t count) {
  const tz_blob *blob = findBlob(blobs, count, TensorViewsFormat);
  if (!blob) {
    return {};
  }
  return parseTensorViews(
      {static_cast<const char *>(blob->bytes.data), blob->bytes.size});
}

static bool isText(const tz_blob &code) {
  return plugin::view(code.format) == "ptx";
}

/// PTX must end with a zero. Machine code carries its own size, which the
/// driver believes: a copy does no harm to either.
static std::string imageOf(const tz_blob &code) {
  return {static_cast<const char *>(code.bytes.data), code.bytes.size};
}

/// The log goes to `desc`, line by line; the error has its first one.
static driver::Module loadPart(tz_device &device, bool portable,
                               const std::string &image,
                               const tz_module_desc &desc) {
  if (!portable && image.compare(0, 4, "\177ELF") != 0) {
    throw Failure(TZ_E_DATA_LOSS, "the artifact's machine code is damaged: it "
                                  "does not begin as an ELF file");
  }
  std::string log(8192, '\0');
  JitOption options[] = {JitErrorLog, JitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  driver::Module native = nullptr;
  Result result = device.driver.moduleLoadDataEx(&native, image.c_str(), 2,
                                                 options, values);
  if (result != Success) {
    plugin::reportLog(desc, TZ_SEVERITY_ERROR, written(log));
    std::string said = firstLine(written(log));
    device.fail(result,
                std::string("load ") + (portable ? "PTX" : "machine code") +
                    " on " + device.label() + " (" +
                    device.facts.target.substr(7) + ")",
                said.empty() ? said : "the driver's compiler says: " + said);
  }
  if (!portable) {
    keepLines(image);
  }
  return native;
}

std::unique_ptr<tz_module> loadModule(tz_device &device,
                                      const tz_module_desc &desc) {
  const tz_blob *blobs = desc.blobs;
  const size_t count = desc.num_blobs;
  device.mustWork();
  const tz_blob *first = findBlob(blobs, count, "cubin");
  if (!first) {
    first = findBlob(blobs, count, "ptx");
  }
  if (!first || first->bytes.size == 0) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "the artifact has no blob of format 'cubin' or 'ptx'");
  }
  auto module = std::make_unique<tz_module>(device);
  module->views = readViews(blobs, count);
  ContextScope scope(device);
  PreparationScope preparation(device.driver);
  module->parts.reserve(count); // so that none is loaded and then lost
  for (const tz_blob *blob = blobs; blob != blobs + count; ++blob) {
    if (blob == first || plugin::view(blob->format) == "cubin") {
      module->parts.push_back(
          loadPart(device, isText(*blob), imageOf(*blob), desc));
    } else if (isText(*blob)) {
      module->waiting.push_back(imageOf(*blob));
    }
  }
  return module;
}

/// Asks each part of the module until one has what is sought, those that wait
/// last. Needs the module's mutex.
template <typename Ask>
static Result askParts(tz_module &module, Ask ask) {
  Result result = NotFound;
  for (size_t i = 0; result == NotFound; ++i) {
    if (i == module.parts.size()) {
      if (module.waiting.empty()) {
        break;
      }
      module.parts.reserve(i + 1);
      module.parts.push_back(loadPart(module.device, /*portable=*/true,
                                      module.waiting.front(),
                                      tz_module_desc{}));
      module.waiting.pop_front();
    }
    result = ask(module.parts[i]);
  }
  return result;
}

/// Compares the packed buffer, in which every slot is aligned to its size, with
/// what the driver says of the parameters. They differ behind a descriptor: the
/// code aligns it to 128 bytes in the constant bank, whose parameters begin at
/// an odd multiple of 16.
static void readParameters(const Driver &driver, tz_kernel &kernel) {
  if (!driver.functionGetParamInfo) {
    if (!kernel.views.empty()) {
      throw Failure(
          TZ_E_UNAVAILABLE,
          "kernel '" + *kernel.name +
              "' takes descriptors of the TMA unit, for which the "
              "driver must be of version 12.4 or newer; this one is " +
              versionText(driver.version()));
    }
    return;
  }
  bool same = true;
  size_t offset = 0, size = 0;
  Result result = Success;
  for (uint32_t i = 0;; ++i) {
    result = driver.functionGetParamInfo(kernel.function, i, &offset, &size);
    if (result != Success) {
      break;
    }
    uint64_t align = std::max<size_t>(size, 1);
    uint64_t packed = (kernel.argBytes + align - 1) / align * align;
    same = same && packed == offset;
    kernel.offsets.push_back(uint32_t(packed));
    kernel.argBytes = packed + size;
  }
  // Behind the last parameter; else a launch would lack some.
  if (result != InvalidValue) {
    kernel.module.device.check(result, [&] {
      return "ask for the parameters of kernel '" + *kernel.name + "'";
    });
  }
  if (same) {
    kernel.offsets.clear();
  }
}

tz_kernel &findKernel(tz_module &module, std::string_view name) {
  tz_device &device = module.device;
  device.mustWork();
  std::lock_guard guard(module.mutex);
  auto known = module.kernels.find(name);
  if (known != module.kernels.end()) {
    return *known->second;
  }
  ContextScope scope(device);
  PreparationScope preparation(device.driver);
  const Driver &driver = device.driver;
  auto kernel =
      std::make_unique<tz_kernel>(module, device.platform.intern(name));
  Result result = askParts(module, [&](driver::Module part) {
    return driver.moduleGetFunction(&kernel->function, part,
                                    kernel->name->c_str());
  });
  if (result == NotFound) {
    throw Failure(TZ_E_NOT_FOUND,
                  "the module has no kernel '" + *kernel->name + "'", result);
  }
  auto attempt = [&] { return "find kernel '" + *kernel->name + "'"; };
  device.check(result, attempt);
  auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    device.check(driver.functionGetAttribute(&value, which, kernel->function),
                 attempt);
    return uint32_t(value);
  };
  kernel->registers = attribute(FunctionRegisters);
  kernel->maxThreads = attribute(FunctionMaxThreads);
  kernel->sharedBytes = attribute(FunctionSharedBytes);
  kernel->localBytes = attribute(FunctionLocalBytes);
  // Without being told otherwise the driver allows this much in all.
  uint64_t free = device.facts.sharedBytes;
  kernel->dynamicLimit = free - std::min(free, kernel->sharedBytes);
  for (const TensorView &view : module.views) {
    if (view.kernel == name) {
      kernel->views.emplace(view.slot, view);
    }
  }
  readParameters(driver, *kernel);
  return *module.kernels.emplace(*kernel->name, std::move(kernel))
              .first->second;
}

void findGlobal(tz_module &module, std::string_view name, tz_dptr &address,
                uint64_t &size) {
  tz_device &device = module.device;
  device.mustWork();
  std::lock_guard guard(module.mutex);
  ContextScope scope(device);
  PreparationScope preparation(device.driver);
  std::string text(name);
  size_t bytes = 0;
  Result result = askParts(module, [&](driver::Module part) {
    return device.driver.moduleGetGlobal(&address, &bytes, part, text.c_str());
  });
  if (result == NotFound) {
    throw Failure(TZ_E_NOT_FOUND, "the module has no variable '" + text + "'",
                  result);
  }
  device.check(result, [&] { return "find variable '" + text + "'"; });
  size = bytes;
}

} // namespace tz::nvidia
