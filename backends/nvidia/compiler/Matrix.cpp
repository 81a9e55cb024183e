//===- Matrix.cpp - which matrix instruction does a dot -------------------===//
//
// What   See Matrix.h.
// Why    See Matrix.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Matrix.h"

#include "backends/nvidia/compiler/Wgmma.h"

namespace tz::nvidia {

simt::DotChoice PtxTarget::chooseDot(const simt::DotRequest &request) const {
  if (architecture.number == 90) {
    if (std::optional<simt::DotChoice> choice = chooseWgmma(request)) {
      return *choice;
    }
  }
  return Target::chooseDot(request);
}

bool PtxTarget::canStayInFlight(simt::DotOp dot) const {
  return dot.getInstruction() == wgmmaName && dot.getMaxImprecise() == 0 &&
         !tile::elementType(dot.getType()).isF16();
}

} // namespace tz::nvidia
