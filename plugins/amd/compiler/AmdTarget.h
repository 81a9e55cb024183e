//===- AmdTarget.h - what the SIMT library asks of a machine --------------===//
//
// What   Answers from the table of machines, and how a dot is done.
// Why    See terrazzo/simt/SimtTarget.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_AMDTARGET_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_AMDTARGET_H

#include "plugins/amd/compiler/AmdMachines.h"

#include "terrazzo/simt/SimtTarget.h"

namespace tz::amd {

/// The waves that a block needs so that the sums of each product take no more
/// than half of the registers, and with its operands, which pass through them
/// on their way to LDS, all but a sixteenth; none: those that were asked for
/// do, or no number does.
std::optional<unsigned> wavesForProducts(tile::KernelOp kernel,
                                         const Machine &machine);

class AmdTarget final : public simt::SimtTarget {
public:
  explicit AmdTarget(const Machine &machine) : machine(machine) {}

  unsigned lanes() const override { return machine.lanes; }
  int64_t nearBytes() const override { return NearBytes; }
  uint64_t sharedBytes() const override { return machine.sharedBytes; }
  uint64_t exchangeBytes() const override { return machine.sharedBytes / 2; }
  int64_t bytesAcross() const override { return 8; }
  /// Two waves of a SIMD have 256 each, where there are 512. What an iteration
  /// is counted to need is more than it has at once. Where 256 are all, masks
  /// and addresses of loads that are off need a few of them.
  unsigned registers() const override {
    return machine.registers > 256 ? 384 : machine.registers - 16;
  }
  simt::SharedAttr sharedRows(mlir::MLIRContext *context,
                              llvm::ArrayRef<unsigned> order, int64_t unit,
                              int64_t elementBytes) const override {
    return simt::paddedShared(context, order, unit, elementBytes);
  }
  unsigned asyncCopyBytes() const override { return machine.directBytes; }
  bool canCopyAsync(mlir::Operation *load, const simt::Contiguity &runs,
                    const simt::Layout &layout,
                    simt::BufferType to) const override;
  simt::DotChoice chooseDot(const simt::DotRequest &request) const override;
  unsigned mostAccumulators() const override { return machine.registers / 2; }
  unsigned blocksBeside(const simt::BlockNeeds &block) const override;

private:
  const Machine &machine;
};

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_AMDTARGET_H
