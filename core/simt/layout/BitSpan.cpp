//===- BitSpan.cpp - spans of bit vectors over F2 -------------------------===//
//
// What   See BitSpan.h.
// Why    See BitSpan.h.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/BitSpan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tz::simt;

BitSpan::Reduced BitSpan::reduce(uint64_t vector) const {
  Reduced result{vector, 0};
  for (const Row &row : rows) {
    if (result.rest & llvm::bit_floor(row.value)) {
      result.rest ^= row.value;
      result.columns ^= row.columns;
    }
  }
  return result;
}

bool BitSpan::add(uint64_t column) {
  uint64_t self = uint64_t{1} << count++;
  Reduced reduced = reduce(column);
  if (reduced.rest == 0) {
    return false;
  }
  Row added{reduced.rest, reduced.columns ^ self};
  uint64_t pivot = llvm::bit_floor(added.value);
  for (Row &row : rows) {
    if (row.value & pivot) {
      row.value ^= added.value;
      row.columns ^= added.columns;
    }
  }
  rows.push_back(added);
  return true;
}

std::optional<uint64_t> BitSpan::preimage(uint64_t vector) const {
  Reduced reduced = reduce(vector);
  if (reduced.rest != 0) {
    return std::nullopt;
  }
  return reduced.columns;
}
