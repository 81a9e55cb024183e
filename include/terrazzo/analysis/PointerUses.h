//===- PointerUses.h - what the code does through a pointer -----*- C++ -*-===//
//
// What   For every pointer argument of a kernel: whether memory is read and
//        written through it, and the constant steps from element to element.
// Why    Whoever launches can tell an array that the kernel would misread (one
//        with gaps, where the kernel knows of none) or must not write.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_ANALYSIS_POINTERUSES_H
#define TERRAZZO_ANALYSIS_POINTERUSES_H

#include "terrazzo/ir/Tile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tz::analysis {

struct PointerUse {
  /// False: the address goes where it is not followed (into an integer, into
  /// memory), so that nothing below is known.
  bool isKnown = false;
  bool isRead = false, isWritten = false;
  /// All constants, above 1, that elements can lie apart, in elements, and by
  /// which the kernel divides (rows that it counts so), rising; none if a
  /// distance depends on an argument or on what was loaded. The list may be too
  /// long, never too short.
  std::optional<std::vector<int64_t>> steps;
};

/// One for each argument of the kernel; what is no pointer is not known.
std::vector<PointerUse> pointerUses(tile::KernelOp kernel);

} // namespace tz::analysis

#endif // TERRAZZO_ANALYSIS_POINTERUSES_H
