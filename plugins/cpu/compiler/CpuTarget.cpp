//===- CpuTarget.cpp - The x86-64 levels that can be compiled for ---------===//
//
// What   See CpuTarget.h.
// Why    See CpuTarget.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuTarget.h"

#include "plugins/cpu/machine/CpuMachine.h"
#include "plugins/cpu/machine/Levels.h"

using namespace llvm;

namespace tz::cpu {

std::string hostTargetId() { return "cpu:" + CpuMachine::host().level; }

std::vector<std::string> targetIds() {
  std::vector<std::string> ids{hostTargetId()};
  for (const char *id :
       {"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4",
        "cpu:x86-64-v4+avx512vnni", "cpu:x86-64-v4+avx512bf16+avx512vnni",
        "cpu:x86-64-v4+avx512bf16+avx512vnni+amxbf16+amxint8"}) {
    if (ids[0] != id) {
      ids.emplace_back(id);
    }
  }
  return ids;
}

std::optional<CpuTarget> parseTarget(std::string_view id) {
  constexpr std::string_view prefix = "cpu:";
  if (id == "cpu") {
    return parseTarget(hostTargetId());
  }
  std::optional<Level> level = id.starts_with(prefix)
                                   ? parseLevel(id.substr(prefix.size()))
                                   : std::nullopt;
  if (!level) {
    return std::nullopt;
  }
  CpuTarget target;
  target.id = "cpu:" + level->name;
  target.compat = "x86_64;";
  for (const std::string &feature : level->features) {
    const char *comma = target.features.empty() ? "" : ",";
    target.features += comma + ("+" + feature);
    target.compat += comma + feature;
  }
  if (is_contained(level->features, "avx")) {
    // PREFETCHW: does nothing where it is not implemented, so nobody must ask.
    target.features += ",+prfchw";
  }
  target.isa = Isa::fromFeatures(target.features);
  return target;
}

} // namespace tz::cpu
