//===- AmdgcnHooks.h - the SIMT library's hooks as AMDGCN -----------------===//
//
// What   Ids, exchanges between lanes, barriers and fences by LLVM's intrinsics
//        of AMDGCN.
// Why    See terrazzo/simt/SimtHooks.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_AMDGCNHOOKS_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_AMDGCNHOOKS_H

#include "plugins/amd/compiler/AmdMachines.h"

#include "terrazzo/simt/SimtHooks.h"

namespace tz::amd {

/// LLVM's numbers of global, constant and local memory (LDS).
inline constexpr lowering::AddressSpaces Spaces = {
    .device = 1, .constants = 4, .shared = 3};

/// Arithmetic within the tolerances (hooks/AmdgcnArithmetic.cpp).
std::unique_ptr<lowering::Elementwise> makeArithmetic(llvm::IRBuilderBase &b,
                                                      const Machine &machine);

/// Accesses by a descriptor of what the place is relative to: where the
/// predicate (null: true) is false, and behind the place's end, nothing is
/// stored and zero loaded (hooks/Buffers.cpp).
llvm::Value *loadBuffer(llvm::IRBuilderBase &b, const Machine &machine,
                        llvm::Type *type, const simt::NearPlace &place,
                        llvm::Value *predicate);
void storeBuffer(llvm::IRBuilderBase &b, const Machine &machine,
                 llvm::Value *value, const simt::NearPlace &place,
                 llvm::Value *predicate);
/// A constant of 16 zero bytes, for lanes that are off.
llvm::Constant *zeros(llvm::IRBuilderBase &b);
/// A place as a pointer whose offset of the lane is a register of 32 bits.
llvm::Value *nearPointer(llvm::IRBuilderBase &b, const simt::NearPlace &place);

/// The word of the lane whose index differs in these bits (hooks/Lanes.cpp).
llvm::Value *exchangeLanes(llvm::IRBuilderBase &b, const Machine &machine,
                           llvm::Value *word, unsigned mask,
                           llvm::Value *thread);

class AmdgcnHooks final : public simt::SimtHooks {
public:
  explicit AmdgcnHooks(const Machine &machine) : machine(machine) {}

  void beginOp(llvm::IRBuilderBase &, mlir::Operation *op) override {
    current = op;
  }

  unsigned lanes() const override { return machine.lanes; }
  int64_t nearBytes() const override { return NearBytes; }
  uint64_t sharedBytes() const override { return machine.sharedBytes; }
  uint64_t exchangeBytes() const override { return machine.sharedBytes / 2; }
  std::optional<lowering::PartClock> partClock() const override;
  llvm::Value *threadInBlock(llvm::IRBuilderBase &b) override;
  llvm::Value *threadAgain(llvm::IRBuilderBase &b) override;
  void forgetThread() override { threads.pop_back(); }
  llvm::Value *programId(llvm::IRBuilderBase &b, unsigned axis) override;
  llvm::Value *programCount(llvm::IRBuilderBase &b, unsigned axis) override;
  /// Of size 0; giveSharedMemory() makes it as large as it must be.
  llvm::Value *sharedMemory(llvm::IRBuilderBase &b) override;
  void barrier(llvm::IRBuilderBase &b, simt::Memories memories,
               std::optional<unsigned> threads) override;
  simt::Memories barrierOrders(simt::Memories asked) const override {
    return asked;
  }
  llvm::Value *shuffle(llvm::IRBuilderBase &b, llvm::Value *word,
                       llvm::Value *fromLane) override;
  llvm::Value *shuffleXor(llvm::IRBuilderBase &b, llvm::Value *word,
                          unsigned mask) override;
  bool takesUniform() const override { return true; }
  bool countsLoads() const override { return true; }
  void keepOrder(llvm::IRBuilderBase &b) override;
  llvm::Value *uniform(llvm::IRBuilderBase &b, llvm::Value *word) override;
  llvm::Value *load(llvm::IRBuilderBase &b, llvm::Type *type,
                    llvm::Value *pointer, llvm::Value *predicate,
                    llvm::Constant *other,
                    const simt::MemoryHints &hints) override;
  void store(llvm::IRBuilderBase &b, llvm::Value *value, llvm::Value *pointer,
             llvm::Value *predicate, const simt::MemoryHints &hints) override;
  bool hasAsyncCopy(unsigned bytes) const override {
    return bytes == machine.directBytes;
  }
  void asyncCopy(llvm::IRBuilderBase &b, llvm::Value *to, llvm::Value *from,
                 unsigned bytes, llvm::Value *valid,
                 const simt::MemoryHints &hints) override;
  bool countsCopies() const override { return true; }
  void asyncWait(llvm::IRBuilderBase &b, simt::PendingCopies pending) override;
  llvm::StringRef syncScope(tile::MemScope scope) const override;
  std::unique_ptr<lowering::Elementwise>
  elementwise(llvm::IRBuilderBase &b) override {
    return makeArithmetic(b, machine);
  }
  llvm::SmallVector<llvm::Value *>
  dot(llvm::IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
      const simt::DotSource &rhs, llvm::ArrayRef<llvm::Value *> acc) override;

  /// What sharedMemory() made.
  llvm::GlobalVariable *sharedVariable() const { return shared; }
  /// Accesses of tiles under masks that are branches, and the first of them.
  unsigned branches() const { return branchCount; }
  mlir::Operation *firstBranch() const { return branching; }

private:
  void noteAccess(llvm::Value *predicate, const simt::MemoryHints &hints);

  const Machine &machine;
  llvm::GlobalVariable *shared = nullptr;
  llvm::SmallVector<llvm::Value *, 2> threads; // computed again, innermost last
  mlir::Operation *current = nullptr, *branching = nullptr;
  unsigned branchCount = 0;
};

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_AMDGCNHOOKS_H
