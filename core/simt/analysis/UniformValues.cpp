//===- UniformValues.cpp - what is equal in all lanes of a warp -----------===//
//
// What   See UniformValues.h. Starts with everything equal and takes back what
//        is not, until nothing changes: what a loop carries is equal as long as
//        what it begins with and what each iteration makes of it are.
// Why    See UniformValues.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/UniformValues.h"

#include "core/simt/analysis/Anchors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

using Equal = UniformValues::Equal;

/// Along a dimension of one element all are equal.
Equal filled(Type type, int64_t equal) {
  Equal all;
  for (int64_t extent : tile::shapeOf(type)) {
    all.push_back(extent == 1 ? UniformValues::AllEqual : equal);
  }
  return all;
}

Equal without(Equal equal, unsigned dim) {
  equal.erase(equal.begin() + dim);
  return equal;
}

/// Inserting and removing dimensions of extent 1; what is regrouped otherwise
/// is equal only if all of it is.
Equal reshaped(const Equal &before, Type from, Type to) {
  auto isWide = [](int64_t extent) { return extent != 1; };
  if (!llvm::equal(llvm::make_filter_range(tile::shapeOf(from), isWide),
                   llvm::make_filter_range(tile::shapeOf(to), isWide))) {
    return filled(
        to, llvm::all_equal(before) &&
                    (before.empty() || before[0] == UniformValues::AllEqual)
                ? UniformValues::AllEqual
                : 1);
  }
  Equal after = filled(to, 1);
  unsigned dim = 0;
  for (auto [i, extent] : llvm::enumerate(tile::shapeOf(to))) {
    if (extent != 1) {
      while (tile::shapeOf(from)[dim] == 1) {
        ++dim;
      }
      after[i] = before[dim++];
    }
  }
  return after;
}

} // namespace

UniformValues::UniformValues(tile::KernelOp kernel, const Contiguity &runs)
    : runs(runs) {
  do {
    hasChanged = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  } while (hasChanged);
}

Equal UniformValues::equalAlong(Value tile) const {
  if (auto found = known.find(tile); found != known.end()) {
    return found->second;
  }
  return filled(tile.getType(), AllEqual); // not reached yet
}

void UniformValues::set(Value value, const Equal &equal) {
  if (!isTile(value)) {
    return;
  }
  auto [at, isNew] = known.try_emplace(value, equal);
  if (isNew) {
    hasChanged = true;
    return;
  }
  for (auto [old, now] : llvm::zip_equal(at->second, equal)) {
    if (now < old) {
      old = now;
      hasChanged = true;
    }
  }
}

/// What all of them have; scalars are the same everywhere.
Equal UniformValues::common(ValueRange tiles, Type type) const {
  Equal all = filled(type, AllEqual);
  for (Value one : tiles) {
    if (one && isTile(one)) {
      for (auto [equal, own] : llvm::zip_equal(all, equalAlong(one))) {
        equal = std::min(equal, own);
      }
    }
  }
  return all;
}

Equal UniformValues::evaluate(Operation *op, Type type) const {
  const Equal nothing = filled(type, 1);
  if (isElementwise(op)) {
    return common(op->getOperands(), type);
  }
  return llvm::TypeSwitch<Operation *, Equal>(op)
      .Case<arith::ConstantOp>([&](auto constant) {
        return isa<SplatElementsAttr>(constant.getValue())
                   ? filled(type, AllEqual)
                   : nothing;
      })
      .Case<tile::SplatOp>([&](auto) { return filled(type, AllEqual); })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        return equalAlong(broadcast.getSource()); // along 1 element: all
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        return reshaped(equalAlong(reshape.getSource()),
                        reshape.getSource().getType(), type);
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        const Equal source = equalAlong(transpose.getSource());
        Equal result;
        for (int64_t dim : transpose.getOrder()) {
          result.push_back(source[dim]);
        }
        return result;
      })
      .Case<ConvertOp>(
          [&](auto convert) { return equalAlong(convert.getSource()); })
      .Case<tile::SplitOp>([&](auto split) {
        const Equal source = equalAlong(split.getSource());
        return without(source, unsigned(source.size()) - 1);
      })
      .Case<tile::LoadOp>([&](auto load) {
        return load.getIsVolatile() ? nothing
                                    : common({load.getPointer(), load.getMask(),
                                              load.getOther()},
                                             type);
      })
      .Case<tile::ReduceOp>([&](auto reduce) {
        Equal all = filled(type, AllEqual);
        for (Value source : reduce.getSources()) {
          for (auto [equal, own] : llvm::zip_equal(
                   all, without(equalAlong(source), reduce.getAxis()))) {
            equal = std::min(equal, own);
          }
        }
        return all;
      })
      .Case<tile::ScanOp>([&](auto scan) {
        Equal all = common(scan.getSources(), type);
        all[scan.getAxis()] = filled(type, 1)[scan.getAxis()];
        return all;
      })
      .Default([&](Operation *) { return nothing; });
}

void UniformValues::visit(Operation *op) {
  auto follow = [&](ValueRange values, ValueRange from) {
    for (auto [value, other] : llvm::zip_equal(values, from)) {
      if (isTile(value)) {
        set(value, equalAlong(other));
      }
    }
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    follow(loop.getRegionIterArgs(), loop.getInitArgs());
    follow(loop.getRegionIterArgs(), loop.getYieldedValues());
    follow(loop.getResults(), loop.getRegionIterArgs());
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    follow(loop.getBeforeArguments(), loop.getInits());
    follow(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
    follow(loop.getAfterArguments(), loop.getConditionOp().getArgs());
    follow(loop.getResults(), loop.getConditionOp().getArgs());
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() != 0) { // which side is taken is one for all
      follow(branch.getResults(), branch.thenYield().getOperands());
      follow(branch.getResults(), branch.elseYield().getOperands());
    }
    return;
  }
  for (Value result : op->getResults()) {
    if (!isTile(result)) {
      continue;
    }
    Equal equal = evaluate(op, result.getType());
    if (isa<IntegerType, tile::PtrType>(tile::elementType(result.getType()))) {
      for (auto [own, run] : llvm::zip_equal(equal, runs.of(result))) {
        own = std::max(own, run.constancy);
      }
    }
    set(result, equal);
  }
}

static bool isUniformIn(const Layout &layout, const Equal &equal) {
  // Flipping the bits of a coordinate below 2^k stays within its 2^k.
  return llvm::all_of(layout.bases(Axis::Lane), [&](const Coordinates &basis) {
    return llvm::all_of(llvm::zip_equal(basis, equal), [](auto one) {
      return std::get<0>(one) < std::get<1>(one);
    });
  });
}

bool UniformValues::isUniform(Value value) const {
  if (!isTile(value)) {
    return isa<IntegerType, FloatType, tile::PtrType>(value.getType());
  }
  return hasLayout(value.getType()) &&
         isUniformIn(layoutOf(value.getType()), equalAlong(value));
}

bool UniformValues::isUniformLoad(tile::LoadOp load) const {
  if (load.getIsVolatile()) {
    return false;
  }
  Value pointer = load.getPointer();
  return !isTile(pointer) ||
         (hasLayout(pointer.getType()) &&
          isUniformIn(layoutOf(pointer.getType()),
                      common({pointer, load.getMask()}, pointer.getType())));
}
