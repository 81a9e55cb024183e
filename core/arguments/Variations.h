//===- Variations.h - many launches from one command line -----------------===//
//
// What   --vary "n=1024..65536*2" and --configs "1,3-5": the values that a name
//        takes one after the other, and which configurations of autotune.
// Why    A figure for one size misleads; a table over sizes is one command.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_VARIATIONS_H
#define TERRAZZO_CORE_ARGUMENTS_VARIATIONS_H

#include "runtime/loader/Status.h"

#include <string>
#include <vector>

namespace tz::tool {

struct Variation {
  std::string name;
  std::vector<std::string> values;
};

/// "NAME=V,V,...": values as --arg and --constexpr take them, or ranges of
/// integers: A..B*F multiplies by F, A..B+S adds S; both ends belong to it.
runtime::Result<Variation> parseVariation(const std::string &text);

/// A value of each variation: all combinations, the last one's change first. An
/// error where there are more than 1000.
runtime::Result<std::vector<std::vector<std::string>>>
combinations(const std::vector<Variation> &variations);

/// "all" or "1,3-5", of `count`; ascending, from 1.
runtime::Result<std::vector<unsigned>>
parseConfigurations(const std::string &text, size_t count);

} // namespace tz::tool

#endif
