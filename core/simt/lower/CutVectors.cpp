//===- CutVectors.cpp - vectors that bounds cut, loaded whole -------------===//
//
// What   Of a block of a view with 32-bit places, whose bounds may end within a
//        vector: the vector is loaded if some of it is inside, and what is not
//        becomes zero in registers.
// Why    Elsewhere a branch loads such vectors element by element. Its waits
//        end what is on the way, and its results take a register each.
//
// 1. An end behind the last element that is inside, in whole words, keeps loads
//    within the array; it begins where a vector does. Between two of its rows
//    they may read what is another program's, so the kernel must not write to
//    the array: bytes that are forgotten need no order, but nobody could tell
//    it from a race.
// 2. Bits to keep follow from a coordinate and the bounds, by shifts. From what
//    a loop does not change, LLVM computes them once.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/lower/KernelLowering.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tz::simt {

static constexpr int64_t WordBytes = 4;

bool KernelLowering::isOnlyRead(int64_t group) {
  if (!writtenGroups) {
    writtenGroups.emplace();
    kernel.walk([&](mlir::Operation *op) {
      if (std::optional<MemoryAccess> access = accessOf(op);
          access && access->isWrite) {
        writtenGroups->insert(access->group);
      }
    });
  }
  return group != 0 && !writtenGroups->contains(group) &&
         !writtenGroups->contains(0);
}

void KernelLowering::takeCutVectors(ViewAccess &access, int64_t group) {
  const int64_t bytes = tile::storageBytes(access.element);
  if (!access.near || access.end || access.vector >= access.width ||
      access.width * bytes % WordBytes != 0 || !access.count[access.dim] ||
      !isOnlyRead(group)) {
    return;
  }
  // Behind the last element that is inside, if any is.
  const Layout &layout = access.layout.getValue();
  Value *end = b.getInt32(uint32_t(bytes));
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    Value *most = b.getInt32(uint32_t(layout.shape()[dim]));
    if (Value *count = access.count[dim]) {
      most = b.CreateBinaryIntrinsic(Intrinsic::umin,
                                     b.CreateAdd(access.low[dim], count), most);
    }
    Value *last = b.CreateSub(
        b.CreateBinaryIntrinsic(Intrinsic::umax, most, b.getInt32(1)),
        b.getInt32(1));
    end = b.CreateAdd(end, b.CreateMul(last, b.CreateTrunc(access.strides[dim],
                                                           b.getInt32Ty())));
  }
  access.end = b.CreateAnd(b.CreateAdd(end, b.getInt32(WordBytes - 1)),
                           b.getInt32(~uint32_t(WordBytes - 1)));
  access.takesCut = true;
}

/// The lowest bits of a word, those of so many elements. The shift by all bits
/// is two by half of them.
static Value *lowestOf(IRBuilderBase &b, Value *elements, int64_t bytes) {
  elements = b.CreateBinaryIntrinsic(Intrinsic::umin, elements,
                                     b.getInt32(uint32_t(WordBytes / bytes)));
  Value *half = b.CreateMul(elements, b.getInt32(uint32_t(4 * bytes)));
  return b.CreateNot(b.CreateShl(b.CreateShl(b.getInt32(~0u), half), half));
}

/// Of the word that begins with a register's element, the bits of elements that
/// are inside along the vectors.
Value *KernelLowering::bitsInside(const ViewAccess &access, unsigned reg) {
  const int64_t bytes = tile::storageBytes(access.element);
  Value *first = coordinate(access.layout, reg, access.dim),
        *low = access.low[access.dim];
  auto before = [&](Value *bound) {
    return lowestOf(
        b, b.CreateBinaryIntrinsic(Intrinsic::usub_sat, bound, first), bytes);
  };
  Value *bits = before(b.CreateAdd(low, access.count[access.dim]));
  return PatternMatch::match(low, PatternMatch::m_ZeroInt())
             ? bits
             : b.CreateAnd(bits, b.CreateNot(before(low)));
}

/// Element by element from words: from a wider vector LLVM takes bytes by
/// shifts of 64 bits, half of which nobody wrote.
Registers KernelLowering::keepInside(const ViewAccess &access, Value *vector,
                                     unsigned reg) {
  const int64_t bytes = tile::storageBytes(access.element);
  auto *type = cast<FixedVectorType>(vector->getType());
  Type *element = type->getElementType();
  const unsigned count = type->getNumElements();
  Registers kept;
  if (bytes >= WordBytes) {
    for (unsigned i = 0; i < count; ++i) {
      kept.push_back(b.CreateSelect(insideOf(access, reg + i),
                                    b.CreateExtractElement(vector, uint64_t(i)),
                                    Constant::getNullValue(element)));
    }
    return kept;
  }
  const auto step = unsigned(WordBytes / bytes), words = count / step;
  Value *all =
      b.CreateBitCast(vector, FixedVectorType::get(b.getInt32Ty(), words));
  for (unsigned i = 0; i < words; ++i) {
    Value *word = b.CreateAnd(b.CreateExtractElement(all, uint64_t(i)),
                              bitsInside(access, reg + i * step));
    word = b.CreateBitCast(word, FixedVectorType::get(element, step));
    for (unsigned j = 0; j < step; ++j) {
      kept.push_back(b.CreateExtractElement(word, uint64_t(j)));
    }
  }
  return kept;
}

} // namespace tz::simt
