//===- ArgumentTypes.h - types of arguments, as numbers and as written ----===//
//
// What   TZ_TYPE_* and the names that the kernel language and people use for
//        them: "fp16" and "f16", "i32" and "int32", "*fp16".
// Why    The ABI has numbers, the frontend names, the command line both.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_ARGUMENTTYPES_H
#define TERRAZZO_CORE_DRIVER_ARGUMENTTYPES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tz::driver {

/// TZ_TYPE_* of "f32", "fp32", "float32", "i64", "bool", "f8e5m2" ...; 0 if it
/// is none.
uint32_t typeFromName(std::string_view name);
/// The kernel language's name: "fp16", "i32", "u1", "fp8e4nv"; empty if none.
std::string_view languageName(uint32_t type);
/// Bytes of one element; 0 if unknown.
uint32_t elementBytes(uint32_t type);
bool isFloatType(uint32_t type);
bool isSignedType(uint32_t type);
/// The names that a person may write, for messages.
std::string_view knownTypeNames();

} // namespace tz::driver

#endif
