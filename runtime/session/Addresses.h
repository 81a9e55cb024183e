//===- Addresses.h - which arguments are one address ----------------------===//
//
// What   Finds pointer arguments of a launch that are the same, not null.
// Why    Each launch asks (docs/decisions/008): for a few pointers every pair
//        is compared, for more a small table makes it one look for each.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_ADDRESSES_H
#define TERRAZZO_RUNTIME_SESSION_ADDRESSES_H

#include <terrazzo/terrazzo.h>

#include <bit>
#include <cstring>
#include <span>

namespace tz::runtime {

/// Calls found(one, other) with slots of `pointers` that are one address, so
/// that each slot that shares its address is named; ends with true when it
/// gives true. At most 256 pointers.
template <typename Found>
bool findShared(const tz_arg *slots, std::span<const uint32_t> pointers,
                Found found) {
  constexpr size_t few = 5, Most = 256;
  const size_t count = pointers.size();
  if (count <= few) [[likely]] {
    for (size_t i = 1; i < count; ++i) {
      const uint64_t address = slots[pointers[i]].bits;
      for (size_t k = 0; k < i; ++k) {
        if (slots[pointers[k]].bits == address && address != 0) [[unlikely]] {
          if (found(pointers[k], pointers[i])) {
            return true;
          }
          break; // the others are known by that one
        }
      }
    }
    return false;
  }
  uint16_t table[2 * Most]; // slot + 1
  const size_t size = std::bit_ceil(2 * count);
  const int shift = 64 - std::countr_zero(size);
  std::memset(table, 0, size * sizeof(table[0]));
  for (uint32_t slot : pointers) {
    const uint64_t address = slots[slot].bits;
    size_t at = (address * 0x9e3779b97f4a7c15u) >> shift;
    for (; table[at]; at = (at + 1) & (size - 1)) {
      if (slots[table[at] - 1].bits == address) [[unlikely]] {
        break;
      }
    }
    if (!table[at]) [[likely]] {
      table[at] = uint16_t(slot + 1);
    } else if (address != 0 && found(uint32_t(table[at] - 1), slot)) {
      return true;
    }
  }
  return false;
}

} // namespace tz::runtime

#endif
