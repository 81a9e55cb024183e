//===- MatrixForms.h - the matrix instructions of each machine ------------===//
//
// What   A table of MFMA and WMMA: shapes, what a lane holds of operands and
//        sums, LLVM's intrinsics.
// Why    Layouts are chosen and code is emitted from one description.
//
// An instruction computes D[side x side] = C + A[side x depth] * B[depth x
// side]. Lane l holds of A the row l % side, of B the column l % side, and of
// both `share` elements that follow each other along k. They begin at k = share
// * (l / side); where both halves of a wave hold the same, at 0. Of D it holds
// column l % side, and in register r the row of the table:
//
//   unit   side  rows of D for lane l, register r   registers
//   MFMA   16    4 * (l / 16) + r                   4
//   MFMA   32    8 * (r / 4) + 4 * (l / 32) + r % 4 16
//   MFMA   16    l / 16 + 4 * r                     4, of f64
//   gfx11  16    2 * r + l / 16                     8
//   gfx12  16    8 * (l / 16) + r                   8
//
//   depth of one instruction (share in brackets), side 16 and 32:
//            f16, bf16         i8                fp8               f32    f64
//   gfx90a   16 (4), 8 (4)     16 (4), 8 (4)     as f16            4, 2   4
//   gfx942   16 (4), 8 (4)     32 (8), 16 (8)    32 (8), 16 (8) 1  4, 2   4
//   gfx950   32 (8), 16 (8)    64 (16), 32 (16)  32 (8), 16 (8) 2  4, 2   4
//   gfx11    16 (16)           16 (16)           as f16            -      -
//   gfx12    16 (8)            16 (8)            16 (8) 2          -      -
//
//   1  of AMD's own formats (FNUZ); those of OCP are converted to f16, which
//      has all their values
//   2  of OCP's formats; those of AMD are converted to f16
//
// gfx942 has f32 that counts as tf32, too (xf32): depth 8 and 4, share 2.
//
// The sums of a tile are computed transposed: an instruction's A are columns of
// the right operand, its B are rows of the left one. A lane then holds a row of
// the product, and registers follow each other along it: sums are stored in
// wide pieces, and are the left operand of a next product as they are.
//
// From AMD's manuals of the instruction sets of CDNA2, CDNA3, CDNA4, RDNA3 and
// RDNA4, and its matrix instruction calculator.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXFORMS_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXFORMS_H

#include "plugins/amd/compiler/AmdMachines.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/simt/Layout.h"

#include "llvm/IR/Intrinsics.h"

#include <optional>

namespace tz::amd {

/// What the elements of operands are to an instruction.
enum class MatrixElement { f16, bf16, i8, e4m3, e5m2, f32, xf32, f64 };

struct MatrixForm {
  unsigned side, share;
  unsigned groups; ///< of lanes that hold other parts of k
  unsigned sums;   ///< registers of D, of its element's size
  bool isWave32;   ///< WMMA
  bool hasSigns;   ///< says of integers that they are signed
  MatrixElement a, b;
  /// An operand as the intrinsic takes it: so many elements of so many bits.
  unsigned words, wordBits;
  bool areFloats; ///< those elements
  llvm::Intrinsic::ID intrinsic;

  unsigned depth() const { return share * groups; }
};

/// The elements and the extent along k of a product, in the instruction's
/// order.
struct MatrixRequest {
  mlir::Type a, b, sum;
  int64_t depth;
  unsigned side; ///< 16 or 32
  bool allowsTf32 = false;
};

/// None: the machine has no such instruction.
std::optional<MatrixForm> matrixForm(const Machine &machine,
                                     const MatrixRequest &request);

/// The operand's type is not what the instruction takes: it is converted to
/// f16.
bool isConverted(const MatrixForm &form, mlir::Type element);

/// What a wave holds of the sums of one instruction, transposed, of a tile of
/// this rank.
simt::Layout sumAtom(const Machine &machine, const MatrixForm &form,
                     unsigned rank);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_HOOKS_MATRIXFORMS_H
