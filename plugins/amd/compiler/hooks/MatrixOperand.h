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

/// The names of instructions in simt.dot. `ofSums`: the left operand is held as
/// sums are. `allowsTf32`: of f32, the kernel asked for no more.
std::string matrixName(unsigned side, bool ofSums, bool allowsTf32);
unsigned sideOf(llvm::StringRef name);
bool isOfSums(llvm::StringRef name);
bool allowsTf32(llvm::StringRef name);

/// Elements along k that a lane takes at once: those of one instruction, or of
/// several as far as 16 bytes and the extent of k reach. A power of two.
unsigned pieceOf(const MatrixForm &form, int64_t elementBytes, int64_t depth);

/// How a lane's elements lie along k: so many that follow each other, as many
/// of each further group of lanes, and again, up to a piece.
struct Pieces {
  unsigned elements, run;
};
/// `ofSums`: the left operand is made of sums, and k goes as in their layout.
Pieces piecesOf(const Machine &machine, const MatrixForm &form,
                int64_t elementBytes, int64_t depth, bool ofSums);

class MatrixOperand {
public:
  struct Facts {
    const MatrixForm &form;
    unsigned along, k; ///< dimensions of the operand: rows or columns, and k
    int64_t depth;
    Pieces pieces;
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
  llvm::Value *load(int64_t batch, int64_t at, int64_t k);
  llvm::Value *loadAcross(int64_t at, int64_t k);
  llvm::Value *addressOf(uint64_t offset);

  llvm::IRBuilderBase &b;
  lowering::Elementwise &arithmetic;
  const simt::DotSource &source;
  const Facts facts;
  mlir::Type element;
  int64_t bytes;
  llvm::Value *own = nullptr; ///< bytes in LDS to this lane's part, i32
  uint32_t swizzle = 0;       ///< bits of it that rows change
  bool isAcross = false;      ///< rows of LDS are across k
};

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXOPERAND_H
