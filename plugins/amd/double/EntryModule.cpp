//===- EntryModule.cpp - HIP's functions for code -------------------------===//
//
// What   Loads code objects, finds kernels and variables, launches.
// Why    The simulator runs what the compiler made, byte for byte.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/Results.h"
#include "plugins/amd/double/SimulatedDevice.h"

#include <algorithm>
#include <cstring>

using namespace tz::amd::hip;
namespace sim = tz::amd::sim;

TZ_HIP_ENTRY hipModuleLoadData(Module *out, const void *image) {
  return answer([&] {
    require(out && image);
    SimulatedDevice &device = current();
    const std::span file(static_cast<const uint8_t *>(image),
                         sim::codeObjectBytes(image));
    auto loaded = device.load(file);
    if (loaded->machine().processor != device.machine.processor) {
      device.unload(std::move(loaded));
      throw Refused{NoBinaryForGpu};
    }
    *out = new ModuleObject{device, std::move(loaded), {}};
  });
}

TZ_HIP_ENTRY hipModuleUnload(Module module) {
  return answer([&] {
    require(module, InvalidHandle);
    const std::unique_ptr<ModuleObject> ending(module);
    ending->device.unload(std::move(ending->module));
  });
}

TZ_HIP_ENTRY hipModuleGetFunction(Function *out, Module module,
                                  const char *name) {
  return answer([&] {
    require(out && module && name);
    const sim::KernelCode *kernel = module->module->kernel(name);
    require(kernel, NotFound);
    *out = &module->functions.emplace_back(
        FunctionObject{module->device, *module->module, *kernel});
  });
}

TZ_HIP_ENTRY hipModuleGetGlobal(Pointer *out, size_t *bytes, Module module,
                                const char *name) {
  return answer([&] {
    require(out && bytes && module && name);
    const auto [address, size] = module->module->global(name);
    require(address, NotFound);
    *out = reinterpret_cast<void *>(address);
    *bytes = size;
  });
}

TZ_HIP_ENTRY hipFuncGetAttribute(int *out, FunctionAttribute which,
                                 Function function) {
  return answer([&] {
    require(out && function);
    const sim::KernelCode &kernel = function->kernel;
    switch (which) {
    case FunctionMaxThreads:
      *out = int(kernel.maxGroup);
      return;
    case FunctionSharedBytes:
      *out = int(kernel.sharedBytes);
      return;
    case FunctionLocalBytes:
      *out = int(kernel.privateBytes);
      return;
    case FunctionRegisters:
      *out = int(kernel.vectorRegisters);
      return;
    }
    throw Refused{InvalidValue};
  });
}

/// Work-groups of a compute unit: by LDS, and by the registers of its four
/// SIMDs, each with room for eight waves.
static unsigned groupsOfUnit(const FunctionObject &function, unsigned threads,
                             uint64_t dynamicShared) {
  constexpr unsigned simds = 4, mostWaves = 8, registers = 512;
  const sim::Machine &machine = function.device.machine;
  const unsigned needed = std::max(function.kernel.vectorRegisters, 1u);
  const unsigned waves = simds * std::min(mostWaves, registers / needed);
  const unsigned wavesOfGroup = (threads + machine.lanes - 1) / machine.lanes;
  const uint64_t shared = function.kernel.sharedBytes + dynamicShared;
  const uint64_t byShared = shared ? machine.sharedBytes / shared : UINT32_MAX;
  return unsigned(
      std::min<uint64_t>(byShared, waves / std::max(wavesOfGroup, 1u)));
}

TZ_HIP_ENTRY hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *out, Function function, int threads, size_t dynamicShared) {
  return answer([&] {
    require(out && function && threads > 0);
    *out = int(groupsOfUnit(*function, unsigned(threads), dynamicShared));
  });
}

//===--- Launches ---------------------------------------------------------===//

/// A packed buffer that a list of HIP's names begins.
static std::vector<uint8_t> packedOf(void **extra) {
  const void *data = nullptr;
  size_t bytes = 0;
  for (size_t i = 0; extra && extra[i] != LaunchEnd; i += 2) {
    require(extra[i] == LaunchBuffer || extra[i] == LaunchBufferBytes);
    if (extra[i] == LaunchBuffer) {
      data = extra[i + 1];
    } else {
      std::memcpy(&bytes, extra[i + 1], sizeof(bytes));
    }
  }
  std::vector<uint8_t> packed(bytes);
  if (bytes) {
    require(data);
    std::memcpy(packed.data(), data, bytes);
  }
  return packed;
}

/// One pointer for each argument.
static std::vector<uint8_t> packedOf(const sim::KernelCode &kernel,
                                     void **args) {
  std::vector<uint8_t> packed;
  size_t next = 0;
  for (const sim::KernelArgument &argument : kernel.arguments) {
    if (argument.kind.starts_with("hidden_")) {
      continue;
    }
    packed.resize(
        std::max<size_t>(packed.size(), argument.offset + argument.bytes));
    std::memcpy(packed.data() + argument.offset, args[next++], argument.bytes);
  }
  return packed;
}

static void launch(Function function, const sim::LaunchShape &shape,
                   Stream stream, std::vector<uint8_t> arguments) {
  Queue &queue = queueOf(stream);
  SimulatedDevice &device = function->device;
  require(queue.device == device.number, InvalidHandle);
  const uint64_t shared =
      uint64_t{function->kernel.sharedBytes} + shape.dynamicShared;
  require(shared <= device.machine.sharedBytes);
  for (int axis = 0; axis < 3; ++axis) {
    require(shape.groups[axis] && shape.items[axis]);
  }
  queue.add([=, &device, &module = function->module, &kernel = function->kernel,
             arguments = std::move(arguments)] {
    return device.launch(module, kernel, shape, arguments);
  });
}

TZ_HIP_ENTRY hipModuleLaunchKernel(Function function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned dynamicShared,
                                   Stream stream, void **args, void **extra) {
  return answer([&] {
    require(function, InvalidHandle);
    sim::LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
    shape.dynamicShared = dynamicShared;
    launch(function, shape, stream,
           args ? packedOf(function->kernel, args) : packedOf(extra));
  });
}

TZ_HIP_ENTRY hipModuleLaunchCooperativeKernel(Function function, unsigned gridX,
                                              unsigned gridY, unsigned gridZ,
                                              unsigned blockX, unsigned blockY,
                                              unsigned blockZ,
                                              unsigned dynamicShared,
                                              Stream stream, void **args) {
  return answer([&] {
    require(function, InvalidHandle);
    sim::LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}};
    shape.dynamicShared = dynamicShared;
    const uint64_t room =
        uint64_t{
            groupsOfUnit(*function, blockX * blockY * blockZ, dynamicShared)} *
        function->device.machine.units;
    require(uint64_t{gridX} * gridY * gridZ <= room, CooperativeLaunchTooLarge);
    launch(function, shape, stream, packedOf(function->kernel, args));
  });
}
