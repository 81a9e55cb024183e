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

/// The dimension of a reshape's source along which a run of so many elements of
/// `dim` lies: where only dimensions of one element come or go, and of the last
/// one, if the source's rows consist of such runs too.
static std::optional<unsigned> dimBefore(tile::ReshapeOp op, unsigned dim,
                                         int64_t count) {
  ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType()),
                    to = tile::shapeOf(op.getType());
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (!llvm::equal(llvm::make_filter_range(from, isLong),
                   llvm::make_filter_range(to, isLong))) {
    const bool isOfRows = dim + 1 == to.size() && !from.empty() &&
                          from.back() % count == 0 && to.back() % count == 0;
    return isOfRows ? std::optional(unsigned(from.size() - 1)) : std::nullopt;
  }
  auto place = llvm::count_if(to.take_front(dim), isLong);
  for (auto [index, extent] : llvm::enumerate(from)) {
    if (isLong(extent) && place-- == 0) {
      return unsigned(index);
    }
  }
  return std::nullopt;
}

/// A remainder, or some bits of a number, that differ within such a run.
static bool repeats(const Contiguity &runs, Value value, unsigned dim,
                    int64_t count) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return isa_and_present<tile::RemSIOp, tile::RemUIOp, arith::AndIOp>(op) &&
         dim < tile::shapeOf(value.getType()).size() &&
         runs.of(op->getResult(0))[dim].constancy < count;
}

bool tz::simt::cutsMostVectors(const Contiguity &runs, Value mask, unsigned dim,
                               int64_t count) {
  constexpr unsigned mostSteps = 32;
  SmallVector<std::pair<Value, unsigned>> open{{mask, dim}};
  for (unsigned step = 0; step < mostSteps && !open.empty(); ++step) {
    auto [value, along] = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (auto compare = dyn_cast_if_present<arith::CmpIOp>(op)) {
      if (repeats(runs, compare.getLhs(), along, count) ||
          repeats(runs, compare.getRhs(), along, count)) {
        return true;
      }
    } else if (auto reshape = dyn_cast_if_present<tile::ReshapeOp>(op)) {
      if (std::optional<unsigned> before = dimBefore(reshape, along, count)) {
        open.push_back({reshape.getSource(), *before});
      }
    } else if (isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                               arith::SelectOp, tile::BroadcastOp, ConvertOp>(
                   op)) {
      for (Value operand : op->getOperands()) {
        open.push_back({operand, along});
      }
    }
  }
  return false;
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

static int64_t powerOfTwoIn(const Contiguity &runs, Value value) {
  int64_t d = runs.hints().divisibility(value);
  return d == 0 ? int64_t{1} << 30 : (d & -d);
}

int64_t tz::simt::betweenBounds(const Contiguity &runs, Value view,
                                ValueRange offsets, unsigned dim,
                                bool isChecked) {
  int64_t between =
      std::min(int64_t{1} << 30, powerOfTwoIn(runs, offsets[dim]));
  while (auto advance = view.getDefiningOp<tile::AdvanceViewOp>()) {
    between = std::min(between, powerOfTwoIn(runs, advance.getOffsets()[dim]));
    view = advance.getView();
  }
  auto root = view.getDefiningOp<tile::MakeViewOp>();
  if (!root) {
    return 1;
  }
  return isChecked && !isEndless(root.getShape()[dim])
             ? std::min(between, powerOfTwoIn(runs, root.getShape()[dim]))
             : between;
}

unsigned tz::simt::firstOfRun(const Layout &layout, unsigned reg,
                              ArrayRef<int64_t> runs) {
  if (!layout.isLinear()) {
    return reg;
  }
  for (auto [bit, basis] : llvm::enumerate(layout.bases(Axis::Register))) {
    const bool staysInRun = llvm::all_of_zip(
        basis, runs, [](int64_t step, int64_t run) { return step < run; });
    reg &= staysInRun ? ~(1U << bit) : ~0U;
  }
  return reg;
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
  auto divisibility = [&](Value value) { return powerOfTwoIn(runs, value); };
  // Along the dimension that is dense in memory, if the alignment of all rows
  // is known and the bounds lie between vectors.
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!matchPattern(root.getStrides()[dim], m_One()) ||
        layout.contiguous(dim) == 1) {
      continue;
    }
    int64_t aligned = divisibility(root.getBase()); // bytes
    const int64_t inside =                          // elements along dim
        betweenBounds(runs, view, offsets, dim, /*isChecked=*/false);
    aligned = std::gcd(aligned, inside * bytes);
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
      aligned =
          std::min(aligned, bytes * betweenBounds(runs, view, offsets, dim,
                                                  /*isChecked=*/true));
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
