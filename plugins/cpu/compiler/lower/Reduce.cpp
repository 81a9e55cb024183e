//===- Reduce.cpp - Reductions, scans, maps -------------------------------===//
//
// What   tile.reduce and tile.scan as nests with accumulators in registers;
//        tile.map, whose region also works on vectors unless it has loops.
// Why    The combining region works on vectors as well as on scalars, so any
//        reduction runs at vector width: along the inner dimension into lanes
//        that are combined at the end, along the others lane by lane.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/lower/MergeReductions.h"
#include "plugins/cpu/compiler/lower/Nest.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include <numeric>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

using Values = SmallVector<Value *>;

/// The value that changes nothing where it is combined with another one; null:
/// none is known.
Constant *identityOf(mlir::Operation *op, Type *type) {
  if (!op) {
    return nullptr;
  }
  auto integer = [&](APInt value) { return ConstantInt::get(type, value); };
  const bool number = type->isIntegerTy();
  const unsigned bits = number ? type->getIntegerBitWidth() : 0;
  if (isa<arith::AddFOp>(op) && type->isFloatingPointTy()) {
    return ConstantFP::getNegativeZero(type);
  }
  if (!number) {
    return nullptr;
  }
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, tile::MaxUIOp>(op)) {
    return integer(APInt::getZero(bits));
  }
  if (isa<arith::AndIOp, tile::MinUIOp>(op)) {
    return integer(APInt::getAllOnes(bits));
  }
  if (isa<tile::MaxSIOp>(op)) {
    return integer(APInt::getSignedMinValue(bits));
  }
  if (isa<tile::MinSIOp>(op)) {
    return integer(APInt::getSignedMaxValue(bits));
  }
  return nullptr;
}

Value *lanesOf(IRBuilderBase &b, Value *vector, unsigned from, unsigned count) {
  if (count == 1) {
    return b.CreateExtractElement(vector, uint64_t{from});
  }
  SmallVector<int> picks(count);
  std::iota(picks.begin(), picks.end(), static_cast<int>(from));
  return b.CreateShuffleVector(vector, picks);
}

/// Loops over all dimensions but `axis`; `line` does that one.
void forEachLine(Nest &nest, ArrayRef<int64_t> shape, size_t axis,
                 function_ref<void(const Index &)> line) {
  auto outer = [&](auto &self, const Index &from, unsigned d) -> void {
    if (d == shape.size()) {
      line(from);
      return;
    }
    Index index = from;
    if (d == axis) {
      self(self, index, d + 1);
      return;
    }
    nest.whole(index, d, [&](const Index &inner) { self(self, inner, d + 1); });
  };
  nest.versions([&] { outer(outer, nest.origin(), 0); });
}

} // namespace

void CpuLowering::reduceOp(tile::ReduceOp op) {
  SmallVector<mlir::Value> sources(op.getSources());
  const size_t n = sources.size(), axis = op.getAxis();
  SmallVector<int64_t> shape(tile::shapeOf(sources[0].getType()));
  const bool toScalar = shape.size() == 1;
  Nest nest(*this, shape, sources, true, &op.getCombine());
  // Vectors lie along the axis, or along the last dimension that stays.
  const bool along = nest.dim == static_cast<int>(axis);
  SmallVector<Buffer> results;
  for (size_t i = 0; !toScalar && i < n; ++i) {
    results.push_back(allocateFor(op.getResult(i)));
  }
  SmallVector<AllocaInst *> totals;
  auto combine = [&](ArrayRef<Value *> x, ArrayRef<Value *> y, unsigned lanes) {
    Values both(x);
    both.append(y.begin(), y.end());
    return scalarRegion(op.getCombine(), both, lanes);
  };
  auto evaluate = [&](const Index &index) {
    Values values;
    for (mlir::Value source : sources) {
      values.push_back(nest.eval(source, index));
    }
    return values;
  };
  auto slots = [&](unsigned lanes) {
    SmallVector<AllocaInst *> made;
    for (mlir::Value source : sources) {
      Type *element = type(tile::elementType(source.getType()));
      made.push_back(
          slot(lanes ? static_cast<Type *>(FixedVectorType::get(element, lanes))
                     : element));
    }
    return made;
  };
  auto read = [&](ArrayRef<AllocaInst *> from) {
    Values values;
    for (AllocaInst *s : from) {
      values.push_back(b.CreateLoad(s->getAllocatedType(), s));
    }
    return values;
  };
  auto write = [&](ArrayRef<AllocaInst *> to, ArrayRef<Value *> values) {
    for (auto [s, value] : llvm::zip(to, values)) {
      b.CreateStore(value, s);
    }
  };
  /// Combines elements [from, to) of the axis into `to`; returns false if there
  /// were none.
  auto sweep = [&](Index &index, int64_t from, int64_t to, unsigned lanes,
                   unsigned stepLanes, ArrayRef<AllocaInst *> into,
                   bool started) {
    if (from >= to) {
      return started;
    }
    auto dimension = static_cast<unsigned>(axis);
    auto step = [&](const Index &inner) {
      write(into, combine(read(into), evaluate(inner), lanes));
    };
    if (!started) {
      Values identities;
      for (size_t i = 0; i < n; ++i) {
        if (Constant *identity = identityOf(
                combinationOf(op.getCombine(), static_cast<unsigned>(i)),
                type(tile::elementType(sources[i].getType())))) {
          identities.push_back(splat(identity, lanes));
        }
      }
      if (identities.size() == n) {
        write(into, identities);
      } else {
        const int64_t one = std::max<int64_t>(stepLanes, 1);
        nest.loop(index, dimension, from, from + one, stepLanes,
                  [&](const Index &inner) { write(into, evaluate(inner)); });
        from += one;
      }
    }
    nest.loop(index, dimension, from, to, stepLanes, step);
    return true;
  };

  auto finish = [&](const Index &index) {
    Values values = read(totals);
    for (size_t i = 0; i < n; ++i) {
      if (toScalar) {
        continue;
      }
      Index at = index;
      at.at.erase(at.at.begin() + static_cast<ptrdiff_t>(axis));
      if (at.dim > static_cast<int>(axis)) {
        --at.dim;
      }
      nest.storeTo(results[i], at, values[i]);
    }
  };

  // A scalar is read after the nest, whichever of its versions ran.
  if (toScalar) {
    totals = slots(0);
  }
  auto alongAxis = [&](Index index) {
    if (!toScalar) {
      totals = slots(0);
    }
    SmallVector<AllocaInst *> wide = slots(nest.lanes);
    const int64_t extent = shape[axis], lanes = nest.lanes;
    const int64_t main = extent / lanes * lanes;
    sweep(index, 0, main, nest.lanes, nest.lanes, wide, false);
    Values values = read(wide);
    for (unsigned width = nest.lanes / 2; width >= 1; width /= 2) {
      Values low, high;
      for (Value *value : values) {
        low.push_back(lanesOf(b, value, 0, width));
        high.push_back(lanesOf(b, value, width, width));
      }
      values = combine(low, high, width == 1 ? 0 : width);
    }
    write(totals, values);
    sweep(index, main, extent, 0, 0, totals, true);
    finish(index);
  };
  auto acrossAxis = [&](Index index) {
    if (!toScalar) {
      totals = slots(index.lanes);
    }
    sweep(index, 0, shape[axis], index.lanes, 0, totals, false);
    finish(index);
  };
  forEachLine(nest, shape, axis, [&](const Index &from) {
    along ? alongAxis(from) : acrossAxis(from);
  });
  for (size_t i = 0; i < n; ++i) {
    if (toScalar) {
      scalars[op.getResult(i)] =
          b.CreateLoad(totals[i]->getAllocatedType(), totals[i]);
    } else {
      define(op.getResult(i), results[i]);
    }
  }
}

void CpuLowering::scanOp(tile::ScanOp op) {
  SmallVector<mlir::Value> sources(op.getSources());
  const size_t n = sources.size(), axis = op.getAxis();
  SmallVector<int64_t> shape(tile::shapeOf(sources[0].getType()));
  const bool reverse = op.getReverse();
  Nest nest(*this, shape, sources, true, &op.getCombine());
  const bool along = nest.dim == static_cast<int>(axis);
  if (along) { // one by one: each element needs the one before
    nest.dim = -1;
    nest.lanes = 0;
  }
  SmallVector<Buffer> results;
  for (size_t i = 0; i < n; ++i) {
    results.push_back(allocateFor(op.getResult(i)));
  }
  auto line = [&](Index index) {
    SmallVector<AllocaInst *> totals;
    for (mlir::Value source : sources) {
      Type *element = type(tile::elementType(source.getType()));
      totals.push_back(slot(
          index.lanes
              ? static_cast<Type *>(FixedVectorType::get(element, index.lanes))
              : element));
    }
    auto step = [&](bool first) {
      return [&, first](const Index &inner) {
        Index at = inner;
        if (reverse) {
          at.at[axis] =
              b.CreateSub(b.getInt64(static_cast<uint64_t>(shape[axis] - 1)),
                          inner.at[axis]);
          nest.sameLevel(at.at[axis], inner.at[axis]);
        }
        Values both, values;
        for (auto [total, source] : llvm::zip(totals, sources)) {
          values.push_back(nest.eval(source, at));
          if (!first) {
            both.push_back(b.CreateLoad(total->getAllocatedType(), total));
          }
        }
        if (!first) {
          both.append(values.begin(), values.end());
          values = scalarRegion(op.getCombine(), both, index.lanes);
        }
        for (size_t i = 0; i < n; ++i) {
          b.CreateStore(values[i], totals[i]);
          nest.storeTo(results[i], at, values[i]);
        }
      };
    };
    auto dimension = static_cast<unsigned>(axis);
    nest.loop(index, dimension, 0, 1, 0, step(true));
    nest.loop(index, dimension, 1, shape[axis], 0, step(false));
  };
  forEachLine(nest, shape, axis, line);
  for (size_t i = 0; i < n; ++i) {
    define(op.getResult(i), results[i]);
  }
}

void CpuLowering::mapOp(tile::MapOp op) {
  SmallVector<mlir::Value> sources(op.getSources());
  // Branches become selects; loops need scalars and real branches, and there is
  // no vector of 128-bit products.
  bool asVectors = true;
  op.getBody().walk([&](mlir::Operation *inner) {
    bool isWide = isa<tile::MulHiSIOp, tile::MulHiUIOp>(inner) &&
                  inner->getResult(0).getType().isInteger(64);
    asVectors &= (isa<arith::ConstantOp, mlir::scf::IfOp>(inner) ||
                  inner->hasTrait<mlir::OpTrait::IsTerminator>() ||
                  hasElementwise(inner)) &&
                 !isWide;
  });
  SmallVector<Buffer> results;
  for (mlir::Value result : op.getResults()) {
    results.push_back(allocateFor(result));
  }
  mlir::Block &body = op.getBody().front();
  Nest nest(*this, tile::shapeOf(sources[0].getType()), sources, asVectors,
            &op.getBody());
  nest.run([&](const Index &index) {
    Values values;
    for (mlir::Value source : sources) {
      values.push_back(nest.eval(source, index));
    }
    if (asVectors) {
      values = scalarRegion(op.getBody(), values, index.lanes);
    } else {
      for (auto [argument, value] : llvm::zip(body.getArguments(), values)) {
        scalars[argument] = value;
      }
      for (mlir::Operation &inner : body.without_terminator()) {
        emitOp(&inner);
      }
      values.clear();
      for (mlir::Value value : body.getTerminator()->getOperands()) {
        values.push_back(scalar(value));
      }
    }
    for (auto [result, value] : llvm::zip(results, values)) {
      nest.storeTo(result, index, value);
    }
  });
  for (auto [value, result] : llvm::zip(op.getResults(), results)) {
    define(value, result);
  }
}

} // namespace tz::cpu
