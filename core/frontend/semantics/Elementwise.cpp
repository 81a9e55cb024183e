//===- Elementwise.cpp - operators and math on tiles ----------------------===//
//
// What   Promotion of operand types, broadcasting, and every operation that
//        works element by element.
// Why    The promotion rules are the language's most intricate part; they are
//        in commonType and promote and nowhere else (language rules 5 to 9).
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

using namespace mlir;

namespace tz::frontend {

static bool isLiteral(const Operand &operand) {
  return std::holds_alternative<Literal>(operand);
}

/// bool < int < float.
static int kindOf(DType type) {
  return isFloat(type) ? 2 : type == DType::I1 ? 0 : 1;
}

std::optional<DType> OpEmitter::commonType(DType a, bool aWeak, DType b,
                                           bool bWeak, bool divides,
                                           SourceLoc loc) {
  if (aWeak != bWeak) {
    DType weak = aWeak ? a : b, strong = aWeak ? b : a;
    if (kindOf(weak) <= kindOf(strong)) {
      bool narrow = isFloat(strong) && bitWidth(strong) < 32;
      return divides && narrow ? DType::F32 : strong;
    }
  }
  auto either = [&](DType type) { return a == type || b == type; };
  if (either(DType::F64)) {
    return DType::F64;
  }
  if (either(DType::F32)) {
    return DType::F32;
  }
  bool anyFloat = isFloat(a) || isFloat(b);
  if (anyFloat && divides) {
    return DType::F32;
  }
  if (either(DType::F16)) {
    return DType::F16;
  }
  if (either(DType::BF16)) {
    return a == b ? DType::BF16 : DType::F32;
  }
  if (isFloat8(a) && isFloat8(b)) {
    return a == b ? a : DType::F16;
  }
  if (anyFloat) {
    return error(loc, "no common type of " + dtypeName(a) + " and " +
                          dtypeName(b) + "; convert one of the two");
  }
  if (divides && isSigned(a) != isSigned(b)) {
    return error(loc, "division and remainder of " + dtypeName(a) + " and " +
                          dtypeName(b) +
                          " are not defined: they differ in signedness; "
                          "convert one of the two");
  }
  if (isSigned(a) == isSigned(b)) {
    return bitWidth(a) >= bitWidth(b) ? a : b;
  }
  DType unsignedOne = isSigned(a) ? b : a, signedOne = isSigned(a) ? a : b;
  return bitWidth(unsignedOne) >= bitWidth(signedOne) ? unsignedOne : signedOne;
}

std::optional<std::pair<TileValue, TileValue>>
OpEmitter::promote(const Operand &a, const Operand &b, bool divides,
                   SourceLoc loc) {
  OptionalTile x, y;
  // Natural types decide; literals are then made in the common type.
  auto typeOf = [](const Operand &operand) -> TileType {
    if (auto *value = std::get_if<TileValue>(&operand)) {
      return value->type;
    }
    TileType type;
    type.elem = naturalType(std::get<Literal>(operand));
    return type;
  };
  TileType aType = typeOf(a), bType = typeOf(b);
  for (const TileType *type : {&aType, &bType}) {
    if (type->isPtr || type->isView()) {
      return error(loc, "operation is not defined on " + type->str() +
                            "; pointers only move by integers");
    }
    if (type->elem == DType::Void) {
      return error(loc, "operation is not defined on " + type->str());
    }
  }
  std::optional<DType> common = commonType(aType.elem, isLiteral(a), bType.elem,
                                           isLiteral(b), divides, loc);
  if (!common) {
    return std::nullopt;
  }
  auto inCommon = [&](const Operand &operand) -> OptionalTile {
    if (auto *value = std::get_if<TileValue>(&operand)) {
      return convert(*value, *common);
    }
    return constant(std::get<Literal>(operand), *common, loc);
  };
  x = inCommon(a);
  y = x ? inCommon(b) : std::nullopt;
  if (!x || !y) {
    return std::nullopt;
  }
  return std::make_pair(*x, *y);
}

std::optional<std::pair<TileValue, TileValue>>
OpEmitter::unify(const Operand &a, const Operand &b, bool divides,
                 SourceLoc loc) {
  auto pair = promote(a, b, divides, loc);
  if (!pair) {
    return std::nullopt;
  }
  std::optional<Shape> shape =
      broadcastShape(pair->first.type.shape, pair->second.type.shape, loc);
  if (!shape) {
    return std::nullopt;
  }
  return std::make_pair(stretch(pair->first, *shape),
                        stretch(pair->second, *shape));
}

OptionalTile OpEmitter::addPointer(const TileValue &pointer,
                                   const Operand &offset, bool subtract,
                                   SourceLoc loc) {
  OptionalTile distance = materialise(offset, loc);
  if (distance->type.isPtr || distance->type.isView() ||
      !isInteger(distance->type.elem)) {
    return error(loc,
                 "a pointer moves by integers, found " + distance->type.str());
  }
  // 32-bit offsets stay so; unsigned ones are widened without a sign.
  DType type = distance->type.elem;
  DType wanted = type == DType::I64 || type == DType::U64 ? type
                 : isSigned(type)                         ? DType::I32
                 : bitWidth(type) < 32                    ? DType::I32
                                                          : DType::I64;
  TileValue moved = convert(*distance, wanted);
  if (subtract) {
    Value zero = scalarConstant(Literal(int64_t(0)), wanted);
    moved.value = arith::SubIOp::create(b, at, splat(zero, moved.type.shape),
                                        moved.value);
  }
  std::optional<Shape> shape =
      broadcastShape(pointer.type.shape, moved.type.shape, loc);
  if (!shape) {
    return std::nullopt;
  }
  TileValue base = stretch(pointer, *shape);
  Value result = tile::AddPtrOp::create(b, at, base.value.getType(), base.value,
                                        stretch(moved, *shape).value);
  return TileValue{result, base.type};
}

static const TileValue *pointerOf(const Operand &operand) {
  auto *value = std::get_if<TileValue>(&operand);
  return value && value->type.isPtr && !value->type.isView() ? value : nullptr;
}

template <typename Op>
static TileValue emitBinary(OpBuilder &b, Location at, const TileValue &x,
                            const TileValue &y) {
  return {Op::create(b, at, x.value.getType(), x.value, y.value).getResult(),
          x.type};
}

OptionalTile OpEmitter::binary(BinaryFn fn, const Operand &lhs,
                               const Operand &rhs, SourceLoc loc) {
  OptionalTile result = binaryUnchecked(fn, lhs, rhs, loc);
  if (result && sanitizeOverflow) {
    checkOverflow(fn, lhs, rhs, *result, loc);
  }
  return result;
}

OptionalTile OpEmitter::binaryUnchecked(BinaryFn fn, const Operand &lhs,
                                        const Operand &rhs, SourceLoc loc) {
  if (fn == BinaryFn::Add || fn == BinaryFn::Sub) {
    const TileValue *left = pointerOf(lhs), *right = pointerOf(rhs);
    if (left && right) {
      return error(loc, "two pointers cannot be added or subtracted; convert "
                        "them to int64 first");
    }
    if (left) {
      return addPointer(*left, rhs, fn == BinaryFn::Sub, loc);
    }
    if (right && fn == BinaryFn::Add) {
      return addPointer(*right, lhs, false, loc);
    }
  }
  bool divides =
      fn == BinaryFn::Div || fn == BinaryFn::FloorDiv || fn == BinaryFn::Mod;
  auto pair = unify(lhs, rhs, divides, loc);
  if (!pair) {
    return std::nullopt;
  }
  auto [x, y] = *pair;
  DType type = x.type.elem;
  bool sign = isSigned(type);
  if (isFloat8(type)) {
    // 8-bit floats have no arithmetic of their own: fp32, rounded once.
    OptionalTile wide =
        binary(fn, convert(x, DType::F32), convert(y, DType::F32), loc);
    return wide ? OptionalTile(convert(*wide, type)) : wide;
  }
  if (isFloat(type)) {
    switch (fn) {
    case BinaryFn::Add:
      return emitBinary<arith::AddFOp>(b, at, x, y);
    case BinaryFn::Sub:
      return emitBinary<arith::SubFOp>(b, at, x, y);
    case BinaryFn::Mul:
      return emitBinary<arith::MulFOp>(b, at, x, y);
    case BinaryFn::Div:
      return TileValue{tile::DivFOp::create(b, at, x.value.getType(), x.value,
                                            y.value, tile::DivMode::approx)
                           .getResult(),
                       x.type};
    case BinaryFn::Mod:
      return emitBinary<tile::RemFOp>(b, at, x, y);
    case BinaryFn::FloorDiv:
      return error(loc, "'//' is not defined on floats; use '/' and tl.floor");
    default:
      return error(loc, "invalid operands of type " + x.type.str() +
                            ": bitwise operations need integers");
    }
  }
  switch (fn) {
  case BinaryFn::Add:
    return emitBinary<arith::AddIOp>(b, at, x, y);
  case BinaryFn::Sub:
    return emitBinary<arith::SubIOp>(b, at, x, y);
  case BinaryFn::Mul:
    return emitBinary<arith::MulIOp>(b, at, x, y);
  case BinaryFn::Div: {
    TileValue p = convert(x, DType::F32), q = convert(y, DType::F32);
    return TileValue{tile::DivFOp::create(b, at, p.value.getType(), p.value,
                                          q.value, tile::DivMode::approx)
                         .getResult(),
                     p.type};
  }
  case BinaryFn::FloorDiv:
    return sign ? emitBinary<tile::DivSIOp>(b, at, x, y)
                : emitBinary<tile::DivUIOp>(b, at, x, y);
  case BinaryFn::Mod:
    return sign ? emitBinary<tile::RemSIOp>(b, at, x, y)
                : emitBinary<tile::RemUIOp>(b, at, x, y);
  case BinaryFn::And:
    return emitBinary<arith::AndIOp>(b, at, x, y);
  case BinaryFn::Or:
    return emitBinary<arith::OrIOp>(b, at, x, y);
  case BinaryFn::Xor:
    return emitBinary<arith::XOrIOp>(b, at, x, y);
  case BinaryFn::Shl:
    return emitBinary<tile::ShlOp>(b, at, x, y);
  case BinaryFn::Shr:
    // What is shifted says which shift, also where the result is unsigned.
    if (auto *shifted = std::get_if<TileValue>(&lhs)) {
      sign = isSigned(shifted->type.elem);
    }
    return sign ? emitBinary<tile::ShrSIOp>(b, at, x, y)
                : emitBinary<tile::ShrUIOp>(b, at, x, y);
  }
  return std::nullopt;
}

OptionalTile OpEmitter::compare(CompareFn fn, const Operand &lhs,
                                const Operand &rhs, SourceLoc loc) {
  // Pointers compare as addresses.
  if (pointerOf(lhs) && pointerOf(rhs)) {
    TileType address;
    address.elem = DType::U64;
    OptionalTile x = cast(lhs, address, "", false, loc);
    OptionalTile y = cast(rhs, address, "", false, loc);
    return compare(fn, *x, *y, loc);
  }
  auto pair = unify(lhs, rhs, false, loc);
  if (!pair) {
    return std::nullopt;
  }
  auto [x, y] = *pair;
  if (isFloat8(x.type.elem)) {
    x = convert(x, DType::F32);
    y = convert(y, DType::F32);
  }
  TileType result = x.type.withElem(DType::I1);
  if (isFloat(x.type.elem)) {
    using P = arith::CmpFPredicate;
    constexpr P table[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return TileValue{
        arith::CmpFOp::create(b, at, table[int(fn)], x.value, y.value)
            .getResult(),
        result};
  }
  using P = arith::CmpIPredicate;
  constexpr P sign[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  constexpr P plain[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  P predicate = isSigned(x.type.elem) ? sign[int(fn)] : plain[int(fn)];
  return TileValue{
      arith::CmpIOp::create(b, at, predicate, x.value, y.value).getResult(),
      result};
}

OptionalTile OpEmitter::negate(const TileValue &x, SourceLoc loc) {
  if (x.type.isPtr || x.type.isView() || x.type.elem == DType::I1) {
    return error(loc, "unary minus is not defined on " + x.type.str());
  }
  if (isFloat8(x.type.elem)) {
    OptionalTile wide = negate(convert(x, DType::F32), loc);
    return convert(*wide, x.type.elem);
  }
  if (isFloat(x.type.elem)) {
    return TileValue{arith::NegFOp::create(b, at, x.value).getResult(), x.type};
  }
  Value zero =
      splat(scalarConstant(Literal(int64_t(0)), x.type.elem), x.type.shape);
  return TileValue{arith::SubIOp::create(b, at, zero, x.value).getResult(),
                   x.type};
}

OptionalTile OpEmitter::invert(const TileValue &x, SourceLoc loc) {
  if (x.type.isPtr || x.type.isView() || !isInteger(x.type.elem)) {
    return error(loc, "'~' needs integers, found " + x.type.str());
  }
  Literal ones =
      x.type.elem == DType::I1 ? Literal(true) : Literal(int64_t(-1));
  Value mask = splat(scalarConstant(ones, x.type.elem), x.type.shape);
  return TileValue{arith::XOrIOp::create(b, at, x.value, mask).getResult(),
                   x.type};
}

/// `not`, `and`, `or` do not compare with zero by themselves: wider types have
/// bits besides their truth. A pointer is true unless it is null.
OptionalTile OpEmitter::truth(const TileValue &x, StringRef word,
                              SourceLoc loc) {
  if (x.type.isView() || (x.type.elem != DType::I1 && !x.type.isPtr)) {
    return error(loc, "'" + word + "' on run-time values needs int1, found " +
                          x.type.str() + "; compare with zero first");
  }
  TileType boolean;
  boolean.elem = DType::I1;
  return x.type.isPtr ? cast(x, boolean, "", false, loc) : x;
}

OptionalTile OpEmitter::logicalNot(const TileValue &x, SourceLoc loc) {
  OptionalTile value = truth(x, "not", loc);
  return value ? invert(*value, loc) : std::nullopt;
}

OptionalTile OpEmitter::logical(bool isAnd, const Operand &lhs,
                                const Operand &rhs, SourceLoc loc) {
  TileValue values[2];
  const Operand *operands[] = {&lhs, &rhs};
  for (int i = 0; i < 2; ++i) {
    if (auto *value = std::get_if<TileValue>(operands[i])) {
      OptionalTile one = truth(*value, isAnd ? "and" : "or", loc);
      if (!one) {
        return std::nullopt;
      }
      values[i] = *one;
    } else {
      values[i] = *constant(std::get<Literal>(*operands[i]), DType::I1, loc);
    }
  }
  return binary(isAnd ? BinaryFn::And : BinaryFn::Or, values[0], values[1],
                loc);
}

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

/// These convert literals first (language rule 6) and compute bf16 in fp32.
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
  return isMax ? (sign ? emitBinary<tile::MaxSIOp>(b, at, x, y)
                       : emitBinary<tile::MaxUIOp>(b, at, x, y))
               : (sign ? emitBinary<tile::MinSIOp>(b, at, x, y)
                       : emitBinary<tile::MinUIOp>(b, at, x, y));
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
  return emitBinary<tile::MulHiUIOp>(b, at, pair->first, pair->second);
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
  return emitBinary<tile::PowOp>(b, at, pair->first, pair->second);
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

} // namespace tz::frontend
