//===- TileTypes.h - types and values of the kernel language ----*- C++ -*-===//
//
// What   DType, TileType, TileValue and the weak literals: what the evaluator
//        hands to the typed operations and gets back.
// Why    MLIR's integers have no sign and its pointers no constness; the
//        language has both, so a value carries its language type beside the
//        SSA value.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_TILETYPES_H
#define TERRAZZO_CORE_FRONTEND_TILETYPES_H

#include "core/frontend/Diagnostics.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <variant>

namespace tz::frontend {

/// The rows of terrazzo/ElementTypes.def.
enum class DType : uint8_t {
  Void,
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least) Id,
#include "terrazzo/ElementTypes.def"
};

/// The language's name: "int32", "uint8", "fp16", "bf16", "fp8e4nv".
llvm::StringRef dtypeName(DType type);
/// From any spelling in use: "int32", "i32", "u8", "fp16", "float16", "f16",
/// "bf16", "fp8e4nv", "float8e4nv", "u1", "i1", "int1".
std::optional<DType> dtypeFromName(llvm::StringRef name);
unsigned bitWidth(DType type); // Void: 0, I1: 1
bool isFloat(DType type);
bool isFloat8(DType type);
/// Integers of either sign, int1 included.
bool isInteger(DType type);
/// int1 counts as unsigned.
bool isSigned(DType type);
/// Digits of the significand that are stored (fp32: 23).
unsigned mantissaWidth(DType type);

struct TileType {
  DType elem = DType::Void; // what is pointed to, for pointers
  bool isPtr = false;       // elements are pointers to `elem`
  bool isConstPtr = false;
  llvm::SmallVector<int64_t, 4> shape; // empty: a scalar
  bool isBlockPtr = false;             // shape is that of the block
  bool isDescriptor = false;           // shape is that of the block
  bool padsWithNaN = false;            // a descriptor's reads outside

  bool isScalar() const { return shape.empty(); }
  bool isView() const { return isBlockPtr || isDescriptor; }
  int64_t numElements() const;
  /// The type of one element.
  TileType scalar() const;
  TileType withShape(llvm::ArrayRef<int64_t> newShape) const;
  TileType withElem(DType newElem) const;
  /// "fp32[64, 64]", "*fp16[128]", "int32", "block pointer fp16[64, 64]".
  std::string str() const;

  bool operator==(const TileType &other) const {
    return elem == other.elem && isPtr == other.isPtr &&
           isConstPtr == other.isConstPtr && shape == other.shape &&
           isBlockPtr == other.isBlockPtr &&
           isDescriptor == other.isDescriptor &&
           padsWithNaN == other.padsWithNaN;
  }
  bool operator!=(const TileType &other) const { return !(*this == other); }
};

/// A run-time value. Block pointers and descriptors are one SSA value too.
struct TileValue {
  mlir::Value value;
  TileType type;
};

/// A Python number: its type is weak, the other operand decides.
using Literal = std::variant<bool, int64_t, uint64_t, double>;

/// What a typed operation accepts.
using Operand = std::variant<TileValue, Literal>;

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_TILETYPES_H
