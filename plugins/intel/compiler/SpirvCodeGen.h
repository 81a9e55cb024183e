//===- SpirvCodeGen.h - from a kernel to a SPIR-V module ------------------===//
//
// What   compileKernel(): layouts, LLVM IR, one validated module of all
//        variants.
// Why    The plugin's entry knows the boundary, this knows the steps.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRVCODEGEN_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRVCODEGEN_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "terrazzo/simt/Variants.h"

namespace tz::intel {

/// Which frames 2-D blocks can describe.
simt::FrameLimits frameLimits();

struct Compiled {
  std::string binary, llvm, layouts;
  /// An estimate of what the entry points take, the most of all of them; 0: the
  /// machine's registers are not known.
  unsigned registers = 0;
  bool hasLargeFile = false; ///< asked for, of the driver
  /// Their functions are gone; shared memory is part of the module.
  std::vector<simt::Variant> variants;
};

/// `machine`: for the variant with 2-D blocks, if there is one; `plain`: for
/// the others. From debug level 1 on the text of the layouts names places in
/// the source. Throws simt::Unsupported, simt::TooLarge and plugin::Failure.
Compiled compileKernel(tile::KernelOp kernel, const Machine &machine,
                       const Machine &plain, unsigned debugLevel = 0);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRVCODEGEN_H
