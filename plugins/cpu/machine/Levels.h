//===- Levels.h - The x86-64 levels and what each offers ------------------===//
//
// What   "x86-64-v4+avx512bf16": its features by LLVM's names, and the name of
//        a set of features.
// Why    Both halves read target ids, and TERRAZZO_CPU_CAP holds one: there is
//        one table.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_MACHINE_LEVELS_H
#define TERRAZZO_PLUGINS_CPU_MACHINE_LEVELS_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

struct Level {
  std::string name;                  ///< "x86-64-v4+avx512bf16"
  std::vector<std::string> features; ///< beyond x86-64 itself, "sse3" ...
};

/// "x86-64-v2", "-v3", "-v4", from v3 on with "+avxvnni", on v4 with any of
/// "+avx512bf16", "+avx512vnni", "+avx512fp16", "+amxbf16", "+amxint8", in any
/// order; or "avx2", "avx512", "avx512bf16" for short. Nothing for another
/// text. "+amxbf16" stands for LLVM's amx-tile and amx-bf16.
std::optional<Level> parseLevel(std::string_view name);

/// The highest level whose features are all there, with the further ones that
/// are. "x86-64-v2" is the lowest that kernels are compiled for.
std::string levelOf(const std::function<bool(std::string_view)> &has);

/// "x86-64-v2, x86-64-v3 ...": for messages.
std::string levelNames();

} // namespace tz::cpu

#endif
