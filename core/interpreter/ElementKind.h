//===- ElementKind.h - element types, exact conversions ---------*- C++ -*-===//
//
// What   The element types as an enum; narrow floats to double and back.
// Why    Ops dispatch once a tile on the kind. A double holds every narrower
//        float exactly, so all rounding of narrow floats is in encodeNarrow.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ELEMENTKIND_H
#define TERRAZZO_CORE_INTERPRETER_ELEMENTKIND_H

#include "mlir/IR/Types.h"

#include <cstdint>
#include <optional>

namespace tz::interpreter {

enum class Kind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F4E2M1FN,
  Ptr,
  View, ///< base, then shape, strides, position: 1 + 3 * rank words
};

/// The kind of a scalar's or a tile's elements; none for foreign types.
std::optional<Kind> kindOf(mlir::Type type);
bool isFloat(Kind kind);
/// Bytes of one element, here and in a kernel's memory.
unsigned bytesOf(Kind kind);
/// Bits of an integer kind (a pointer has 64).
unsigned widthOf(Kind kind);

enum class RoundTo { NearestEven, Zero };

/// The value of a float's bits. Exact for every kind.
double decodeFloat(Kind kind, uint64_t bits);
/// The bits of `value` in `kind`: one rounding. f8 and f4 saturate (P16), the
/// others overflow to infinity (toward zero: to the largest finite value).
uint64_t encodeFloat(Kind kind, double value,
                     RoundTo rounding = RoundTo::NearestEven);

/// Moves an inexact double to its odd neighbour in the direction of `error`
/// (exact value = value + error), after which rounding to any type of at most
/// 51 bits gives what rounding the exact value gives.
double roundToOdd(double value, double error);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ELEMENTKIND_H
