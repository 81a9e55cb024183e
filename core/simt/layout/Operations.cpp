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

Layout tz::simt::scanLayout(ArrayRef<int64_t> shape, unsigned axis,
                            unsigned lanes, unsigned warps) {
  Layout layout(shape.size());
  Coordinates used(shape.size(), 1);
  auto take = [&](Axis where, unsigned dim, int64_t limit) {
    int64_t even = shape[dim] & -shape[dim], taken = 1;
    for (; taken < limit && used[dim] < even; taken *= 2, used[dim] *= 2) {
      Coordinates basis(shape.size(), 0);
      basis[dim] = used[dim];
      layout.addBit(where, basis);
    }
    return limit / taken;
  };
  SmallVector<unsigned> others;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (dim != axis) {
      others.push_back(dim);
    }
  }
  // Runs as short as the lanes of one warp allow, warps on other dimensions.
  int64_t even = shape[axis] & -shape[axis];
  int64_t otherWarps = warps;
  Coordinates reserved(shape.size(), 1);
  for (unsigned dim : others) {
    int64_t part = std::min(otherWarps, shape[dim] & -shape[dim]);
    reserved[dim] = part;
    otherWarps /= part;
  }
  int64_t threads = int64_t(lanes) * otherWarps; // that share the axis
  take(Axis::Register, axis, std::max<int64_t>(1, even / threads));
  int64_t leftLanes = take(Axis::Lane, axis, lanes);
  for (unsigned dim : others) {
    int64_t room = (shape[dim] & -shape[dim]) / reserved[dim];
    int64_t part = std::min(leftLanes, room);
    take(Axis::Lane, dim, part);
    leftLanes /= part;
  }
  for (; leftLanes > 1; leftLanes /= 2) {
    layout.addBit(Axis::Lane, Coordinates(shape.size(), 0));
  }
  for (unsigned dim : others) {
    take(Axis::Warp, dim, reserved[dim]);
  }
  int64_t leftWarps = take(Axis::Warp, axis, otherWarps);
  for (; leftWarps > 1; leftWarps /= 2) {
    layout.addBit(Axis::Warp, Coordinates(shape.size(), 0));
  }
  for (unsigned dim : others) {
    take(Axis::Register, dim, shape[dim]);
  }
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    layout.repeat(Axis::Register, dim, shape[dim] / (shape[dim] & -shape[dim]));
  }
  return layout;
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
