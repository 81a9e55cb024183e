//===- PtxMatrix.h - which matrix instruction does a dot ------------------===//
//
// What   The target as the SIMT library's passes see it: instructions for dots,
//        their layouts and how their operands lie in shared memory.
// Why    What is chosen here is what Wgmma.cpp and Mma.cpp emit.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMATRIX_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMATRIX_H

#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/hooks/PtxMachine.h"

#include "terrazzo/simt/SimtTarget.h"

namespace tz::nvidia {

class PtxTarget final : public PtxMachine<simt::SimtTarget> {
public:
  /// `inBulk`: the TMA unit may be used; `persists`: a block may run several
  /// programs.
  PtxTarget(const ArchitectureFacts &architecture, bool inBulk, bool persists,
            unsigned blocksOfProgram = 1)
      : architecture(architecture), inBulk(inBulk), persists(persists),
        blocksOfProgram(blocksOfProgram) {}

  simt::DotChoice chooseDot(const simt::DotRequest &request) const override;
  bool canStayInFlight(simt::DotOp dot) const override;
  unsigned warpsOfDot(simt::DotOp dot) const override;
  /// Measured on an H200, attention's rate with the dot delayed: 64 sums of
  /// each 1.04 to 1.16; 32 of scores 0.88 to 0.99; 64 of scores and 32 of the
  /// other 0.83 to 1.08, as fewer blocks run beside each other.
  unsigned sumsToDelay() const override { return 64; }
  uint64_t sharedBytes() const override { return architecture.sharedBytes; }
  /// Of each block, for the system (CUDA C++ Programming Guide, Compute
  /// Capabilities).
  uint64_t sharedReserved() const override { return 1024; }
  unsigned blocksBeside(const simt::BlockNeeds &block) const override;
  unsigned asyncCopyBytes() const override { return 4; }
  unsigned copyWarps(const simt::CopyRequest &request) const override;
  /// Where one block fills a multiprocessor. Of two, one computes while the
  /// other stores (docs/guide/performance.md).
  bool shouldPersist(uint64_t ringBytes) const override {
    return persists && 2 * ringBytes > sharedBytes();
  }
  /// Where rows begin inside of lines (simt::appendCluster) the
  /// multiprocessors of a pair fetch shared tiles by halves
  /// (docs/guide/performance.md).
  unsigned clusterBlocks() const override {
    return architecture.number == 90 && inBulk ? 2 : 1;
  }
  unsigned splitBlocks() const override { return blocksOfProgram; }
  bool canCopyInBulk(simt::DescriptorType descriptor,
                     simt::BufferType to) const override;
  bool canStoreInBulk(simt::DescriptorType descriptor,
                      simt::BufferType from) const override {
    return canCopyInBulk(descriptor, from); // the same boxes
  }

private:
  const ArchitectureFacts &architecture;
  const bool inBulk, persists;
  const unsigned blocksOfProgram;
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXMATRIX_H
