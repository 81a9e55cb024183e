//===- Levels.cpp - The x86-64 levels and what each offers ----------------===//
//
// What   See Levels.h. The levels are those of the x86-64 psABI.
// Why    See Levels.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/machine/Levels.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace tz::cpu {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view Level2[] = {"sse3",   "ssse3",  "sse4.1",
                                       "sse4.2", "popcnt", "cx16"};
constexpr std::string_view Level3[] = {"avx",  "avx2", "bmi",   "bmi2",
                                       "f16c", "fma",  "lzcnt", "movbe"};
constexpr std::string_view Level4[] = {"avx512f", "avx512bw", "avx512cd",
                                       "avx512dq", "avx512vl"};
/// What each level adds to the one before it.
constexpr struct {
  std::string_view name;
  Names features;
} Levels[] = {
    {"x86-64-v2", Level2}, {"x86-64-v3", Level3}, {"x86-64-v4", Level4}};

constexpr std::string_view Bf16[] = {"avx512bf16"};
constexpr std::string_view Vnni[] = {"avx512vnni"};
constexpr std::string_view Fp16[] = {"avx512fp16"};
constexpr std::string_view NarrowVnni[] = {"avxvnni"};
constexpr std::string_view TilesBf16[] = {"amx-tile", "amx-bf16"};
constexpr std::string_view TilesInt8[] = {"amx-tile", "amx-int8"};
/// What a name may add to its level, in the order in which names list it.
constexpr struct {
  std::string_view name;
  size_t level; ///< the first that may have it, an index of Levels
  Names features;
} Extras[] = {{"avx512bf16", 2, Bf16},   {"avx512vnni", 2, Vnni},
              {"avx512fp16", 2, Fp16},   {"avxvnni", 1, NarrowVnni},
              {"amxbf16", 2, TilesBf16}, {"amxint8", 2, TilesInt8}};

std::string_view spelledOut(std::string_view name) {
  return name == "avx2"         ? "x86-64-v3"
         : name == "avx512"     ? "x86-64-v4"
         : name == "avx512bf16" ? "x86-64-v4+avx512bf16"
                                : name;
}

} // namespace

std::optional<Level> parseLevel(std::string_view name) {
  name = spelledOut(name);
  const size_t plus = std::min(name.find('+'), name.size());
  const auto *level =
      std::find_if(std::begin(Levels), std::end(Levels), [&](const auto &one) {
        return one.name == name.substr(0, plus);
      });
  if (level == std::end(Levels)) {
    return std::nullopt;
  }
  const size_t index = size_t(level - Levels);
  Level made;
  made.name = level->name;
  for (const auto *one = Levels; one <= level; ++one) {
    made.features.insert(made.features.end(), one->features.begin(),
                         one->features.end());
  }
  std::vector<std::string_view> extras;
  for (std::string_view rest = name.substr(plus); !rest.empty();) {
    rest.remove_prefix(1); // the '+'
    const size_t end = std::min(rest.find('+'), rest.size());
    extras.push_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  for (const auto &[extra, first, features] : Extras) {
    if (std::erase(extras, extra)) {
      if (index < first) {
        return std::nullopt; // of a higher level
      }
      made.name += "+" + std::string(extra);
      for (std::string_view feature : features) {
        if (std::find(made.features.begin(), made.features.end(), feature) ==
            made.features.end()) {
          made.features.emplace_back(feature);
        }
      }
    }
  }
  return extras.empty() ? std::optional(std::move(made)) : std::nullopt;
}

std::string levelOf(const std::function<bool(std::string_view)> &has) {
  size_t index = 0;
  for (size_t i = 1; i < std::size(Levels); ++i) {
    if (index == i - 1 && std::all_of(Levels[i].features.begin(),
                                      Levels[i].features.end(), has)) {
      index = i;
    }
  }
  std::string name(Levels[index].name);
  for (const auto &[extra, first, features] : Extras) {
    if (index >= first && std::all_of(features.begin(), features.end(), has)) {
      name += "+" + std::string(extra);
    }
  }
  return name;
}

std::string levelNames() {
  return "x86-64-v2, x86-64-v3, x86-64-v4, with +avx512bf16, +avx512vnni, "
         "+avx512fp16, +amxbf16, +amxint8 from v4 and +avxvnni from v3 on";
}

} // namespace tz::cpu
