//===- MatrixOperand.h - what a lane reads of an operand ------------------===//
//
// What   How many elements a lane takes at once, and the operand of a product
//        in registers or in LDS as its instructions want it.
// Why    The choice of layouts and the code agree on it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXOPERAND_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXOPERAND_H

#include "plugins/amd/compiler/hooks/MatrixForms.h"

#include "terrazzo/simt/SimtHooks.h"

namespace tz::amd {

/// The names of instructions in simt.dot.
std::string matrixName(unsigned side);
unsigned sideOf(llvm::StringRef name);

/// Elements along k that a lane takes at once: those of one instruction, or of
/// several as far as 16 bytes and the extent of k reach. A power of two.
unsigned pieceOf(const MatrixForm &form, int64_t elementBytes, int64_t depth);

class MatrixOperand {
public:
  struct Facts {
    const MatrixForm &form;
    unsigned along, k; ///< dimensions of the operand: rows or columns, and k
    int64_t depth;
    llvm::Value *lane;
    llvm::Value *begin; ///< where this wave's rows or columns begin, i32
  };
  MatrixOperand(llvm::IRBuilderBase &b, lowering::Elementwise &arithmetic,
                const simt::DotSource &source, const Facts &facts);

  /// One operand for each instruction that a piece at this place serves. `at`:
  /// the row or column, beside the wave's own; `tile`: its number in registers.
  llvm::SmallVector<llvm::Value *> read(int64_t batch, int64_t at, int64_t tile,
                                        int64_t k);

private:
  llvm::Value *piece(int64_t batch, int64_t at, int64_t tile, int64_t k);

  llvm::IRBuilderBase &b;
  lowering::Elementwise &arithmetic;
  const simt::DotSource &source;
  const Facts facts;
  mlir::Type element;
  int64_t bytes;
  unsigned elements;          ///< of a piece
  llvm::Value *own = nullptr; ///< address of this lane's part in LDS
};

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXOPERAND_H
