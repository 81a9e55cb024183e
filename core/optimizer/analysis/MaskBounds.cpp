//===- MaskBounds.cpp - masks as bounds on lane indices -------------------===//
//
// What   Walks a mask's conjunction down to its comparisons and solves each for
//        the one lane index in it.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/MaskBounds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using Predicate = arith::CmpIPredicate;

namespace {
/// Part of the conjunction, and for each of its dimensions the mask's (or -1).
struct Part {
  Value value;
  SmallVector<int64_t> dims;
};

struct Reader {
  LaneForms &forms;
  const Hints &hints;
  std::string &why;
  MaskBounds bounds;

  bool read(Part part, SmallVectorImpl<Part> &pending);
  bool compare(arith::CmpIOp op, ArrayRef<int64_t> dims);
  bool lessThanZero(const LaneForm &difference, ArrayRef<int64_t> dims);
};
} // namespace

/// left - right + constant.
static std::optional<LaneForm>
difference(const LaneForm &left, const LaneForm &right, int64_t constant) {
  auto start = Polynomial::add(left.start, right.start, -1);
  if (start) {
    start = Polynomial::add(*start, Polynomial(constant));
  }
  if (!start) {
    return std::nullopt;
  }
  LaneForm result{{}, *start, {}};
  for (auto [a, b] : llvm::zip_equal(left.lane, right.lane)) {
    auto lane = Polynomial::add(a, b, -1);
    if (!lane) {
      return std::nullopt;
    }
    result.lane.push_back(*lane);
  }
  return result;
}

bool Reader::lessThanZero(const LaneForm &d, ArrayRef<int64_t> dims) {
  int64_t varying = -1;
  for (auto [i, lane] : llvm::enumerate(d.lane)) {
    if (lane.isZero()) {
      continue;
    }
    if (varying >= 0) {
      why = "a comparison in the mask mixes two dimensions";
      return false;
    }
    varying = i;
  }
  if (varying < 0) {
    bounds.uniform.push_back({d.start, false, {}});
    return true;
  }
  int64_t slope = d.lane[varying].constant().value_or(0);
  int64_t dim = dims[varying];
  if ((slope != 1 && slope != -1) || dim < 0) {
    why = "a comparison in the mask scales the index";
    return false;
  }
  // start + index < 0, or start - index < 0.
  auto bound = slope == 1 ? Polynomial::add({}, d.start, -1)
                          : Polynomial::add(d.start, Polynomial(1));
  if (!bound) {
    why = "a bound in the mask is too large an expression";
    return false;
  }
  (slope == 1 ? bounds.upper : bounds.lower)[dim].push_back(*bound);
  return true;
}

bool Reader::compare(arith::CmpIOp op, ArrayRef<int64_t> dims) {
  auto left = forms.of(op.getLhs()), right = forms.of(op.getRhs());
  if (!left || !right) {
    why = "a side of a comparison in the mask is not linear in the index "
          "(%, //, or a loaded value)";
    return false;
  }
  Predicate predicate = op.getPredicate();
  switch (predicate) {
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::ugt:
  case Predicate::uge:
    if (!hints.range(op.getLhs()).nonNegative() ||
        !hints.range(op.getRhs()).nonNegative()) {
      why = "an unsigned comparison of values not known to be >= 0";
      return false;
    }
    predicate = predicate == Predicate::ult   ? Predicate::slt
                : predicate == Predicate::ule ? Predicate::sle
                : predicate == Predicate::ugt ? Predicate::sgt
                                              : Predicate::sge;
    break;
  default:
    break;
  }
  std::optional<LaneForm> d;
  switch (predicate) {
  case Predicate::slt:
    d = difference(*left, *right, 0);
    break;
  case Predicate::sle:
    d = difference(*left, *right, -1);
    break;
  case Predicate::sgt:
    d = difference(*right, *left, 0);
    break;
  case Predicate::sge:
    d = difference(*right, *left, -1);
    break;
  case Predicate::eq:
    d = difference(*left, *right, 0);
    if (d && d->isUniform()) {
      bounds.uniform.push_back({d->start, true, {}});
      return true;
    }
    [[fallthrough]];
  default:
    why = "the mask compares the index for (in)equality";
    return false;
  }
  if (!d) {
    why = "a comparison in the mask is too large an expression";
    return false;
  }
  return lessThanZero(*d, dims);
}

bool Reader::read(Part part, SmallVectorImpl<Part> &pending) {
  if (matchPattern(part.value, m_One())) {
    return true;
  }
  Operation *op = part.value.getDefiningOp();
  if (!isa<RankedTensorType>(part.value.getType())) {
    bounds.uniform.push_back({{}, false, part.value});
    return true;
  }
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    pending.push_back({op->getOperand(0), part.dims});
    pending.push_back({op->getOperand(1), part.dims});
    return true;
  }
  if (isa_and_nonnull<tile::BroadcastOp>(op)) {
    Part source{op->getOperand(0), part.dims};
    for (auto [size, dim] :
         llvm::zip(tile::shapeOf(source.value.getType()), source.dims)) {
      dim = size == 1 ? -1 : dim;
    }
    pending.push_back(std::move(source));
    return true;
  }
  if (auto splat = dyn_cast_or_null<tile::SplatOp>(op)) {
    pending.push_back({splat.getSource(), {}});
    return true;
  }
  if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(op)) {
    Part source{transpose.getSource(), part.dims};
    for (auto [to, from] : llvm::enumerate(transpose.getOrder())) {
      source.dims[from] = part.dims[to];
    }
    pending.push_back(std::move(source));
    return true;
  }
  if (auto reshape = dyn_cast_or_null<tile::ReshapeOp>(op)) {
    auto map = unitReshape(tile::shapeOf(reshape.getSource().getType()),
                           tile::shapeOf(reshape.getType()));
    if (!map) {
      why = "the mask is reshaped";
      return false;
    }
    Part source{reshape.getSource(), {}};
    for (int64_t to : *map) {
      source.dims.push_back(to < 0 ? -1 : part.dims[to]);
    }
    pending.push_back(std::move(source));
    return true;
  }
  if (auto compareOp = dyn_cast_or_null<arith::CmpIOp>(op)) {
    return compare(compareOp, part.dims);
  }
  why = "the mask is no conjunction of comparisons";
  return false;
}

std::optional<MaskBounds> analysis::readMask(Value mask, LaneForms &forms,
                                             const Hints &hints,
                                             std::string &why) {
  size_t rank = tile::shapeOf(mask.getType()).size();
  Reader reader{forms, hints, why, {}};
  reader.bounds.upper.resize(rank);
  reader.bounds.lower.resize(rank);
  SmallVector<Part> pending{{mask, {}}};
  for (size_t i = 0; i < rank; ++i) {
    pending.front().dims.push_back(i);
  }
  // A mask of n comparisons has n parts; more are shared ones met again.
  for (int budget = 64; !pending.empty(); --budget) {
    if (budget == 0) {
      why = "the mask has too many comparisons";
      return std::nullopt;
    }
    Part part = pending.pop_back_val();
    if (!reader.read(std::move(part), pending)) {
      return std::nullopt;
    }
  }
  return std::move(reader.bounds);
}
