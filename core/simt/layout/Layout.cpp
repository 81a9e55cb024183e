//===- Layout.cpp - which thread holds which element of a tile ------------===//
//
// What   Making, evaluating and inverting a layout; its text.
// Why    See Layout.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Layout.h"

#include "core/simt/layout/BitSpan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tz::simt;
using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef tz::simt::axisName(Axis axis) {
  static constexpr std::array<llvm::StringLiteral, NumAxes> names = {
      "register", "lane", "warp", "block"};
  return names[size_t(axis)];
}

Layout &Layout::addBit(Axis axis, ArrayRef<int64_t> basis) {
  assert(copies.empty() && "bits belong to the atom, below all repeats");
  assert(basis.size() == rank() && "one coordinate per dimension");
  for (auto [extent, coordinate] : llvm::zip_equal(extents, basis)) {
    extent =
        std::max<int64_t>(extent, llvm::bit_ceil(uint64_t(coordinate) + 1));
  }
  bits[size_t(axis)].emplace_back(basis);
  return *this;
}

Layout &Layout::repeat(Axis axis, std::optional<unsigned> dim, int64_t count) {
  assert((axis == Axis::Register || axis == Axis::Warp) && count > 0);
  bool isFree = llvm::none_of(copies, [&](const Repeat &earlier) {
    return earlier.axis == axis || (dim && earlier.dim == dim);
  });
  if (isFree) {
    // Bits cannot be added above other repeats by addBit; these are not in the
    // way of this one.
    SmallVector<Repeat, 2> others;
    std::swap(others, copies);
    for (; count % 2 == 0; count /= 2) {
      Coordinates basis(rank(), 0);
      if (dim) {
        basis[*dim] = extents[*dim];
      }
      addBit(axis, basis);
    }
    std::swap(others, copies);
  }
  if (count > 1) {
    copies.push_back({axis, dim, count});
  }
  return *this;
}

Coordinates Layout::shape() const {
  Coordinates result = extents;
  for (const Repeat &copy : copies) {
    if (copy.dim) {
      result[*copy.dim] *= copy.count;
    }
  }
  return result;
}

int64_t Layout::size(Axis axis) const {
  int64_t result = int64_t{1} << bases(axis).size();
  for (const Repeat &copy : copies) {
    result *= copy.axis == axis ? copy.count : 1;
  }
  return result;
}

Coordinates Layout::apply(const Place &place) const {
  Coordinates result(rank(), 0);
  Place above; // what is left for the repeats
  for (Axis axis : AllAxes) {
    for (auto [i, basis] : llvm::enumerate(bases(axis))) {
      if (place[axis] >> i & 1) {
        for (unsigned dim = 0; dim < rank(); ++dim) {
          result[dim] ^= basis[dim];
        }
      }
    }
    above[axis] = place[axis] >> bases(axis).size();
  }
  Coordinates stride = extents;
  for (const Repeat &copy : copies) {
    int64_t &index = above[copy.axis];
    if (copy.dim) {
      result[*copy.dim] += index % copy.count * stride[*copy.dim];
      stride[*copy.dim] *= copy.count;
    }
    index /= copy.count;
  }
  return result;
}

namespace {
/// The bits of all dimensions of an atom in one word.
class Packing {
public:
  explicit Packing(ArrayRef<int64_t> extents) {
    for (int64_t extent : extents) {
      offsets.push_back(total);
      total += llvm::Log2_64(extent);
    }
    assert(total <= 64 && "an atom has at most 2^64 elements");
  }
  uint64_t pack(ArrayRef<int64_t> coordinates) const {
    uint64_t word = 0;
    for (auto [offset, coordinate] : llvm::zip_equal(offsets, coordinates)) {
      word |= uint64_t(coordinate) << offset;
    }
    return word;
  }
  unsigned bits() const { return total; }

private:
  SmallVector<unsigned, 4> offsets;
  unsigned total = 0;
};

/// The columns of an atom, registers first, so that of two places the one in
/// fewer threads owns.
struct AtomSpan {
  explicit AtomSpan(const Layout &layout) : packing(layout.atomShape()) {
    for (Axis axis : AllAxes) {
      for (auto [i, basis] : llvm::enumerate(layout.bases(axis))) {
        if (!span.add(packing.pack(basis))) {
          redundant[axis] |= int64_t{1} << i;
        }
      }
    }
  }
  Place place(const Layout &layout, uint64_t columns) const {
    Place result;
    for (Axis axis : AllAxes) {
      unsigned count = layout.bases(axis).size();
      result[axis] = int64_t(columns & llvm::maskTrailingOnes<uint64_t>(count));
      columns >>= count;
    }
    return result;
  }

  Packing packing;
  BitSpan span;
  Place redundant;
};
} // namespace

std::optional<Place> Layout::owner(ArrayRef<int64_t> coordinates) const {
  AtomSpan atom(*this);
  Coordinates low(rank()), high(rank());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    if (coordinates[dim] < 0) {
      return std::nullopt;
    }
    low[dim] = coordinates[dim] % extents[dim];
    high[dim] = coordinates[dim] / extents[dim];
  }
  std::optional<uint64_t> columns = atom.span.preimage(atom.packing.pack(low));
  if (!columns) {
    return std::nullopt;
  }
  Place result = atom.place(*this, *columns);
  Place scale;
  for (Axis axis : AllAxes) {
    scale[axis] = int64_t{1} << bases(axis).size();
  }
  for (const Repeat &copy : copies) {
    if (copy.dim) {
      result[copy.axis] += high[*copy.dim] % copy.count * scale[copy.axis];
      high[*copy.dim] /= copy.count;
    }
    scale[copy.axis] *= copy.count;
  }
  if (llvm::any_of(high, [](int64_t rest) { return rest != 0; })) {
    return std::nullopt;
  }
  return result;
}

SmallVector<SmallVector<Place>> Layout::unitOwners() const {
  AtomSpan atom(*this);
  SmallVector<SmallVector<Place>> result(rank());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    for (int64_t unit = 1; unit < extents[dim]; unit *= 2) {
      Coordinates coordinates(rank(), 0);
      coordinates[dim] = unit;
      std::optional<uint64_t> columns =
          atom.span.preimage(atom.packing.pack(coordinates));
      assert(columns && "the layout does not cover its shape");
      result[dim].push_back(atom.place(*this, columns.value_or(0)));
    }
  }
  return result;
}

uint64_t Layout::redundantBits(Axis axis) const {
  return uint64_t(AtomSpan(*this).redundant[axis]);
}

bool Layout::covers(ArrayRef<int64_t> tile) const {
  AtomSpan atom(*this);
  return ArrayRef<int64_t>(shape()) == tile &&
         atom.span.rank() == atom.packing.bits();
}

int64_t Layout::contiguous(unsigned dim) const {
  int64_t run = 1;
  for (const Coordinates &basis : bases(Axis::Register)) {
    Coordinates next(rank(), 0);
    next[dim] = run;
    if (basis != next) {
      break;
    }
    run *= 2;
  }
  return run;
}

std::string Layout::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ListSeparator gap(" ");
  for (Axis axis : AllAxes) {
    if (bases(axis).empty()) {
      continue;
    }
    stream << gap << axisName(axis) << " [";
    llvm::ListSeparator space(" ");
    for (const Coordinates &basis : bases(axis)) {
      stream << space << '(';
      llvm::interleave(basis, stream, ",");
      stream << ')';
    }
    stream << ']';
  }
  for (const Repeat &copy : copies) {
    stream << gap << "repeat " << axisName(copy.axis) << ' ';
    if (copy.dim) {
      stream << "dim " << *copy.dim << ' ';
    }
    stream << "x " << copy.count;
  }
  return text;
}

llvm::hash_code tz::simt::hash_value(const Layout &layout) {
  llvm::hash_code code = llvm::hash_combine_range(layout.extents);
  for (const auto &axis : layout.bits) {
    code = llvm::hash_combine(code, axis.size());
    for (const Coordinates &basis : axis) {
      code = llvm::hash_combine(code, llvm::hash_combine_range(basis));
    }
  }
  for (const Layout::Repeat &copy : layout.copies) {
    code = llvm::hash_combine(code, size_t(copy.axis), copy.dim.value_or(~0u),
                              copy.count);
  }
  return code;
}
