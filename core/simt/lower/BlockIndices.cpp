//===- BlockIndices.cpp - what a thread accesses, by its index in the view ===//
//
// What   Where the first index of a program's block is known in 32 bits, an
//        element is inside if its index is below the end; and one product with
//        the stride leads from the base of the view to the thread's element.
// Why    The distance from the block's corner to the end takes instructions of
//        64 bits before the first load, each of which waits for the one before.
//        Short programs wait for that longer than for their arithmetic.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::simt {

/// More vectors of a thread ask for a distance, which is a number of the block:
/// each index is a register, or one more sum. Measured on an H200 over 1,600
/// launches of others.
static constexpr unsigned MostVectors = 8;
/// More share the block's corner, which is in registers of the warp: each view
/// has an address of 64 bits otherwise.
static constexpr unsigned MostOwnVectors = 1;

static bool isInLoop(mlir::Value value) {
  mlir::Operation *parent = value.getParentRegion()->getParentOp();
  return isa<mlir::LoopLikeOpInterface>(parent) ||
         parent->getParentOfType<mlir::LoopLikeOpInterface>();
}

/// Of a number of 32 bits, which is widened.
static int64_t lastOf(Value *from, const DataLayout &layout) {
  const ConstantRange range = computeConstantRangeIncludingKnownBits(
      from, /*ForSigned=*/true, SimplifyQuery(layout));
  return std::min<int64_t>(range.getSignedMax().getSExtValue(), INT32_MAX);
}

std::optional<WordProduct> wordProduct(Value *value) {
  Value *word = nullptr;
  uint64_t constant = 0;
  if (!match(value, m_Mul(m_SExt(m_Value(word)), m_ConstantInt(constant))) ||
      !word->getType()->isIntegerTy(32) || constant == 0 ||
      constant > INT32_MAX) {
    return std::nullopt;
  }
  return WordProduct{word, uint32_t(constant)};
}

unsigned KernelLowering::vectorsOf(const ViewAccess &access) {
  return unsigned(access.layout.getValue().size(Axis::Register)) / access.width;
}

/// Of a block that begins at `from`, at or above zero: a 32-bit number, or a
/// product of one and a constant, as a program's first element is one. None: it
/// is something else. `to`: the end, null where no element is outside: then 31
/// bits hold the index of each of the `extent` elements.
std::optional<KernelLowering::BlockIndex>
KernelLowering::blockIndex(Value *from, Value *to, int64_t extent) {
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  auto isWord = [&](Value *v) { return ComputeNumSignBits(v, layout) > 32; };
  BlockIndex index;
  if (isWord(from)) {
    index.first = b.CreateTrunc(from, b.getInt32Ty());
  } else if (std::optional<WordProduct> product = wordProduct(from)) {
    index.first = b.CreateMul(product->word, b.getInt32(product->constant));
    index.fits = b.CreateICmpULE(product->word,
                                 b.getInt32(INT32_MAX / product->constant));
  } else {
    return std::nullopt;
  }
  if (!to && (index.fits || lastOf(from, layout) > INT32_MAX - (extent - 1))) {
    return std::nullopt;
  }
  if (to && !isWord(to)) {
    return std::nullopt;
  }
  if (to) {
    index.end = b.CreateBinaryIntrinsic(
        Intrinsic::smax, b.CreateTrunc(to, b.getInt32Ty()), b.getInt32(0));
  }
  return index;
}

/// Not of what an iteration changes: one distance for all registers is less
/// than an index of each.
void KernelLowering::addIndices(ViewAccess &access, const ViewParts &parts,
                                ArrayRef<Value *> at, mlir::ValueRange offsets,
                                ArrayRef<bool> checked) {
  for (unsigned dim = 0; dim < at.size(); ++dim) {
    const bool isKnown = !hooks.takesPlaces() &&
                         vectorsOf(access) <= MostVectors &&
                         match(parts.position[dim], m_ZeroInt()) &&
                         runs.hints().range(offsets[dim]).nonNegative() &&
                         !isInLoop(offsets[dim]);
    access.indices.push_back(
        isKnown ? blockIndex(at[dim], checked[dim] ? parts.shape[dim] : nullptr,
                             access.layout.getValue().shape()[dim])
                : std::nullopt);
  }
}

/// In its view, of a register's element, where that fits into 31 bits.
Value *KernelLowering::indexOf(const ViewAccess &access, unsigned reg,
                               unsigned dim) {
  Value *first = access.indices[dim]->first;
  if (!access.isExact) {
    return b.CreateAdd(first, coordinate(access.layout, reg, dim));
  }
  const Coordinates at = access.layout.getValue().apply(Place{{reg, 0, 0, 0}});
  return b.CreateAdd(
      b.CreateAdd(first, coordinatesOf(access.layout).start[dim]),
      b.getInt32(uint32_t(at[dim])));
}

/// Of the thread's first element. An index that does not fit is of no element
/// inside, and nobody uses its address.
Value *KernelLowering::threadBase(const ViewAccess &access,
                                  const ViewParts &parts,
                                  ArrayRef<Value *> at) {
  const ThreadCoordinates &mine = coordinatesOf(access.layout);
  Value *base = parts.base, *offset = b.getInt64(0);
  auto along = [&](Value *c, unsigned dim) {
    return b.CreateMul(c, access.strides[dim]);
  };
  for (unsigned dim = 0; dim < at.size(); ++dim) {
    const std::optional<BlockIndex> &index = access.indices[dim];
    Value *own;
    if (index && vectorsOf(access) <= MostOwnVectors) {
      own = b.CreateSExt(indexOf(access, 0, dim), b.getInt64Ty());
    } else {
      base = b.CreateGEP(b.getInt8Ty(), base, along(at[dim], dim));
      own = b.CreateZExt(mine.start[dim], b.getInt64Ty());
    }
    offset = b.CreateAdd(offset, along(own, dim));
  }
  return b.CreateGEP(b.getInt8Ty(), base, offset);
}

} // namespace tz::simt
