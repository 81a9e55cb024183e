//===- SplitDots.cpp - simt-split-dots ------------------------------------===//
//
// What   A product whose operands do not fit into shared memory together is
//        taken in parts along k.
// Why    Operands lie there while they are multiplied. Without it such a kernel
//        is refused.
// Example (test/simt/split-dots.mlir; lines with dot, split, reshape, transpose)
//   before
//     ...
//     %sum = tile.dot %a, %a, %zero : tensor<64x64xf64>, tensor<64x64xf64> -> tensor<64x64xf64>
//     ...
//   after
//     ...
//     %3 = tile.reshape %2 : tensor<64x64xf64> -> tensor<64x2x32xf64>
//     %4 = tile.transpose %3 [0, 2, 1] : tensor<64x2x32xf64> -> tensor<64x32x2xf64>
//     %lhs, %rhs = tile.split %4 : tensor<64x32x2xf64> -> tensor<64x32xf64>
//     %5 = tile.reshape %2 : tensor<64x64xf64> -> tensor<2x32x64xf64>
//     %6 = tile.transpose %5 [1, 2, 0] : tensor<2x32x64xf64> -> tensor<32x64x2xf64>
//     %lhs_0, %rhs_1 = tile.split %6 : tensor<32x64x2xf64> -> tensor<32x64xf64>
//     %7 = tile.dot %lhs, %lhs_0, %cst : tensor<64x32xf64>, tensor<32x64xf64> -> tensor<64x64xf64>
//     %8 = tile.dot %rhs, %rhs_1, %7 : tensor<64x32xf64>, tensor<32x64xf64> -> tensor<64x64xf64>
//     ...
// Keeps  the sum, whose order of terms is free.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/SimtTarget.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_SPLITDOTS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Matrix instructions take so many bytes of a row along k and more.
constexpr int64_t LeastBytes = 32;

struct Halves {
  Value first, second;
};

/// Both halves of a tile along a dimension.
Halves halvesAlong(OpBuilder &b, Location at, Value tile, unsigned dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> apart, last, half(type.getShape());
  SmallVector<int64_t> order;
  half[dim] /= 2;
  for (unsigned i = 0; i < half.size(); ++i) {
    if (i == dim) {
      apart.push_back(2);
    }
    order.push_back(int64_t(apart.size()));
    apart.push_back(half[i]);
    last.push_back(half[i]);
  }
  order.push_back(dim);
  last.push_back(2);
  auto like = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, type.getElementType());
  };
  Value shaped = tile::ReshapeOp::create(b, at, like(apart), tile);
  Value turned = tile::TransposeOp::create(b, at, like(last), shaped,
                                           b.getDenseI64ArrayAttr(order));
  auto split = tile::SplitOp::create(b, at, like(half), like(half), turned);
  return {split.getLhs(), split.getRhs()};
}

int64_t elementBytes(Value tile) {
  return tile::storageBytes(tile::elementType(tile.getType()));
}

int64_t bytesOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getNumElements() *
         elementBytes(tile);
}

/// Are both halves of the product long enough for a matrix instruction?
bool canHalve(tile::DotOp dot) {
  const int64_t bytes =
      std::max(elementBytes(dot.getA()), elementBytes(dot.getB()));
  return tile::shapeOf(dot.getA().getType()).back() %
             (2 * LeastBytes / bytes) ==
         0;
}

struct SplitDots : tz::simt::impl::SplitDotsBase<SplitDots> {
  explicit SplitDots(const SimtTarget *target) : target(target) {}
  SplitDots() = default;
  SplitDots(const SplitDots &other)
      : SplitDotsBase(other), target(other.target) {}

  void runOnOperation() override {
    // Parts of an operand are made by exchanges.
    const uint64_t shared = !target ? uint64_t(sharedBytesOption)
                            : target->exchangeBytes() ? target->sharedBytes()
                                                      : 0;
    SmallVector<tile::DotOp> dots;
    getOperation().walk([&](tile::DotOp dot) { dots.push_back(dot); });
    bool hasChanged = false;
    while (shared != 0 && !dots.empty()) {
      tile::DotOp dot = dots.pop_back_val();
      if (uint64_t(bytesOf(dot.getA()) + bytesOf(dot.getB())) > shared &&
          canHalve(dot)) {
        dots.append(inTwo(dot));
        ++split;
        hasChanged = true;
      }
    }
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

private:
  /// The dot goes; these come in its place.
  SmallVector<tile::DotOp, 2> inTwo(tile::DotOp dot) {
    OpBuilder b(dot);
    const auto rank = unsigned(tile::shapeOf(dot.getType()).size());
    const Halves a = halvesAlong(b, dot.getLoc(), dot.getA(), rank - 1),
                 other = halvesAlong(b, dot.getLoc(), dot.getB(), rank - 2);
    auto part = [&](Value left, Value right, Value acc) {
      auto made = cast<tile::DotOp>(b.clone(*dot));
      made.getAMutable().assign(left);
      made.getBMutable().assign(right);
      made.getAccMutable().assign(acc);
      return made;
    };
    tile::DotOp first = part(a.first, other.first, dot.getAcc()),
                second = part(a.second, other.second, first.getResult());
    dot.replaceAllUsesWith(second.getResult());
    dot.erase();
    return {first, second};
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createSplitDots(const SimtTarget *target) {
  return std::make_unique<SplitDots>(target);
}
