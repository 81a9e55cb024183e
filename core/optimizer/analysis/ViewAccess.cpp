//===- ViewAccess.cpp - pointer accesses read as view accesses ------------===//
//
// What   Joins the lane form of the pointers with the bounds of the mask and
//        decides which part of the start is an offset.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/ViewAccess.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

bool ViewAccesses::isNonNegative(const Polynomial &p) {
  auto holds = [&](const Polynomial &q) {
    return table.scalars().range(q, hints).nonNegative();
  };
  return holds(p) ||
         (isVersioned && llvm::any_of(known, [&](const Polynomial &one) {
            auto rest = Polynomial::add(p, one, -1);
            return rest && holds(*rest);
          }));
}

SmallVector<Polynomial> ViewAccesses::missingSigns(LoadOp op) {
  SmallVector<Polynomial> missing;
  std::string why;
  auto form = table.withFolds(op.getPointer());
  bool isFolded = form && form->base && !form->folds.empty() &&
                  !op.getIsVolatile() &&
                  folded.areUnseen(op.getResult(), form->folds, why);
  if (isFolded &&
      (!op.getMask() || readMask(op.getMask(), table, hints, why))) {
    for (const Fold &fold : form->folds) {
      if (fold.needsSign && !isNonNegative(fold.start)) {
        missing.push_back(fold.start);
      }
    }
  }
  return missing;
}

bool ViewAccesses::isLoopVarying(const Term &term) {
  return llvm::any_of(term.scalars, [&](unsigned scalar) {
    Value value = table.scalars().value(scalar);
    return isa<LoopLikeOpInterface>(value.getParentRegion()->getParentOp());
  });
}

/// Decides which part of the start is an offset of dimension `d`: what the
/// bound names as the block's start, else whole multiples of the stride.
void ViewAccesses::chooseOffset(ViewAccess &access, unsigned d,
                                const LaneForm &pointer,
                                const Polynomial *upper) {
  ViewAccess::Dim &dim = access.dims[d];
  if (dim.stride.getTerms().size() != 1) {
    return;
  }
  const Term &stride = dim.stride.getTerms().front();
  Polynomial offset, start = access.start;
  auto take = [&](const Term &term) { // term * stride leaves the start
    auto moved = Polynomial::mul(Polynomial::of(term), dim.stride);
    auto rest = moved ? Polynomial::add(start, *moved, -1) : std::nullopt;
    auto sum = Polynomial::add(offset, Polynomial::of(term));
    if (rest && sum) {
      start = *rest;
      offset = *sum;
    }
  };
  if (upper) {
    // index < upper = limit - offset
    for (const Term &term : upper->getTerms()) {
      if (term.coefficient == std::numeric_limits<int64_t>::min()) {
        continue;
      }
      Term negated{term.scalars, -term.coefficient};
      auto moved = Polynomial::mul(Polynomial::of(negated), dim.stride);
      if (moved && !moved->isZero() &&
          start.coefficientOf(moved->getTerms()[0].scalars) ==
              moved->getTerms()[0].coefficient) {
        take(negated);
      }
    }
  } else {
    Polynomial whole = start;
    for (const Term &term : whole.getTerms()) {
      auto quotient = divide(term, stride);
      // To the longest stride that it is a multiple of.
      bool belongsElsewhere = false;
      for (const ViewAccess::Dim &other : access.dims) {
        if (&other == &dim || other.stride.getTerms().size() != 1) {
          continue;
        }
        const Term &theirs = other.stride.getTerms()[0];
        belongsElsewhere |= (!theirs.scalars.empty() ||
                             theirs.coefficient > stride.coefficient) &&
                            divide(term, theirs).has_value();
      }
      if (quotient && (!stride.scalars.empty() ||
                       (isLoopVarying(term) && !belongsElsewhere))) {
        take(*quotient);
      }
    }
  }
  if (offset.isZero()) {
    return;
  }
  if (!isNonNegative(offset)) {
    access.rebased |= upper != nullptr;
    return;
  }
  dim.offset = offset;
  access.start = start;
}

/// The bounds of the mask, and the limits at which lanes fold.
std::optional<MaskBounds> ViewAccesses::boundsOf(Operation *op,
                                                 const LaneForm &form,
                                                 Value mask, std::string &why) {
  MaskBounds bounds;
  bounds.upper.resize(form.lane.size());
  bounds.lower.resize(form.lane.size());
  if (mask) {
    auto read = readMask(mask, table, hints, why);
    if (!read) {
      return std::nullopt;
    }
    bounds = std::move(*read);
  }
  if (form.folds.empty()) {
    return bounds;
  }
  if (!isa<LoadOp>(op)) {
    why = "it stores by offsets that wrap around or stop at a limit";
    return std::nullopt;
  }
  if (!folded.areUnseen(op->getResult(0), form.folds, why)) {
    return std::nullopt;
  }
  for (const Fold &fold : form.folds) {
    if (fold.needsSign && !isNonNegative(fold.start)) {
      why = "% is of offsets not known to be >= 0, and the kernel is not "
            "copied for it; tl.assume(start >= 0) says so";
      return std::nullopt;
    }
    auto upper = Polynomial::add(fold.limit, fold.start, -1);
    if (!upper) {
      why = "a limit is too large an expression";
      return std::nullopt;
    }
    if (!llvm::is_contained(bounds.upper[fold.dim], *upper)) {
      bounds.upper[fold.dim].push_back(*upper);
    }
  }
  return bounds;
}

std::optional<ViewAccess> ViewAccesses::read(LoadOp op, std::string &why) {
  return read(op, op.getPointer(), op.getMask(), why);
}

std::optional<ViewAccess> ViewAccesses::read(StoreOp op, std::string &why) {
  auto access = read(op, op.getPointer(), op.getMask(), why);
  if (!access) {
    return std::nullopt;
  }
  for (auto [size, dim] :
       llvm::zip(shapeOf(op.getPointer().getType()), access->dims)) {
    if (size > 1 && dim.stride.isZero()) {
      why = "several lanes store to one address";
      return std::nullopt;
    }
  }
  return access;
}

std::optional<ViewAccess> ViewAccesses::read(Operation *op, Value pointer,
                                             Value mask, std::string &why) {
  isVersioned = versioned && versioned->isAncestor(op->getParentRegion());
  std::optional<LaneForm> form = table.withFolds(pointer);
  if (!form || !form->base) {
    why =
        "the pointers are not one base plus strides times indices (%, //, "
        "loaded offsets, or a loop that does not add the same every iteration)";
    return std::nullopt;
  }
  std::optional<MaskBounds> read = boundsOf(op, *form, mask, why);
  if (!read) {
    return std::nullopt;
  }
  MaskBounds &bounds = *read;
  ArrayRef<int64_t> shape = shapeOf(pointer.getType());
  ViewAccess access{form->base, form->start, {}, bounds.uniform};
  access.folded = !form->folds.empty();
  for (auto [size, lane] : llvm::zip(shape, form->lane)) {
    access.dims.push_back({size == 1 ? Polynomial(1) : lane, {}, {}, false});
  }
  for (auto [d, size] : llvm::enumerate(shape)) {
    ViewAccess::Dim &dim = access.dims[d];
    auto holds = [&](const Polynomial &p) { return isNonNegative(p); };
    llvm::erase_if(bounds.upper[d], [&](const Polynomial &upper) {
      auto rest = Polynomial::add(upper, Polynomial(size), -1);
      return rest && holds(*rest);
    });
    llvm::erase_if(bounds.lower[d], [&](const Polynomial &lower) {
      auto rest = Polynomial::add({}, lower, -1);
      return rest && holds(*rest);
    });
    ArrayRef<Polynomial> uppers = bounds.upper[d], lowers = bounds.lower[d];
    dim.checked = !uppers.empty() || !lowers.empty();
    if (lowers.size() > 1) {
      why = "two lower bounds on one dimension";
      return std::nullopt;
    }
    if (lowers.size() == 1) {
      // index >= lower: the view begins at coordinate `lower` before the block.
      auto offset = Polynomial::add({}, lowers[0], -1);
      auto moved = offset ? Polynomial::mul(*offset, dim.stride) : std::nullopt;
      auto start =
          moved ? Polynomial::add(access.start, *moved, -1) : std::nullopt;
      if (!start) {
        why = "an offset is too large an expression";
        return std::nullopt;
      }
      dim.offset = *offset;
      access.start = *start;
    } else if (uppers.size() < 2) {
      chooseOffset(access, d, *form, uppers.empty() ? nullptr : &uppers[0]);
    }
    for (const Polynomial &upper : uppers) {
      auto extent = Polynomial::add(upper, dim.offset);
      if (!extent) {
        why = "a bound is too large an expression";
        return std::nullopt;
      }
      dim.extents.push_back(*extent);
    }
  }
  return access;
}
