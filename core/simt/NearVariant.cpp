//===- NearVariant.cpp - a kernel for short steps of views ----------------===//
//
// What   See NearVariant.h.
// Why    See NearVariant.h.
//===----------------------------------------------------------------------===//
#include "core/simt/NearVariant.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;
using tz::plugin::Expr;

/// More would make a plan long; kernels have few.
static constexpr size_t MostArguments = 8;

/// Is anything of the view accessed under a mask?
static bool isMasked(Value view) {
  return llvm::any_of(view.getUsers(), [&](Operation *user) {
    auto isChecked = [](ArrayRef<bool> checked) {
      return llvm::any_of(checked, [](bool one) { return one; });
    };
    if (auto load = dyn_cast<tile::LoadViewOp>(user)) {
      return isChecked(load.getChecked());
    }
    if (auto store = dyn_cast<tile::StoreViewOp>(user)) {
      return isChecked(store.getChecked());
    }
    auto advance = dyn_cast<tile::AdvanceViewOp>(user);
    return advance && isMasked(advance.getResult());
  });
}

static BlockArgument argumentOf(Value step) {
  while (auto wide = step.getDefiningOp<arith::ExtSIOp>()) {
    step = wide.getIn();
  }
  auto argument = dyn_cast<BlockArgument>(step);
  return argument && isa<tile::KernelOp>(argument.getOwner()->getParentOp())
             ? argument
             : nullptr;
}

SmallVector<ShortSteps> tz::simt::stepsToShorten(tile::KernelOp kernel,
                                                 int64_t nearBytes) {
  const analysis::Hints hints(kernel);
  llvm::MapVector<Value, int64_t> ends;
  kernel.walk([&](tile::MakeViewOp view) {
    if (!isMasked(view.getResult())) {
      return;
    }
    auto type = cast<tile::ViewType>(view.getResult().getType());
    ArrayRef<int64_t> shape = type.getTileType().getShape();
    // Each dimension gets its share.
    const int64_t share = nearBytes / 2 / int64_t(shape.size()) /
                          tile::storageBytes(type.getElementType());
    llvm::SmallVector<std::pair<BlockArgument, int64_t>> found;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      const analysis::Interval range =
          hints.range(view.getStrides()[unsigned(dim)]);
      const int64_t end = share / extent;
      if (extent == 1 || (range.low >= 0 && range.high < end)) {
        continue;
      }
      BlockArgument argument = argumentOf(view.getStrides()[unsigned(dim)]);
      if (!argument || range.high < 0) {
        return; // no guard would help
      }
      found.push_back({argument, end});
    }
    for (auto [argument, end] : found) {
      auto [known, isNew] = ends.insert({argument, end});
      known->second = std::min(known->second, end);
    }
  });
  SmallVector<ShortSteps> steps;
  for (auto [argument, end] : ends) {
    steps.push_back({cast<BlockArgument>(argument), end});
  }
  if (steps.size() > MostArguments) {
    steps.clear();
  }
  return steps;
}

void tz::simt::assumeNear(tile::KernelOp kernel, ArrayRef<ShortSteps> steps) {
  OpBuilder b(&kernel.getBody().front(), kernel.getBody().front().begin());
  Location loc = kernel.getLoc();
  for (const ShortSteps &step : steps) {
    Value argument =
        kernel.getBody().front().getArgument(step.argument.getArgNumber());
    auto limit = [&](arith::CmpIPredicate predicate, int64_t bound) {
      Value is = arith::CmpIOp::create(
          b, loc, predicate, argument,
          arith::ConstantOp::create(
              b, loc, b.getIntegerAttr(argument.getType(), bound)));
      tile::AssumeOp::create(b, loc, is);
    };
    limit(arith::CmpIPredicate::sge, 0);
    limit(arith::CmpIPredicate::slt, step.end);
  }
}

Expr tz::simt::areNear(ArrayRef<ShortSteps> steps) {
  Expr all;
  for (const ShortSteps &step : steps) {
    const unsigned number = step.argument.getArgNumber();
    all.arg(number).constant(0).op(TZ_X_GE);
    all.arg(number).constant(step.end).op(TZ_X_LT).op(TZ_X_AND);
    if (&step != steps.begin()) {
      all.op(TZ_X_AND);
    }
  }
  return all;
}
