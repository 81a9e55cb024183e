//===- MatrixRows.h - what matrix stores take -------------------*- C++ -*-===//
//
// What   The rows of 8 x 8 matrices in a layout whose lanes hold pairs of them.
// Why    Who writes a tile needs the rows, and who chooses where it lies must
//        know that rows are written.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_MATRIXROWS_H
#define TERRAZZO_CORE_SIMT_LOWER_MATRIXROWS_H

#include "terrazzo/simt/Layout.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

namespace tz::simt {

/// A layout whose lanes hold matrices as SimtHooks::matrixStore takes them:
/// eight registers from a multiple of eight on are four matrices, or four are
/// two.
struct MatrixRows {
  Layout rows;       // lane l is at row l % R of matrix l / R
  unsigned matrices; // of one store
  bool isTransposed;
  unsigned kept; // bits of the atom's registers that are kept in `rows`

  /// Register of `rows` for the matrices from this register on.
  unsigned at(const Layout &layout, unsigned reg) const {
    const auto bits = unsigned(layout.bases(Axis::Register).size());
    const unsigned inAtom = reg & llvm::maskTrailingOnes<uint32_t>(bits);
    return inAtom >> (bits - kept) | reg >> bits << (kept + 3);
  }
};

/// Matrices of 16-bit elements whose rows lie along `fast`; none: the lanes
/// hold something else.
std::optional<MatrixRows> matrixRows(const Layout &layout, unsigned fast);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_MATRIXROWS_H
