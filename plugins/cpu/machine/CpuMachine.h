//===- CpuMachine.h - What this machine offers to code --------------------===//
//
// What   The features of the processor that the system lets programs use, less
//        what TERRAZZO_CPU_CAP takes away.
// Why    The compiler half chooses its default target by them and the device
//        half refuses code by them: they must agree. With a cap, one machine
//        shows what older ones do.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_MACHINE_CPUMACHINE_H
#define TERRAZZO_PLUGINS_CPU_MACHINE_CPUMACHINE_H

#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

struct CpuMachine {
  std::string brand;
  std::vector<std::string> features; ///< LLVM's names, sorted
  std::string level;                 ///< "x86-64-v4+avx512bf16"; Levels.h
  std::string cap; ///< the level that TERRAZZO_CPU_CAP names, or empty
  /// Why TERRAZZO_CPU_CAP cannot be obeyed, or empty. Each half refuses to open
  /// with this text; nothing is capped then.
  std::string problem;

  bool has(std::string_view feature) const;
  /// What a message says of a feature that is not there: "which <brand> does
  /// not have", or that the cap leaves it out.
  std::string withoutIt() const;

  /// Asked once, then remembered. [thread: any]
  static const CpuMachine &host();
};

/// The machine with a cap; null: TERRAZZO_CPU_CAP is not set. It takes features
/// away and never adds one. Features that no level names are left out by every
/// cap, but for those of x86-64 itself.
CpuMachine capped(CpuMachine machine, const char *cap);

} // namespace tz::cpu

#endif
