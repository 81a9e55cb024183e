//===- ElementKind.cpp - element types and their exact conversions --------===//
//
// What   Formats of the narrow floats as one table; decode and encode.
// Why    One pair of functions for six formats: the unit test checks every
//        code of each against a second implementation.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ElementKind.h"

#include "terrazzo/ir/Tile.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace mlir;

namespace tz::interpreter {

std::optional<Kind> kindOf(Type type) {
  type = tile::elementType(type);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Kind::I1;
    case 8:
      return Kind::I8;
    case 16:
      return Kind::I16;
    case 32:
      return Kind::I32;
    case 64:
      return Kind::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<Kind>>(type)
#define FLOAT_TYPE(Id, Type, Format) .Case<Type>([](auto) { return Kind::Id; })
#include "terrazzo/ElementTypes.def"
      .Case<Float4E2M1FNType>([](auto) { return Kind::F4E2M1FN; })
      .Case<tile::PtrType>([](auto) { return Kind::Ptr; })
      .Case<tile::ViewType>([](auto) { return Kind::View; })
      .Default([](Type) { return std::nullopt; });
}

bool isFloat(Kind kind) { return kind >= Kind::F16 && kind <= Kind::F4E2M1FN; }

unsigned bytesOf(Kind kind) {
  switch (kind) {
  case Kind::I16:
  case Kind::F16:
  case Kind::BF16:
    return 2;
  case Kind::I32:
  case Kind::F32:
    return 4;
  case Kind::I64:
  case Kind::F64:
  case Kind::Ptr:
  case Kind::View:
    return 8;
  default:
    return 1;
  }
}

unsigned widthOf(Kind kind) { return kind == Kind::I1 ? 1 : 8 * bytesOf(kind); }

namespace {

/// A float of at most 16 bits.
struct Format {
  unsigned mantissa; ///< stored bits
  int bias;
  unsigned bits;
  uint64_t largest;  ///< code of the largest finite value
  uint64_t infinity; ///< code, 0 = none
  uint64_t nan;      ///< what an operation gives
  uint64_t firstNan; ///< magnitudes from here on are NaN (none: bits' limit)
  bool saturates;    ///< P16
  bool unsignedZero; ///< one zero; the code of -0 is NaN
};

const Format &formatOf(Kind kind) {
  static constexpr Format f16 = {10,     15,     16,    0x7bff, 0x7c00,
                                 0x7e00, 0x7c01, false, false};
  static constexpr Format bf16 = {7,      127,    16,    0x7f7f, 0x7f80,
                                  0x7fc0, 0x7f81, false, false};
  static constexpr Format e4m3fn = {3, 7, 8, 0x7e, 0, 0x7f, 0x7f, true, false};
  static constexpr Format e5m2 = {2,    15,   8,    0x7b, 0x7c,
                                  0x7e, 0x7d, true, false};
  static constexpr Format e4m3fnuz = {3, 8, 8, 0x7f, 0, 0x80, 0x80, true, true};
  static constexpr Format e5m2fnuz = {2,    16,   8,    0x7f, 0,
                                      0x80, 0x80, true, true};
  // No NaN: what has no value becomes the largest one.
  static constexpr Format e2m1 = {1, 1, 4, 0x7, 0, 0x7, 0x8, true, false};
  switch (kind) {
  case Kind::F16:
    return f16;
  case Kind::BF16:
    return bf16;
  case Kind::F8E4M3FN:
    return e4m3fn;
  case Kind::F8E5M2:
    return e5m2;
  case Kind::F8E4M3FNUZ:
    return e4m3fnuz;
  case Kind::F8E5M2FNUZ:
    return e5m2fnuz;
  default:
    return e2m1;
  }
}

double decodeNarrow(const Format &format, uint64_t code) {
  const uint64_t top = uint64_t{1} << (format.bits - 1);
  const bool negative = (code & top) != 0;
  const uint64_t magnitude = code & (top - 1);
  double value;
  if (magnitude >= format.firstNan ||
      (format.unsignedZero && negative && magnitude == 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (format.infinity != 0 && magnitude == format.infinity) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const uint64_t fraction =
        magnitude & ((uint64_t{1} << format.mantissa) - 1);
    const int exponent = static_cast<int>(magnitude >> format.mantissa);
    const uint64_t significand =
        exponent == 0 ? fraction : fraction | (uint64_t{1} << format.mantissa);
    value = std::ldexp(static_cast<double>(significand),
                       std::max(exponent, 1) - format.bias -
                           static_cast<int>(format.mantissa));
  }
  return negative ? -value : value;
}

/// 2^exponent for -1022 <= exponent <= 1023.
double powerOfTwo(int exponent) {
  uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint64_t encodeNarrow(const Format &format, double value, RoundTo rounding) {
  if (std::isnan(value)) {
    return format.nan;
  }
  const uint64_t sign =
      std::signbit(value) ? uint64_t{1} << (format.bits - 1) : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    return sign | (format.saturates ? format.largest : format.infinity);
  }
  uint64_t bits;
  std::memcpy(&bits, &magnitude, sizeof(bits));
  // In units of the result's last place; denormals share the least exponent.
  const int exponent =
      std::max(static_cast<int>(bits >> 52) - 1023, 1 - format.bias);
  if (exponent > 200) { // beyond every format here; keeps powerOfTwo in range
    const bool finite = format.saturates || rounding == RoundTo::Zero;
    return sign | (finite ? format.largest : format.infinity);
  }
  const double units =
      magnitude * powerOfTwo(static_cast<int>(format.mantissa) - exponent);
  // 2^52 + units has no fraction bits left: the addition rounds to even.
  constexpr double whole = 4503599627370496.0;
  const double rounded =
      rounding == RoundTo::NearestEven
          ? (units + whole) - whole
          : static_cast<double>(static_cast<uint64_t>(units));
  uint64_t code =
      static_cast<uint64_t>(rounded) +
      (static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissa);
  if (code > format.largest) {
    const bool finite = format.saturates || rounding == RoundTo::Zero;
    code = finite ? format.largest : format.infinity;
  }
  return format.unsignedZero && code == 0 ? 0 : sign | code;
}

std::vector<float> decodeTable(Kind kind) {
  const Format &format = formatOf(kind);
  std::vector<float> table(size_t{1} << format.bits);
  for (size_t code = 0; code < table.size(); ++code) {
    table[code] = static_cast<float>(decodeNarrow(format, code));
  }
  return table;
}

} // namespace

double decodeFloat(Kind kind, uint64_t bits) {
  switch (kind) {
  case Kind::F64: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  case Kind::F32:
  case Kind::BF16: {
    auto word = static_cast<uint32_t>(kind == Kind::BF16 ? bits << 16 : bits);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
  case Kind::F16: {
    static const std::vector<float> table = decodeTable(Kind::F16);
    return table[bits & 0xffff];
  }
  default:
    return decodeNarrow(formatOf(kind), bits & 0xff);
  }
}

static uint64_t encodeF32(double value, RoundTo rounding) {
  auto narrow = static_cast<float>(value);
  if (rounding == RoundTo::Zero && std::isfinite(value) &&
      std::fabs(static_cast<double>(narrow)) > std::fabs(value)) {
    narrow = std::nextafterf(narrow, 0.0f);
  }
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof(bits));
  return bits;
}

uint64_t encodeFloat(Kind kind, double value, RoundTo rounding) {
  switch (kind) {
  case Kind::F64: {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  case Kind::F32:
    return encodeF32(value, rounding);
  default:
    return encodeNarrow(formatOf(kind), value, rounding);
  }
}

double roundToOdd(double value, double error) {
  if (error == 0 || !std::isfinite(value) || std::isnan(error)) {
    return value;
  }
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 1) != 0) {
    return value;
  }
  return std::nextafter(value, error > 0
                                   ? std::numeric_limits<double>::infinity()
                                   : -std::numeric_limits<double>::infinity());
}

} // namespace tz::interpreter
