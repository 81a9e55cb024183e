//===- Matrix.h - products by the matrix unit (DPAS) ----------------------===//
//
// What   The shape of a matrix instruction, the layouts of its operands, and
//        its code: the function that the driver's compiler knows, or one of
//        shuffles that does the same.
// Why    Layouts are chosen and code is emitted from one description.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_MATRIX_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_MATRIX_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

#include <optional>

namespace tz::intel {

/// The name of the instruction in simt.dot.
inline constexpr llvm::StringRef DpasName = "dpas";

/// One instruction: D[8 x columns] = C + A[8 x depth] * B[depth x columns]. A
/// lane holds a column of B, C and D; of each row of A, the elements that
/// follow each other in its share. Of tf32, whose depth is half of the columns,
/// a pair of lanes holds an element, a half of it each.
struct MatrixShape {
  static constexpr unsigned Rows = 8;
  unsigned columns, depth;
  unsigned elementBytes;   ///< of A and B
  llvm::StringRef element; ///< "bf16", "f16", "i8", "tf32"
  bool isTf32() const { return element == "tf32"; }
  unsigned share() const { return depth / columns; }
  /// Of A, in each lane.
  unsigned leftElements() const { return Rows * std::max(share(), 1u); }
  /// Of the numbers in which a lane passes its part of a row of A.
  unsigned leftBits() const {
    return isTf32() ? 16 : 8 * share() * elementBytes;
  }
};

/// None: threads do this product.
std::optional<MatrixShape> matrixShape(const Machine &machine, tile::DotOp dot);
/// `allowsTf32`: may operands of f32 be rounded?
std::optional<MatrixShape> matrixShape(const Machine &machine, mlir::Type a,
                                       mlir::Type b, mlir::Type acc,
                                       bool allowsTf32);

/// What a warp holds for one instruction.
simt::Layout leftAtom(const MatrixShape &shape);
simt::Layout rightAtom(const MatrixShape &shape);
simt::Layout sumAtom(const MatrixShape &shape);

/// How warps are dealt out over a product.
struct Parties {
  int64_t down, across, warps;
};
/// An operand of a whole tile: its columns, or rows, lie as those of the sums.
simt::Layout leftLayout(const MatrixShape &shape, llvm::ArrayRef<int64_t> tile,
                        const Parties &parties);
simt::Layout rightLayout(const MatrixShape &shape, llvm::ArrayRef<int64_t> tile,
                         const Parties &parties);

/// The new sums. `thread`: in the block.
llvm::SmallVector<llvm::Value *>
emitDpas(llvm::IRBuilderBase &b, const Machine &machine, simt::DotOp op,
         const simt::DotSource &a, const simt::DotSource &rhs,
         llvm::ArrayRef<llvm::Value *> acc, llvm::Value *thread);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_MATRIX_H
