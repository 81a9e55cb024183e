//===- FoldedLanes.cpp - lanes whose value nobody sees --------------------===//
//
// What   Follows the lanes in which a loaded tile may hold anything to all
//        their uses, one dimension of one value at a time.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/FoldedLanes.h"

#include "core/optimizer/analysis/MaskBounds.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

FoldedLanes::FoldedLanes(tile::KernelOp kernel, LaneForms &forms,
                         const Hints &hints)
    : forms(forms), hints(hints), exact(kernel, hints) {}

/// Whether the form of a limit is its value, or less than any of the type: M -
/// 1 may wrap if M is the smallest integer, but then no lane is below it.
bool FoldedLanes::isExactUnlessSmall(Value limit) {
  Operation *op = limit.getDefiningOp();
  while (
      isa_and_nonnull<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
      exact.isExact(op->getOperand(0)) && exact.isExact(op->getOperand(1))) {
    int64_t most = rangeOfType(op->getResult(0).getType()).high;
    int64_t high = exact.rangeOf(op).high;
    return high <= most && high < Interval().high; // i64: not unbounded
  }
  return exact.isExact(limit);
}

/// Whether `store` writes none of the lanes in which `fold` applies: its bound
/// of `dim` is at most the fold's.
bool FoldedLanes::isMaskedOff(Operation *store, unsigned dim,
                              const Fold &fold) {
  auto end = Polynomial::add(fold.limit, fold.start, -1);
  if (!end) {
    return false;
  }
  auto holds = [&](const std::optional<Polynomial> &upper) {
    auto rest = upper ? Polynomial::add(*end, *upper, -1) : std::nullopt;
    return rest && forms.scalars().range(*rest, hints).nonNegative();
  };
  if (auto plain = dyn_cast<tile::StoreOp>(store)) {
    std::string ignored;
    auto bounds = plain.getMask()
                      ? readMask(plain.getMask(), forms, hints, ignored)
                      : std::nullopt;
    return bounds && llvm::any_of(bounds->upper[dim], holds);
  }
  auto access = cast<tile::StoreViewOp>(store);
  auto view = forms.viewOf(access.getView());
  auto offset = forms.of(access.getOffsets()[dim]);
  if (!view || !offset || !access.getChecked()[dim]) {
    return false;
  }
  auto extent = forms.of(view->root.getShape()[dim]);
  auto upper =
      extent ? Polynomial::add(extent->start, offset->start, -1) : std::nullopt;
  return holds(upper ? Polynomial::add(*upper, view->position[dim], -1)
                     : std::nullopt);
}

bool FoldedLanes::follow(OpOperand &use, unsigned dim, const Fold &fold,
                         SmallVectorImpl<Lanes> &next, std::string &why) {
  Operation *op = use.getOwner();
  unsigned operand = use.getOperandNumber();
  auto to = [&](Value value, unsigned at) { next.push_back({value, at}); };
  if ((op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 &&
       isMemoryEffectFree(op)) ||
      isa<tile::BroadcastOp, tile::HintOp>(op)) {
    to(op->getResult(0), dim);
    return true;
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    auto map = unitReshape(tile::shapeOf(use.get().getType()),
                           tile::shapeOf(reshape.getType()));
    if (map && (*map)[dim] >= 0) {
      to(reshape, (*map)[dim]);
      return true;
    }
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    to(transpose, llvm::find(transpose.getOrder(), int64_t(dim)) -
                      transpose.getOrder().begin());
    return true;
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    unsigned rank = tile::shapeOf(dot.getType()).size();
    bool isSummed =
        (operand == 0 && dim == rank - 1) || (operand == 1 && dim == rank - 2);
    if (!isSummed) {
      to(dot, dim);
      return true;
    }
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    if (dim != reduce.getAxis()) {
      for (Value result : reduce.getResults()) {
        to(result, dim - (dim > reduce.getAxis()));
      }
      return true;
    }
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (operand >= loop.getNumControlOperands()) {
      unsigned i = operand - loop.getNumControlOperands();
      to(loop.getRegionIterArg(i), dim);
      to(loop.getResult(i), dim);
      return true;
    }
  } else if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    Operation *parent = yield->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      to(loop.getRegionIterArg(operand), dim);
    }
    if (isa<scf::ForOp, scf::IfOp>(parent)) {
      to(parent->getResult(operand), dim);
      return true;
    }
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getOther() == use.get() && load.getMask() != use.get()) {
      to(load, dim);
      return true;
    }
  } else if (isa<tile::StoreOp, tile::StoreViewOp>(op)) {
    auto plain = dyn_cast<tile::StoreOp>(op);
    bool isValue = plain ? plain.getValueMutable().getOperandNumber() == operand
                         : cast<tile::StoreViewOp>(op)
                                   .getValueMutable()
                                   .getOperandNumber() == operand;
    if (isValue && isMaskedOff(op, dim, fold)) {
      return true;
    }
    why = "what is read there reaches a store that does not mask it off; mask "
          "the store by offsets < limit";
    return false;
  }
  why = "what is read there reaches a '" + op->getName().getStringRef().str() +
        "', which may use it; mask the load by offsets < limit instead";
  return false;
}

bool FoldedLanes::areUnseen(Value loaded, ArrayRef<Fold> folds,
                            std::string &why) {
  for (const Fold &fold : folds) {
    if (!exact.isExact(fold.offsets) || !isExactUnlessSmall(fold.bound)) {
      why = "the offsets before they are folded may overflow; compute them in "
            "int64, or store by the same offsets";
      return false;
    }
    SmallVector<Lanes> all{{loaded, fold.dim}};
    for (size_t i = 0; i < all.size(); ++i) {
      Lanes lanes = all[i];
      for (OpOperand &use : lanes.value.getUses()) {
        SmallVector<Lanes> next;
        if (!follow(use, lanes.dim, fold, next, why)) {
          why = "in the lanes beyond the limit, " + why;
          return false;
        }
        for (Lanes &one : next) {
          if (!llvm::is_contained(all, one)) {
            all.push_back(one);
          }
        }
      }
    }
  }
  return true;
}
