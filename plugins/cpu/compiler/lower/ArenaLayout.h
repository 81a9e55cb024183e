//===- ArenaLayout.h - Offsets in the scratch of a thread -----------------===//
//
// What   First-fit allocation of 64-byte aligned ranges at compile time.
// Why    Tiles whose lives do not overlap share space, so that what is used
//        again and again stays in the first levels of cache.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_ARENALAYOUT_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_ARENALAYOUT_H

#include <algorithm>
#include <cstdint>
#include <map>

namespace tz::cpu {

class ArenaLayout {
public:
  uint64_t allocate(uint64_t bytes) {
    bytes = rounded(bytes);
    for (auto it = holes.begin(); it != holes.end(); ++it) {
      if (it->second >= bytes) {
        uint64_t offset = it->first, size = it->second;
        holes.erase(it);
        if (size > bytes) {
          holes[offset + bytes] = size - bytes;
        }
        return offset;
      }
    }
    uint64_t offset = end;
    // A hole at the end grows instead of staying empty.
    if (!holes.empty()) {
      auto last = std::prev(holes.end());
      if (last->first + last->second == end) {
        offset = last->first;
        holes.erase(last);
      }
    }
    end = offset + bytes;
    high = std::max(high, end);
    return offset;
  }

  void release(uint64_t offset, uint64_t bytes) {
    auto it = holes.emplace(offset, rounded(bytes)).first;
    auto next = std::next(it);
    if (next != holes.end() && it->first + it->second == next->first) {
      it->second += next->second;
      holes.erase(next);
    }
    if (it != holes.begin()) {
      auto before = std::prev(it);
      if (before->first + before->second == it->first) {
        before->second += it->second;
        holes.erase(it);
      }
    }
  }

  uint64_t highWater() const { return high; }

private:
  /// Never empty: two live ranges have two offsets.
  static uint64_t rounded(uint64_t bytes) {
    return (std::max<uint64_t>(bytes, 1) + 63) / 64 * 64;
  }

  std::map<uint64_t, uint64_t> holes;
  uint64_t end = 0, high = 0;
};

} // namespace tz::cpu

#endif
