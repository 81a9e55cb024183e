//===- Features.cpp - what a target may say that it has -------------------===//
//
// What   Looks names up in Features.def and its families.
// Why    See Features.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/optimizer/Features.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::optimizer {

static constexpr StringRef Names[] = {
#define TZ_FEATURE(id, name, reader, meaning) name,
#include "terrazzo/optimizer/Features.def"
};

StringRef nameOf(Feature feature) { return Names[size_t(feature)]; }

/// "math.<fn>.<type>"
static bool isMathFeature(StringRef name) {
  if (!name.consume_front("math.")) {
    return false;
  }
  auto [fn, type] = name.rsplit('.');
  bool knownType = is_contained({"f16", "bf16", "f32", "f64"}, type);
  return knownType && (is_contained({"pow", "rem", "div", "div_rn"}, fn) ||
                       tile::symbolizeMathFn(fn));
}

bool isFeature(StringRef name) {
  return is_contained(Names, name) || isMathFeature(name) ||
         name.starts_with("x.");
}

ArrayRef<StringRef> featureNames() { return Names; }

} // namespace tz::optimizer
