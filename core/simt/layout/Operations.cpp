//===- Operations.cpp - layouts that operations ask for -------------------===//
//
// What   See the header.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/Operations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

using namespace tz::simt;
using llvm::ArrayRef;
using llvm::SmallVector;

Layout tz::simt::joined(const Layout &half) {
  Layout pair(half.rank() + 1);
  Coordinates last(half.rank() + 1, 0);
  last.back() = 1;
  pair.addBit(Axis::Register, last);
  for (Axis axis : AllAxes) {
    for (Coordinates basis : half.bases(axis)) {
      basis.push_back(0);
      pair.addBit(axis, basis);
    }
  }
  for (const Layout::Repeat &copy : half.repeats()) {
    pair.repeat(copy.axis, copy.dim, copy.count);
  }
  return pair;
}

namespace {

/// Gives the bits of a tile out to registers, lanes and warps.
class ScanLayout {
public:
  ScanLayout(ArrayRef<int64_t> shape, unsigned axis, int64_t vector,
             unsigned lanes, unsigned warps)
      : shape(shape), axis(axis), vector(vector), lanes(lanes), warps(warps),
        layout(unsigned(shape.size())), used(shape.size(), 1) {
    for (unsigned dim = unsigned(shape.size()); dim-- > 0;) {
      if (dim != axis) {
        others.push_back(dim);
      }
    }
  }

  Layout make();

private:
  int64_t evenOf(unsigned dim) const { return shape[dim] & -shape[dim]; }
  int64_t take(Axis where, unsigned dim, int64_t limit);
  void repeat(Axis where, int64_t count);
  int64_t linesOf() const;
  bool hasLinesForAll() const;
  int64_t runFor(int64_t threads) const;
  void giveLines();
  void divideLines();

  ArrayRef<int64_t> shape;
  const unsigned axis;
  const int64_t vector, lanes, warps;
  Layout layout;
  Coordinates used;
  SmallVector<unsigned> others; // the last one first
};

/// At most `limit` of what the dimension has left; what is left of the limit.
int64_t ScanLayout::take(Axis where, unsigned dim, int64_t limit) {
  int64_t taken = 1;
  for (; taken < limit && used[dim] < evenOf(dim); taken *= 2, used[dim] *= 2) {
    Coordinates basis(shape.size(), 0);
    basis[dim] = used[dim];
    layout.addBit(where, basis);
  }
  return limit / taken;
}

/// So many have the same elements.
void ScanLayout::repeat(Axis where, int64_t count) {
  for (; count > 1; count /= 2) {
    layout.addBit(where, Coordinates(shape.size(), 0));
  }
}

/// Lines along the axis, short enough for a thread, and enough of them. Of the
/// last dimension lanes have parts, as they load them.
bool ScanLayout::hasLinesForAll() const {
  constexpr int64_t mostOfThread = 64;
  return axis + 1 != shape.size() && shape[axis] <= mostOfThread &&
         linesOf() >= lanes * warps;
}

int64_t ScanLayout::linesOf() const {
  int64_t lines = 1;
  for (unsigned dim : others) {
    lines *= evenOf(dim);
  }
  return lines;
}

/// What a thread has of a line that so many share. A step over lanes costs each
/// of a thread's runs a shuffle, so these are few: as long as the thread's
/// share of the tile allows. Of the last dimension they are what is loaded at
/// once, which then need not move.
int64_t ScanLayout::runFor(int64_t threads) const {
  constexpr int64_t mostInRow = 16; // each value waits for the one before it
  const int64_t share = evenOf(axis) * linesOf() / (lanes * warps);
  const int64_t most = axis + 1 == shape.size() ? vector : mostInRow;
  return std::max({int64_t(1), evenOf(axis) / threads, std::min(share, most)});
}

/// Each thread has whole lines; lanes beside each other have neighbours.
void ScanLayout::giveLines() {
  take(Axis::Register, axis, shape[axis]);
  for (Axis where : {Axis::Lane, Axis::Warp}) {
    int64_t left = where == Axis::Lane ? lanes : warps;
    for (unsigned dim : others) {
      left = take(where, dim, left);
    }
  }
}

/// Runs, over the lanes of one warp; warps on other dimensions.
void ScanLayout::divideLines() {
  int64_t otherWarps = warps;
  Coordinates reserved(shape.size(), 1);
  for (unsigned dim : others) {
    reserved[dim] = std::min(otherWarps, evenOf(dim));
    otherWarps /= reserved[dim];
  }
  const int64_t threads = lanes * otherWarps; // that share the axis
  take(Axis::Register, axis, runFor(threads));
  int64_t leftLanes = take(Axis::Lane, axis, lanes);
  for (unsigned dim : others) {
    const int64_t part = std::min(leftLanes, evenOf(dim) / reserved[dim]);
    take(Axis::Lane, dim, part);
    leftLanes /= part;
  }
  repeat(Axis::Lane, leftLanes);
  for (unsigned dim : others) {
    take(Axis::Warp, dim, reserved[dim]);
  }
  repeat(Axis::Warp, take(Axis::Warp, axis, otherWarps));
}

Layout ScanLayout::make() {
  if (hasLinesForAll()) {
    giveLines();
  } else {
    divideLines();
  }
  for (unsigned dim : others) {
    take(Axis::Register, dim, shape[dim]);
  }
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    layout.repeat(Axis::Register, dim, shape[dim] / evenOf(dim));
  }
  return std::move(layout);
}

} // namespace

Layout tz::simt::scanLayout(ArrayRef<int64_t> shape, unsigned axis,
                            int64_t vector, unsigned lanes, unsigned warps) {
  return ScanLayout(shape, axis, vector, lanes, warps).make();
}

std::optional<int64_t> tz::simt::scanStretch(const Layout &layout,
                                             unsigned axis) {
  const int64_t whole = layout.atomShape()[axis];
  int64_t first = whole, last = 0; // of lanes and warps
  for (Axis where : {Axis::Lane, Axis::Warp}) {
    for (const Coordinates &basis : layout.bases(where)) {
      if (basis[axis] != 0 && basis[axis] <= last) {
        return std::nullopt;
      }
      first = basis[axis] != 0 ? std::min(first, basis[axis]) : first;
      last = std::max(last, basis[axis]);
    }
  }
  int64_t stretch = whole;
  for (const Coordinates &basis : layout.bases(Axis::Register)) {
    if (last != 0 && basis[axis] > first) {
      if (basis[axis] < last) {
        return std::nullopt;
      }
      stretch = std::min(stretch, basis[axis]);
    }
  }
  return stretch;
}

std::optional<SmallVector<unsigned>>
tz::simt::registersWithin(const Layout &from, const Layout &to) {
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block}) {
    if (from.bases(axis) != to.bases(axis)) {
      return std::nullopt;
    }
  }
  auto overWarps = [](const Layout &layout) {
    return llvm::any_of(layout.repeats(), [](const Layout::Repeat &copy) {
      return copy.axis == Axis::Warp;
    });
  };
  if (overWarps(from) || overWarps(to)) {
    return std::nullopt;
  }
  // Repeats and atoms may be cut differently: equal coordinates at thread 0 are
  // equal in every thread only if the thread's bits do not reach into them.
  if (from.repeats() != to.repeats() && !(from.isLinear() && to.isLinear())) {
    return std::nullopt;
  }
  std::map<Coordinates, unsigned> at;
  for (unsigned reg = 0; reg < from.size(Axis::Register); ++reg) {
    at.try_emplace(from.apply(Place{{reg, 0, 0, 0}}), reg);
  }
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < to.size(Axis::Register); ++reg) {
    auto found = at.find(to.apply(Place{{reg, 0, 0, 0}}));
    if (found == at.end()) {
      return std::nullopt;
    }
    registers.push_back(found->second);
  }
  return registers;
}
