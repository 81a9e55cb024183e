//===- Dot.h - Register-blocked matrix products ---------------------------===//
//
// What   Emits LLVM IR for acc[M x N] += A[M x K] * B[K x N] on operands that
//        were packed into the arena, and the packing loops themselves.
// Why    A dot is the one place where instruction selection, register blocking
//        and data layout must be chosen together; everything else in this
//        compiler is loops over vectors.
//
// How to use it, for one tile.dot:
//   DotPlan p = planDot(isa, DotInput::F16, M, N, K);
//   a = arena space of p.packedABytes, b = ... p.packedBBytes, acc as below
//   emitPackA(builder, p, sourceOfA, a);      // once for each new A tile
//   emitPackB(builder, p, sourceOfB, b);      // once for each new B tile
//   emitDot(builder, p, a, p.lda, b, acc, ldAcc, /*accumulate=*/true);
//
// Formats. `kGroup` is the number of neighbouring k that one lane holds: 1 for
// F32 and F64, 2 for bf16 and for int8 widened to i16, 4 for int8 in tiles.
//   A   row-major, p.M rows of p.lda packed elements; columns from K to p.paddedK
//   are
//       zero. A row-major tile of the packed type is already in this format if
//       K is a multiple of kGroup: give emitDot its address and row length.
//   B   panels of p.NR columns; panel j covers columns [j*NR, (j+1)*NR). Inside
//       a panel: p.paddedK/kGroup groups, each NR x kGroup elements, k fastest.
//       Columns beyond N and k beyond K are zero.
//   acc row-major, M rows with a distance of ldAcc elements, of p.accType().
// All base addresses are aligned to 64 bytes, except rows of a direct A.
//
// Prefetch. Packing notes where its tile came from. emitDot expects the next
// tile as far from this one as this one is from the one before, and its
// micro-kernels bring those lines into the second-level cache, a few in each
// turn. Addresses that turn out wrong cost a little time and nothing else.
//
// Blocks. The emitters make loops, so the builder ends in another basic block
// than it began in; the block given must not have a terminator after the
// insertion point (append at the end of a block). The micro-kernels and the
// packing loops are internal functions of the module, made once for each shape
// and called.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_DOT_DOT_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_DOT_DOT_H

#include "plugins/cpu/compiler/Isa.h"

#include "llvm/IR/IRBuilder.h"

#include <cstdint>

namespace tz::cpu {

/// Element types of A and B as the tile IR has them. fp8 is converted to F16
/// or F32 by the caller before.
enum class DotInput { F32, F64, F16, BF16, I8 };

/// What a packed element is, and which instruction multiplies it.
enum class DotKind {
  FmaF32,   ///< f32 panels, fused multiply-add; F16 and BF16 are converted
  FmaF64,   ///< f64 panels
  PairBF16, ///< bf16 pairs, VDPBF16PS
  PairI16,  ///< i16 pairs from int8, VPDPWSSD or VPMADDWD; exact
  TileBF16, ///< bf16 pairs, TDPBF16PS on tiles of AMX
  TileI8,   ///< four int8, TDPBSSD on tiles of AMX; exact
};

/// What emitPackA or emitPackB knows about the source of a packed operand. The
/// run-time part stands in the last 64 bytes of the packed buffer.
struct DotOrigin {
  const llvm::Value *packed = nullptr; ///< the buffer; null = not packed
  int64_t rows = 0;                    ///< contiguous runs of the source
  int64_t rowBytes = 0;                ///< and their length
};

/// Blocking and sizes for one shape; a pure function of its arguments.
struct DotPlan {
  Isa isa;
  DotInput input;
  DotKind kind;
  int64_t M, N, K;       ///< logical shape
  int64_t paddedK;       ///< K rounded up to kGroup, or to a tile's depth
  unsigned kGroup;       ///< 1, 2 or 4
  unsigned MR;           ///< rows of the largest micro-kernel
  unsigned NR;           ///< columns of a panel, a multiple of `lanes`
  unsigned lanes;        ///< accumulator elements in a register
  int64_t lda;           ///< elements from row to row of packed A
  uint64_t packedABytes; ///< multiples of 64
  uint64_t packedBBytes;

  bool tiles() const {
    return kind == DotKind::TileBF16 || kind == DotKind::TileI8;
  }

  /// Left by the last emitPackA, emitPackB for the emitDot that follows.
  mutable DotOrigin originA, originB;

  llvm::Type *packedType(llvm::LLVMContext &ctx) const; ///< element of A and B
  llvm::Type *accType(llvm::LLVMContext &ctx) const;    ///< f32, f64 or i32
};

DotPlan planDot(const Isa &isa, DotInput input, int64_t M, int64_t N,
                int64_t K);

/// Where an operand tile comes from: a matrix of rows x cols elements at
/// base[r * rowStride + c * colStride], strides in elements of `type`. One of
/// the strides is the constant 1 for the fast paths; any values are correct.
/// Elements at r >= validRows or c >= validCols are taken as zero and never
/// read; null means all rows or columns are valid. Values below zero count as
/// 0.
struct DotSource {
  llvm::Value *base = nullptr; ///< ptr
  DotInput type = DotInput::F32;
  llvm::Value *rowStride = nullptr; ///< i64
  llvm::Value *colStride = nullptr; ///< i64
  llvm::Value *validRows = nullptr; ///< i64 or null
  llvm::Value *validCols = nullptr; ///< i64 or null
};

/// Packs A (rows = M, cols = K) into `dst`.
void emitPackA(llvm::IRBuilderBase &b, const DotPlan &plan,
               const DotSource &src, llvm::Value *dst);

/// Packs B (rows = K, cols = N) into `dst`. A source that is transposed in
/// memory has rowStride 1.
void emitPackB(llvm::IRBuilderBase &b, const DotPlan &plan,
               const DotSource &src, llvm::Value *dst);

/// acc (+)= A * B. `lda` is an i64 in packed elements: plan.lda after
/// emitPackA, else the row length of a direct A. With `accumulate` false acc is
/// written without being read.
void emitDot(llvm::IRBuilderBase &b, const DotPlan &plan, llvm::Value *packedA,
             llvm::Value *lda, llvm::Value *packedB, llvm::Value *acc,
             llvm::Value *ldAcc, bool accumulate);

} // namespace tz::cpu

#endif
