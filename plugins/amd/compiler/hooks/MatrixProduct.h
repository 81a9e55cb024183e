//===- MatrixProduct.h - products by the matrix unit ----------------------===//
//
// What   How a block shares a product out, where its operands are, and the code
//        of it.
// Why    See hooks/MatrixForms.h.
//
// A lane reads up to 16 bytes of an operand at once: the elements of several
// instructions. Which of them an instruction takes is the same for A and B, so
// k is permuted alike in both, and the sum is the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXPRODUCT_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXPRODUCT_H

#include "plugins/amd/compiler/hooks/MatrixForms.h"

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::amd {

/// None: threads do this product.
std::optional<simt::DotChoice> chooseMatrix(const simt::DotRequest &request,
                                            const Machine &machine);

/// The new sums. `thread`: in the block.
llvm::SmallVector<llvm::Value *>
emitMatrix(llvm::IRBuilderBase &b, const Machine &machine,
           lowering::Elementwise &arithmetic, simt::DotOp op,
           const simt::DotSource &a, const simt::DotSource &rhs,
           llvm::ArrayRef<llvm::Value *> acc, llvm::Value *thread);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXPRODUCT_H
