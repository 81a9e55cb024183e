//===- ElementFunctions.cpp - functions of elements -----------------------===//
//
// What   where, minimum, fma, abs, mathematical functions ...
// Why    Each has its own rule of what it computes in.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

using namespace mlir;

namespace tz::frontend {

OptionalTile OpEmitter::where(const Operand &condition, const Operand &x,
                              const Operand &y, SourceLoc loc) {
  TileType boolean;
  boolean.elem = DType::I1;
  OptionalTile choice = cast(condition, boolean, "", false, loc);
  if (!choice) {
    return std::nullopt;
  }
  std::optional<std::pair<TileValue, TileValue>> pair;
  const TileValue *left = pointerOf(x), *right = pointerOf(y);
  if (left && right && left->type.scalar() == right->type.scalar()) {
    pair = std::make_pair(*left, *right);
  } else {
    pair = promote(x, y, false, loc);
  }
  if (!pair) {
    return std::nullopt;
  }
  std::optional<Shape> shape =
      broadcastShape(pair->first.type.shape, pair->second.type.shape, loc);
  shape = shape ? broadcastShape(choice->type.shape, *shape, loc) : shape;
  if (!shape) {
    return std::nullopt;
  }
  TileValue a = stretch(pair->first, *shape), c = stretch(pair->second, *shape);
  Value select = arith::SelectOp::create(b, at, stretch(*choice, *shape).value,
                                         a.value, c.value);
  return TileValue{select, a.type};
}

/// These convert literals first and compute bf16 in fp32.
static TileValue withoutBF16(TileValue x, const auto &convert) {
  return x.type.elem == DType::BF16 && !x.type.isPtr ? convert(x, DType::F32)
                                                     : x;
}

OptionalTile OpEmitter::extremum(bool isMax, const Operand &lhs,
                                 const Operand &rhs, bool propagateNan,
                                 SourceLoc loc) {
  auto toF32 = [&](const TileValue &v, DType t) { return convert(v, t); };
  auto pair = unify(withoutBF16(*materialise(lhs, loc), toF32),
                    withoutBF16(*materialise(rhs, loc), toF32), false, loc);
  if (!pair) {
    return std::nullopt;
  }
  auto [x, y] = *pair;
  if (isFloat8(x.type.elem)) {
    OptionalTile wide = extremum(isMax, convert(x, DType::F32),
                                 convert(y, DType::F32), propagateNan, loc);
    return convert(*wide, x.type.elem);
  }
  Type type = x.value.getType();
  if (isFloat(x.type.elem)) {
    Value result;
    if (isMax) {
      auto op = tile::MaxFOp::create(b, at, type, x.value, y.value);
      op.setPropagateNan(propagateNan);
      result = op;
    } else {
      auto op = tile::MinFOp::create(b, at, type, x.value, y.value);
      op.setPropagateNan(propagateNan);
      result = op;
    }
    return TileValue{result, x.type};
  }
  bool sign = isSigned(x.type.elem);
  return isMax ? (sign ? emitBinary<tile::MaxSIOp>(x, y)
                       : emitBinary<tile::MaxUIOp>(x, y))
               : (sign ? emitBinary<tile::MinSIOp>(x, y)
                       : emitBinary<tile::MinUIOp>(x, y));
}

OptionalTile OpEmitter::clamp(const Operand &x, const Operand &low,
                              const Operand &high, bool propagateNan,
                              SourceLoc loc) {
  OptionalTile value = materialise(x, loc);
  if (value->type.isPtr || !isFloat(value->type.elem)) {
    return error(loc, "tl.clamp needs floats, found " + value->type.str());
  }
  OptionalTile above = extremum(true, *value, low, propagateNan, loc);
  return above ? extremum(false, *above, high, propagateNan, loc) : above;
}

OptionalTile OpEmitter::fma(const Operand &x, const Operand &y,
                            const Operand &z, SourceLoc loc) {
  auto xy = unify(*materialise(x, loc), *materialise(y, loc), false, loc);
  auto xz =
      xy ? unify(xy->first, *materialise(z, loc), false, loc) : std::nullopt;
  auto yz = xz ? unify(xy->second, xz->second, false, loc) : std::nullopt;
  if (!yz) {
    return std::nullopt;
  }
  TileValue a = stretch(xz->first, yz->first.type.shape);
  if (!isFloat(a.type.elem)) {
    return error(loc, "tl.fma needs floats, found " + a.type.str());
  }
  if (isFloat8(a.type.elem)) {
    OptionalTile wide =
        fma(convert(a, DType::F32), convert(yz->first, DType::F32),
            convert(yz->second, DType::F32), loc);
    return convert(*wide, a.type.elem);
  }
  return TileValue{tile::FmaOp::create(b, at, a.value.getType(), a.value,
                                       yz->first.value, yz->second.value)
                       .getResult(),
                   a.type};
}

OptionalTile OpEmitter::umulhi(const Operand &lhs, const Operand &rhs,
                               SourceLoc loc) {
  auto pair = unify(lhs, rhs, false, loc);
  if (!pair) {
    return std::nullopt;
  }
  DType type = pair->first.type.elem;
  if (!isInteger(type) || bitWidth(type) < 32) {
    return error(loc, "tl.umulhi needs integers of 32 or 64 bits, found " +
                          pair->first.type.str());
  }
  return emitBinary<tile::MulHiUIOp>(pair->first, pair->second);
}

OptionalTile OpEmitter::fdiv(const Operand &lhs, const Operand &rhs, bool rn,
                             SourceLoc loc) {
  auto pair = unify(*materialise(lhs, loc), *materialise(rhs, loc), true, loc);
  if (!pair) {
    return std::nullopt;
  }
  auto [x, y] = *pair;
  if (!isFloat(x.type.elem)) {
    return error(loc, "division of floats on " + x.type.str() +
                          "; it needs a float operand");
  }
  return TileValue{
      tile::DivFOp::create(b, at, x.value.getType(), x.value, y.value,
                           rn ? tile::DivMode::rn : tile::DivMode::approx)
          .getResult(),
      x.type};
}

OptionalTile OpEmitter::math(tile::MathFn fn, const Operand &operand,
                             StringRef name, SourceLoc loc) {
  OptionalTile x = materialise(operand, loc);
  if (x->type.isPtr || x->type.isView() ||
      (x->type.elem != DType::F32 && x->type.elem != DType::F64)) {
    return error(loc, name + " needs fp32 or fp64, found " + x->type.str() +
                          "; convert with .to(tl.float32)");
  }
  return TileValue{
      tile::MathOp::create(b, at, x->value.getType(), fn, x->value).getResult(),
      x->type};
}

OptionalTile OpEmitter::pow(const Operand &lhs, const Operand &rhs,
                            SourceLoc loc) {
  auto pair = unify(*materialise(lhs, loc), *materialise(rhs, loc), false, loc);
  if (!pair) {
    return std::nullopt;
  }
  DType type = pair->first.type.elem;
  if (type != DType::F32 && type != DType::F64) {
    return error(loc,
                 "pow needs fp32 or fp64, found " + pair->first.type.str());
  }
  return emitBinary<tile::PowOp>(pair->first, pair->second);
}

OptionalTile OpEmitter::abs(const Operand &operand, SourceLoc loc) {
  OptionalTile x = materialise(operand, loc);
  if (x->type.isPtr || x->type.isView()) {
    return error(loc, "tl.abs needs numbers, found " + x->type.str());
  }
  Type type = x->value.getType();
  if (x->type.elem == DType::F8E5M2) {
    // Its infinity would not survive the way through fp32: narrowing saturates.
    TileType byte = x->type.withElem(DType::I8);
    OptionalTile bits = cast(*x, byte, "", true, loc);
    bits = binary(BinaryFn::And, *bits, Literal(int64_t{0x7F}), loc);
    return cast(*bits, x->type, "", true, loc);
  }
  if (isFloat8(x->type.elem)) {
    OptionalTile wide = abs(convert(*x, DType::F32), loc);
    return convert(*wide, x->type.elem);
  }
  if (isFloat(x->type.elem)) {
    return TileValue{
        tile::MathOp::create(b, at, type, tile::MathFn::abs, x->value)
            .getResult(),
        x->type};
  }
  if (!isSigned(x->type.elem)) {
    return x;
  }
  return TileValue{tile::AbsIOp::create(b, at, type, x->value).getResult(),
                   x->type};
}

OptionalTile OpEmitter::leadingZeros(const Operand &operand, SourceLoc loc) {
  OptionalTile x = materialise(operand, loc);
  if (!x) {
    return std::nullopt;
  }
  if (x->type.isPtr || x->type.isView() || !isInteger(x->type.elem)) {
    return error(loc, "libdevice.clz needs integers, found " + x->type.str());
  }
  const bool isWide = bitWidth(x->type.elem) == 64;
  TileValue bits = convert(*x, isWide ? DType::U64 : DType::U32);
  Type type = bits.value.getType();
  TileValue zeros{tile::ClzOp::create(b, at, type, bits.value).getResult(),
                  bits.type};
  return convert(zeros, DType::I32);
}

} // namespace tz::frontend
