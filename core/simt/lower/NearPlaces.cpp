//===- NearPlaces.cpp - where accesses of views are, in 32 bits -----------===//
//
// What   For a block of a view that lies within SimtMachine::nearBytes of its
//        corner: the bytes from the corner to what a register accesses, and
//        where its bounds are an end of memory.
// Why    Buffer instructions add 32 bits to a base of the warp and know where
//        it ends: no branch for a mask, and one register for an address.
//
// Bounds are an end where one dimension is checked, from 0 on, and the others
// lie within one step of it: then an element is inside if and only if its bytes
// lie before `count` steps.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tz::simt {

static constexpr int64_t WordBytes = 4; // that an end does not divide

/// Bytes from the first element to the last along a dimension, at most; none: a
/// step goes back, or may be long.
static std::optional<int64_t> reachAlong(const analysis::Hints &hints,
                                         tile::MakeViewOp view, unsigned dim,
                                         int64_t extent, int64_t bytes) {
  constexpr int64_t longest = int64_t{1} << 31;
  const analysis::Interval step = hints.range(view.getStrides()[dim]);
  if (extent == 1) {
    return 0;
  }
  return step.low < 0 || step.high > longest
             ? std::nullopt
             : std::optional((extent - 1) * step.high * bytes);
}

void KernelLowering::findNearPlaces(ViewAccess &access, tile::MakeViewOp view) {
  const Layout &layout = access.layout.getValue();
  const int64_t bytes = tile::storageBytes(access.element);
  int64_t reach = bytes;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    auto more = reachAlong(runs.hints(), view, dim, layout.shape()[dim], bytes);
    if (!more) {
      return;
    }
    reach += *more;
  }
  if (reach > hooks.nearBytes()) {
    return;
  }
  access.near = b.getInt32(0);
  const ThreadCoordinates &mine = coordinatesOf(access.layout);
  for (unsigned dim = 0; dim < layout.rank() && access.isExact; ++dim) {
    Value *step = b.CreateTrunc(access.strides[dim], b.getInt32Ty());
    access.near = b.CreateAdd(access.near, b.CreateMul(mine.start[dim], step),
                              "", /*HasNUW=*/true);
  }
  access.end = endOf(access, view);
}

/// Null: bounds say something else.
Value *KernelLowering::endOf(const ViewAccess &access, tile::MakeViewOp view) {
  const Layout &layout = access.layout.getValue();
  const int64_t bytes = tile::storageBytes(access.element);
  std::optional<unsigned> along;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    if (!access.count[dim]) {
      continue;
    }
    if (along ||
        !PatternMatch::match(access.low[dim], PatternMatch::m_ZeroInt())) {
      return nullptr;
    }
    along = dim;
  }
  auto *step = along ? dyn_cast<ConstantInt>(access.strides[*along]) : nullptr;
  if (!step) {
    return nullptr;
  }
  int64_t across = bytes;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    if (dim != *along) {
      across +=
          *reachAlong(runs.hints(), view, dim, layout.shape()[dim], bytes);
    }
  }
  const bool cutsVectors = access.dim == *along && access.vector < access.width;
  if (across > step->getSExtValue() ||
      (cutsVectors && access.vector * bytes % WordBytes != 0)) {
    return nullptr;
  }
  const auto extent = uint32_t(layout.shape()[*along]);
  Value *steps = b.CreateBinaryIntrinsic(Intrinsic::umin, access.count[*along],
                                         b.getInt32(extent));
  return b.CreateMul(steps, b.getInt32(uint32_t(step->getZExtValue())));
}

NearPlace KernelLowering::nearOf(const ViewAccess &access, unsigned reg) {
  const Layout &layout = access.layout.getValue();
  const Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
  NearPlace place{access.corner, access.near, 0, access.end};
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    auto *known = dyn_cast<ConstantInt>(access.strides[dim]);
    if (known && access.isExact) {
      place.constant += uint32_t(at[dim] * known->getSExtValue());
      continue;
    }
    Value *c = access.isExact ? b.getInt32(uint32_t(at[dim]))
                              : coordinate(access.layout, reg, dim);
    Value *step = b.CreateTrunc(access.strides[dim], b.getInt32Ty());
    place.offset = b.CreateAdd(place.offset, b.CreateMul(c, step), "",
                               /*HasNUW=*/true);
  }
  return place;
}

/// Nothing lies before an end at 0, whose value the warp has: no lane looks.
KernelLowering::Vectors KernelLowering::onlyThen(Vectors vectors, Value *end) {
  if (!onlyIf) {
    return vectors;
  }
  if (!vectors.near) {
    return vectors.of(b, onlyIf);
  }
  end = b.CreateSelect(onlyIf,
                       end ? end : b.getInt32(uint32_t(hooks.nearBytes())),
                       b.getInt32(0));
  vectors.near = [end, near = std::move(vectors.near)](unsigned reg) {
    NearPlace place = near(reg);
    place.end = end;
    return place;
  };
  return vectors;
}

} // namespace tz::simt
