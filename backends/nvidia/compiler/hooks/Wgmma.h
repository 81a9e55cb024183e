//===- Wgmma.h - dots by warp groups of sm_90a ----------------------------===//
//
// What   wgmma: four warps multiply 64 x k by k x n, k 32 bytes long. Operands
//        are in shared memory, the left one perhaps in registers. When it fits,
//        its layouts, its descriptors of shared memory, its PTX.
// Why    LLVM has neither all forms of the instruction nor its waits with the
//        registers that they guard (R16).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WGMMA_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WGMMA_H

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

#include "llvm/IR/IRBuilder.h"

namespace tz::nvidia {

inline constexpr llvm::StringLiteral WgmmaName = "wgmma";

/// A dot in instructions of 64 x n.
struct WgmmaShape {
  int64_t n;                // columns of one instruction
  int64_t down, across;     // warp groups along rows and columns
  int64_t tilesDown, tiles; // instructions of a warp group along them
};

/// None if the instruction does not fit. `groups`: warp groups of a block, a
/// power of two. Integers have fewer widths.
std::optional<WgmmaShape> fitWgmma(int64_t rows, int64_t columns,
                                   int64_t groups, bool areIntegers);

/// Layouts for a dot of sm_90a; none if another way is better.
std::optional<simt::DotChoice> chooseWgmma(const simt::DotRequest &request);

/// An operand in shared memory as the instruction reads it: `mn` is the
/// dimension of the result, the other one is k.
class WgmmaWindow {
public:
  WgmmaWindow(simt::BufferType type, unsigned mn);
  bool isKMajor() const { return kMajor; }
  /// All fields of the descriptor but the address.
  uint64_t descriptor() const;
  /// Bytes from the first element to this one, before the swizzle; a window may
  /// begin there if it is the first of a row of the swizzle, or along k of 32
  /// bytes.
  int64_t offset(int64_t mn, int64_t k) const;

private:
  int64_t rows, panel, rowBytes, elementBytes; // rows of one panel
  bool kMajor;
};

/// Emits the dot for this warp group, whose index `group` is the same in all of
/// its threads; waits for it unless the op is asynchronous.
llvm::SmallVector<llvm::Value *>
emitWgmma(llvm::IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
          const simt::DotSource &rhs, llvm::ArrayRef<llvm::Value *> acc,
          llvm::Value *group);

/// wgmma.wait_group: the registers pass through, so that no use moves over it.
llvm::SmallVector<llvm::Value *>
emitWgmmaWait(llvm::IRBuilderBase &b, unsigned pending,
              llvm::ArrayRef<llvm::Value *> registers);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_HOOKS_WGMMA_H
