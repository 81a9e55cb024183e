//===- Types.cpp - types of arguments, as numbers and as written ----------===//
//
// What   One table with all spellings.
// Why    See Types.h.
//===----------------------------------------------------------------------===//
#include "core/driver/Types.h"

#include <terrazzo/plugin.h>
#include <terrazzo/terrazzo.h>

#include <array>

namespace tz::driver {

namespace {
struct Row {
  uint32_t type, bytes;
  bool isFloat, isSigned;
  std::string_view language;            // what the frontend calls it
  std::array<std::string_view, 4> also; // other spellings; empty: none
};
} // namespace

static constexpr Row rows[] = {
    {TZ_TYPE_I1, 1, false, false, "u1", {"bool", "i1", "int1", "b1"}},
    {TZ_TYPE_I8, 1, false, true, "i8", {"int8"}},
    {TZ_TYPE_I16, 2, false, true, "i16", {"int16"}},
    {TZ_TYPE_I32, 4, false, true, "i32", {"int32"}},
    {TZ_TYPE_I64, 8, false, true, "i64", {"int64"}},
    {TZ_TYPE_U8, 1, false, false, "u8", {"uint8"}},
    {TZ_TYPE_U16, 2, false, false, "u16", {"uint16"}},
    {TZ_TYPE_U32, 4, false, false, "u32", {"uint32"}},
    {TZ_TYPE_U64, 8, false, false, "u64", {"uint64"}},
    {TZ_TYPE_F16, 2, true, true, "fp16", {"f16", "float16", "half"}},
    {TZ_TYPE_BF16, 2, true, true, "bf16", {"bfloat16"}},
    {TZ_TYPE_F32, 4, true, true, "fp32", {"f32", "float32", "float"}},
    {TZ_TYPE_F64, 8, true, true, "fp64", {"f64", "float64", "double"}},
    {TZ_TYPE_F8E4M3FN,
     1,
     true,
     true,
     "fp8e4nv",
     {"f8e4m3fn", "f8e4m3", "float8e4nv", "fp8e4m3"}},
    {TZ_TYPE_F8E5M2, 1, true, true, "fp8e5", {"f8e5m2", "float8e5", "fp8e5m2"}},
    {TZ_TYPE_F8E4M3FNUZ, 1, true, true, "fp8e4b8", {"f8e4m3fnuz"}},
    {TZ_TYPE_F8E5M2FNUZ, 1, true, true, "fp8e5b16", {"f8e5m2fnuz"}},
    {TZ_TYPE_F8E4B15, 1, true, true, "fp8e4b15", {}},
};

static const Row *find(uint32_t type) {
  for (const Row &row : rows) {
    if (row.type == type) {
      return &row;
    }
  }
  return nullptr;
}

uint32_t typeFromName(std::string_view name) {
  if (name.empty()) {
    return 0;
  }
  for (const Row &row : rows) {
    if (row.type == TZ_TYPE_F8E4B15) {
      continue; // of memory only: there are no values to be made
    }
    if (row.language == name) {
      return row.type;
    }
    for (std::string_view other : row.also) {
      if (other == name) {
        return row.type;
      }
    }
  }
  return 0;
}

std::string_view languageName(uint32_t type) {
  const Row *row = find(type);
  return row ? row->language : std::string_view();
}

uint32_t elementBytes(uint32_t type) {
  const Row *row = find(type);
  return type == TZ_TYPE_PTR ? 8 : row ? row->bytes : 0;
}

bool isFloatType(uint32_t type) {
  const Row *row = find(type);
  return row && row->isFloat;
}

bool isSignedType(uint32_t type) {
  const Row *row = find(type);
  return row && row->isSigned;
}

std::string_view knownTypeNames() {
  return "f16 bf16 f32 f64 f8e4m3fn f8e5m2 i8 i16 i32 i64 u8 u16 u32 u64 bool";
}

} // namespace tz::driver
