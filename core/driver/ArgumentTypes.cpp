//===- ArgumentTypes.cpp - types of arguments, as numbers and as written --===//
//
// What   Asks terrazzo/ElementTypes.def.
// Why    See ArgumentTypes.h.
//===----------------------------------------------------------------------===//
#include "core/driver/ArgumentTypes.h"

#include <terrazzo/plugin.h>
#include <terrazzo/terrazzo.h>

#include <string>

namespace tz::driver {

namespace {

enum class Class : uint8_t { Bool, Signed, Unsigned, Float };

struct Row {
  uint32_t type, bits;
  Class kind;
  std::string_view name, longName, text; // as ElementTypes.def has them
};

struct Spelling {
  uint32_t type;
  std::string_view text;
};

} // namespace

static constexpr Row Rows[] = {
#define ELEMENT_TYPE(Id, Bits, Kind, Name, Long, Text, Fraction, Least)        \
  {TZ_TYPE_##Id, Bits, Class::Kind, Name, Long, Text},
#include "terrazzo/ElementTypes.def"
};

static constexpr Spelling Spellings[] = {
#define ELEMENT_SPELLING(Id, Text) {TZ_TYPE_##Id, Text},
#include "terrazzo/ElementTypes.def"
};

static const Row *find(uint32_t type) {
  for (const Row &row : Rows) {
    if (row.type == type) {
      return &row;
    }
  }
  return nullptr;
}

uint32_t typeFromName(std::string_view name) {
  for (const Row &row : Rows) {
    if (row.type != TZ_TYPE_F8E4B15 && // of memory only: it has no values
        (row.name == name || row.longName == name || row.text == name)) {
      return row.type;
    }
  }
  for (const Spelling &spelling : Spellings) {
    if (spelling.text == name) {
      return spelling.type;
    }
  }
  return 0;
}

std::string_view languageName(uint32_t type) {
  const Row *row = find(type);
  return row ? row->name : std::string_view();
}

uint32_t elementBytes(uint32_t type) {
  const Row *row = find(type);
  return type == TZ_TYPE_PTR ? 8 : row ? (row->bits + 7) / 8 : 0;
}

bool isFloatType(uint32_t type) {
  const Row *row = find(type);
  return row && row->kind == Class::Float;
}

bool isSignedType(uint32_t type) {
  const Row *row = find(type);
  return row && (row->kind == Class::Float || row->kind == Class::Signed);
}

std::string_view knownTypeNames() {
  static const std::string names = [] {
    std::string all;
    for (const Row &row : Rows) {
      if (row.type != TZ_TYPE_F8E4B15) { // of memory only
        all += (all.empty() ? "" : " ") + std::string(row.text);
      }
    }
    return all;
  }();
  return names;
}

} // namespace tz::driver
