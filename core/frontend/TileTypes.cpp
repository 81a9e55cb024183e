//===- TileTypes.cpp - names and properties of types ----------------------===//
//
// What   One table of element types, and the printed form of tile types.
// Why    Name, width and kind of a type are looked up in one place.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/TileTypes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

namespace {

enum class Kind : uint8_t { Void, Unsigned, Signed, Float };

struct Row {
  const char *name;
  Kind kind;
  uint8_t bits;
  uint8_t mantissa;
};

/// In the order of the enumeration.
constexpr Row rows[] = {
    {"void", Kind::Void, 0, 0},        {"int1", Kind::Unsigned, 1, 0},
    {"int8", Kind::Signed, 8, 0},      {"int16", Kind::Signed, 16, 0},
    {"int32", Kind::Signed, 32, 0},    {"int64", Kind::Signed, 64, 0},
    {"uint8", Kind::Unsigned, 8, 0},   {"uint16", Kind::Unsigned, 16, 0},
    {"uint32", Kind::Unsigned, 32, 0}, {"uint64", Kind::Unsigned, 64, 0},
    {"fp16", Kind::Float, 16, 10},     {"bf16", Kind::Float, 16, 7},
    {"fp32", Kind::Float, 32, 23},     {"fp64", Kind::Float, 64, 52},
    {"fp8e4nv", Kind::Float, 8, 3},    {"fp8e5", Kind::Float, 8, 2},
    {"fp8e4b8", Kind::Float, 8, 3},    {"fp8e5b16", Kind::Float, 8, 2},
    {"fp8e4b15", Kind::Float, 8, 3},
};

const Row &row(DType type) { return rows[static_cast<size_t>(type)]; }

} // namespace

StringRef dtypeName(DType type) { return row(type).name; }
unsigned bitWidth(DType type) { return row(type).bits; }
unsigned mantissaWidth(DType type) { return row(type).mantissa; }
bool isFloat(DType type) { return row(type).kind == Kind::Float; }
bool isFloat8(DType type) { return isFloat(type) && bitWidth(type) == 8; }
bool isSigned(DType type) { return row(type).kind == Kind::Signed; }
bool isInteger(DType type) {
  return row(type).kind == Kind::Signed || row(type).kind == Kind::Unsigned;
}

std::optional<DType> dtypeFromName(StringRef name) {
  for (size_t i = 0; i < std::size(rows); ++i) {
    if (name == rows[i].name) {
      return static_cast<DType>(i);
    }
  }
  std::string longForm = name.str();
  if (name.starts_with("float8")) {
    return dtypeFromName("fp8" + longForm.substr(6));
  }
  return StringSwitch<std::optional<DType>>(name)
      .Cases({"i1", "u1", "bool"}, DType::I1)
      .Case("i8", DType::I8)
      .Case("i16", DType::I16)
      .Case("i32", DType::I32)
      .Case("i64", DType::I64)
      .Case("u8", DType::U8)
      .Case("u16", DType::U16)
      .Case("u32", DType::U32)
      .Case("u64", DType::U64)
      .Cases({"f16", "float16", "half"}, DType::F16)
      .Case("bfloat16", DType::BF16)
      .Cases({"f32", "float32"}, DType::F32)
      .Cases({"f64", "float64"}, DType::F64)
      .Default(std::nullopt);
}

int64_t TileType::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

TileType TileType::scalar() const {
  TileType result = *this;
  result.shape.clear();
  result.isBlockPtr = result.isDescriptor = result.padsWithNaN = false;
  return result;
}

TileType TileType::withShape(ArrayRef<int64_t> newShape) const {
  TileType result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

TileType TileType::withElem(DType newElem) const {
  TileType result = *this;
  result.elem = newElem;
  result.isPtr = result.isConstPtr = false;
  return result;
}

std::string TileType::str() const {
  std::string text = isBlockPtr     ? "block pointer "
                     : isDescriptor ? "tensor descriptor "
                                    : "";
  text += isPtr ? (isConstPtr ? "*const " : "*") : "";
  text += dtypeName(elem);
  if (!shape.empty()) {
    text += "[";
    for (size_t i = 0; i < shape.size(); ++i) {
      text += (i ? ", " : "") + std::to_string(shape[i]);
    }
    text += "]";
  }
  return text;
}

} // namespace tz::frontend
