//===- Frame.h - what a kernel is told of a matrix in memory --------------===//
//
// What   The words of a descriptor among the arguments of a kernel: where a
//        frame begins, its rows, and the dimensions around them.
// Why    The device half writes them, and code of the compiler half reads them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_FRAME_H
#define TERRAZZO_PLUGINS_INTEL_FRAME_H

#include <cstddef>

namespace tz::intel {

/// Of 64 bits each. Behind them two words for each further dimension, the
/// outermost first: its extent, and bytes from one to the next.
enum FrameWord : unsigned {
  FrameBase = 0,     ///< address of the first element
  FrameRowBytes = 1, ///< of a row, without what lies between rows
  FrameRows = 2,
  FramePitch = 3, ///< bytes from a row to the next one
  FrameMore = 4
};

/// Bytes of the words of a frame with so many dimensions, two or more: a size
/// that a vector of 64-bit numbers has.
constexpr size_t frameBytes(size_t rank) {
  const size_t words = FrameMore + 2 * (rank - 2);
  return words <= 4 ? 32 : words <= 8 ? 64 : 128;
}

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_FRAME_H
