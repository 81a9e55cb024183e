//===- AmdTarget.cpp - what the SIMT library asks of a machine ------------===//
//
// What   See AmdTarget.h.
// Why    See AmdTarget.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdTarget.h"

#include "plugins/amd/compiler/hooks/MatrixProduct.h"

using namespace llvm;

namespace tz::amd {

std::optional<unsigned> wavesForSums(tile::KernelOp kernel,
                                     const Machine &machine) {
  const unsigned mostWaves = 1024 / machine.lanes;
  auto asked = kernel->getAttrOfType<mlir::IntegerAttr>("tile.num_warps");
  const unsigned given = asked ? unsigned(asked.getInt()) : 4;
  int64_t sums = 0; // words of the block
  kernel.walk([&](tile::DotOp dot) {
    int64_t bytes = tile::storageBytes(tile::elementType(dot.getType()));
    for (int64_t extent : tile::shapeOf(dot.getType())) {
      bytes *= extent;
    }
    sums = std::max(sums, bytes / 4);
  });
  const int64_t most = int64_t(machine.registers) / 2 * machine.lanes;
  unsigned waves = given;
  while (waves < mostWaves && sums > most * waves) {
    waves *= 2;
  }
  return waves == given || sums > most * waves ? std::nullopt
                                               : std::optional(waves);
}

simt::DotChoice AmdTarget::chooseDot(const simt::DotRequest &request) const {
  std::optional<simt::DotChoice> choice;
  if (machine.usesMatrix) {
    choice = chooseMatrix(request, machine);
  }
  return choice ? *choice : SimtTarget::chooseDot(request);
}

/// By registers, by waves and by LDS. Addresses and what is computed take about
/// as many registers again as an eighth of what there are.
unsigned AmdTarget::blocksBeside(const simt::BlockNeeds &block) const {
  const unsigned overhead = machine.registers / 8,
                 words = std::min(block.words + overhead, machine.registers);
  const uint64_t wavesOfSimd = std::min<uint64_t>(machine.mostWaves,
                                                  machine.allRegisters / words),
                 byWaves = wavesOfSimd * machine.simds / block.warps,
                 byShared = block.sharedBytes
                                ? machine.sharedBytes / block.sharedBytes
                                : byWaves;
  return unsigned(std::max<uint64_t>(1, std::min(byWaves, byShared)));
}

} // namespace tz::amd
