//===- Elements.h - elements of buffers -----------------------------------===//
//
// What   Filling memory with an initialiser, and one element to and from
//        double.
// Why    Inputs must be the same on every machine for a seed, so no generator
//        of a library is used.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_ELEMENTS_H
#define TERRAZZO_CORE_ARGUMENTS_ELEMENTS_H

#include "core/arguments/Values.h"

namespace tz::tool {

/// The bits of `value` in a TZ_TYPE_*: one rounding to nearest even; integers
/// saturate.
uint64_t encodeElement(uint32_t type, double value);
double decodeElement(uint32_t type, const void *element);

/// `count` elements as `arg` says. The seed and the argument's name decide the
/// random ones.
runtime::Result<std::vector<uint8_t>> fillBuffer(const ArgumentText &arg,
                                                 uint64_t count, uint64_t seed,
                                                 const NameLookup &lookup);

} // namespace tz::tool

#endif
