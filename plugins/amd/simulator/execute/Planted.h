//===- Planted.h - an instruction in place of another one -----------------===//
//
// What   A mistake that a test puts into a kernel, and a trace of what ran.
// Why    Whether the checks see a missing wait is known only by leaving one out
//        (plugins/amd/test/plant).
//
// TERRAZZO_AMD_SIMULATOR_PLANT   KERNEL+0xOFFSET=TEXT: at this offset of this
//                                kernel's entry the instruction TEXT is executed
//                                in place of the kernel's own
// TERRAZZO_AMD_SIMULATOR_TRACE   a file; each launch adds the kernel, the
// offset
//                                and the text of each instruction that was
//                                executed, and how often a planted one gave
//                                another result than the kernel's own, and how
//                                often lanes stored that it alone had
//                                activated, and a digest of memory as the
//                                launch left it
// A process with raised rights ignores both.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PLANTED_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PLANTED_H

#include "plugins/amd/simulator/execute/Module.h"
#include "plugins/amd/simulator/execute/Wave.h"

#include <set>

namespace tz::amd::sim {

class Planted {
public:
  /// Reads the variables. Throws plugin::Failure for one that makes no sense.
  Planted(Module &module, const KernelCode &kernel, const Memory &memory,
          const Report &report);
  /// Writes the trace, if one is wanted.
  ~Planted();
  Planted(const Planted &) = delete;
  Planted &operator=(const Planted &) = delete;

  /// What runs in place of an instruction; the one itself where nothing is
  /// planted.
  const Instruction &inPlaceOf(const Instruction &in) {
    if (!trace.empty()) {
      executed.insert(in.address);
    }
    return in.address == address ? *planted : in;
  }
  bool isPlanted(const Instruction &in) const { return &in == planted.get(); }
  /// Before a planted instruction runs: what the kernel's own would do to the
  /// registers.
  void expect(Wave &wave);
  /// Behind it: compares.
  void compare(Wave &wave);

private:
  struct Registers {
    std::array<uint32_t, scalar::Count> scalars;
    std::vector<uint32_t> vectors;
  };

  Module &module;
  const KernelCode &kernel;
  const Memory &memory;
  const Report &report;
  const uint64_t entry;
  uint64_t address = 0;
  std::unique_ptr<Instruction> planted;
  Registers expected;
  uint64_t executions = 0, differences = 0;
  std::string trace;
  std::set<uint64_t> executed;
};

} // namespace tz::amd::sim

#endif
