//===- AddressLimits.cpp - what a mask says of an address -----------------===//
//
// What   The comparisons that a mask is made of, and what each leaves of a
//        range.
// Why    A block that reaches over the end of its array is the rule, not a
//        fault: its mask says where it ends.
//===----------------------------------------------------------------------===//
#include "core/optimizer/AddressRange.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

/// A reshape that only inserts or removes dimensions of size one.
static Dims reshaped(tile::ReshapeOp op, const Dims &dims) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  if (!dims) {
    return std::nullopt;
  }
  SmallVector<int> kept;
  SmallVector<int64_t> extents;
  for (auto [extent, dim] : llvm::zip(to.getShape(), *dims)) {
    if (extent != 1) {
      kept.push_back(dim);
      extents.push_back(extent);
    }
  }
  SmallVector<int> result;
  size_t next = 0;
  for (int64_t extent : from.getShape()) {
    if (extent == 1) {
      result.push_back(-1);
    } else if (next < extents.size() && extents[next] == extent) {
      result.push_back(kept[next++]);
    } else {
      return std::nullopt;
    }
  }
  return next == extents.size() ? Dims(result) : std::nullopt;
}

std::optional<std::pair<Value, Dims>> movedFrom(Operation *op,
                                                const Dims &dims) {
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    return std::pair(splat.getSource(), Dims(SmallVector<int>()));
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Dims inner = dims;
    if (inner) {
      auto from = cast<RankedTensorType>(broadcast.getSource().getType());
      for (auto [extent, dim] : llvm::zip(from.getShape(), *inner)) {
        dim = extent == 1 ? -1 : dim;
      }
    }
    return std::pair(broadcast.getSource(), inner);
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    return std::pair(reshape.getSource(), reshaped(reshape, dims));
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    Dims inner = dims;
    if (inner) {
      for (auto [i, from] : llvm::enumerate(transpose.getOrder())) {
        (*inner)[size_t(from)] = (*dims)[i];
      }
    }
    return std::pair(transpose.getSource(), inner);
  }
  if (auto hint = dyn_cast<tile::HintOp>(op)) {
    return std::pair(hint.getSource(), dims);
  }
  return std::nullopt;
}
/// Do both compute one thing? Nothing has joined equal values yet.
static bool isSame(Value x, Value y, unsigned depth = 0) {
  if (x == y) {
    return true;
  }
  Operation *one = x.getDefiningOp(), *other = y.getDefiningOp();
  return one && other && depth < 8 && one->getName() == other->getName() &&
         one->getNumRegions() == 0 && isMemoryEffectFree(one) &&
         one->getAttrDictionary() == other->getAttrDictionary() &&
         one->getNumOperands() == other->getNumOperands() &&
         x.getType() == y.getType() &&
         cast<OpResult>(x).getResultNumber() ==
             cast<OpResult>(y).getResultNumber() &&
         llvm::all_of(
             llvm::zip(one->getOperands(), other->getOperands()),
             [&](auto pair) {
               return isSame(std::get<0>(pair), std::get<1>(pair), depth + 1);
             });
}

void AddressRange::addLimit(Value value, Value bound, const Dims &dims,
                            bool isUpper, int64_t distance) {
  // An address is followed down to the same value.
  Operation *op = value.getDefiningOp();
  auto moved = op ? movedFrom(op, dims) : std::nullopt;
  if (moved && moved->second) {
    addLimit(moved->first, bound, moved->second, isUpper, distance);
  } else {
    limits.push_back({value, dims, bound, isUpper, distance});
  }
}

void AddressRange::readLimits(Value mask, const Dims &dims) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op || !dims) {
    return;
  }
  if (auto both = dyn_cast<arith::AndIOp>(op)) {
    readLimits(both.getLhs(), dims);
    readLimits(both.getRhs(), dims);
    return;
  }
  if (auto moved = movedFrom(op, dims)) {
    readLimits(moved->first, moved->second);
    return;
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare) {
    return;
  }
  Value x = compare.getLhs(), y = compare.getRhs();
  const CmpIPredicate how = compare.getPredicate();
  const bool isStrict = how == CmpIPredicate::slt || how == CmpIPredicate::sgt;
  if (how == CmpIPredicate::sgt || how == CmpIPredicate::sge) {
    std::swap(x, y);
  } else if (how != CmpIPredicate::slt && how != CmpIPredicate::sle) {
    return;
  }
  addLimit(x, y, dims, /*isUpper=*/true, isStrict);
  addLimit(y, x, dims, /*isUpper=*/false, isStrict);
}

/// Where the mask is set `x`, which `value` has, is no larger than this.
Known AddressRange::limited(Known x, Value value, const Dims &dims) {
  if (ignoresLimits || !dims) {
    return x;
  }
  const Interval before = *x;
  for (const Limit &limit : limits) {
    // The mask of one iteration says nothing of the others. Of all together
    // it says what it says in each.
    if (limit.dims != dims || !isSame(limit.value, value) ||
        (of.loop && of.kind == Iterations::Linear &&
         !(isIndependent(value) && isIndependent(limit.bound)))) {
      continue;
    }
    ignoresLimits = true;
    Known bound = range(limit.bound, std::nullopt);
    ignoresLimits = false;
    if (!bound || !fit(bound, limit.bound.getType())) {
      continue;
    }
    Value distance = c.integer(limit.distance, 64);
    if (limit.isUpper) {
      x->high = c.make<tile::MinSIOp>(
          x->high, c.make<arith::SubIOp>(bound->high, distance));
    } else {
      x->low = c.make<tile::MaxSIOp>(
          x->low, c.make<arith::AddIOp>(bound->low, distance));
    }
  }
  if (x->low == before.low && x->high == before.high) {
    return x;
  }
  (void)fit(before, value.getType());
  Value nothing = c.compare(CmpIPredicate::slt, x->high, x->low);
  empty = empty ? c.make<arith::OrIOp>(empty, nothing) : nothing;
  return x;
}

} // namespace tz::optimizer
