//===- SpirvHooks.h - the SIMT library's hooks as SPIR-V ------------------===//
//
// What   Ids, shuffles, barriers and reductions by built-in functions, which
//        LLVM's code generator takes for instructions of SPIR-V.
// Why    See terrazzo/simt/SimtHooks.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVHOOKS_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVHOOKS_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "terrazzo/simt/SimtHooks.h"

namespace tz::intel {

/// LLVM's numbers of CrossWorkgroup, UniformConstant and Workgroup.
inline constexpr lowering::AddressSpaces Spaces = {
    .device = 1, .constants = 2, .shared = 3};

/// On functions that are instructions to the code generator.
inline constexpr llvm::StringRef BuiltInAttribute = "terrazzo-built-in";

/// Arithmetic within the tolerances (hooks/Arithmetic.cpp), with or without
/// numbers of 64 bits.
std::unique_ptr<lowering::Elementwise> makeArithmetic(llvm::IRBuilderBase &b,
                                                      bool doubles);

/// A call of a built-in function that has no effect but its result.
llvm::CallInst *callPure(llvm::IRBuilderBase &b, llvm::StringRef name,
                         llvm::Type *result,
                         llvm::ArrayRef<llvm::Value *> arguments);
/// ... of one that all lanes of the sub-group, or the work-group, reach
/// together.
llvm::CallInst *callTogether(llvm::IRBuilderBase &b, llvm::StringRef name,
                             llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> arguments);

class SpirvHooks final : public simt::SimtHooks {
public:
  /// `descriptor`: bytes of the kernel's largest one (Frame.h).
  SpirvHooks(const Machine &machine, size_t descriptor)
      : machine(machine), descriptor(unsigned(descriptor)) {}

  unsigned lanes() const override { return machine.lanes; }
  uint64_t sharedBytes() const override { return machine.sharedBytes; }
  uint64_t exchangeBytes() const override { return machine.sharedBytes; }
  llvm::Value *threadInBlock(llvm::IRBuilderBase &b) override;
  llvm::Value *programId(llvm::IRBuilderBase &b, unsigned axis) override;
  llvm::Value *programCount(llvm::IRBuilderBase &b, unsigned axis) override;
  /// No driver promises it, and those for CPUs deal a grid of several axes out
  /// in pieces.
  bool startsInOrder() const override { return false; }
  /// Of size 0; giveSharedMemory() makes it as large as it must be.
  llvm::Value *sharedMemory(llvm::IRBuilderBase &b) override;
  void barrier(llvm::IRBuilderBase &b, simt::Memories memories,
               std::optional<unsigned> threads) override;
  simt::Memories barrierOrders(simt::Memories asked) const override {
    return asked;
  }
  llvm::Value *load(llvm::IRBuilderBase &b, llvm::Type *type,
                    llvm::Value *pointer, llvm::Value *predicate,
                    llvm::Constant *other,
                    const simt::MemoryHints &hints) override;
  llvm::Value *shuffle(llvm::IRBuilderBase &b, llvm::Value *word,
                       llvm::Value *fromLane) override;
  llvm::Value *shuffleXor(llvm::IRBuilderBase &b, llvm::Value *word,
                          unsigned mask) override;
  llvm::Value *reduceLanes(llvm::IRBuilderBase &b, simt::LaneReduction kind,
                           llvm::Value *value, unsigned laneBits) override;
  unsigned descriptorBytes() const override { return descriptor; }
  llvm::SmallVector<llvm::Value *>
  loadBlock(llvm::IRBuilderBase &b, simt::DescriptorType type,
            llvm::Value *descriptor, llvm::ArrayRef<llvm::Value *> at,
            const simt::Layout &message, llvm::Type *element,
            const simt::MemoryHints &hints) override;
  void prefetchBlock(llvm::IRBuilderBase &b, simt::DescriptorType type,
                     llvm::Value *descriptor, llvm::ArrayRef<llvm::Value *> at,
                     const simt::Layout &message) override;
  llvm::StringRef syncScope(tile::MemScope scope) const override;
  std::unique_ptr<lowering::Elementwise>
  elementwise(llvm::IRBuilderBase &b) override {
    return makeArithmetic(b, machine.hasDouble);
  }
  llvm::SmallVector<llvm::Value *>
  dot(llvm::IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
      const simt::DotSource &rhs, llvm::ArrayRef<llvm::Value *> acc) override;

  /// What sharedMemory() made.
  llvm::GlobalVariable *sharedVariable() const { return shared; }

private:
  const Machine &machine;
  const unsigned descriptor;
  llvm::GlobalVariable *shared = nullptr;
};

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVHOOKS_H
