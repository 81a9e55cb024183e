//===- Float8E4B15.cpp - conversions of the 1-4-3 float of bias 15 --------===//
//
// What   fp8e4b15 to and from the other numbers, by integer operations.
// Why    Tile IR has no such type: its values are bytes, and arithmetic
//        converts them. The bits are those of an fp16 without the highest bit
//        of the exponent and the lower seven of the fraction.
//
// Choices: to nearest even (or towards zero), saturating to 1.875; a NaN, which
// the type lacks, becomes the largest value of its sign.
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

using namespace mlir;

namespace tz::frontend {

/// A constant in the shape of `like`.
static Value lanes(OpBuilder &b, Location at, Type like, int64_t value) {
  Value scalar = arith::ConstantOp::create(
      b, at, b.getIntegerAttr(tile::elementType(like), value));
  return isa<RankedTensorType>(like)
             ? Value(tile::SplatOp::create(b, at, like, scalar))
             : scalar;
}

TileValue OpEmitter::widenE4B15(const TileValue &x) {
  Value byte = convert(x.value, DType::U8, DType::U16);
  Type wide = byte.getType();
  auto number = [&](int64_t v) { return lanes(b, at, wide, v); };
  Value sign = tile::ShlOp::create(
      b, at, wide, arith::AndIOp::create(b, at, byte, number(0x80)), number(8));
  Value rest = tile::ShlOp::create(
      b, at, wide, arith::AndIOp::create(b, at, byte, number(0x7F)), number(7));
  TileType half = x.type.withElem(DType::F16);
  Value bits = arith::OrIOp::create(b, at, sign, rest);
  return {tile::BitcastOp::create(b, at, irType(half), bits).getResult(), half};
}

TileValue OpEmitter::narrowE4B15(const TileValue &value, bool towardZero) {
  TileValue x = value;
  if (!isFloat(x.type.elem)) {
    x = convert(x, bitWidth(x.type.elem) > 16 ? DType::F64 : DType::F32);
  } else if (x.type.elem != DType::F16 && bitWidth(x.type.elem) <= 16) {
    x = convert(x, DType::F32);
  }
  TileType words = x.type.withElem(DType::I16);
  Type wide = irType(words);
  auto number = [&](int64_t v) { return lanes(b, at, wide, v); };
  Value half = convert(x.value, x.type.elem, DType::F16, tile::Rounding::rtz);
  Value bits = tile::BitcastOp::create(b, at, wide, half);
  Value size = arith::AndIOp::create(b, at, bits, number(0x7FFF));
  if (!towardZero) {
    if (x.type.elem != DType::F16) {
      // What fp16 cuts off is kept in its last bit, so that it rounds once.
      Value back = convert(half, DType::F16, x.type.elem);
      Value differs = arith::CmpFOp::create(b, at, arith::CmpFPredicate::UNE,
                                            back, x.value);
      size = arith::OrIOp::create(b, at, size,
                                  convert(differs, DType::I1, DType::U16));
    }
    Value odd = arith::AndIOp::create(
        b, at, tile::ShrUIOp::create(b, at, wide, size, number(7)), number(1));
    size = arith::AddIOp::create(b, at, size, number(0x3F));
    size = arith::AddIOp::create(b, at, size, odd);
  }
  size = tile::ShrUIOp::create(b, at, wide, size, number(7));
  size = tile::MinUIOp::create(b, at, wide, size, number(0x7F));
  Value sign = arith::AndIOp::create(
      b, at, tile::ShrUIOp::create(b, at, wide, bits, number(8)), number(0x80));
  Value byte =
      convert(arith::OrIOp::create(b, at, size, sign), DType::U16, DType::U8);
  return {byte, x.type.withElem(DType::F8E4B15)};
}

} // namespace tz::frontend
