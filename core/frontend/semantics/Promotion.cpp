//===- Promotion.cpp - the common type of two operands --------------------===//
//
// What   commonType, promote and unify.
// Why    The promotion rules are the language's most intricate part; they are
//        here and nowhere else (docs/reference/language.md#two-tiles).
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

} // namespace tz::frontend
