//===- HipLaunch.cpp - launches and occupancy -----------------------------===//
//
// What   launch: checks by numbers that are at hand, then one call of HIP.
// Why    HIP refuses a launch with a bare number, and reads arguments behind
//        the end of a short buffer.
//
// Order of programs: the hardware starts work-groups in linear order but
// promises nothing. Kernels that wait for each other take their ids from the
// TICKET counter, so TZ_LAUNCH_ORDERED asks for nothing here.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

#include <terrazzo/plugin/Structs.h>

#include <algorithm>
#include <array>

namespace tz::amd {

using namespace hip;
using plugin::sizeText;

namespace {

std::string text(const uint32_t (&extent)[3]) {
  return std::to_string(extent[0]) + "x" + std::to_string(extent[1]) + "x" +
         std::to_string(extent[2]);
}

std::string quoted(const HipKernel &kernel) {
  return "kernel '" + kernel.name + "'";
}

/// A launch with extents of at least 1.
struct Shape {
  uint32_t grid[3], block[3];
  uint64_t threads = 1;

  explicit Shape(const tz_launch &request) {
    for (int axis = 0; axis < 3; ++axis) {
      grid[axis] = std::max(request.grid[axis], 1u);
      block[axis] = std::max(request.block[axis], 1u);
      threads *= block[axis];
    }
  }
};

/// LDS of the code and of the launch must fit a work-group's.
void checkShared(const HipKernel &kernel, const HipDevice &device,
                 uint64_t dynamic) {
  const uint64_t fixed = kernel.facts.sharedBytes,
                 most = device.facts.sharedBytes;
  if (fixed > most || dynamic > most - fixed) [[unlikely]] {
    throw Failure(TZ_E_RESOURCE_LIMIT,
                  quoted(kernel) + " needs " + sizeText(fixed + dynamic) +
                      " of LDS a work-group (" + std::to_string(fixed) +
                      " fixed, " + std::to_string(dynamic) + " asked for), " +
                      device.label() + " has " + sizeText(most) +
                      "; smaller blocks or fewer stages need less");
  }
}

void checkBlock(const HipKernel &kernel, const HipDevice &device,
                const Shape &shape) {
  const KernelFacts &facts = kernel.facts;
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t required = facts.requiredBlock[axis];
    if (required && required != shape.block[axis]) [[unlikely]] {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    quoted(kernel) + " was compiled for work-groups of " +
                        text(facts.requiredBlock) + ", the launch asks for " +
                        text(shape.block));
    }
  }
  const uint32_t most =
      facts.maxThreads ? std::min(facts.maxThreads, device.facts.maxThreads)
                       : device.facts.maxThreads;
  if (shape.threads > most) [[unlikely]] {
    throw Failure(TZ_E_RESOURCE_LIMIT,
                  quoted(kernel) + " runs " + std::to_string(shape.threads) +
                      " work-items a work-group; its code and " +
                      device.label() + " allow " + std::to_string(most) +
                      "; fewer warps need less");
  }
}

/// The packet of a launch counts work-items of an axis with 32 bits.
void checkGrid(const HipKernel &kernel, const HipDevice &device,
               const Shape &shape) {
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t most = std::min<uint64_t>(device.facts.maxGrid[axis],
                                             UINT32_MAX / shape.block[axis]);
    if (shape.grid[axis] > most) [[unlikely]] {
      throw Failure(TZ_E_OUT_OF_RANGE,
                    quoted(kernel) + ": grid axis " + "xyz"[axis] + " has " +
                        std::to_string(shape.grid[axis]) + " programs, " +
                        device.label() + " takes " + std::to_string(most) +
                        " there with " + std::to_string(shape.block[axis]) +
                        " work-items each");
    }
  }
}

void checkRequest(const HipStream &stream, const HipKernel &kernel,
                  const tz_launch &request, const Shape &shape) {
  const HipDevice &device = stream.device;
  if (&kernel.module.device != &device) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT, quoted(kernel) + " was loaded on " +
                                             kernel.module.device.label() +
                                             ", the stream belongs to " +
                                             device.label());
  }
  if (request.args_size < kernel.facts.argBytes ||
      (request.args_size && !request.args)) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  quoted(kernel) + " reads " +
                      std::to_string(kernel.facts.argBytes) +
                      " argument bytes, the launch has " +
                      std::to_string(request.args ? request.args_size : 0));
  }
  for (uint32_t extent : request.cluster) {
    if (extent > 1) [[unlikely]] {
      throw Failure(TZ_E_FAILED_PRECONDITION, quoted(kernel) +
                                                  " launches clusters, which " +
                                                  device.label() + " has not");
    }
  }
  checkBlock(kernel, device, shape);
  checkGrid(kernel, device, shape);
  checkShared(kernel, device, request.dyn_scratch);
}

/// The buffer as it is; HIP takes no byte more than the kernel has.
Result launchPacked(const HipStream &stream, const HipKernel &kernel,
                    const Shape &s, const tz_launch &request) {
  size_t bytes = kernel.facts.argBytes;
  void *extra[] = {LaunchBuffer, const_cast<void *>(request.args),
                   LaunchBufferBytes, &bytes, LaunchEnd};
  return stream.device.driver.launchKernel(
      kernel.function, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1],
      s.block[2], unsigned(request.dyn_scratch), stream.native, nullptr,
      bytes ? extra : nullptr);
}

/// All programs at once. HIP takes the arguments one by one here.
Result launchTogether(const HipStream &stream, const HipKernel &kernel,
                      const Shape &s, const tz_launch &request) {
  const HipDevice &device = stream.device;
  if (!device.facts.isCooperative || !device.driver.launchCooperative) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  quoted(kernel) +
                      " must have all its programs running at "
                      "once, which " +
                      device.label() + " or its HIP cannot promise");
  }
  auto *args = static_cast<unsigned char *>(const_cast<void *>(request.args));
  std::vector<void *> pointers;
  for (uint32_t offset : kernel.facts.offsets) {
    pointers.push_back(args + offset);
  }
  return device.driver.launchCooperative(
      kernel.function, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1],
      s.block[2], unsigned(request.dyn_scratch), stream.native,
      pointers.data());
}

} // namespace

void HipStream::launch(HipKernel &kernel, const tz_launch &request) {
  device.mustWork();
  if (request.next) [[unlikely]] {
    plugin::refuseExtensions(request.next);
  }
  const Shape shape(request);
  checkRequest(*this, kernel, request, shape);
  DeviceScope scope(device);
  const bool isTogether = request.flags & TZ_LAUNCH_COOPERATIVE;
  const Result result = (isTogether ? launchTogether : launchPacked)(
      *this, kernel, shape, request);
  if (result == CooperativeLaunchTooLarge) {
    device.fail(result, "launch " + quoted(kernel),
                "all " + text(shape.grid) +
                    " programs must run at once, which do not fit the " +
                    std::to_string(device.facts.units) + " compute units");
  }
  if (result != Success) [[unlikely]] {
    device.fail(result,
                "launch " + quoted(kernel) + " on " + device.label() +
                    " (grid " + text(shape.grid) + ", work-group " +
                    text(shape.block) + ", " +
                    sizeText(kernel.facts.sharedBytes + request.dyn_scratch) +
                    " of LDS, " + std::to_string(kernel.registers) +
                    " registers a work-item)");
  }
  recent.add(&kernel.name);
}

tz_occupancy HipKernel::occupancy(const tz_launch &request) {
  HipDevice &device = module.device;
  device.mustWork();
  const Shape shape(request);
  checkShared(*this, device, request.dyn_scratch);
  DeviceScope scope(device);
  int blocks = 0;
  device.check(device.driver.maxActiveBlocks(
                   &blocks, function, int(shape.threads), request.dyn_scratch),
               [&] { return "compute the occupancy of " + quoted(*this); });
  tz_occupancy answer{};
  answer.blocks = uint32_t(blocks);
  answer.regs = registers;
  answer.scratch = facts.sharedBytes + request.dyn_scratch;
  answer.local = localBytes;
  return answer;
}

} // namespace tz::amd
