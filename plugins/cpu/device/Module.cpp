//===- Module.cpp - Loaded artifacts and their launch ---------------------===//
//
// What   module_load, kernel_get, module_global and launch.
// Why    The launch path is the hot one: it checks, fills one struct and calls.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/DebugRegistration.h"
#include "plugins/cpu/device/Device.h"
#include "plugins/cpu/device/Error.h"

#include <cstring>
#include <new>

namespace tz::cpu {

tz_error *refuseExtensions(const tz_ext *extensions) {
  for (; extensions; extensions = extensions->next) {
    if (extensions->flags & TZ_EXT_MUST_UNDERSTAND) {
      return makeError(TZ_E_UNIMPLEMENTED,
                       std::string("cpu: unknown extension '") +
                           (extensions->id ? extensions->id : "") + "'");
    }
  }
  return nullptr;
}

tz_error *loadModule(tz_device *, const tz_blob *blobs, size_t n,
                     const tz_ext *extensions, tz_module **out) {
  if (tz_error *error = refuseExtensions(extensions)) {
    return error;
  }
  const tz_blob *elf = nullptr;
  for (size_t i = 0; i < n; ++i) {
    if (view(blobs[i].format) == "elf") {
      elf = &blobs[i];
      break;
    }
  }
  if (!elf) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: the artifact has no blob of format 'elf'");
  }
  std::string reason;
  auto module = std::make_unique<tz_module>();
  module->object = ElfObject::load(
      {static_cast<const std::byte *>(elf->bytes.data), elf->bytes.size},
      reason);
  if (!module->object) {
    return makeError(TZ_E_DATA_LOSS, "cpu: cannot load the kernel: " + reason);
  }
  module->debugRegistration = registerForDebuggers(*module->object);
  *out = module.release();
  return nullptr;
}

void unloadModule(tz_module *module) {
  if (module) {
    unregisterForDebuggers(module->debugRegistration);
    delete module;
  }
}

static tz_error *readInfo(const ElfObject &object, std::string_view name,
                          tz_cpu_kernel_info &info) {
  const ObjectSymbol *symbol =
      object.find(TZ_CPU_INFO_PREFIX + std::string(name));
  if (!symbol) {
    return nullptr;
  }
  tz_cpu_kernel_info read{};
  if (symbol->available >= sizeof read) {
    std::memcpy(&read, symbol->address, sizeof read);
  }
  if (read.magic != TZ_CPU_INFO_MAGIC || read.version != TZ_CPU_INFO_VERSION) {
    return makeError(TZ_E_DATA_LOSS, "cpu: kernel '" + std::string(name) +
                                         "' has a malformed info record");
  }
  info = read;
  return nullptr;
}

tz_error *getKernel(tz_module *module, tz_str name, tz_kernel **out) {
  std::string_view wanted = view(name);
  std::lock_guard<std::mutex> lock(module->mutex);
  auto it = module->kernels.find(wanted);
  if (it == module->kernels.end()) {
    const ObjectSymbol *symbol = module->object->find(wanted);
    if (!symbol || !symbol->code || symbol->available == 0) {
      return makeError(TZ_E_NOT_FOUND, "cpu: the module has no kernel '" +
                                           std::string(wanted) + "'");
    }
    auto kernel = std::make_unique<tz_kernel>();
    kernel->name = wanted;
    std::memcpy(&kernel->entry, &symbol->address, sizeof kernel->entry);
    if (tz_error *error = readInfo(*module->object, wanted, kernel->info)) {
      return error;
    }
    it = module->kernels.emplace(kernel->name, std::move(kernel)).first;
  }
  *out = it->second.get();
  return nullptr;
}

tz_error *getGlobal(tz_module *module, tz_str name, tz_dptr *out,
                    uint64_t *size) {
  const ObjectSymbol *symbol = module->object->find(view(name));
  if (!symbol || symbol->code) {
    return makeError(TZ_E_NOT_FOUND, "cpu: the module has no variable '" +
                                         std::string(view(name)) + "'");
  }
  *out = reinterpret_cast<tz_dptr>(symbol->address);
  if (size) {
    *size = symbol->size;
  }
  return nullptr;
}

tz_error *launchKernel(tz_stream *stream, tz_kernel *kernel,
                       const tz_launch *launch) {
  if (launch->next) {
    if (tz_error *error = refuseExtensions(launch->next)) {
      return error;
    }
  }
  if (launch->args_size < kernel->info.args_bytes ||
      (launch->args_size != 0 && !launch->args)) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: kernel '" + kernel->name + "' reads " +
                         std::to_string(kernel->info.args_bytes) +
                         " argument bytes, the launch has " +
                         std::to_string(launch->args_size));
  }
  GridJob job;
  job.entry = kernel->entry;
  job.args = launch->args;
  for (unsigned axis = 0; axis < 3; ++axis) {
    job.grid[axis] = launch->grid[axis];
    if (__builtin_mul_overflow(job.programs,
                               static_cast<int64_t>(launch->grid[axis]),
                               &job.programs)) {
      return makeError(TZ_E_OUT_OF_RANGE,
                       "cpu: the grid has more than 2^63 programs");
    }
  }
  if (job.programs == 0) {
    return nullptr;
  }
  job.arenaBytes = std::max(launch->dyn_scratch, kernel->info.arena_bytes);
  job.ordered = (kernel->info.flags & TZ_CPU_KERNEL_WAITS) ||
                (launch->flags & TZ_LAUNCH_ORDERED);
  job.cost = &kernel->cost;
  tz_platform &platform = *stream->device->platform;
  if ((launch->flags & TZ_LAUNCH_COOPERATIVE) &&
      job.programs > static_cast<int64_t>(platform.pool.threads())) {
    return makeError(TZ_E_FAILED_PRECONDITION,
                     "cpu: a cooperative launch of " +
                         std::to_string(job.programs) + " programs needs " +
                         "as many threads; there are " +
                         std::to_string(platform.pool.threads()));
  }
  if (!platform.pool.run(job)) {
    return makeError(TZ_E_OUT_OF_MEMORY, "cpu: no memory for an arena of " +
                                             std::to_string(job.arenaBytes) +
                                             " bytes a thread");
  }
  return nullptr;
}

} // namespace tz::cpu
