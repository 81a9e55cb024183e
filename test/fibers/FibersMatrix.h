//===- FibersMatrix.h - a matrix instruction for fibers -------------------===//
//
// What   A target that copies asynchronously and whose dots have an
//        instruction: groups of four warps, 64 rows each, operands in swizzled
//        shared memory, or, if it is computed, the left one in registers.
// Why    Layouts of accumulators and swizzles run in the tests of a machine
//        without accelerator.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERSMATRIX_H
#define TERRAZZO_TEST_FIBERS_FIBERSMATRIX_H

#include "test/fibers/FibersMachine.h"

#include "terrazzo/plugin.h"
#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

#include "llvm/IR/IRBuilder.h"

namespace tz::fibers {

/// LLVM's numbers of memories, as GPUs have them. To the CPU all are the same;
/// an access that lost its space on the way is refused (FibersAccesses.cpp).
inline constexpr lowering::AddressSpaces FiberSpaces = {
    .device = 1, .constants = 4, .shared = 3};
/// What the matrix unit itself reads: the dot says that once, for all of it.
inline constexpr unsigned UnitSpace = 7;

/// What passes and lowering both ask.
template <typename Base>
class FiberMachine : public Base {
public:
  explicit FiberMachine(const Machine &machine) : machine(machine) {}
  unsigned lanes() const override { return machine.lanes; }
  int64_t vectorBytes() const override { return machine.vectorBytes; }
  uint64_t sharedBytes() const override { return machine.sharedBytes; }

protected:
  const Machine &machine;
};

class FiberTarget final : public FiberMachine<simt::SimtTarget> {
public:
  /// `inBulk`: by the bulk copy unit or by blocks, where the machine has them.
  FiberTarget(const Machine &machine, bool inBulk)
      : FiberMachine(machine), inBulk(inBulk && machine.hasBulkCopies),
        inBlocks(inBulk && machine.hasBlocks) {}
  bool hasBlocks() const override { return inBlocks; }
  bool hasBlockMessage(const simt::BlockMessage &message) const override;
  unsigned mostThreads() const override { return machine.mostThreads; }
  bool wantsRegions() const override { return machine.wantsRegions; }
  int64_t bulkAlignment() const override { return machine.bulkAlignment; }
  int64_t nearBytes() const override { return machine.nearBytes; }
  unsigned registers() const override { return machine.registers; }
  unsigned asyncCopyBytes() const override { return machine.asyncCopyBytes; }
  simt::SharedAttr sharedRows(mlir::MLIRContext *context,
                              llvm::ArrayRef<unsigned> order, int64_t unit,
                              int64_t elementBytes) const override {
    return (machine.padsShared ? simt::paddedShared : simt::swizzledShared)(
        context, order, unit, elementBytes);
  }
  bool canCopyInBulk(simt::DescriptorType descriptor,
                     simt::BufferType) const override {
    return inBulk && descriptor.getBox().size() <= TZ_VIEW_MAX_RANK &&
           llvm::all_of(descriptor.getBox(), [&](int64_t extent) {
             return extent <= machine.mostOfBox;
           });
  }
  bool shouldPersist(uint64_t) const override { return inBulk; }
  unsigned clusterBlocks() const override { return inBulk ? 2 : 1; }
  unsigned splitBlocks() const override { return inBulk ? 4 : 1; }
  bool canStayInFlight(simt::DotOp dot) const override {
    return machine.unit == MatrixUnit::warpGroup && dot.getInstruction();
  }
  unsigned warpsOfDot(simt::DotOp dot) const override {
    return canStayInFlight(dot) ? 4 : 1;
  }
  unsigned sumsToDelay() const override { return 16; }
  unsigned blocksBeside(const simt::BlockNeeds &block) const override {
    return unsigned(sharedBytes() / block.sharedBytes);
  }
  bool canStoreInBulk(simt::DescriptorType descriptor,
                      simt::BufferType from) const override {
    return canCopyInBulk(descriptor, from);
  }
  simt::DotChoice chooseDot(const simt::DotRequest &request) const override;
  /// By turns, so that kernels of both kinds run.
  unsigned copyWarps(const simt::CopyRequest &request) const override {
    return request.isAsked || request.stages % 2 == 0 ||
                   (request.areShared && request.stages == 3)
               ? 1
               : 0;
  }

private:
  const bool inBulk, inBlocks;
};

/// Each thread computes what it holds, element by element, from where tables
/// say that the operands are. `threads` of the block do it; 0: all.
llvm::SmallVector<llvm::Value *>
emitDot(llvm::IRBuilderBase &b, lowering::Elementwise &arithmetic,
        simt::DotOp op, const simt::DotSource &a, const simt::DotSource &rhs,
        llvm::ArrayRef<llvm::Value *> acc, llvm::Value *thread,
        unsigned threads, unsigned lanes);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSMATRIX_H
