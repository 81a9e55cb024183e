//===- TileTypes.cpp - names and properties of types ----------------------===//
//
// What   One table of element types, and the printed form of tile types.
// Why    Name, width and kind of a type are looked up in one place.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/TileTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

namespace {

enum class Kind : uint8_t { Void, Bool, Signed, Unsigned, Float };

struct Row {
  const char *name, *longName, *text; // as ElementTypes.def has them
  Kind kind;
  uint8_t bits;
  uint8_t mantissa;
};

constexpr Row Rows[] = {
    {"void", "void", "void", Kind::Void, 0, 0},
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  {Name, Long, Text, Kind::Class, Bits, Fraction},
#include "terrazzo/ElementTypes.def"
};

const Row &row(DType type) { return Rows[static_cast<size_t>(type)]; }

} // namespace

// The language says int32, but fp16.
StringRef dtypeName(DType type) {
  return isFloat(type) ? row(type).name : row(type).longName;
}
unsigned bitWidth(DType type) { return row(type).bits; }
unsigned mantissaWidth(DType type) { return row(type).mantissa; }
bool isFloat(DType type) { return row(type).kind == Kind::Float; }
bool isFloat8(DType type) { return isFloat(type) && bitWidth(type) == 8; }
bool isSigned(DType type) { return row(type).kind == Kind::Signed; }
bool isInteger(DType type) { return !isFloat(type) && type != DType::Void; }

std::optional<DType> dtypeFromName(StringRef name) {
  for (auto [place, row] : llvm::enumerate(Rows)) {
    if (name == row.name || name == row.longName || name == row.text) {
      return static_cast<DType>(place);
    }
  }
  return StringSwitch<std::optional<DType>>(name)
#define ELEMENT_SPELLING(Id, Text) .Case(Text, DType::Id)
#include "terrazzo/ElementTypes.def"
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
