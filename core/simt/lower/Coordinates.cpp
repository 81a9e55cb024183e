//===- Coordinates.cpp - where the elements of a thread are ---------------===//
//
// What   Coordinates of registers: what depends on the thread is computed once
//        in the entry block, what depends on the register is a constant. Some
//        targets compute it once more in loops around those of products.
// Why    Addresses become one sum per thread and immediates.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

LayoutAttr KernelLowering::layoutAttr(mlir::Type type) {
  return cast<LayoutAttr>(cast<mlir::RankedTensorType>(type).getEncoding());
}

/// The xor of the bases' coordinates along `dim` whose bit is set in `index`.
/// Bits beside each other that stay so become one shift and one mask.
Value *KernelLowering::bitsOf(Value *index, ArrayRef<Coordinates> bases,
                              unsigned dim) {
  Value *sum = nullptr;
  auto add = [&](Value *part) { sum = sum ? b.CreateXor(sum, part) : part; };
  for (size_t i = 0; i < bases.size();) {
    const auto basis = uint64_t(bases[i][dim]);
    size_t end = i + 1;
    if (basis == 0) {
      i = end;
      continue;
    }
    if (!isPowerOf2_64(basis)) {
      Value *bit = b.CreateAnd(b.CreateLShr(index, i), 1);
      add(b.CreateMul(bit, b.getInt32(uint32_t(basis))));
      i = end;
      continue;
    }
    while (end < bases.size() &&
           uint64_t(bases[end][dim]) == basis << (end - i)) {
      ++end;
    }
    const unsigned to = Log2_64(basis);
    Value *moved =
        to >= i ? b.CreateShl(index, to - i) : b.CreateLShr(index, i - to);
    add(b.CreateAnd(moved, maskTrailingOnes<uint32_t>(end - i) << to));
    i = end;
  }
  return sum;
}

/// Of register 0 of this thread along a dimension, i32. `above`: the warp's
/// digits above the atom, if repeats are over warps.
Value *KernelLowering::startAlong(const Layout &layout, unsigned dim,
                                  Value *above) {
  Value *fromLane = bitsOf(lane, layout.bases(Axis::Lane), dim);
  Value *fromWarp = bitsOf(warp, layout.bases(Axis::Warp), dim);
  Value *start = !fromLane   ? fromWarp
                 : !fromWarp ? fromLane
                             : b.CreateXor(fromLane, fromWarp);
  start = start ? start : b.getInt32(0);
  Value *digits = above;
  int64_t stride = layout.atomShape()[dim];
  for (const Layout::Repeat &copy : layout.repeats()) {
    if (copy.axis == Axis::Warp) {
      Value *count = b.getInt32(uint32_t(copy.count));
      if (copy.dim == dim) {
        start = b.CreateAdd(start, b.CreateMul(b.CreateURem(digits, count),
                                               b.getInt32(uint32_t(stride))));
      }
      digits = b.CreateUDiv(digits, count);
    }
    stride *= copy.dim == dim ? copy.count : 1;
  }
  return start;
}

/// Whether this thread is the first of those that hold the same: redundant bits
/// and copies are zero. Null: no others hold what it holds.
Value *KernelLowering::isOwnerIn(const Layout &layout, Value *above) {
  Value *redundant = nullptr;
  auto mustBeZero = [&](Value *part) {
    redundant = redundant ? b.CreateOr(redundant, part) : part;
  };
  if (uint64_t mask = layout.redundantBits(Axis::Lane)) {
    mustBeZero(b.CreateAnd(lane, uint32_t(mask)));
  }
  if (uint64_t mask = layout.redundantBits(Axis::Warp)) {
    mustBeZero(b.CreateAnd(warp, uint32_t(mask)));
  }
  Value *digits = above;
  for (const Layout::Repeat &copy : layout.repeats()) {
    if (copy.axis == Axis::Warp) {
      Value *count = b.getInt32(uint32_t(copy.count));
      if (Layout::isRedundant(copy)) {
        mustBeZero(b.CreateURem(digits, count));
      }
      digits = b.CreateUDiv(digits, count);
    }
  }
  // A block may have more warps than the layout speaks of.
  if (int64_t(warps) > layout.size(Axis::Warp)) {
    mustBeZero(
        b.CreateUDiv(warp, b.getInt32(uint32_t(layout.size(Axis::Warp)))));
  }
  return redundant ? b.CreateICmpEQ(redundant, b.getInt32(0)) : nullptr;
}

/// Is a product in a loop within the loop?
static bool isAroundProducts(mlir::scf::ForOp op) {
  return op
      .walk([&](DotOp dot) {
        return dot->getParentOfType<mlir::scf::ForOp>() == op
                   ? mlir::WalkResult::advance()
                   : mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

void KernelLowering::withThreadAgain(mlir::scf::ForOp op,
                                     function_ref<void()> body) {
  Value *again = isAroundProducts(op) ? hooks.threadAgain(b) : nullptr;
  if (!again) {
    body();
    return;
  }
  auto around = std::tuple(threadBlock, thread, lane, warp);
  LayoutCoordinates others = std::exchange(coordinates, LayoutCoordinates());
  takeThread(again);
  threadBlock = b.GetInsertBlock();
  BasicBlock *rest = block("for.thread");
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
  body();
  std::tie(threadBlock, thread, lane, warp) = around;
  coordinates = std::move(others);
  hooks.forgetThread();
}

const ThreadCoordinates &KernelLowering::coordinatesOf(LayoutAttr attribute) {
  std::unique_ptr<ThreadCoordinates> &known = coordinates[attribute];
  if (known) {
    return *known;
  }
  known = std::make_unique<ThreadCoordinates>(attribute.getValue());
  const Layout &layout = known->layout;
  IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(threadBlock->getTerminator());
  Value *above = nullptr;
  if (llvm::any_of(layout.repeats(), [](const Layout::Repeat &copy) {
        return copy.axis == Axis::Warp;
      })) {
    above = b.CreateLShr(warp, layout.bases(Axis::Warp).size());
  }
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    int64_t bits = 0;
    for (Axis axis : {Axis::Lane, Axis::Warp}) {
      for (const Coordinates &basis : layout.bases(axis)) {
        bits |= basis[dim];
      }
    }
    known->start.push_back(startAlong(layout, dim, above));
    known->threadBits.push_back(bits);
  }
  known->isOwner = isOwnerIn(layout, above);
  return *known;
}

bool KernelLowering::isCopy(const Layout &layout, unsigned reg) {
  if (reg & layout.redundantBits(Axis::Register)) {
    return true;
  }
  int64_t above = reg >> layout.bases(Axis::Register).size();
  for (const Layout::Repeat &copy : layout.repeats()) {
    if (copy.axis == Axis::Register) {
      if (Layout::isRedundant(copy) && above % copy.count != 0) {
        return true;
      }
      above /= copy.count;
    }
  }
  return false;
}

Value *KernelLowering::coordinate(LayoutAttr attribute, unsigned reg,
                                  unsigned dim) {
  const ThreadCoordinates &known = coordinatesOf(attribute);
  const Layout &layout = known.layout;
  const int64_t whole = layout.apply(Place{{reg, 0, 0, 0}})[dim];
  const int64_t inAtom = whole % layout.atomShape()[dim];
  Value *start = known.start[dim];
  if (whole == 0) {
    return start;
  }
  if ((inAtom & known.threadBits[dim]) == 0) {
    return b.CreateAdd(start, b.getInt32(uint32_t(whole)), "", true, true);
  }
  return b.CreateAdd(b.CreateXor(start, b.getInt32(uint32_t(inAtom))),
                     b.getInt32(uint32_t(whole - inAtom)), "", true, true);
}

Value *KernelLowering::linearIndex(LayoutAttr layout, unsigned reg,
                                   ArrayRef<int64_t> shape) {
  Value *index = b.getInt32(0);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    index =
        b.CreateMul(index, b.getInt32(uint32_t(shape[dim])), "", true, true);
    index = b.CreateAdd(index, coordinate(layout, reg, dim), "", true, true);
  }
  return index;
}

} // namespace tz::simt
