//===- ElementText.cpp - one element as a person reads it -----------------===//
//
// What   See ElementText.h.
// Why    See ElementText.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ElementText.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tz::interpreter {

/// A float as the shortest text that reads back as the same value.
static std::string shortest(Kind kind, double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  const int most = kind == Kind::F64 ? 17 : kind == Kind::F32 ? 9 : 6;
  char text[64];
  for (int digits = 6; digits <= most; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    const double again = std::strtod(text, nullptr);
    if (kind == Kind::F64
            ? again == value
            : static_cast<float>(again) == static_cast<float>(value)) {
      break;
    }
  }
  return text;
}

void printElement(llvm::raw_ostream &os, const TileValue &value, int64_t lane,
                  bool isSigned, bool hex) {
  const uint64_t bits = value.bitsAt(lane);
  if (hex || value.kind() == Kind::Ptr) {
    os << llvm::format_hex(bits, 2 + 2 * value.elementBytes());
  } else if (isFloat(value.kind())) {
    os << shortest(value.kind(), decodeFloat(value.kind(), bits));
  } else if (isSigned && value.kind() != Kind::I1) {
    const unsigned unused = 64 - widthOf(value.kind());
    os << (static_cast<int64_t>(bits << unused) >> unused);
  } else {
    os << bits;
  }
}

} // namespace tz::interpreter
