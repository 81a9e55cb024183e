//===- Scalars.cpp - literals, conversions of elements, conditions --------===//
//
// What   SSA types of language types, constants, casts, the i1 of a condition,
//        bounds of loops.
// Why    Everything else is made of these.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tz::frontend {

std::nullopt_t OpEmitter::error(SourceLoc loc, const llvm::Twine &message) {
  sink.error(loc, message);
  return std::nullopt;
}

Type OpEmitter::irElement(DType type) {
  switch (type) {
  case DType::Void:    // what an untyped pointer points to
  case DType::F8E4B15: // see Float8E4B15.cpp
    return b.getI8Type();
#define FLOAT_TYPE(Id, Type, Format)                                           \
  case DType::Id:                                                              \
    return b.getType<Type>();
#include "terrazzo/ElementTypes.def"
  default: // integers have no sign in the IR
    return b.getIntegerType(bitWidth(type));
  }
}

Type OpEmitter::irType(const TileType &type) {
  // int1 occupies a byte in memory: its pointers are pointers to bytes.
  bool inMemory = type.isPtr || type.isView();
  Type element =
      irElement(inMemory && type.elem == DType::I1 ? DType::I8 : type.elem);
  if (type.isView()) {
    return tile::ViewType::get(b.getContext(), type.shape, element);
  }
  if (type.isPtr) {
    element = tile::PtrType::get(b.getContext(), element);
  }
  return type.isScalar() ? element
                         : Type(RankedTensorType::get(type.shape, element));
}

/// The type that a Python number has as a run-time scalar.
DType naturalType(const Literal &value) {
  if (std::holds_alternative<bool>(value)) {
    return DType::I1;
  }
  if (auto *i = std::get_if<int64_t>(&value)) {
    if (*i >= std::numeric_limits<int32_t>::min() &&
        *i <= std::numeric_limits<int32_t>::max()) {
      return DType::I32;
    }
    return *i > 0 && *i <= std::numeric_limits<uint32_t>::max() ? DType::U32
                                                                : DType::I64;
  }
  if (std::holds_alternative<uint64_t>(value)) {
    return DType::U64;
  }
  double magnitude = std::abs(std::get<double>(value));
  bool fits = magnitude == 0 || !std::isfinite(magnitude) ||
              (magnitude >= std::numeric_limits<float>::min() &&
               magnitude <= std::numeric_limits<float>::max());
  return fits ? DType::F32 : DType::F64;
}

Value OpEmitter::scalarConstant(const Literal &value, DType type) {
  Type element = irElement(type);
  TypedAttr attr;
  if (isFloat(type)) {
    double number = std::visit([](auto v) { return double(v); }, value);
    attr = b.getFloatAttr(element, number);
  } else {
    uint64_t bits = std::visit(
        [](auto v) {
          if constexpr (std::is_same_v<decltype(v), double>) {
            return uint64_t(int64_t(v));
          } else {
            return uint64_t(v);
          }
        },
        value);
    attr = b.getIntegerAttr(element, llvm::APInt(bitWidth(type), bits, false,
                                                 /*implicitTrunc=*/true));
  }
  return arith::ConstantOp::create(b, at, attr);
}

OptionalTile OpEmitter::literal(const Literal &value, SourceLoc loc) {
  DType type = naturalType(value);
  TileType tileType;
  tileType.elem = type;
  return TileValue{scalarConstant(value, type), tileType};
}

static std::string text(const Literal &value) {
  return std::visit(
      [](auto v) -> std::string {
        if constexpr (std::is_same_v<decltype(v), bool>) {
          return v ? "True" : "False";
        } else {
          return std::to_string(v);
        }
      },
      value);
}

OptionalTile OpEmitter::constant(const Literal &value, DType type,
                                 SourceLoc loc) {
  if (type == DType::Void) {
    return error(loc, "no values of type " + dtypeName(type) + " can be made");
  }
  if (type == DType::F8E4B15) {
    OptionalTile number = constant(value, DType::F32, loc);
    return number ? OptionalTile(convert(*number, type)) : number;
  }
  if (auto *number = std::get_if<double>(&value); number && isInteger(type)) {
    // As a conversion: towards zero, saturating, NaN gives zero.
    OptionalTile natural = literal(value, loc);
    return convert(*natural, type);
  }
  if (isInteger(type) && type != DType::I1) {
    unsigned bits = bitWidth(type);
    bool fits = true;
    if (auto *i = std::get_if<int64_t>(&value)) {
      fits = isSigned(type) ? llvm::isIntN(bits, *i)
                            : *i >= 0 && llvm::isUIntN(bits, uint64_t(*i));
      if (*i < 0 && !isSigned(type)) {
        return error(loc, "negative number " + text(value) +
                              " with unsigned type " + dtypeName(type) +
                              "; convert one of the two");
      }
    } else if (auto *u = std::get_if<uint64_t>(&value)) {
      fits = llvm::isUIntN(isSigned(type) ? bits - 1 : bits, *u);
    }
    if (!fits) {
      return error(loc, "number " + text(value) + " is out of range for " +
                            dtypeName(type));
    }
  }
  TileType tileType;
  tileType.elem = type;
  if (type == DType::I1) {
    bool truth = std::visit([](auto v) { return v != 0; }, value);
    return TileValue{scalarConstant(Literal(truth), type), tileType};
  }
  return TileValue{scalarConstant(value, type), tileType};
}

OptionalTile OpEmitter::materialise(const Operand &operand, SourceLoc loc) {
  if (auto *value = std::get_if<TileValue>(&operand)) {
    return *value;
  }
  return literal(std::get<Literal>(operand), loc);
}

/// A constant of one type for all elements of `like`.
static Value constantLike(OpBuilder &b, Location at, Type like,
                          TypedAttr attr) {
  Value scalar = arith::ConstantOp::create(b, at, attr);
  return isa<RankedTensorType>(like)
             ? Value(tile::SplatOp::create(b, at, like, scalar))
             : scalar;
}

Value OpEmitter::convert(Value value, DType from, DType to,
                         tile::Rounding rounding) {
  if (from == to) {
    return value;
  }
  Type type = tile::withElement(value.getType(), irElement(to));
  Type source = value.getType();
  unsigned fromBits = bitWidth(from), toBits = bitWidth(to);
  if (to == DType::I1) {
    Type element = tile::elementType(source);
    Value zero = constantLike(b, at, source,
                              llvm::cast<TypedAttr>(b.getZeroAttr(element)));
    if (isFloat(from)) {
      return arith::CmpFOp::create(b, at, arith::CmpFPredicate::UNE, value,
                                   zero);
    }
    return arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(from) && isFloat(to)) {
    if (fromBits < toBits) {
      return arith::ExtFOp::create(b, at, type, value);
    }
    return tile::TruncFOp::create(b, at, type, value, rounding);
  }
  if (isFloat(from)) {
    if (isSigned(to)) {
      return tile::FPToSIOp::create(b, at, type, value);
    }
    return tile::FPToUIOp::create(b, at, type, value);
  }
  if (isFloat(to)) {
    if (isSigned(from)) {
      return tile::SIToFPOp::create(b, at, type, value);
    }
    return tile::UIToFPOp::create(b, at, type, value);
  }
  if (fromBits == toBits) {
    return value; // signedness is not the SSA type's affair
  }
  if (fromBits > toBits) {
    return arith::TruncIOp::create(b, at, type, value);
  }
  if (isSigned(from)) {
    return arith::ExtSIOp::create(b, at, type, value);
  }
  return arith::ExtUIOp::create(b, at, type, value);
}

TileValue OpEmitter::convert(const TileValue &x, DType to) {
  if (x.type.elem != to && x.type.elem == DType::F8E4B15) {
    return convert(widenE4B15(x), to);
  }
  if (x.type.elem != to && to == DType::F8E4B15) {
    return narrowE4B15(x, false);
  }
  return {convert(x.value, x.type.elem, to), x.type.withElem(to)};
}

/// To or from a pointer.
OptionalTile OpEmitter::castPointer(const TileValue &x, const TileType &to,
                                    SourceLoc loc) {
  const TileType &from = x.type;
  Type type = irType(to);
  if (from.isPtr && to.isPtr) {
    return TileValue{type == x.value.getType()
                         ? x.value
                         : Value(tile::BitcastOp::create(b, at, type, x.value)),
                     to};
  }
  if (from.isPtr) {
    TileType i64 = from.withElem(DType::I64);
    TileValue address{
        tile::PtrToIntOp::create(b, at, irType(i64), x.value).getResult(), i64};
    if (to.elem == DType::I64 || to.elem == DType::U64 ||
        to.elem == DType::I1) {
      return convert(address, to.elem);
    }
    return error(loc, "a pointer is converted to int64 or uint64, not to " +
                          to.str());
  }
  if (!isInteger(from.elem)) {
    return error(loc, from.str() + " cannot be converted to a pointer");
  }
  Value wide = convert(x.value, from.elem, DType::I64);
  return TileValue{tile::IntToPtrOp::create(b, at, type, wide).getResult(), to};
}

/// The same bits as another type.
OptionalTile OpEmitter::reinterpret(const TileValue &x, const TileType &to,
                                    SourceLoc loc) {
  const TileType &from = x.type;
  if (bitWidth(from.elem) != bitWidth(to.elem)) {
    return error(loc, "bitcast needs types of one width, found " + from.str() +
                          " and " + to.str());
  }
  if (irType(to) == x.value.getType()) {
    return TileValue{x.value, to};
  }
  return TileValue{
      tile::BitcastOp::create(b, at, irType(to), x.value).getResult(), to};
}

OptionalTile OpEmitter::cast(const Operand &operand, const TileType &target,
                             StringRef rounding, bool bitcast, SourceLoc loc) {
  OptionalTile x = materialise(operand, loc);
  TileType to = target.scalar().withShape(x->type.shape);
  const TileType &from = x->type;
  if (from.isView()) {
    return error(loc, from.str() + " cannot be converted");
  }
  if (from == to) {
    return x;
  }
  if (!rounding.empty() &&
      !(isFloat(from.elem) && isFloat(to.elem) && !from.isPtr && !to.isPtr &&
        bitWidth(from.elem) > bitWidth(to.elem))) {
    return error(loc, "fp_downcast_rounding is only for conversions to a "
                      "narrower float, found " +
                          from.str() + " to " + to.str());
  }
  if (!rounding.empty() && rounding != "rtne" && rounding != "rtz") {
    return error(loc, "fp_downcast_rounding is 'rtne' or 'rtz', found '" +
                          rounding + "'");
  }
  if (from.isPtr || to.isPtr) {
    return castPointer(*x, to, loc);
  }
  if (from.elem == DType::Void || to.elem == DType::Void) {
    return error(loc, "cannot convert " + from.str() + " to " + to.str());
  }
  if (bitcast) {
    return reinterpret(*x, to, loc);
  }
  if (from.elem == DType::F8E4B15) {
    return convert(*x, to.elem);
  }
  if (to.elem == DType::F8E4B15) {
    return narrowE4B15(*x, rounding == "rtz");
  }
  tile::Rounding mode =
      rounding == "rtz" ? tile::Rounding::rtz : tile::Rounding::rtne;
  return TileValue{convert(x->value, from.elem, to.elem, mode), to};
}

OptionalTile OpEmitter::condition(const TileValue &value, StringRef what,
                                  SourceLoc loc) {
  if (!value.type.isScalar() && !value.type.isView() &&
      llvm::all_of(value.type.shape, [](int64_t size) { return size == 1; })) {
    OptionalTile one = item(value, loc);
    return one ? condition(*one, what, loc) : one;
  }
  if (!value.type.isScalar() || value.type.isView()) {
    return error(loc, "'" + what + "' needs a scalar condition, found tile " +
                          value.type.str() +
                          "; use tl.where to choose per element");
  }
  TileType boolean;
  boolean.elem = DType::I1;
  return cast(value, boolean, "", false, loc);
}

/// Usual conversions of C: same width prefers unsigned.
static DType widerInteger(DType a, DType b) {
  unsigned aBits = bitWidth(a), bBits = bitWidth(b);
  if (isSigned(a) == isSigned(b)) {
    return aBits >= bBits ? a : b;
  }
  DType unsignedOne = isSigned(a) ? b : a;
  DType signedOne = isSigned(a) ? a : b;
  return bitWidth(unsignedOne) >= bitWidth(signedOne) ? unsignedOne : signedOne;
}

std::optional<std::array<TileValue, 3>>
OpEmitter::loopBounds(const Operand &lower, const Operand &upper,
                      const Operand &step, SourceLoc loc) {
  std::array<TileValue, 3> values;
  DType type = DType::I32;
  const Operand *operands[] = {&lower, &upper, &step};
  for (int i = 0; i < 3; ++i) {
    OptionalTile value = materialise(*operands[i], loc);
    if (!value->type.isScalar() || value->type.isPtr || value->type.isView() ||
        !isInteger(value->type.elem)) {
      return error(loc, "bounds of a loop must be integer scalars, found " +
                            value->type.str());
    }
    values[i] = *value;
    type = i ? widerInteger(type, value->type.elem) : value->type.elem;
  }
  // Small unsigned bounds fit a wider type, which compares signed.
  if (bitWidth(type) < 32) {
    type = DType::I32;
  }
  for (TileValue &value : values) {
    value = convert(value, type);
  }
  return values;
}

} // namespace tz::frontend
