//===- ElementOperators.cpp - operators on tiles --------------------------===//
//
// What   Arithmetic, comparisons and logic element by element; pointers that
//        move.
// Why    What Python's operators mean; types are made one by Promotion.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

using namespace mlir;

namespace tz::frontend {

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

const TileValue *OpEmitter::pointerOf(const Operand &operand) {
  auto *value = std::get_if<TileValue>(&operand);
  return value && value->type.isPtr && !value->type.isView() ? value : nullptr;
}

OptionalTile OpEmitter::binary(BinaryFn fn, const Operand &lhs,
                               const Operand &rhs, SourceLoc loc) {
  OptionalTile result = binaryUnchecked(fn, lhs, rhs, loc);
  if (result && sanitizeOverflow) {
    checkOverflow(fn, lhs, rhs, *result, loc);
  }
  return result;
}

OptionalTile OpEmitter::floatBinary(BinaryFn fn, const TileValue &x,
                                    const TileValue &y, SourceLoc loc) {
  switch (fn) {
  case BinaryFn::Add:
    return emitBinary<arith::AddFOp>(x, y);
  case BinaryFn::Sub:
    return emitBinary<arith::SubFOp>(x, y);
  case BinaryFn::Mul:
    return emitBinary<arith::MulFOp>(x, y);
  case BinaryFn::Div:
    return TileValue{tile::DivFOp::create(b, at, x.value.getType(), x.value,
                                          y.value, tile::DivMode::approx)
                         .getResult(),
                     x.type};
  case BinaryFn::Mod:
    return emitBinary<tile::RemFOp>(x, y);
  case BinaryFn::FloorDiv:
    return error(loc, "'//' is not defined on floats; use '/' and tl.floor");
  default:
    return error(loc, "invalid operands of type " + x.type.str() +
                          ": bitwise operations need integers");
  }
}

OptionalTile OpEmitter::integerBinary(BinaryFn fn, const TileValue &x,
                                      const TileValue &y, bool sign) {
  switch (fn) {
  case BinaryFn::Add:
    return emitBinary<arith::AddIOp>(x, y);
  case BinaryFn::Sub:
    return emitBinary<arith::SubIOp>(x, y);
  case BinaryFn::Mul:
    return emitBinary<arith::MulIOp>(x, y);
  case BinaryFn::Div: {
    TileValue p = convert(x, DType::F32), q = convert(y, DType::F32);
    return TileValue{tile::DivFOp::create(b, at, p.value.getType(), p.value,
                                          q.value, tile::DivMode::approx)
                         .getResult(),
                     p.type};
  }
  case BinaryFn::FloorDiv:
    return sign ? emitBinary<tile::DivSIOp>(x, y)
                : emitBinary<tile::DivUIOp>(x, y);
  case BinaryFn::Mod:
    return sign ? emitBinary<tile::RemSIOp>(x, y)
                : emitBinary<tile::RemUIOp>(x, y);
  case BinaryFn::And:
    return emitBinary<arith::AndIOp>(x, y);
  case BinaryFn::Or:
    return emitBinary<arith::OrIOp>(x, y);
  case BinaryFn::Xor:
    return emitBinary<arith::XOrIOp>(x, y);
  case BinaryFn::Shl:
    return emitBinary<tile::ShlOp>(x, y);
  case BinaryFn::Shr:
    return sign ? emitBinary<tile::ShrSIOp>(x, y)
                : emitBinary<tile::ShrUIOp>(x, y);
  }
  return std::nullopt;
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
  if (isFloat8(type)) {
    // 8-bit floats have no arithmetic of their own: fp32, rounded once.
    OptionalTile wide =
        binary(fn, convert(x, DType::F32), convert(y, DType::F32), loc);
    return wide ? OptionalTile(convert(*wide, type)) : wide;
  }
  // What is shifted says which shift, also where the result is unsigned.
  bool sign = isSigned(type);
  if (auto *shifted = std::get_if<TileValue>(&lhs);
      shifted && fn == BinaryFn::Shr) {
    sign = isSigned(shifted->type.elem);
  }
  return isFloat(type) ? floatBinary(fn, x, y, loc)
                       : integerBinary(fn, x, y, sign);
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

} // namespace tz::frontend
