//===- Work.cpp - what a thread computes and moves ------------------------===//
//
// What   See Work.h.
// Why    See Work.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Work.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <optional>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// Of the elements of a tile of places in memory.
struct Origin {
  int64_t distinct = 1; // values of the tile, at most
  bool isLoaded = false;
};

class Origins {
public:
  Origin of(Value value, unsigned steps = 64);

private:
  Origin evaluate(Operation *op, unsigned steps);

  llvm::DenseMap<Value, Origin> known;
};

int64_t countOf(Type type) {
  int64_t count = 1;
  for (int64_t extent : tile::shapeOf(type)) {
    count *= extent;
  }
  return count;
}

/// A splat's value, if it is known and above 0.
std::optional<int64_t> divisorOf(Value value) {
  APInt constant;
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat.getOperand();
  }
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive() && constant.getSignificantBits() <= 64) {
    return constant.getSExtValue();
  }
  return std::nullopt;
}

Origin Origins::of(Value value, unsigned steps) {
  if (auto found = known.find(value); found != known.end()) {
    return found->second;
  }
  Origin result{countOf(value.getType())};
  if (Operation *op = value.getDefiningOp(); op && steps != 0) {
    Origin from = evaluate(op, steps - 1);
    result.distinct = std::min(result.distinct, from.distinct);
    result.isLoaded = from.isLoaded;
  }
  known.try_emplace(value, result);
  return result;
}

Origin Origins::evaluate(Operation *op, unsigned steps) {
  const int64_t all = countOf(op->getResult(0).getType());
  if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
    return {all, true};
  }
  if (isa<tile::RangeOp, LoopLikeOpInterface>(op)) {
    return {all};
  }
  // Each value of an operand meets each of the others, at most. What is not a
  // function of its operands' elements may have as many as it has elements.
  Origin result;
  for (Value operand : op->getOperands()) {
    const Origin from = of(operand, steps);
    result.isLoaded |= from.isLoaded;
    result.distinct = std::min(result.distinct * from.distinct, all);
  }
  if (isa<tile::RemSIOp, tile::RemUIOp, tile::DivSIOp, tile::DivUIOp>(op)) {
    if (std::optional<int64_t> divisor = divisorOf(op->getOperand(1))) {
      const bool isRemainder = isa<tile::RemSIOp, tile::RemUIOp>(op);
      result.distinct = isRemainder ? std::min(result.distinct, *divisor)
                                    // Of a run, and the end of one more.
                                    : std::min(result.distinct,
                                               result.distinct / *divisor + 1);
    }
  } else if (!op->hasTrait<OpTrait::Elementwise>() &&
             !isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
                  tile::TransposeOp, tile::HintOp, ConvertOp,
                  arith::ConstantOp>(op)) {
    result.distinct = all;
  }
  return result;
}

int64_t registersIn(Type type) {
  return hasLayout(type) ? int64_t(layoutOf(type).size(Axis::Register)) : 0;
}

int64_t bytesOf(Type type) {
  return registersIn(type) * tile::storageBytes(tile::elementType(type));
}

/// What a load brings, or a store takes; null: it is neither.
Type movedBy(Operation *op) {
  if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
    return op->getResult(0).getType();
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return store.getValue().getType();
  }
  auto store = dyn_cast<tile::StoreViewOp>(op);
  return store ? store.getValue().getType() : Type();
}

/// Does another load say where this one reads?
bool isLate(Operation *op, Origins &origins) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return origins.of(load.getPointer()).isLoaded;
  }
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto view = load ? load.getView().getDefiningOp<tile::MakeViewOp>() : nullptr;
  return (view && origins.of(view.getBase()).isLoaded) ||
         (load && llvm::any_of(load.getOffsets(), [&](Value offset) {
            return origins.of(offset).isLoaded;
          }));
}

int64_t streamedBy(Operation *op, Origins &origins) {
  const Type type = movedBy(op);
  const int64_t bytes = type ? bytesOf(type) : 0;
  if (isLate(op, origins)) {
    return 0;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    const Origin origin = origins.of(load.getPointer());
    return bytes * origin.distinct / countOf(type);
  }
  if (type) {
    return bytes;
  }
  // Of two branches one is taken.
  int64_t all = 0, most = 0;
  for (Region &region : op->getRegions()) {
    int64_t here = 0;
    for (Operation &inner : region.getOps()) {
      here += streamedBy(&inner, origins);
    }
    all += here;
    most = std::max(most, here);
  }
  return isa<scf::IfOp>(op) ? most : all;
}

} // namespace

Work tz::simt::workOf(tile::KernelOp kernel) {
  Work work;
  Origins origins;
  work.streamed = streamedBy(kernel, origins);
  kernel.walk([&](Operation *op) {
    if (const Type moved = movedBy(op)) {
      work.bytes += bytesOf(moved);
      work.late += isLate(op, origins) ? bytesOf(moved) : 0;
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      Type type = op->getResult(0).getType();
      const bool isFloat = isa<FloatType>(tile::elementType(type));
      (isFloat ? work.floats : work.others) += registersIn(type);
    } else if (isa<LoopLikeOpInterface, tile::ReduceOp, tile::ScanOp>(op)) {
      work.isElementwise = false;
    }
  });
  return work;
}
