//===- PtxHooks.h - the SIMT library's hooks as PTX -----------------------===//
//
// What   Ids, shuffles, barriers, accesses and float arithmetic by NVVM
//        intrinsics and inline PTX.
// Why    See terrazzo/simt/SimtHooks.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXHOOKS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXHOOKS_H

#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/hooks/PtxMachine.h"

#include "terrazzo/simt/SimtHooks.h"

namespace tz::nvidia {

class PtxHooks final : public PtxMachine<simt::SimtHooks> {
public:
  /// `mayExchange`: warp groups may give registers to others. ptxas must then
  /// be free to give the block all registers of the multiprocessor.
  PtxHooks(const ArchitectureFacts &architecture, bool mayExchange)
      : architecture(architecture), mayExchange(mayExchange) {}

  std::optional<lowering::PartClock> partClock() const override;
  void keepBefore(llvm::IRBuilderBase &b, llvm::Value *value) override;
  llvm::Value *threadInBlock(llvm::IRBuilderBase &b) override;
  llvm::Value *isChosenLane(llvm::IRBuilderBase &b) override;
  llvm::Value *programId(llvm::IRBuilderBase &b, unsigned axis) override;
  llvm::Value *programCount(llvm::IRBuilderBase &b, unsigned axis) override;
  llvm::Value *sharedMemory(llvm::IRBuilderBase &b) override;
  /// Orders accesses to all memories (PTX ISA, barrier).
  void barrier(llvm::IRBuilderBase &b, simt::Memories memories,
               std::optional<unsigned> threads) override;
  bool readsPublished(simt::DotOp op) const override;
  void publishStaged(llvm::IRBuilderBase &b) override;
  /// Measured on an H100: without it a product of rows of 64 KiB in place took
  /// 1.07 to 1.10 of the time, a gradient of tiles of 32 KiB 1.06. Tiles of 2
  /// KiB did not care. On an H200 rows of GELU's gradient, which compute much,
  /// took 0.91 to 1.03 of the time without it.
  int64_t bytesReadFirst() const override { return 16 << 10; }
  bool hasMatrixStore() const override { return architecture.number >= 90; }
  void matrixStore(llvm::IRBuilderBase &b, llvm::Value *row,
                   llvm::ArrayRef<llvm::Value *> words,
                   bool isTransposed) override;
  bool hasMatrixLoad() const override { return true; }
  llvm::SmallVector<llvm::Value *, 4> matrixLoad(llvm::IRBuilderBase &b,
                                                 llvm::Value *row,
                                                 unsigned matrices,
                                                 bool isTransposed) override;
  llvm::Value *shuffle(llvm::IRBuilderBase &b, llvm::Value *word,
                       llvm::Value *fromLane) override;
  llvm::Value *shuffleXor(llvm::IRBuilderBase &b, llvm::Value *word,
                          unsigned mask) override;
  /// Of whole warps: integers of at most 32 bits, and on sm_100 the least and
  /// the largest float of 32.
  llvm::Value *reduceLanes(llvm::IRBuilderBase &b, simt::LaneReduction kind,
                           llvm::Value *value, unsigned laneBits) override;
  llvm::Value *load(llvm::IRBuilderBase &b, llvm::Type *type,
                    llvm::Value *pointer, llvm::Value *predicate,
                    llvm::Constant *other,
                    const simt::MemoryHints &hints) override;
  void store(llvm::IRBuilderBase &b, llvm::Value *value, llvm::Value *pointer,
             llvm::Value *predicate, const simt::MemoryHints &hints) override;
  void asyncCopy(llvm::IRBuilderBase &b, llvm::Value *to, llvm::Value *from,
                 unsigned bytes, llvm::Value *inside,
                 const simt::MemoryHints &hints) override;
  void asyncCommit(llvm::IRBuilderBase &b) override;
  void asyncWait(llvm::IRBuilderBase &b, simt::PendingCopies pending) override;
  void initBarriers(llvm::IRBuilderBase &b, llvm::Value *address,
                    unsigned count, unsigned arrivals) override;
  void arrive(llvm::IRBuilderBase &b, llvm::Value *barrier,
              llvm::Value *predicate, llvm::Value *block) override;
  void syncBlocks(llvm::IRBuilderBase &b) override;
  llvm::Value *loadFromBlock(llvm::IRBuilderBase &b, llvm::Type *type,
                             llvm::Value *pointer, llvm::Value *block) override;
  void endBarriers(llvm::IRBuilderBase &b, llvm::Value *address,
                   unsigned count) override;
  void expectBytes(llvm::IRBuilderBase &b, llvm::Value *barrier,
                   uint64_t bytes) override;
  void waitBarrier(llvm::IRBuilderBase &b, llvm::Value *barrier,
                   llvm::Value *phase) override;
  void bulkCopy(llvm::IRBuilderBase &b, simt::DescriptorType type,
                llvm::Value *descriptor, llvm::ArrayRef<llvm::Value *> at,
                llvm::Value *to, llvm::Value *barrier,
                const simt::MemoryHints &hints, unsigned blocks) override;
  void prefetchDescriptor(llvm::IRBuilderBase &b,
                          llvm::Value *descriptor) override;
  void publishAccesses(llvm::IRBuilderBase &b) override;
  void bulkStore(llvm::IRBuilderBase &b, simt::DescriptorType type,
                 llvm::Value *descriptor, llvm::ArrayRef<llvm::Value *> at,
                 llvm::Value *from, const simt::MemoryHints &hints) override;
  void awaitBulkStores(llvm::IRBuilderBase &b, bool areDone) override;
  void beginCopies(llvm::IRBuilderBase &b, unsigned workWarps,
                   unsigned copyWarps) override;
  void beginWork(llvm::IRBuilderBase &b, unsigned workWarps,
                 unsigned copyWarps) override;
  llvm::StringRef syncScope(tile::MemScope scope) const override;
  unsigned atomicWidth(const simt::AtomicUpdate &update) const override;
  llvm::SmallVector<llvm::Value *> atomic(llvm::IRBuilderBase &b,
                                          const simt::AtomicUpdate &update,
                                          llvm::Value *pointer,
                                          llvm::ArrayRef<llvm::Value *> values,
                                          llvm::Value *predicate) override;
  std::unique_ptr<lowering::Elementwise>
  elementwise(llvm::IRBuilderBase &b) override;
  llvm::SmallVector<llvm::Value *>
  dot(llvm::IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
      const simt::DotSource &rhs, llvm::ArrayRef<llvm::Value *> acc) override;
  llvm::SmallVector<llvm::Value *>
  dotWait(llvm::IRBuilderBase &b, unsigned pending,
          llvm::ArrayRef<llvm::Value *> registers) override;

  /// The kernel has atomics on vectors, which PTX has since 8.1.
  bool hasVectorAtomics() const { return vectorAtomics; }
  /// Warp groups exchange registers: they wait for ever if a block has fewer
  /// than all of the multiprocessor's.
  bool exchangesRegisters() const { return exchanges; }

private:
  llvm::Value *warpGroup(llvm::IRBuilderBase &b);

  const ArchitectureFacts &architecture;
  llvm::Value *group = nullptr; // made when first asked for
  bool vectorAtomics = false;
  const bool mayExchange;
  bool exchanges = false;
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_PTXHOOKS_H
