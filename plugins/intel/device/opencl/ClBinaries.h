//===- ClBinaries.h - what a driver's compiler made before ------*- C++ -*-===//
//
// What   Programs of the same code, options and driver, from the host's cache.
// Why    A runtime for CPUs spends seconds in its own compiler, and keeps
//        nothing. Drivers of GPUs have caches of their own.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLBINARIES_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLBINARIES_H

#include "plugins/intel/device/opencl/ClDevice.h"

namespace tz::intel {

/// The binary of one module of SPIR-V on one device. Never needed: what fails
/// here is compiled.
class ClBinary {
public:
  ClBinary(tz_device &device, tz_bytes spirv, std::string options);

  /// A program that is built, or null.
  ClOwned<cl_program> find() const;
  void keep(cl_program built) const;

private:
  tz_device &device;
  const tz_host *host; ///< null: nothing is kept
  std::string options, key;
};

} // namespace tz::intel

#endif
