//===- Layout.h - which thread holds which element of a tile ----*- C++ -*-===//
//
// What   A map from (register, lane, warp, block) to the coordinates of a tile,
//        with the algebra that lowering needs: evaluate, invert, drop and add
//        dimensions, permute, reshape.
// Why    Vector widths, shuffles, bank conflicts and the operands of a matrix
//        instruction are all questions about this one map.
//
// A layout has two parts. The *atom* is linear over F2: each bit of a register,
// lane, warp or block index adds (xor) a fixed coordinate vector, its basis;
// the extents of the atom are powers of two. The *repeats* lay copies of the
// atom beside each other, in registers or over warps, any number of times: a 64
// x 176 accumulator is a 64 x 8 atom repeated 22 times. An index of an axis is
// read with the atom's bits lowest and the repeats above them, in order, as
// digits.
//
// The map covers its shape; several places may hold the same element (a basis
// of zero, or one that depends on others). Of these, the place whose redundant
// bits are all zero is the *owner*: stores and atomics happen there.
//
// Example: layout of a 4 x 8 tile over 8 lanes, two elements a thread
//   register [(0,1)]  lane [(0,2) (0,4) (1,0)]  register repeat dim 0 x 2
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_LAYOUT_H
#define TERRAZZO_SIMT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <string>

namespace tz::simt {

/// What an index counts. Blocks are those of one cluster.
enum class Axis : uint8_t { Register, Lane, Warp, Block };
inline constexpr unsigned NumAxes = 4;
inline constexpr std::array<Axis, NumAxes> AllAxes = {
    Axis::Register, Axis::Lane, Axis::Warp, Axis::Block};
llvm::StringRef axisName(Axis axis);

/// One index per axis.
struct Place {
  std::array<int64_t, NumAxes> index{};
  int64_t &operator[](Axis axis) { return index[size_t(axis)]; }
  int64_t operator[](Axis axis) const { return index[size_t(axis)]; }
  bool operator==(const Place &) const = default;
};

/// One number per dimension of the tile.
using Coordinates = llvm::SmallVector<int64_t, 4>;

class Layout {
public:
  /// `count` copies of what lies below, beside each other along `dim`; without
  /// a dimension the copies hold the same elements.
  struct Repeat {
    Axis axis;
    std::optional<unsigned> dim;
    int64_t count;
    bool operator==(const Repeat &) const = default;
  };

  /// Every place holds the one element of a 1 x ... x 1 tile.
  explicit Layout(unsigned rank) : extents(rank, 1) {}

  /// Adds the next bit of an axis to the atom. Only before the first repeat
  /// that stays one (see repeat).
  Layout &addBit(Axis axis, llvm::ArrayRef<int64_t> basis);
  /// Adds a repeat. Counts that are powers of two become bits of the atom where
  /// no earlier repeat of the axis or dimension is in the way, so that equal
  /// maps are equal layouts. `axis` is Register or Warp.
  Layout &repeat(Axis axis, std::optional<unsigned> dim, int64_t count);

  unsigned rank() const { return extents.size(); }
  /// Extents of the atom: powers of two.
  llvm::ArrayRef<int64_t> atomShape() const { return extents; }
  /// Extents with repeats.
  Coordinates shape() const;
  llvm::ArrayRef<Coordinates> bases(Axis axis) const {
    return bits[size_t(axis)];
  }
  llvm::ArrayRef<Repeat> repeats() const { return copies; }
  /// No repeats: the whole map is linear over F2.
  bool isLinear() const { return copies.empty(); }
  /// Number of indices of an axis.
  int64_t size(Axis axis) const;

  Coordinates apply(const Place &place) const;
  /// The owner of an element; none if it is outside of the shape.
  std::optional<Place> owner(llvm::ArrayRef<int64_t> coordinates) const;
  /// Owners of the atom's unit vectors: owners()[dim][k] holds 2^k along `dim`.
  /// The owner of any element of the atom is the xor of these.
  llvm::SmallVector<llvm::SmallVector<Place>> unitOwners() const;
  /// Mask of the atom's bits of an axis that are redundant: zero in owners.
  uint64_t redundantBits(Axis axis) const;
  /// True if the copies of a repeat are redundant.
  static bool isRedundant(const Repeat &repeat) { return !repeat.dim; }
  /// True if every element of a tile of this shape is held somewhere.
  bool covers(llvm::ArrayRef<int64_t> tile) const;

  /// Number of elements that follow each other along `dim` in consecutive
  /// registers, from register 0 and from each of its multiples.
  int64_t contiguous(unsigned dim) const;

  //===--- Other layouts from this one ------------------------------------===//

  /// Coordinates without `dim`; registers that became equal are merged.
  Layout withoutDim(unsigned dim) const;
  /// A dimension of extent 1 before dimension `dim`.
  Layout withUnitDim(unsigned dim) const;
  /// Dimension i of the result is dimension order[i] of this.
  Layout permuted(llvm::ArrayRef<int64_t> order) const;
  /// The same elements in row-major order under another shape; none if repeats
  /// stand across the new shape.
  std::optional<Layout> reshaped(llvm::ArrayRef<int64_t> to) const;
  /// The layout of a tile whose broadcast to this layout's shape needs no move:
  /// dimensions that are 1 in `from` lose their coordinate.
  Layout beforeBroadcast(llvm::ArrayRef<int64_t> from) const;
  /// Without registers that hold what another register holds.
  Layout withMergedRegisters() const;

  /// "register [(0,1)] lane [(0,2) (0,4)] repeat register 1 x 22"
  std::string str() const;

  bool operator==(const Layout &) const = default;
  friend llvm::hash_code hash_value(const Layout &layout);

private:
  Coordinates extents; // of the atom
  std::array<llvm::SmallVector<Coordinates, 8>, NumAxes> bits;
  llvm::SmallVector<Repeat, 2> copies;
};

/// What is wanted of a layout whose accesses to memory coalesce.
struct BlockedOptions {
  llvm::ArrayRef<int64_t> shape;
  /// Elements along order[0] that a thread holds together: a power of two. Less
  /// is taken where the shape is smaller.
  int64_t vector = 1;
  /// Dimensions, fastest in memory first.
  llvm::ArrayRef<unsigned> order;
  unsigned lanes = 32, warps = 4;
  /// Of them that a thread holds beside each other along order[1].
  int64_t rows = 1;
};

/// Vectors along order[0], lanes beside each other along order[0] and then the
/// next dimensions, warps after them, the rest in registers. Lanes and warps
/// for which there is nothing left hold copies.
Layout blockedLayout(const BlockedOptions &options);

/// How a tile of two dimensions goes from rows of one dimension to rows of the
/// other, both in shared memory: read in vectors along the first, written along
/// the second. A thread holds the same elements in both layouts.
struct Transposition {
  Layout read, written;
};

/// `from`: the dimension whose rows are read. Elements of 4 bytes and of one
/// (which are turned in blocks of 4 x 4, word by word). Where rows have 128
/// bytes, their 16-byte parts swizzled by the row's index, lanes lie so that at
/// most two of them meet in a bank when 4-byte elements are read or written, at
/// most four for one byte. None: other elements, or shapes that are no
/// multiples of what a warp transposes at once.
std::optional<Transposition>
transpositionLayouts(llvm::ArrayRef<int64_t> shape, unsigned from,
                     int64_t elementBytes, unsigned lanes, int64_t warps);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_LAYOUT_H
