//===- AmdTarget.cpp - what the SIMT library asks of a machine ------------===//
//
// What   See AmdTarget.h.
// Why    See AmdTarget.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdTarget.h"

using namespace llvm;

namespace tz::amd {

/// By registers, by waves and by LDS. Addresses and what is computed take about
/// as many registers again as an eighth of what there are.
unsigned AmdTarget::blocksBeside(const simt::BlockNeeds &block) const {
  const unsigned overhead = machine.registers / 8,
                 words = std::min(block.words + overhead, machine.registers);
  const uint64_t wavesOfSimd = std::min<uint64_t>(
                     machine.mostWaves, machine.allRegisters / words),
                 byWaves = wavesOfSimd * machine.simds / block.warps,
                 byShared = block.sharedBytes
                                ? machine.sharedBytes / block.sharedBytes
                                : byWaves;
  return unsigned(std::max<uint64_t>(1, std::min(byWaves, byShared)));
}

} // namespace tz::amd
