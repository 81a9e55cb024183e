//===- Lines.cpp - what a thread holds along a dimension ------------------===//
//
// What   See Lines.h.
// Why    See Lines.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/Lines.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::simt {

static Coordinates without(Coordinates coordinates, unsigned axis) {
  coordinates.erase(coordinates.begin() + axis);
  return coordinates;
}

std::map<Coordinates, Line> linesOf(const Layout &layout, unsigned axis,
                                    function_ref<bool(unsigned)> isCopy) {
  std::map<Coordinates, Line> lines;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); ++reg) {
    if (isCopy(reg)) {
      continue;
    }
    Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
    lines[without(at, axis)].push_back({at[axis], reg});
  }
  for (auto &[key, line] : lines) {
    llvm::sort(line);
  }
  return lines;
}

std::optional<SmallVector<unsigned>> bitsAlong(const Layout &layout, Axis axis,
                                               unsigned dim) {
  SmallVector<unsigned> bits;
  const uint64_t redundant = layout.redundantBits(axis);
  for (auto [i, basis] : llvm::enumerate(layout.bases(axis))) {
    if (basis[dim] == 0 || redundant >> i & 1) {
      continue;
    }
    for (unsigned other = 0; other < layout.rank(); ++other) {
      if (other != dim && basis[other] != 0) {
        return std::nullopt;
      }
    }
    bits.push_back(unsigned(i));
  }
  return bits;
}

Value *gatherBits(IRBuilder<> &b, Value *number, ArrayRef<unsigned> bits) {
  Value *gathered = b.getInt32(0);
  for (auto [i, bit] : llvm::enumerate(bits)) {
    gathered = b.CreateOr(
        gathered, b.CreateShl(b.CreateAnd(b.CreateLShr(number, bit), 1), i));
  }
  return gathered;
}

} // namespace tz::simt
