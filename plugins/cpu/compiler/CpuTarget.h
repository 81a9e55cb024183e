//===- CpuTarget.h - The x86-64 levels that can be compiled for -----------===//
//
// What   Target ids to LLVM features and back.
// Why    The compiler half may run on another machine than the one it compiles
//        for; the host is just one more target.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_CPUTARGET_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_CPUTARGET_H

#include "plugins/cpu/compiler/Isa.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

struct CpuTarget {
  std::string id;       ///< "cpu:x86-64-v4+avx512vnni"
  std::string features; ///< "+avx2,+fma,..."
  std::string compat;   ///< as in KernelEntry.h
  Isa isa;
};

/// "cpu" is this machine; "cpu:avx2", "cpu:avx512" and "cpu:avx512bf16" are
/// short for levels. Nothing for an unknown id.
std::optional<CpuTarget> parseTarget(std::string_view id);
/// The id of this machine.
std::string hostTargetId();
/// The host first, then the plain levels.
std::vector<std::string> targetIds();

} // namespace tz::cpu

#endif
