//===- Ocloc.h - machine code by Intel's offline compiler -----------------===//
//
// What   Runs ocloc on a module: the machine code of its kernels, and what it
//        says of registers.
// Why    Without a device this is all that can be known of the code that will
//        run. Nothing else needs it: drivers compile by themselves.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_OCLOC_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_OCLOC_H

#include "plugins/intel/compiler/offline/MachineCode.h"

namespace tz::intel {

struct OfflineKernel {
  std::string name;
  unsigned spills = 0; ///< registers that are written to memory or read back
  std::string text;    ///< empty: nothing here can show it
  MachineCode code;
};

struct OfflineModule {
  /// Why there is no machine code, in one sentence; empty: there is.
  std::string problem;
  std::vector<OfflineKernel> kernels; ///< in the order of `entries`
};

/// `device`: "pvc". `options`: of the driver's compiler. `hasLines`: the texts
/// name the lines that the module names, of a module with one kernel; compilers
/// write no table of more. Takes seconds.
OfflineModule compileOffline(const std::string &spirv, llvm::StringRef device,
                             llvm::StringRef options,
                             const std::vector<std::string> &entries,
                             bool hasLines);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_OCLOC_H
