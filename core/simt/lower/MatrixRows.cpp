//===- MatrixRows.cpp - what matrix stores take ---------------------------===//
//
// What   See the header.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/MatrixRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::simt {

std::optional<MatrixRows> matrixRows(const Layout &layout, unsigned fast) {
  ArrayRef<Coordinates> registers = layout.bases(Axis::Register),
                        lanes = layout.bases(Axis::Lane);
  // A row is four lanes' words; the rows of four matrices are all lanes.
  if (registers.size() < 2 || lanes.size() < 3 ||
      !layout.bases(Axis::Block).empty()) {
    return std::nullopt;
  }
  SmallVector<Coordinates, 3> pairs = {registers[0], lanes[0], lanes[1]},
                              rows(lanes.drop_front(2));
  auto isRow = [&](ArrayRef<Coordinates> bits) {
    for (auto [i, basis] : llvm::enumerate(bits)) {
      Coordinates run(layout.rank(), 0);
      run[fast] = int64_t{1} << i;
      if (basis != run) {
        return false;
      }
    }
    return true;
  };
  const bool isTransposed = !isRow(pairs);
  if (isTransposed && (rows.size() != pairs.size() || !isRow(rows))) {
    return std::nullopt;
  }
  auto moves = [](const Coordinates &basis) {
    return llvm::any_of(basis, [](int64_t c) { return c != 0; });
  };
  unsigned used = 1; // bits of a register's index
  while (used < 3 && used < registers.size() && moves(registers[used])) {
    ++used;
  }
  if (used == 1) {
    return std::nullopt;
  }
  const auto &addressed = isTransposed ? pairs : rows;
  const auto &along = isTransposed ? rows : pairs;
  MatrixRows result{Layout(layout.rank()), 1u << (used - 1), isTransposed,
                    unsigned(registers.size()) - used};
  for (const Coordinates &basis : addressed) {
    result.rows.addBit(Axis::Lane, basis);
  }
  for (unsigned bit = 1; bit < 3; ++bit) {
    result.rows.addBit(Axis::Lane, bit < used ? registers[bit]
                                              : Coordinates(layout.rank(), 0));
  }
  for (const Coordinates &basis : registers.drop_front(used)) {
    result.rows.addBit(Axis::Register, basis);
  }
  for (const Coordinates &basis : along) {
    result.rows.addBit(Axis::Register, basis);
  }
  for (const Coordinates &basis : layout.bases(Axis::Warp)) {
    result.rows.addBit(Axis::Warp, basis);
  }
  for (const Layout::Repeat &copy : layout.repeats()) {
    result.rows.repeat(copy.axis, copy.dim, copy.count);
  }
  return result;
}

} // namespace tz::simt
