//===- IntelTarget.h - what the SIMT library asks of a machine ------------===//
//
// What   Answers from the table of machines, and how a dot is done.
// Why    See terrazzo/simt/SimtTarget.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_INTELTARGET_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_INTELTARGET_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "terrazzo/simt/SimtTarget.h"

namespace tz::intel {

/// The sub-groups that a block needs so that the sums of its largest product
/// take no more than a quarter of the registers: addresses and operands take
/// the rest; none: those that were asked for do,
/// or no number does.
std::optional<unsigned> warpsForSums(tile::KernelOp kernel,
                                     const Machine &machine);

class IntelTarget final : public simt::SimtTarget {
public:
  /// `inBlocks`: with loads of 2-D blocks, where the machine has them.
  IntelTarget(const Machine &machine, bool inBlocks)
      : machine(machine), inBlocks(inBlocks && machine.hasBlocks) {}

  unsigned lanes() const override { return machine.lanes; }
  uint64_t sharedBytes() const override { return machine.sharedBytes; }
  uint64_t exchangeBytes() const override { return machine.sharedBytes; }
  unsigned registers() const override { return machine.registers; }
  simt::DotChoice chooseDot(const simt::DotRequest &request) const override;
  bool hasBlocks() const override { return inBlocks; }
  bool hasBlockMessage(const simt::BlockMessage &message) const override;
  int64_t bulkAlignment() const override { return 4; }
  unsigned mostAccumulators() const override {
    return machine.registers ? machine.registers * 3 / 4 : 128;
  }

private:
  const Machine &machine;
  const bool inBlocks;
};

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_INTELTARGET_H
