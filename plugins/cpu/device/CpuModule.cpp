//===- CpuModule.cpp - Loaded artifacts and their launch ------------------===//
//
// What   module_load, kernel_get, module_global and launch.
// Why    The launch path is the hot one: it checks, fills one struct and calls.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"
#include "plugins/cpu/device/DebugRegistration.h"
#include "plugins/cpu/device/DeviceErrors.h"
#include "plugins/cpu/device/KernelSamples.h"
#include "plugins/cpu/device/LaunchArrays.h"
#include "plugins/cpu/device/Running.h"
#include "plugins/cpu/device/Wait.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

tz_module::~tz_module() {
  tz::cpu::endSamplesOf(*this);
  tz::cpu::unregisterForDebuggers(debugRegistration);
}

namespace tz::cpu {

using plugin::Failure;

std::unique_ptr<tz_module> loadModule(tz_device &device,
                                      const tz_module_desc &desc) {
  const tz_blob *elf = nullptr;
  for (size_t i = 0; i < desc.num_blobs && !elf; ++i) {
    if (view(desc.blobs[i].format) == "elf") {
      elf = &desc.blobs[i];
    }
  }
  if (!elf) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "cpu: the artifact has no blob of format 'elf'");
  }
  std::string reason;
  auto module = std::make_unique<tz_module>();
  module->object = ElfObject::load(
      {static_cast<const std::byte *>(elf->bytes.data), elf->bytes.size},
      reason);
  if (!module->object) {
    throw Failure(TZ_E_DATA_LOSS, "cpu: cannot load the kernel: " + reason);
  }
  module->debugRegistration =
      registerForDebuggers(*module->object, device.platform->host);
  beginSamplesOf(*module);
  return module;
}

static void readInfo(const ElfObject &object, std::string_view name,
                     tz_cpu_kernel_info &info) {
  const ObjectSymbol *symbol =
      object.find(TZ_CPU_INFO_PREFIX + std::string(name));
  if (!symbol) {
    return;
  }
  tz_cpu_kernel_info read{};
  if (symbol->available >= sizeof read) {
    std::memcpy(&read, symbol->address, sizeof read);
  }
  // Version 1 has no tz_cpu_run, and reads none; 2 does not read `alone`.
  if (read.magic != TZ_CPU_INFO_MAGIC || read.version < 1 ||
      read.version > TZ_CPU_INFO_VERSION) {
    throw Failure(TZ_E_DATA_LOSS, "cpu: kernel '" + std::string(name) +
                                      "' has a malformed info record");
  }
  info = read;
}

tz_kernel &getKernel(tz_module &module, std::string_view wanted) {
  std::lock_guard<std::mutex> lock(module.mutex);
  auto it = module.kernels.find(wanted);
  if (it == module.kernels.end()) {
    const ObjectSymbol *symbol = module.object->find(wanted);
    if (!symbol || !symbol->code || symbol->available == 0) {
      throw Failure(TZ_E_NOT_FOUND, "cpu: the module has no kernel '" +
                                        std::string(wanted) + "'");
    }
    auto kernel = std::make_unique<tz_kernel>();
    kernel->name = wanted;
    kernel->module = &module;
    std::memcpy(&kernel->entry, &symbol->address, sizeof kernel->entry);
    readInfo(*module.object, wanted, kernel->info);
    if (const ObjectSymbol *table =
            module.object->find(TZ_CPU_ARGUMENTS_PREFIX + std::string(wanted));
        table && (kernel->info.flags & TZ_CPU_KERNEL_CHECKED)) {
      kernel->arguments = {
          reinterpret_cast<const tz_cpu_argument *>(table->address),
          table->size / sizeof(tz_cpu_argument)};
    }
    it = module.kernels.emplace(kernel->name, std::move(kernel)).first;
  }
  return *it->second;
}

plugin::Global getGlobal(tz_module &module, std::string_view name) {
  const ObjectSymbol *symbol = module.object->find(name);
  if (!symbol || symbol->code) {
    throw Failure(TZ_E_NOT_FOUND, "cpu: the module has no variable '" +
                                      std::string(name) + "'");
  }
  return {reinterpret_cast<tz_dptr>(symbol->address), symbol->size};
}

std::optional<tz_source_place> findLine(tz_module &module, uint64_t pc) {
  if (!module.lines) {
    module.lines = readLineTable(module.object->debugImage());
  }
  const std::vector<LineRow> &rows = module.lines->rows;
  const LineRow *before = nullptr; // the last with a line, in its sequence
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    const LineRow &row = rows[i];
    before = row.endsSequence ? nullptr : row.line ? &row : before;
    if (row.endsSequence || pc < row.address || pc >= rows[i + 1].address) {
      continue;
    }
    if (!before) {
      break;
    }
    // An instruction of two lines has none: what comes before it is near.
    const std::string &file = module.lines->files[before->file];
    tz_source_place place{};
    place.file = {file.data(), file.size()};
    place.line = before->line;
    place.col = before->column;
    return place;
  }
  return std::nullopt;
}

tz_source_place findPlace(tz_kernel &kernel, int64_t offset) {
  tz_module &module = *kernel.module;
  std::lock_guard<std::mutex> lock(module.mutex);
  uint64_t pc;
  std::memcpy(&pc, &kernel.entry, sizeof pc);
  if (auto place = findLine(module, pc + static_cast<uint64_t>(offset))) {
    return *place;
  }
  throw Failure(TZ_E_NOT_FOUND, "cpu: the place of an instruction of kernel '" +
                                    kernel.name + "' is not known");
}

namespace {

std::string programText(const tz_kernel &kernel, const GridJob &job,
                        int64_t id) {
  const bool second = kernel.info.flags & TZ_CPU_KERNEL_SECOND_AXIS;
  const int64_t inner = job.grid[second ? 1 : 0],
                outer = job.grid[second ? 0 : 1];
  std::string x = std::to_string(id % inner),
              y = std::to_string(id / inner % outer);
  if (second) {
    std::swap(x, y);
  }
  return x + ", " + y + ", " + std::to_string(id / (inner * outer));
}

/// What checked code did not do.
tz_error *tellOutside(const tz_kernel &kernel, const GridJob &job) {
  const Fault &fault = job.control->fault();
  const tz_cpu_access &access = *fault.access;
  const std::string program = programText(kernel, job, fault.program);
  const char *does = access.flags & TZ_CPU_ACCESS_ATOMIC  ? "' updates "
                     : access.flags & TZ_CPU_ACCESS_WRITE ? "' writes "
                                                          : "' reads ";
  return makeFault("kernel '" + kernel.name + does +
                       job.arrays->describe(access, fault.address) +
                       ", in program (" + program +
                       "); nothing was accessed there",
                   program, 0, access.file, access.line, access.col);
}

tz_error *tellFault(const tz_kernel &kernel, const GridJob &job) {
  const Fault &fault = job.control->fault();
  if (fault.access) {
    return tellOutside(kernel, job);
  }
  const std::string program = programText(kernel, job, fault.program);
  std::string text = "kernel '" + kernel.name + "' ";
  if (fault.signal == SIGFPE) {
    text += "made an arithmetic exception";
  } else {
    char address[32];
    std::snprintf(address, sizeof address, "0x%llx",
                  static_cast<unsigned long long>(fault.address));
    const char *why = fault.signal == SIGBUS ? ", which has no memory behind it"
                      : fault.isWrite
                          ? ", which is not mapped or may not be written"
                          : ", which is not mapped";
    text += fault.hasAddress
                ? std::string(fault.isWrite ? "wrote to address "
                                            : "read from address ") +
                      address + why
                : "accessed an address that no memory can have";
  }
  text += std::string(" (") +
          (fault.signal == SIGFPE   ? "SIGFPE"
           : fault.signal == SIGBUS ? "SIGBUS"
                                    : "SIGSEGV") +
          "), in program (" + program +
          "); what it has written before may have damaged the process. With "
          "TERRAZZO_CHECKED=1, or the launch option checked, the first access "
          "outside of an array is named";
  return makeFault(
      text, program,
      static_cast<int64_t>(fault.pc) -
          reinterpret_cast<int64_t>(reinterpret_cast<void *>(kernel.entry)));
}

/// Programs that wait for each other must all run at the same time.
tz_error *refuseCooperation(const GridJob &job, const ThreadPool &pool) {
  if (!job.cooperative ||
      job.programs <= static_cast<int64_t>(pool.concurrency())) {
    return nullptr;
  }
  return makeError(TZ_E_FAILED_PRECONDITION,
                   "cpu: a cooperative launch of " +
                       std::to_string(job.programs) +
                       " programs needs as many threads at the same time; " +
                       (pool.concurrency() < pool.threads()
                            ? "the program's executor does not promise that "
                              "(TZ_EXECUTOR_CONCURRENT)"
                            : "there are " + std::to_string(pool.threads())));
}

GridEnd runControlled(ThreadPool &pool, const GridJob &job) {
  struct Begun {
    explicit Begun(LaunchControl &control) : control(control) {
      control.begin();
    }
    ~Begun() { control.end(); }
    LaunchControl &control;
  } begun(*job.control);
  return pool.run(job);
}

/// Why a launch was ended.
tz_error *tellEnd(const tz_kernel &kernel, const GridJob &job) {
  const int32_t code = job.control->code();
  if (code == TZ_E_FAULT) {
    return tellFault(kernel, job);
  }
  return makeError(code, "kernel '" + kernel.name + "' was ended " +
                             (code == TZ_E_TIMEOUT
                                  ? "since it took longer than the time limit"
                                  : "before it was done") +
                             "; what it has written stays");
}

} // namespace

tz_error *launchKernel(tz_stream *stream, tz_kernel *kernel,
                       const tz_launch *launch) {
  if (launch->next) {
    plugin::refuseExtensions(launch->next);
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
  job.cooperative = launch->flags & TZ_LAUNCH_COOPERATIVE;
  job.cost = &kernel->cost;
  tz_platform &platform = *stream->device->platform;
  if (tz_error *error = refuseCooperation(job, platform.pool)) {
    return error;
  }
  Running running;
  if (!running.isFirst()) {
    return makeError(TZ_E_FAILED_PRECONDITION,
                     "cpu: kernel '" + kernel->name +
                         "' was launched while this thread waits for another "
                         "one, from a signal handler or a hook of waits");
  }
  std::optional<LaunchArrays> arrays;
  if (!kernel->arguments.empty()) {
    job.arrays = &arrays.emplace(kernel->arguments, *launch, platform.memory);
  }
  job.control = &stream->control;
  job.name = kernel->name.c_str();
  job.repeatable = kernel->info.flags & TZ_CPU_KERNEL_REPEATABLE;
  job.updates = kernel->info.flags & TZ_CPU_KERNEL_UPDATES;
  if (platform.catchesFaults) {
    std::span<const std::byte> code = kernel->module->object->codeBytes();
    job.codeBegin = reinterpret_cast<uint64_t>(code.data());
    job.codeEnd = job.codeBegin + code.size();
  }
  const bool isRecorded = platform.records.isEnabled();
  const uint64_t began = isRecorded ? nowNs() : 0;
  const GridEnd end = runControlled(platform.pool, job);
  if (isRecorded) [[unlikely]] {
    platform.records.add(launch->correlation, stream->number, began, nowNs());
  }
  if (end.executor != TZ_E_OK) {
    return makeExecutorError(end.executor, "kernel '" + kernel->name +
                                               "' was ended before it was "
                                               "done");
  }
  if (!end.hasArena) {
    return makeError(TZ_E_OUT_OF_MEMORY, "cpu: no memory for an arena of " +
                                             std::to_string(job.arenaBytes) +
                                             " bytes a thread");
  }
  return stream->control.isStopped() ? tellEnd(*kernel, job) : nullptr;
}

} // namespace tz::cpu
