//===- SpirvModule.h - what a driver does not say of a SPIR-V module ------===//
//
// What   Kernels of a module with the sizes of their parameters, the sub-group
//        and work-group sizes that they require, and what the module needs of
//        a driver: version, capabilities, extensions.
// Why    Neither OpenCL nor Level Zero tells the size of a kernel's parameter,
//        which the packed arguments are cut by. And what a device lacks is said
//        by name before its compiler sees the module: some compilers accept it
//        and make code that computes nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_SPIRVMODULE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_SPIRVMODULE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tz::intel {

/// A parameter of a kernel, and where the packed arguments have it.
struct KernelParameter {
  uint32_t offset = 0, bytes = 0;
  bool isPointer = false;
};

struct SpirvKernel {
  std::string name;
  std::vector<KernelParameter> parameters;
  uint32_t argBytes = 0;             ///< up to the end of the last parameter
  uint32_t subgroupSize = 0;         ///< 0: the driver chooses
  uint32_t workgroup[3] = {0, 0, 0}; ///< 0: any
};

struct SpirvModule {
  uint32_t major = 0, minor = 0;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<SpirvKernel> kernels;
  bool wantsLargeFile = false; ///< Notes.h

  const SpirvKernel *find(std::string_view kernel) const;
  bool needs(uint32_t capability) const;
};

/// Capabilities that a device may lack (numbers of the SPIR-V registry).
enum SpirvCapability : uint32_t {
  CapabilityFloat16 = 9,
  CapabilityFloat64 = 10,
  CapabilityInt64Atomics = 12,
};

/// Throws TZ_E_DATA_LOSS: the bytes are no module of SPIR-V, or a damaged one;
/// TZ_E_UNSUPPORTED_OP: a parameter of a kernel is of a type or in a storage
/// class in which no driver takes it.
SpirvModule readSpirv(std::string_view bytes);

} // namespace tz::intel

#endif
