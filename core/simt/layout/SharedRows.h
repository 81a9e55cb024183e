//===- SharedRows.h - where a tile lies between two layouts -----*- C++ -*-===//
//
// What   Distances in shared memory for a tile that threads write in one layout
//        and read in another, so that few of them meet in a bank.
// Why    Which distances are good depends on both sides: a row that is apart
//        from the next one by a vector helps neighbours in a column, and does
//        nothing for threads that are eight rows apart.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LAYOUT_SHAREDROWS_H
#define TERRAZZO_CORE_SIMT_LAYOUT_SHAREDROWS_H

#include "terrazzo/simt/Layout.h"

namespace tz::simt {

/// The place of an element: the sum of its coordinates times `pitches`, and
/// `more` for each 2^shift that it is along `dim`. Numbers count elements.
struct SharedRows {
  Coordinates pitches;
  int64_t elements = 0; ///< of all, with what lies between
  unsigned fast = 0;    ///< the dimension whose elements follow each other
  int64_t run = 1;      ///< along it, at whose multiples vectors may begin
  unsigned dim = 0, shift = 0;
  int64_t more = 0;

  int64_t at(llvm::ArrayRef<int64_t> coordinates) const;
};

/// Transactions in which the banks serve lanes that access `width` bytes each,
/// at these bytes. There are 32 banks of 4 bytes; as many lanes are served
/// together as fill them, and those that want the same word wait for nobody.
unsigned bankTransactions(llvm::ArrayRef<int64_t> addresses, int64_t width);

/// What an exchange asks for.
struct ExchangeShape {
  llvm::ArrayRef<int64_t> shape; ///< of what lies in shared memory at a time
  int64_t elementBytes;
  int64_t widest; ///< bytes of the widest access
  uint64_t most;  ///< elements that there is room for; 0: no limit
  /// Rows along the last dimension that are apart by a vector, and nothing
  /// else: rows of matrices are written, which other lanes address than those
  /// that hold them, or the tile is exchanged in pieces.
  bool isUsual = false;
};

/// Transactions of all of a warp's writes in `from` and reads in `to`.
unsigned exchangeTransactions(const SharedRows &rows, const Layout &from,
                              const Layout &to, const ExchangeShape &exchange);

/// Rows that are apart by a vector, so that columns meet other banks. Where
/// that takes more than there is room for, short rows stay together up to a
/// line of banks, and where that does, too, none are apart. Where another
/// distance, also between groups of rows, saves at least a quarter of the
/// transactions, that.
SharedRows rowsBetween(const Layout &from, const Layout &to,
                       const ExchangeShape &exchange);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LAYOUT_SHAREDROWS_H
