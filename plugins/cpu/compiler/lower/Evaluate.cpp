//===- Evaluate.cpp - Elements of a fused value ---------------------------===//
//
// What   Nest::eval: the LLVM value of a tile's element, or of some neighbours,
//        at an index; each value once for each index and loop level.
// Why    See Nest.h. The recursion is bounded: Plan cuts long chains.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

Index withoutDimension(const Index &index, Value *zero, int dim) {
  Index result = index;
  result.at[static_cast<size_t>(dim)] = zero;
  if (result.dim == dim) {
    result.dim = -1;
    result.lanes = 0;
  }
  return result;
}

/// Index in the source of a reshape that moves dimensions of size one only.
Index throughUnitReshape(const Index &index, ArrayRef<int64_t> to,
                         ArrayRef<int64_t> from, Value *zero) {
  Index result;
  result.at.assign(from.size(), zero);
  size_t t = 0;
  for (size_t f = 0; f < from.size(); ++f) {
    if (from[f] == 1) {
      continue;
    }
    while (to[t] == 1) {
      ++t;
    }
    result.at[f] = index.at[t];
    if (index.dim == static_cast<int>(t)) {
      result.dim = static_cast<int>(f);
      result.lanes = index.lanes;
    }
    ++t;
  }
  return result;
}

} // namespace

Value *Nest::eval(mlir::Value value, const Index &index) {
  auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type) {
    Value *scalar = l.scalar(value);
    return index.lanes
               ? emitAt({}, [&] { return l.splat(scalar, index.lanes); })
               : scalar;
  }
  Key key{value.getAsOpaquePointer(),
          reinterpret_cast<const void *>(
              static_cast<intptr_t>(index.dim * 65536 + int(index.lanes)))};
  key.insert(key.end(), index.at.begin(), index.at.end());
  unsigned level = levelOf(index);
  auto found = levels[level].values.find(key);
  if (found != levels[level].values.end()) {
    return found->second;
  }
  Located line(b, l.debug, value.getLoc());
  Value *result = evalNew(value, index);
  auto kept = side.find(value);
  if (kept != side.end()) {
    if (index.lanes == 0 && iteration > 1) {
      // An address wants the first lane alone; the arena wants them all.
      Index all = index;
      all.dim = dim;
      all.lanes = iteration;
      eval(value, all);
    } else if (index.lanes == 0 || index.dim == dim) {
      storeTo(kept->second, index, result);
    }
  }
  levels[level].values[key] = result;
  return result;
}

Value *Nest::evalNew(mlir::Value value, const Index &index) {
  if (const Buffer *buffer = l.bufferOf(value)) {
    if (auto load = value.getDefiningOp<tile::LoadViewOp>()) {
      fetchAhead(load, index);
    }
    return loadFrom(*buffer, index);
  }
  if (auto copy = copies.find(value); copied && copy != copies.end()) {
    return loadFrom(copy->second, index);
  }
  auto type = cast<mlir::RankedTensorType>(value.getType());
  auto spread = [&](Value *scalar) {
    return index.lanes
               ? emitAt({scalar}, [&] { return l.splat(scalar, index.lanes); })
               : scalar;
  };
  if (const Induction *induction = l.inductionOf(value)) {
    Value *start = eval(induction->start, index);
    return emitAt({start}, [&]() -> Value * {
      if (auto ptr = dyn_cast<tile::PtrType>(type.getElementType())) {
        return b.CreateGEP(l.memoryType(ptr.getPointee()), start,
                           l.splat(induction->sum, index.lanes));
      }
      return b.CreateAdd(start, l.splat(induction->sum, index.lanes));
    });
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op) {
    throw Unsupported(value.getLoc(), "a tile argument without storage");
  }
  Value *zero = b.getInt64(0);
  return TypeSwitch<mlir::Operation *, Value *>(op)
      .Case<tile::SplatOp>(
          [&](tile::SplatOp o) { return spread(l.scalar(o.getSource())); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp o) -> Value * {
        auto dense = cast<mlir::SplatElementsAttr>(o.getValue());
        return spread(l.constant(
            cast<mlir::TypedAttr>(dense.getSplatValue<mlir::Attribute>())));
      })
      .Case<tile::RangeOp>([&](tile::RangeOp o) {
        Value *at = index.at[0];
        return emitAt({at}, [&]() -> Value * {
          Value *first = b.CreateAdd(b.CreateTrunc(at, b.getInt32Ty()),
                                     b.getInt32(o.getStart()));
          if (!index.lanes) {
            return first;
          }
          SmallVector<uint32_t> steps(index.lanes);
          std::iota(steps.begin(), steps.end(), 0u);
          return b.CreateAdd(l.splat(first, index.lanes),
                             ConstantDataVector::get(l.context, steps));
        });
      })
      .Case<tile::BroadcastOp>([&](tile::BroadcastOp o) {
        Index source = index;
        auto from = tile::shapeOf(o.getSource().getType());
        for (size_t d = 0; d < from.size(); ++d) {
          if (from[d] == 1) {
            source = withoutDimension(source, zero, static_cast<int>(d));
          }
        }
        Value *element = eval(o.getSource(), source);
        if (!source.lanes && isAlongCounter(index) &&
            type.getElementType().isInteger(1)) {
          if (Value *answer = answerOfPart(element, index)) {
            return answer;
          }
        }
        return source.lanes ? element : spread(element);
      })
      .Case<tile::ReshapeOp>([&](tile::ReshapeOp o) {
        Index source =
            throughUnitReshape(index, type.getShape(),
                               tile::shapeOf(o.getSource().getType()), zero);
        Value *element = eval(o.getSource(), source);
        return source.lanes ? element : spread(element);
      })
      .Case<tile::TransposeOp>([&](tile::TransposeOp o) {
        Index source = index;
        for (auto [to, from] : llvm::enumerate(o.getOrder())) {
          source.at[static_cast<size_t>(from)] = index.at[to];
          if (index.dim == static_cast<int>(to)) {
            source.dim = static_cast<int>(from);
          }
        }
        return eval(o.getSource(), source);
      })
      .Case<tile::SplitOp>([&](tile::SplitOp o) {
        Index source = index;
        source.at.push_back(b.getInt64(value == o.getRhs()));
        return eval(o.getSource(), source);
      })
      .Case<tile::GatherOp>([&](auto o) { return evalGather(o, index); })
      .Case<tile::LoadOp>([&](auto o) { return evalLoad(o, index); })
      .Case<tile::LoadViewOp>([&](auto o) { return evalLoadView(o, index); })
      .Default([&](mlir::Operation *o) {
        if (auto compare = dyn_cast<arith::CmpIOp>(o);
            compare && isAlongCounter(index)) {
          if (Value *answer = answerOfPart(compare, index)) {
            return answer;
          }
        }
        if (isDivision(o)) {
          if (Value *inRun = evalInRun(o, index)) {
            return inRun;
          }
          noteDivision(o, index);
        }
        SmallVector<Value *, 3> operands;
        for (mlir::Value operand : o->getOperands()) {
          operands.push_back(eval(operand, index));
        }
        if (isa<tile::HintOp>(o)) {
          return operands[0];
        }
        // At the level of the index: operands can be of outer ones.
        SmallVector<Value *, 6> uses(operands.begin(), operands.end());
        return emitAt(uses, [&] { return l.elementwise(o, operands); });
      });
}

Value *Nest::element(const Buffer &buffer, const Index &index,
                     int64_t &laneStride) {
  const SmallVector<int64_t, 4> strides = buffer.strides();
  laneStride = index.dim < 0 ? 0 : strides[static_cast<size_t>(index.dim)];
  Type *type = l.memoryType(buffer.element);
  Value *address = emitAt({}, [&] { return l.address(buffer); });
  // Terms of outer loops first, so that they stay outside.
  SmallVector<size_t, 4> order(buffer.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  llvm::sort(order, [&](size_t x, size_t y) {
    return std::pair(levelOf(index.at[x]), x) <
           std::pair(levelOf(index.at[y]), y);
  });
  for (size_t d : order) {
    Value *at = index.at[d];
    if (auto *known = dyn_cast<ConstantInt>(at); known && known->isZero()) {
      continue;
    }
    address = emitAt({address, at}, [&] {
      Value *offset = b.CreateMul(
          at, b.getInt64(static_cast<uint64_t>(strides[d])), "", true, true);
      return b.CreateInBoundsGEP(type, address, offset);
    });
  }
  return address;
}

namespace {

/// base + lane * stride elements.
Value *lanePointers(IRBuilderBase &b, Type *element, Value *base,
                    int64_t stride, unsigned lanes) {
  SmallVector<uint64_t> offsets(lanes);
  for (unsigned i = 0; i < lanes; ++i) {
    offsets[i] = static_cast<uint64_t>(stride * i);
  }
  return b.CreateGEP(element, base,
                     ConstantDataVector::get(b.getContext(), offsets));
}

} // namespace

Value *Nest::loadFrom(const Buffer &buffer, const Index &index) {
  int64_t stride = 0;
  Value *address = element(buffer, index, stride);
  // Every second element is picked out of twice as many.
  const unsigned width =
      2 * index.lanes * 8 *
      static_cast<unsigned>(tile::storageBytes(buffer.element));
  if (stride == 2 ? width > 4 * l.machine.vectorBits
                  : stride > 2 && tooWideToScatter(index)) {
    return inHalves(index,
                    [&](const Index &part) { return loadFrom(buffer, part); });
  }
  Type *memory = l.memoryType(buffer.element);
  Align align(tile::storageBytes(buffer.element));
  return emitAt({address}, [&]() -> Value * {
    Value *value;
    if (!index.lanes) {
      value = b.CreateAlignedLoad(memory, address, align);
    } else if (stride == 1) {
      value = b.CreateAlignedLoad(FixedVectorType::get(memory, index.lanes),
                                  address, align);
    } else if (stride == 2) {
      auto *wide = FixedVectorType::get(memory, 2 * index.lanes - 1);
      SmallVector<int> even(index.lanes);
      for (unsigned i = 0; i < index.lanes; ++i) {
        even[i] = static_cast<int>(2 * i);
      }
      value = b.CreateShuffleVector(b.CreateAlignedLoad(wide, address, align),
                                    even);
    } else {
      value = b.CreateMaskedGather(
          FixedVectorType::get(memory, index.lanes),
          lanePointers(b, memory, address, stride, index.lanes), align);
    }
    return l.fromMemory(value, buffer.element);
  });
}

void Nest::storeTo(const Buffer &buffer, const Index &index, Value *value) {
  int64_t stride = 0;
  Value *address = element(buffer, index, stride);
  if (stride > 1 && tooWideToScatter(index)) {
    storeInParts(value, index, false, [&](Value *part, const Index &at) {
      storeTo(buffer, at, part);
    });
    return;
  }
  Type *memory = l.memoryType(buffer.element);
  Align align(tile::storageBytes(buffer.element));
  value = l.toMemory(value, buffer.element);
  if (!index.lanes || stride == 1) {
    b.CreateAlignedStore(value, address, align);
  } else {
    b.CreateMaskedScatter(
        value, lanePointers(b, memory, address, stride, index.lanes), align);
  }
}

/// The bits that `indices` flip in the position along `axis`, if that is what
/// they are: the exchanges of a sorting network. Nothing for other indices.
static std::optional<uint64_t> flipsOf(mlir::Value indices, size_t axis) {
  auto lengthOf = [](mlir::Value value, size_t d) {
    return tile::shapeOf(value.getType())[d];
  };
  if (auto range = indices.getDefiningOp<tile::RangeOp>()) {
    return range.getStart() == 0 ? std::optional<uint64_t>(0) : std::nullopt;
  }
  if (auto spread = indices.getDefiningOp<tile::BroadcastOp>()) {
    mlir::Value source = spread.getSource();
    return lengthOf(source, axis) == lengthOf(indices, axis)
               ? flipsOf(source, axis)
               : std::nullopt;
  }
  if (auto reshape = indices.getDefiningOp<tile::ReshapeOp>()) {
    // A row along the axis.
    mlir::Value source = reshape.getSource();
    return tile::shapeOf(source.getType()).size() == 1 &&
                   lengthOf(source, 0) == lengthOf(indices, axis)
               ? flipsOf(source, 0)
               : std::nullopt;
  }
  if (auto flip = indices.getDefiningOp<mlir::arith::XOrIOp>()) {
    for (bool swapped : {false, true}) {
      mlir::Value of = flip->getOperand(swapped ? 1 : 0),
                  by = flip->getOperand(swapped ? 0 : 1);
      auto constant = by.getDefiningOp<arith::ConstantOp>();
      auto bits = dyn_cast_or_null<mlir::SplatElementsAttr>(
          constant ? mlir::Attribute(constant.getValue()) : mlir::Attribute());
      if (std::optional<uint64_t> before =
              bits ? flipsOf(of, axis) : std::nullopt) {
        return *before ^ bits.getSplatValue<APInt>().getZExtValue();
      }
    }
  }
  return std::nullopt;
}

Value *Nest::evalExchange(const Buffer &source, size_t axis, uint64_t flips,
                          const Index &index) {
  const bool along = index.lanes && index.dim == static_cast<int>(axis);
  // Vectors begin at multiples of their length, a power of two: some bits
  // choose another vector, the others exchange its lanes.
  const uint64_t within = along ? flips & (index.lanes - 1) : 0;
  Index from = index;
  if (flips != within) {
    Value *&at = from.at[axis];
    at = emitAt({at}, [&] { return b.CreateXor(at, flips ^ within); });
  }
  Value *value = loadFrom(source, from);
  if (!within) {
    return value;
  }
  return emitAt({value}, [&] {
    SmallVector<int> lanes(index.lanes);
    for (unsigned i = 0; i < index.lanes; ++i) {
      lanes[i] = static_cast<int>(i ^ within);
    }
    return b.CreateShuffleVector(value, lanes);
  });
}

Value *Nest::evalGather(tile::GatherOp op, const Index &index) {
  const Buffer *source = l.bufferOf(op.getSource());
  if (!source) {
    throw Unsupported(op.getLoc(), "gather from a tile without storage");
  }
  const size_t axis = static_cast<size_t>(op.getAxis());
  const auto length = static_cast<uint64_t>(source->shape[axis]);
  if (std::optional<uint64_t> flips = flipsOf(op.getIndices(), axis);
      flips && *flips < length && isPowerOf2_64(length) &&
      static_cast<uint64_t>(
          op.getType().getDimSize(static_cast<unsigned>(axis))) <= length &&
      std::max(index.lanes, 1u) <= length) {
    return evalExchange(*source, axis, *flips, index);
  }
  if (tooWideToScatter(index)) {
    return inHalves(index,
                    [&](const Index &part) { return evalGather(op, part); });
  }
  Value *pick = eval(op.getIndices(), index);
  Index base = index;
  base.at[axis] = b.getInt64(0);
  int64_t laneStride = 0;
  Value *address = element(*source, base, laneStride);
  const int64_t axisStride = source->strides()[axis];
  Type *memory = l.memoryType(source->element);
  Align align(tile::storageBytes(source->element));
  return emitAt({address, pick}, [&]() -> Value * {
    auto *wide =
        FixedVectorType::get(b.getInt64Ty(), std::max(index.lanes, 1u));
    Value *picks = index.lanes ? pick : b.CreateVectorSplat(1, pick);
    picks = b.CreateSExt(picks, wide);
    Value *inside = b.CreateICmpULT(picks, ConstantInt::get(wide, length));
    Value *offset = b.CreateMul(
        picks, ConstantInt::get(wide, static_cast<uint64_t>(axisStride)));
    if (index.lanes && index.dim != static_cast<int>(axis)) {
      SmallVector<uint64_t> steps(index.lanes);
      for (unsigned i = 0; i < index.lanes; ++i) {
        steps[i] = static_cast<uint64_t>(laneStride * i);
      }
      offset = b.CreateAdd(offset, ConstantDataVector::get(l.context, steps));
    }
    auto *type = FixedVectorType::get(memory, std::max(index.lanes, 1u));
    Value *value =
        b.CreateMaskedGather(type, b.CreateGEP(memory, address, offset), align,
                             inside, Constant::getNullValue(type));
    if (!index.lanes) {
      value = b.CreateExtractElement(value, uint64_t{0});
    }
    return l.fromMemory(value, source->element);
  });
}

std::optional<int64_t> Nest::strideOf(const CpuLowering &l, mlir::Value value,
                                      int d, int depth, const Nest *nest) {
  auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || d < 0 || type.getDimSize(d) == 1) {
    return 0;
  }
  if (l.bufferOf(value) || depth > 64) {
    return std::nullopt;
  }
  auto of = [&](mlir::Value v, int dimension) {
    return strideOf(l, v, dimension, depth + 1, nest);
  };
  if (const Induction *induction = l.inductionOf(value)) {
    return of(induction->start, d);
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op) {
    return std::nullopt;
  }
  using Result = std::optional<int64_t>;
  return TypeSwitch<mlir::Operation *, Result>(op)
      .Case<tile::SplatOp>([](auto) -> Result { return 0; })
      .Case<arith::ConstantOp>([](arith::ConstantOp o) -> Result {
        if (isa<mlir::SplatElementsAttr>(o.getValue())) {
          return 0;
        }
        return std::nullopt;
      })
      .Case<tile::RangeOp>([](auto) -> Result { return 1; })
      .Case<tile::BroadcastOp>(
          [&](tile::BroadcastOp o) { return of(o.getSource(), d); })
      .Case<tile::ReshapeOp>([&](tile::ReshapeOp o) -> Result {
        if (!isUnitReshape(o)) {
          return std::nullopt;
        }
        Index index;
        index.at.assign(type.getShape().size(), nullptr);
        index.dim = d;
        return of(o.getSource(),
                  throughUnitReshape(index, type.getShape(),
                                     tile::shapeOf(o.getSource().getType()),
                                     nullptr)
                      .dim);
      })
      .Case<tile::TransposeOp>([&](tile::TransposeOp o) {
        return of(o.getSource(),
                  static_cast<int>(o.getOrder()[static_cast<size_t>(d)]));
      })
      .Case<tile::HintOp>([&](tile::HintOp o) { return of(o.getSource(), d); })
      // P26: the arithmetic of addresses does not overflow.
      .Case<arith::ExtSIOp, arith::ExtUIOp>(
          [&](auto o) { return of(o.getIn(), d); })
      .Case<arith::AddIOp, tile::AddPtrOp>([&](mlir::Operation *o) -> Result {
        Result x = of(o->getOperand(0), d), y = of(o->getOperand(1), d);
        return x && y ? Result(*x + *y) : std::nullopt;
      })
      .Case<arith::SubIOp>([&](arith::SubIOp o) -> Result {
        Result x = of(o.getLhs(), d), y = of(o.getRhs(), d);
        return x && y ? Result(*x - *y) : std::nullopt;
      })
      .Case<arith::MulIOp>([&](arith::MulIOp o) -> Result {
        Result x = of(o.getLhs(), d), y = of(o.getRhs(), d);
        if (!x || !y) {
          return std::nullopt;
        }
        if (*x == 0 && *y == 0) {
          return 0;
        }
        mlir::Value factor = *x == 0 ? o.getLhs() : o.getRhs();
        if (*x != 0 && *y != 0) {
          return std::nullopt;
        }
        while (auto up = factor.getDefiningOp<tile::SplatOp>()) {
          factor = up.getSource();
        }
        mlir::Attribute known;
        if (auto c = factor.getDefiningOp<arith::ConstantOp>()) {
          known = c.getValue();
          if (auto dense = dyn_cast<mlir::SplatElementsAttr>(known)) {
            known = dense.getSplatValue<mlir::Attribute>();
          }
        }
        if (auto number = dyn_cast_or_null<mlir::IntegerAttr>(known)) {
          return (*x + *y) * number.getInt();
        }
        return std::nullopt;
      })
      .Default([&](mlir::Operation *o) -> Result {
        if (nest && isDivision(o) && nest->runOf(o)) {
          return isa<tile::DivSIOp, tile::DivUIOp>(o) ? 0 : 1;
        }
        if (!isElementwise(o)) {
          return std::nullopt;
        }
        for (mlir::Value operand : o->getOperands()) {
          Result s = of(operand, d);
          if (!s || *s != 0) {
            return std::nullopt;
          }
        }
        return 0;
      });
}

} // namespace tz::cpu
