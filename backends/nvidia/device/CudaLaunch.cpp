//===- CudaLaunch.cpp - launches and occupancy ----------------------------===//
//
// What   launch: one call of the driver, with the attributes that the request
//        asks for. What the driver refuses is explained afterwards.
// Why    The hot path: no lock, no allocation, no question to the driver but
//        which context is current.
//
// Order of programs: the hardware starts blocks in linear order but promises
// nothing. Kernels that wait for each other take their ids from the TICKET
// counter, so TZ_LAUNCH_ORDERED asks for nothing here.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/device/CuptiRecords.h"

#include <terrazzo/plugin/Structs.h>

namespace tz::nvidia {

using namespace driver;

namespace {

constexpr uint32_t PortableCluster = 8; ///< what every device with clusters has

/// At most 2^64-1.
uint64_t volume(const uint32_t (&extent)[3]) {
  uint64_t product = 1;
  for (uint32_t e : extent) {
    if (__builtin_mul_overflow(product, uint64_t{std::max(e, 1u)}, &product)) {
      return UINT64_MAX;
    }
  }
  return product;
}

std::string text(const unsigned (&extent)[3]) {
  return std::to_string(extent[0]) + "x" + std::to_string(extent[1]) + "x" +
         std::to_string(extent[2]);
}

std::string quoted(const tz_kernel &kernel) {
  return "kernel '" + *kernel.name + "'";
}

/// Tells the driver once of more shared memory than it allows by itself.
void allowShared(tz_kernel &kernel, uint64_t bytes) {
  tz_device &device = kernel.module.device;
  const DeviceFacts &facts = device.facts;
  uint64_t most = std::max(facts.sharedOptinBytes, facts.sharedBytes);
  if (bytes > most - std::min(most, kernel.sharedBytes)) {
    throw Failure(
        TZ_E_RESOURCE_LIMIT,
        quoted(kernel) + " needs " + sizeText(kernel.sharedBytes + bytes) +
            " of shared memory a block (" + std::to_string(kernel.sharedBytes) +
            " fixed, " + std::to_string(bytes) + " asked for), " +
            device.label() + " has " + sizeText(most) +
            "; smaller blocks or fewer stages need less");
  }
  std::lock_guard guard(kernel.module.mutex);
  if (bytes <= kernel.dynamicLimit) {
    return;
  }
  device.check(device.driver.functionSetAttribute(
                   kernel.function, FunctionMaxDynamicShared, int(bytes)),
               [&] {
                 return "allow " + quoted(kernel) + " " + sizeText(bytes) +
                        " of shared memory";
               });
  kernel.dynamicLimit = bytes;
}

/// Clusters of more blocks than every device has must be asked for.
void allowCluster(tz_kernel &kernel) {
  std::lock_guard guard(kernel.module.mutex);
  if (!kernel.largeClusters) {
    tz_device &device = kernel.module.device;
    device.check(device.driver.functionSetAttribute(
                     kernel.function, FunctionNonPortableCluster, 1),
                 [&] {
                   return "allow " + quoted(kernel) +
                          " clusters of more than " +
                          std::to_string(PortableCluster) + " blocks";
                 });
    kernel.largeClusters = true;
  }
}

/// What the driver calls "invalid argument" or "out of resources".
[[noreturn]] void explain(Result result, tz_kernel &kernel,
                          const tz_launch &request,
                          const LaunchConfig &config) {
  tz_device &device = kernel.module.device;
  const DeviceFacts &facts = device.facts;
  auto limit = [&](const std::string &what) {
    throw Failure(TZ_E_RESOURCE_LIMIT, quoted(kernel) + " " + what, result);
  };
  uint64_t threads = volume(request.block), cluster = volume(request.cluster);
  bool refused = result == InvalidValue || result == LaunchOutOfResources ||
                 result == InvalidClusterSize ||
                 result == CooperativeLaunchTooLarge;
  if (refused) {
    for (int axis = 1; axis < 3; ++axis) {
      if (config.grid[axis] > facts.maxGridY) {
        throw Failure(TZ_E_OUT_OF_RANGE,
                      quoted(kernel) + ": grid axis " + "xyz"[axis] + " has " +
                          std::to_string(config.grid[axis]) + " programs, " +
                          device.label() + " takes " +
                          std::to_string(facts.maxGridY) +
                          " there; only axis x may be longer",
                      result);
      }
    }
    if (threads > kernel.maxThreads) {
      limit("uses " + std::to_string(kernel.registers) +
            " registers and can run " + std::to_string(kernel.maxThreads) +
            " threads a block, not " + std::to_string(threads) +
            "; fewer warps or smaller tiles need less");
    }
    if (threads * kernel.registers > facts.registersPerBlock) {
      limit("needs " + std::to_string(threads * kernel.registers) +
            " registers a block, " + device.label() + " has " +
            std::to_string(facts.registersPerBlock) +
            "; fewer warps or smaller tiles need less");
    }
    if (cluster > 1 && !facts.clusters) {
      limit("launches clusters of blocks, which " + device.label() +
            " has not; compile it for this device");
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (request.cluster[axis] > 1 &&
          config.grid[axis] % request.cluster[axis]) {
        limit("has a grid of " + text(config.grid) +
              " blocks, which clusters of " + text(request.cluster) +
              " do not divide");
      }
    }
    if (result == CooperativeLaunchTooLarge) {
      limit("must have all " + std::to_string(volume(request.grid)) +
            " programs running at once, which do not fit " + device.label() +
            " (" + std::to_string(facts.multiprocessors) + " compute units)");
    }
  }
  device.fail(result,
              "launch " + quoted(kernel) + " on " + device.label() + " (grid " +
                  text(config.grid) + ", block " + text(config.block) + ", " +
                  sizeText(kernel.sharedBytes + request.dyn_scratch) +
                  " of shared memory, " + std::to_string(kernel.registers) +
                  " registers a thread)");
}

/// The configuration of a request; `attributes` has room for three.
LaunchConfig configure(tz_kernel &kernel, const tz_launch &request,
                       Stream stream, LaunchAttribute *attributes) {
  LaunchConfig config{};
  for (int axis = 0; axis < 3; ++axis) {
    config.grid[axis] = std::max(request.grid[axis], 1u);
    config.block[axis] = std::max(request.block[axis], 1u);
  }
  if (request.dyn_scratch > kernel.dynamicLimit.load(std::memory_order_relaxed))
      [[unlikely]] {
    allowShared(kernel, request.dyn_scratch);
  }
  config.dynamicShared = unsigned(request.dyn_scratch);
  config.stream = stream;
  config.attributes = attributes;
  if (uint64_t blocks = volume(request.cluster); blocks > 1) {
    if (blocks > PortableCluster &&
        !kernel.largeClusters.load(std::memory_order_relaxed)) [[unlikely]] {
      allowCluster(kernel);
    }
    LaunchAttribute &a = attributes[config.numAttributes++];
    a.id = LaunchClusterDimension;
    for (int axis = 0; axis < 3; ++axis) {
      a.value.cluster[axis] = std::max(request.cluster[axis], 1u);
    }
  }
  if (request.flags & TZ_LAUNCH_COOPERATIVE) {
    LaunchAttribute &a = attributes[config.numAttributes++];
    a.id = LaunchCooperative;
    a.value.flag = 1;
  }
  return config;
}

/// The buffer as it is. The driver takes no byte more than the kernel has.
Result launchPacked(const Driver &driver, const LaunchConfig &config,
                    const tz_kernel &kernel, const tz_launch &request) {
  size_t bytes = kernel.argBytes ? kernel.argBytes : request.args_size;
  void *extra[] = {ParamBufferPointer, const_cast<void *>(request.args),
                   ParamBufferSize, &bytes, ParamEnd};
  return driver.launchKernelEx(&config, kernel.function, nullptr,
                               bytes ? extra : nullptr);
}

/// One pointer a parameter: the driver puts each where the code wants it.
Result launchScattered(const Driver &driver, const LaunchConfig &config,
                       const tz_kernel &kernel, const tz_launch &request) {
  constexpr size_t usual = 64;
  void *few[usual];
  std::vector<void *> many;
  void **pointers = few;
  if (kernel.offsets.size() > usual) [[unlikely]] {
    many.resize(kernel.offsets.size());
    pointers = many.data();
  }
  auto *args = static_cast<unsigned char *>(const_cast<void *>(request.args));
  for (size_t i = 0; i < kernel.offsets.size(); ++i) {
    pointers[i] = args + kernel.offsets[i];
  }
  return driver.launchKernelEx(&config, kernel.function, pointers, nullptr);
}

} // namespace

void launch(tz_stream &stream, tz_kernel &kernel, const tz_launch &request) {
  tz_device &device = stream.device;
  device.mustWork();
  if (request.next) [[unlikely]] {
    plugin::refuseExtensions(request.next);
  }
  if (&kernel.module.device != &device) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT, quoted(kernel) + " was loaded on " +
                                             kernel.module.device.label() +
                                             ", the stream belongs to " +
                                             device.label());
  }
  // The driver would read past the end.
  if (request.args_size < kernel.argBytes ||
      (request.args_size && !request.args)) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  quoted(kernel) + " reads " + std::to_string(kernel.argBytes) +
                      " argument bytes, the launch has " +
                      std::to_string(request.args ? request.args_size : 0));
  }
  ContextScope scope(device);
  LaunchAttribute attributes[3];
  LaunchConfig config = configure(kernel, request, stream.native, attributes);
  const LaunchNumber number(device.platform, request.correlation);
  Result result = kernel.offsets.empty()
                      ? launchPacked(device.driver, config, kernel, request)
                      : launchScattered(device.driver, config, kernel, request);
  if (result != Success) [[unlikely]] {
    explain(result, kernel, request, config);
  }
  stream.recent.add(kernel.name);
}

tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &request) {
  tz_device &device = kernel.module.device;
  device.mustWork();
  ContextScope scope(device);
  LaunchAttribute attributes[3];
  LaunchConfig config = configure(kernel, request, nullptr, attributes);
  auto attempt = [&] { return "compute the occupancy of " + quoted(kernel); };
  tz_occupancy answer{};
  int blocks = 0;
  device.check(device.driver.maxActiveBlocks(&blocks, kernel.function,
                                             int(volume(request.block)),
                                             request.dyn_scratch),
               attempt);
  answer.blocks = uint32_t(blocks);
  if (volume(request.cluster) > 1) {
    for (int axis = 0; axis < 3; ++axis) { // the driver wants whole clusters
      config.grid[axis] =
          std::max(config.grid[axis], std::max(request.cluster[axis], 1u));
    }
    int clusters = 0;
    device.check(
        device.driver.maxActiveClusters(&clusters, kernel.function, &config),
        attempt);
    answer.clusters = uint32_t(clusters);
  }
  answer.regs = kernel.registers;
  answer.scratch = kernel.sharedBytes + request.dyn_scratch;
  answer.local = kernel.localBytes;
  return answer;
}

} // namespace tz::nvidia
