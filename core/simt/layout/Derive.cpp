//===- Derive.cpp - layouts made from others, and from shapes -------------===//
//
// What   Dropping, adding, permuting, reshaping and broadcasting dimensions;
//        layouts for coalesced access.
// Why    Each shape operation of a tile is a change of its layout; where the
//        change exists, the operation moves no data.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/BitSpan.h"

#include "terrazzo/simt/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tz::simt;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// Where a coordinate of the old layout goes.
using MapBasis = llvm::function_ref<Coordinates(const Coordinates &)>;
using MapDim =
    llvm::function_ref<std::optional<unsigned>(std::optional<unsigned>)>;

Layout rebuilt(const Layout &from, unsigned rank, MapBasis basis, MapDim dim) {
  Layout result(rank);
  for (Axis axis : AllAxes) {
    for (const Coordinates &old : from.bases(axis)) {
      result.addBit(axis, basis(old));
    }
  }
  for (const Layout::Repeat &copy : from.repeats()) {
    result.repeat(copy.axis, dim(copy.dim), copy.count);
  }
  return result;
}
} // namespace

Layout Layout::withMergedRegisters() const {
  Layout result(rank());
  BitSpan kept;
  for (Axis axis : AllAxes) {
    for (const Coordinates &basis : bases(axis)) {
      if (axis == Axis::Register) {
        uint64_t word = 0;
        for (auto [coordinate, extent] : llvm::zip_equal(basis, extents)) {
          word = (word << llvm::Log2_64(extent)) | uint64_t(coordinate);
        }
        if (!kept.add(word)) {
          continue;
        }
      }
      result.addBit(axis, basis);
    }
  }
  for (const Repeat &copy : copies) {
    if (copy.dim || copy.axis != Axis::Register) {
      result.repeat(copy.axis, copy.dim, copy.count);
    }
  }
  return result;
}

Layout Layout::withoutDim(unsigned dim) const {
  return rebuilt(
             *this, rank() - 1,
             [&](const Coordinates &old) {
               Coordinates basis = old;
               basis.erase(basis.begin() + dim);
               return basis;
             },
             [&](std::optional<unsigned> old) -> std::optional<unsigned> {
               if (!old || *old == dim) {
                 return std::nullopt;
               }
               return *old > dim ? *old - 1 : *old;
             })
      .withMergedRegisters();
}

Layout Layout::withUnitDim(unsigned dim) const {
  return rebuilt(
      *this, rank() + 1,
      [&](const Coordinates &old) {
        Coordinates basis = old;
        basis.insert(basis.begin() + dim, 0);
        return basis;
      },
      [&](std::optional<unsigned> old) -> std::optional<unsigned> {
        return old && *old >= dim ? *old + 1 : old;
      });
}

Layout Layout::permuted(ArrayRef<int64_t> order) const {
  return rebuilt(
      *this, rank(),
      [&](const Coordinates &old) {
        Coordinates basis(rank());
        for (auto [i, from] : llvm::enumerate(order)) {
          basis[i] = old[from];
        }
        return basis;
      },
      [&](std::optional<unsigned> old) -> std::optional<unsigned> {
        if (!old) {
          return old;
        }
        return unsigned(llvm::find(order, int64_t(*old)) - order.begin());
      });
}

Layout Layout::beforeBroadcast(ArrayRef<int64_t> from) const {
  return rebuilt(
             *this, rank(),
             [&](const Coordinates &old) {
               Coordinates basis = old;
               for (auto [coordinate, extent] : llvm::zip_equal(basis, from)) {
                 coordinate = extent == 1 ? 0 : coordinate;
               }
               return basis;
             },
             [&](std::optional<unsigned> old) -> std::optional<unsigned> {
               return old && from[*old] == 1 ? std::nullopt : old;
             })
      .withMergedRegisters();
}

namespace {
/// Dimensions [from.first, from.second) of the old shape are the dimensions
/// [to.first, to.second) of the new one: their sizes have one product.
struct Group {
  std::pair<unsigned, unsigned> from, to;
};

/// The finest groups, from the slowest dimension on.
SmallVector<Group> matchDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<Group> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{{i, i}, {j, j}};
    int64_t left = 1, right = 1;
    do {
      if ((left <= right && i < from.size()) || j == to.size()) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    } while (left != right);
    group.from.second = i;
    group.to.second = j;
    groups.push_back(group);
  }
  return groups;
}
} // namespace

std::optional<Layout> Layout::reshaped(ArrayRef<int64_t> to) const {
  Coordinates from = shape();
  SmallVector<Group> groups = matchDims(from, to);
  // Extents of the atom in the new shape, and where repeats go.
  Coordinates atom(to.begin(), to.end());
  SmallVector<std::optional<unsigned>> repeatTo(rank());
  for (const Group &group : groups) {
    auto [first, last] = group.from;
    int64_t times = 1, inner = 1;
    for (unsigned dim = first; dim < last; ++dim) {
      int64_t count = from[dim] / extents[dim];
      // Only copies of whole rows keep their place in row-major order.
      bool isSlowest =
          llvm::all_of(ArrayRef<int64_t>(from).slice(first, dim - first),
                       [](int64_t extent) { return extent == 1; });
      if (count > 1 && !isSlowest) {
        return std::nullopt;
      }
      times *= count;
    }
    if (times == 1) {
      continue;
    }
    unsigned slow = group.to.first;
    while (slow + 1 < group.to.second && to[slow] == 1) {
      ++slow;
    }
    for (unsigned dim = slow + 1; dim < group.to.second; ++dim) {
      inner *= to[dim];
    }
    if (to[slow] % times != 0 || !llvm::isPowerOf2_64(inner)) {
      return std::nullopt;
    }
    atom[slow] = to[slow] / times;
    for (unsigned dim = first; dim < last; ++dim) {
      repeatTo[dim] = slow;
    }
  }
  return rebuilt(
      *this, to.size(),
      [&](const Coordinates &old) {
        Coordinates basis(to.size(), 0);
        for (const Group &group : groups) {
          int64_t index = 0;
          for (unsigned dim = group.from.first; dim < group.from.second;
               ++dim) {
            index = index * extents[dim] + old[dim];
          }
          for (unsigned dim = group.to.second; dim-- > group.to.first;) {
            basis[dim] = index % atom[dim];
            index /= atom[dim];
          }
        }
        return basis;
      },
      [&](std::optional<unsigned> old) -> std::optional<unsigned> {
        return old ? repeatTo[*old] : old;
      });
}

Layout tz::simt::blockedLayout(const BlockedOptions &options) {
  const unsigned rank = options.shape.size();
  Layout layout(rank);
  Coordinates used(rank, 1), even(rank); // even: the factor that bits can cover
  for (unsigned dim = 0; dim < rank; ++dim) {
    even[dim] = options.shape[dim] & -options.shape[dim];
  }
  auto take = [&](Axis axis, unsigned dim, int64_t limit) {
    int64_t taken = 1;
    for (; taken < limit && used[dim] < even[dim]; taken *= 2) {
      Coordinates basis(rank, 0);
      basis[dim] = used[dim];
      layout.addBit(axis, basis);
      used[dim] *= 2;
    }
    return limit / taken;
  };
  auto copies = [&](Axis axis, int64_t left) {
    for (; left > 1; left /= 2) {
      layout.addBit(axis, Coordinates(rank, 0));
    }
  };
  if (rank != 0) {
    take(Axis::Register, options.order[0], options.vector);
  }
  if (rank > 1) {
    take(Axis::Register, options.order[1], options.rows);
  }
  int64_t lanes = options.lanes, warps = options.warps;
  for (unsigned dim : options.order) {
    lanes = take(Axis::Lane, dim, lanes);
  }
  // The slowest dimension first: a row stays within a warp.
  for (unsigned dim : llvm::reverse(options.order)) {
    warps = take(Axis::Warp, dim, warps);
  }
  copies(Axis::Lane, lanes);
  copies(Axis::Warp, warps);
  for (unsigned dim : options.order) {
    take(Axis::Register, dim, even[dim]);
  }
  for (unsigned dim : options.order) {
    layout.repeat(Axis::Register, dim, options.shape[dim] / even[dim]);
  }
  return layout;
}

std::optional<Transposition>
tz::simt::transpositionLayouts(ArrayRef<int64_t> shape, unsigned from,
                               int64_t elementBytes, unsigned lanes,
                               int64_t warps) {
  if (shape.size() != 2 || lanes < 8 ||
      (elementBytes != 1 && elementBytes != 4)) {
    return std::nullopt;
  }
  const unsigned to = 1 - from;
  const bool isByte = elementBytes == 1;
  // Lanes along `from` choose the word of a part that is read, along `to` the
  // word that is written; the lowest bits of a row's index, which are the
  // other side's, choose the part.
  const SmallVector<int64_t> registersTo =
      isByte ? SmallVector<int64_t>{1, 2} : SmallVector<int64_t>{};
  SmallVector<int64_t> lanesTo, lanesFrom;
  for (unsigned of = 1, step = isByte ? 4 : 1; of < lanes; of *= 2) {
    // Rows of the other side first: parts of eight rows meet no bank twice, and
    // words of 16 bytes along them fill a part.
    const bool isTo = lanesTo.size() < (isByte ? 2 : 4);
    if (!isTo && lanesFrom.empty()) {
      step = 4; // elements of a word, or of a part, are the thread's own
    }
    (isTo ? lanesTo : lanesFrom).push_back(step);
    step *= 2;
  }
  const int64_t unitFrom = lanesFrom.empty() ? 4 : 2 * lanesFrom.back(),
                unitTo = 2 * lanesTo.back();
  if (shape[from] % unitFrom != 0 || shape[to] % unitTo != 0) {
    return std::nullopt;
  }
  auto made = [&](bool isRead) {
    Layout layout(2);
    auto add = [&](Axis axis, unsigned dim, ArrayRef<int64_t> steps) {
      for (int64_t step : steps) {
        Coordinates basis(2, 0);
        basis[dim] = step;
        layout.addBit(axis, basis);
      }
    };
    if (!isRead) {
      add(Axis::Register, to, registersTo);
    }
    add(Axis::Register, from, {1, 2});
    if (isRead) {
      add(Axis::Register, to, registersTo);
    }
    add(Axis::Lane, to, lanesTo);
    add(Axis::Lane, from, lanesFrom);
    int64_t left = warps;
    for (unsigned dim : {from, to}) {
      const int64_t rest = shape[dim] / layout.shape()[dim];
      const int64_t parties = std::min(left, rest & -rest);
      layout.repeat(Axis::Warp, dim, parties);
      left /= parties;
    }
    layout.repeat(Axis::Warp, std::nullopt, left);
    for (unsigned dim : {from, to}) {
      layout.repeat(Axis::Register, dim, shape[dim] / layout.shape()[dim]);
    }
    return layout;
  };
  return Transposition{made(true), made(false)};
}
