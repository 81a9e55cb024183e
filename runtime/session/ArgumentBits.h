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

/// Bits as ArgValue wants them, whatever a caller wrote above the width.
inline uint64_t normalized(const tz_arg &arg) {
  switch (arg.type) {
  case TZ_TYPE_I1:
    return arg.bits & 1;
  case TZ_TYPE_I8:
    return uint64_t(int64_t(int8_t(arg.bits)));
  case TZ_TYPE_I16:
    return uint64_t(int64_t(int16_t(arg.bits)));
  case TZ_TYPE_I32:
    return uint64_t(int64_t(int32_t(arg.bits)));
  case TZ_TYPE_U8:
    return uint8_t(arg.bits);
  case TZ_TYPE_U16:
    return uint16_t(arg.bits);
  case TZ_TYPE_U32:
    return uint32_t(arg.bits);
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
