//===- ArgumentBits.h - questions about one launch argument ---------------===//
//
// What   A tz_arg's value at its own width, and what a specialisation asks of
//        it.
// Why    The launch, the specialiser and the artifact matcher must agree.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_ARGUMENTBITS_H
#define TERRAZZO_RUNTIME_SESSION_ARGUMENTBITS_H

#include "runtime/launch/PlanEvaluator.h"

#include <terrazzo/terrazzo.h>

#include <string_view>

namespace tz::runtime {

inline bool isInteger(uint32_t type) {
  return type >= TZ_TYPE_I8 && type <= TZ_TYPE_U64;
}

/// The classes of ElementTypes.def.
enum class TypeClass : uint8_t { Bool, Signed, Unsigned, Float };

/// Of a value of this class with so many bits; floats stay as they are.
template <TypeClass Class, unsigned Bits>
uint64_t normalizedAs(uint64_t bits) {
  constexpr unsigned rest = 64 - Bits;
  if constexpr (Class == TypeClass::Float) {
    return bits;
  } else if constexpr (Class == TypeClass::Signed) {
    return uint64_t(int64_t(bits << rest) >> rest);
  } else {
    return bits << rest >> rest;
  }
}

/// Bits as ArgValue wants them, whatever a caller wrote above the width.
inline uint64_t normalized(const tz_arg &arg) {
  switch (arg.type) {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  case TZ_TYPE_##Id:                                                           \
    return normalizedAs<TypeClass::Class, Bits>(arg.bits);
#include <terrazzo/ElementTypes.def>
  default:
    return arg.bits;
  }
}

/// Bytes of what a pointer points to, 0 if it does not say.
inline uint32_t elementSize(uint32_t type) {
  return type == TZ_TYPE_F8E4B15 ? 1 : typeSize(type);
}

inline bool equalsOne(const tz_arg &arg) {
  return isInteger(arg.type) && normalized(arg) == 1;
}

inline bool divisibleBy(const tz_arg &arg, uint32_t divisor) {
  bool countable = isInteger(arg.type) || arg.type == TZ_TYPE_PTR;
  if (!countable || !divisor) {
    return false;
  }
  // Nearly always a power of two, and a 64-bit division is what a launch would
  // spend most of its time on.
  return (divisor & (divisor - 1)) == 0 ? (normalized(arg) & (divisor - 1)) == 0
                                        : normalized(arg) % divisor == 0;
}

/// The text of a launch argument that is a string constant.
inline std::string_view textOf(const tz_arg &arg) {
  const char *text = arg.type == TZ_TYPE_STRING
                         ? reinterpret_cast<const char *>(arg.bits)
                         : nullptr;
  return text ? std::string_view(text) : std::string_view();
}

} // namespace tz::runtime

#endif
