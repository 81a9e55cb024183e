//===- Machines.cpp - which code a device runs ----------------------------===//
//
// What   The table of machines, and the checks of code and of launches.
// Why    See Machines.h. Everything that a driver would refuse with a bare
//        number is said here in words.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/Machines.h"

#include <terrazzo/plugin/Structs.h>

#include <fstream>

namespace tz::intel {

using plugin::Failure;

namespace {

struct Machine {
  const char *target;
  struct Range {
    uint32_t first, last; // of numbers on the bus
  } ranges[3];
};

constexpr Machine Machines[] = {
    {"intel:pvc", {{0x0B69, 0x0B6E}, {0x0BD0, 0x0BDB}, {}}},
    {"intel:dg2", {{0x4F80, 0x4F8C}, {0x5690, 0x56BF}, {0x56C0, 0x56C2}}},
    {"intel:bmg", {{0xE202, 0xE223}, {}, {}}},
};

constexpr std::string_view Emulated = "-emulated";

std::string listed(const std::vector<uint32_t> &numbers) {
  std::string text;
  for (uint32_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

std::string text(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string text(const uint32_t (&extent)[3]) {
  auto number = [&](int axis) {
    return std::to_string(std::max(extent[axis], 1u));
  };
  return number(0) + "x" + number(1) + "x" + number(2);
}

} // namespace

bool mayHaveGpu(const std::filesystem::path &root) {
  std::error_code error;
  if (std::filesystem::exists(root / "dev/dxg", error)) {
    return true; // behind Windows, which does not tell whose it is
  }
  for (std::filesystem::directory_iterator at(root / "dev/dri", error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("renderD")) {
      continue;
    }
    std::ifstream file(root / "sys/class/drm" / name / "device/vendor");
    uint32_t vendor = VendorId; // also of one that is not told
    file >> std::hex >> vendor;
    if (file.fail() || vendor == VendorId) {
      return true;
    }
  }
  return false;
}

std::string_view targetOf(uint32_t deviceId) {
  for (const Machine &machine : Machines) {
    for (const Machine::Range &range : machine.ranges) {
      if (range.first && deviceId >= range.first && deviceId <= range.last) {
        return machine.target;
      }
    }
  }
  return GenericTarget;
}

void checkTarget(std::string_view target, std::string_view own,
                 std::string_view label) {
  std::string_view machine = target;
  const bool isEmulated = machine.ends_with(Emulated);
  machine.remove_suffix(isEmulated ? Emulated.size() : 0);
  const bool isMachine =
      std::any_of(std::begin(Machines), std::end(Machines),
                  [&](const Machine &one) { return machine == one.target; });
  if (!isMachine && target != GenericTarget) {
    throw Failure(TZ_E_NOT_FOUND,
                  "unknown target '" + std::string(target) + "'");
  }
  if (isMachine && !isEmulated && target != own) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "code for " + std::string(target) + " does not run on " +
                      std::string(label) + ", which is " + std::string(own));
  }
}

void checkModule(const SpirvModule &module, const Abilities &has,
                 std::string_view label) {
  const std::string device(label);
  if (has.spirvMajor == 0) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the driver of " + device +
                      " takes no SPIR-V; install a newer one");
  }
  std::string lacks;
  auto lack = [&](const std::string &what) {
    lacks += (lacks.empty() ? "" : "; ") + what;
  };
  if (std::pair(module.major, module.minor) >
      std::pair(has.spirvMajor, has.spirvMinor)) {
    lack("SPIR-V " + text(module.major, module.minor) +
         " (its driver takes up to " + text(has.spirvMajor, has.spirvMinor) +
         ")");
  }
  if (module.needs(CapabilityFloat64) && !has.hasFloat64) {
    lack("64-bit floats");
  }
  if (module.needs(CapabilityFloat16) && !has.hasFloat16) {
    lack("16-bit floats");
  }
  if (module.needs(CapabilityInt64Atomics) && !has.hasInt64Atomics) {
    lack("atomics on 64-bit integers");
  }
  for (const SpirvKernel &kernel : module.kernels) {
    const uint32_t size = kernel.subgroupSize;
    const auto &sizes = has.subgroupSizes;
    if (size && !sizes.empty() &&
        std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
      lack("sub-groups of " + std::to_string(size) + " lanes, which kernel '" +
           kernel.name + "' requires (it has " + listed(sizes) + ")");
    }
  }
  if (!lacks.empty()) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  device + " lacks what the code needs: " + lacks);
  }
}

void checkLaunch(const SpirvKernel &kernel, const tz_launch &request,
                 const Abilities &has, std::string_view label,
                 bool hasArguments) {
  const std::string name = "kernel '" + kernel.name + "'";
  uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t block = std::max(request.block[axis], 1u);
    const uint32_t required = kernel.workgroup[axis];
    threads *= block;
    if (required && required != block) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    name + " was compiled for work-groups of " +
                        text(kernel.workgroup) + ", the launch asks for " +
                        text(request.block));
    }
    if (request.cluster[axis] > 1) {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    name + " launches clusters, which " + std::string(label) +
                        " has not");
    }
  }
  if (has.maxWorkgroup && threads > has.maxWorkgroup) {
    throw Failure(TZ_E_RESOURCE_LIMIT,
                  name + " runs " + std::to_string(threads) +
                      " work-items a work-group, " + std::string(label) +
                      " has " + std::to_string(has.maxWorkgroup) +
                      " at most; fewer warps need less");
  }
  if (request.dyn_scratch) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  name + " asks for " + std::to_string(request.dyn_scratch) +
                      " bytes of shared memory at the launch; its code must "
                      "have them");
  }
  if (hasArguments && (request.args_size < kernel.argBytes ||
                       (kernel.argBytes && !request.args))) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  name + " reads " + std::to_string(kernel.argBytes) +
                      " argument bytes, the launch has " +
                      std::to_string(request.args ? request.args_size : 0));
  }
}

} // namespace tz::intel
