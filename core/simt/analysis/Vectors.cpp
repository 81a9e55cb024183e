//===- Vectors.cpp - how much a thread accesses at once -------------------===//
//
// What   See Vectors.h.
// Why    See Vectors.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

VectorAccess tz::simt::vectorOfPointers(const Contiguity &runs, Value pointer,
                                        Value mask, const Layout &layout,
                                        int64_t widest) {
  Type element =
      cast<tile::PtrType>(tile::elementType(pointer.getType())).getPointee();
  const int64_t bytes = tile::storageBytes(element);
  Runs pointers = runs.of(pointer);
  VectorAccess best;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    int64_t count =
        std::min({layout.contiguous(dim), mostOfVector(widest, bytes),
                  pointers[dim].contiguity,
                  std::max<int64_t>(1, pointers[dim].divisibility / bytes)});
    if (mask) {
      count = std::min(count, runs.of(mask)[dim].constancy);
    }
    if (count > best.count) {
      best = {dim, count};
    }
  }
  return best;
}

/// The make_view that a view comes from, if only offsets were added to it.
static tile::MakeViewOp rootOf(Value view) {
  while (auto advance = view.getDefiningOp<tile::AdvanceViewOp>()) {
    view = advance.getView();
  }
  return view.getDefiningOp<tile::MakeViewOp>();
}

/// A dimension that is checked below zero alone.
static bool isEndless(Value extent) {
  APInt known;
  return matchPattern(extent, m_ConstantInt(&known)) &&
         known.isMaxSignedValue();
}

VectorAccess tz::simt::vectorOfView(const Contiguity &runs, Value view,
                                    ValueRange offsets, ArrayRef<bool> checked,
                                    const Layout &layout, int64_t widest) {
  VectorAccess best;
  tile::MakeViewOp root = rootOf(view);
  if (!root) {
    return best;
  }
  const unsigned rank = layout.rank();
  const int64_t bytes =
      tile::storageBytes(cast<tile::ViewType>(view.getType()).getElementType());
  auto divisibility = [&](Value value) {
    int64_t d = runs.hints().divisibility(value);
    return d == 0 ? int64_t{1} << 30 : (d & -d);
  };
  // Along the dimension that is dense in memory, if the alignment of all rows
  // is known and the bounds lie between vectors.
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!matchPattern(root.getStrides()[dim], m_One()) ||
        layout.contiguous(dim) == 1) {
      continue;
    }
    int64_t aligned = divisibility(root.getBase()); // bytes
    int64_t between = int64_t{1} << 30;             // elements along dim
    for (Value v = view;;) {
      auto advance = v.getDefiningOp<tile::AdvanceViewOp>();
      if (!advance) {
        break;
      }
      between = std::gcd(between, divisibility(advance.getOffsets()[dim]));
      v = advance.getView();
    }
    between = std::gcd(between, divisibility(offsets[dim]));
    aligned = std::gcd(aligned, between * bytes);
    for (unsigned other = 0; other < rank; ++other) {
      if (other != dim && layout.shape()[other] > 1) {
        aligned =
            std::gcd(aligned, divisibility(root.getStrides()[other]) * bytes);
      } else if (other != dim) {
        aligned = std::gcd(aligned, divisibility(root.getStrides()[other]) *
                                        divisibility(offsets[other]) * bytes);
      }
    }
    if (checked[dim]) {
      if (!isEndless(root.getShape()[dim])) {
        between = std::gcd(between, divisibility(root.getShape()[dim]));
      }
      aligned = std::min(aligned, between * bytes);
    }
    int64_t count =
        std::min({layout.contiguous(dim), mostOfVector(widest, bytes),
                  std::max<int64_t>(1, aligned / bytes)});
    if (count > best.count) {
      best = {dim, count};
    }
  }
  return best;
}

VectorAccess tz::simt::vectorOfLoad(const Contiguity &runs,
                                    mlir::Operation *load, const Layout &layout,
                                    int64_t widest) {
  if (auto view = mlir::dyn_cast<tile::LoadViewOp>(load)) {
    SmallVector<bool> none(view.getChecked().size(), false);
    return vectorOfView(runs, view.getView(), view.getOffsets(), none, layout,
                        widest);
  }
  auto pointers = mlir::cast<tile::LoadOp>(load);
  return vectorOfPointers(runs, pointers.getPointer(), pointers.getMask(),
                          layout, widest);
}

unsigned tz::simt::vectorOfBuffer(BufferType type, const Layout &layout,
                                  int64_t widest) {
  return unsigned(
      std::min({layout.contiguous(type.getLayout().getOrder()[0]),
                mostOfVector(widest, tile::storageBytes(type.getElementType())),
                type.getRun()}));
}
