//===- DisjointAccesses.cpp - accesses that share no element --------------===//
//
// What   See DisjointAccesses.h.
// Why    See DisjointAccesses.h. Sums that reach an address are exact (R3), so
//        that they may be compared as formulas.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/DisjointAccesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// A constant and multiples of values; or nothing that is known.
class Sum {
public:
  void add(Value value, int64_t factor);
  void add(int64_t more);
  bool isKnown() const { return known; }
  int64_t coefficientOf(Value value) const { return terms.lookup(value); }

  /// The constant that is left of the difference without the multiples of
  /// `counter`. None: other values differ, or are not the same in `loop`.
  std::optional<int64_t> minus(const Sum &other, scf::ForOp loop) const;

private:
  void addProduct(Value value, Value constant, int64_t factor, Value whole);

  bool known = true;
  unsigned steps = 0;
  int64_t constant = 0;
  llvm::MapVector<Value, int64_t> terms;
};

void Sum::add(int64_t more) {
  known &= !llvm::AddOverflow(constant, more, constant);
}

void Sum::addProduct(Value value, Value multiplier, int64_t factor,
                     Value whole) {
  const std::optional<int64_t> by = getConstantIntValue(multiplier);
  int64_t product = 0;
  if (!by) {
    known &= !llvm::AddOverflow(terms[whole], factor, terms[whole]);
  } else if (llvm::MulOverflow(*by, factor, product)) {
    known = false;
  } else {
    add(value, product);
  }
}

void Sum::add(Value value, int64_t factor) {
  constexpr unsigned mostSteps = 64;
  known &= ++steps <= mostSteps;
  if (!known) {
    return;
  }
  int64_t product = 0;
  if (std::optional<int64_t> number = getConstantIntValue(value)) {
    known &= !llvm::MulOverflow(*number, factor, product);
    add(product);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::ExtSIOp, tile::HintOp>(op)) {
    add(op->getOperand(0), factor);
  } else if (auto sum = dyn_cast_if_present<arith::AddIOp>(op)) {
    add(sum.getLhs(), factor);
    add(sum.getRhs(), factor);
  } else if (auto rest = dyn_cast_if_present<arith::SubIOp>(op)) {
    add(rest.getLhs(), factor);
    known &= factor != INT64_MIN;
    add(rest.getRhs(), known ? -factor : 0);
  } else if (auto scaled = dyn_cast_if_present<arith::MulIOp>(op)) {
    const bool isLeft = getConstantIntValue(scaled.getLhs()).has_value();
    addProduct(isLeft ? scaled.getRhs() : scaled.getLhs(),
               isLeft ? scaled.getLhs() : scaled.getRhs(), factor, value);
  } else {
    known &= !llvm::AddOverflow(terms[value], factor, terms[value]);
  }
}

std::optional<int64_t> Sum::minus(const Sum &other, scf::ForOp loop) const {
  auto isSame = [&](const Sum &one, const Sum &two) {
    return llvm::all_of(one.terms, [&](const auto &term) {
      return two.coefficientOf(term.first) == term.second &&
             (!loop || term.first == loop.getInductionVar() ||
              loop.isDefinedOutsideOfLoop(term.first));
    });
  };
  int64_t rest = 0;
  if (!known || !other.known || !isSame(*this, other) ||
      !isSame(other, *this) ||
      llvm::SubOverflow(constant, other.constant, rest)) {
    return std::nullopt;
  }
  return rest;
}

/// Elements of one access: from `start` behind a pointer, so many along each
/// stride.
struct Block {
  Value base;
  Sum start;
  SmallVector<int64_t, 2> strides;
  ArrayRef<int64_t> extents;
  Type element;
};

std::optional<Block> blockOf(Operation *op) {
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto store = dyn_cast<tile::StoreViewOp>(op);
  if (!load && !store) {
    return std::nullopt;
  }
  Value value = load ? load.getView() : store.getView();
  auto view = value.getDefiningOp<tile::MakeViewOp>();
  if (!view) {
    return std::nullopt;
  }
  auto type = cast<tile::ViewType>(value.getType());
  Block block{view.getBase(), {}, {}, type.getShape(), type.getElementType()};
  for (auto [stride, offset] : llvm::zip_equal(
           view.getStrides(), load ? load.getOffsets() : store.getOffsets())) {
    const std::optional<int64_t> by = getConstantIntValue(stride);
    if (!by) {
      return std::nullopt;
    }
    block.strides.push_back(*by);
    block.start.add(offset, *by);
  }
  while (auto moved = block.base.getDefiningOp<tile::AddPtrOp>()) {
    block.start.add(moved.getOffset(), 1);
    block.base = moved.getPointer();
  }
  return block.start.isKnown() ? std::optional(std::move(block)) : std::nullopt;
}

/// A number of steps from `low` to `high`, each so long; of a loop, any but
/// none.
struct Reach {
  int64_t step, low, high;
  bool isLoop = false;
};

/// May `distance` be a sum of such steps? The longest stand first.
bool mayReach(int64_t distance, ArrayRef<Reach> steps) {
  constexpr int64_t mostTries = 8;
  if (steps.empty()) {
    return distance == 0;
  }
  int64_t least = 0, most = 0;
  for (const Reach &shorter : steps.drop_front()) {
    if (shorter.isLoop) {
      return true; // any number of steps that are shorter than others
    }
    least += shorter.step * shorter.low;
    most += shorter.step * shorter.high;
  }
  const Reach &first = steps.front();
  int64_t low = llvm::divideCeilSigned(distance - most, first.step),
          high = llvm::divideFloorSigned(distance - least, first.step);
  if (!first.isLoop) {
    low = std::max(low, first.low);
    high = std::min(high, first.high);
  }
  if (high - low >= mostTries) {
    return true;
  }
  for (int64_t count = low; count <= high; ++count) {
    if (!(first.isLoop && count == 0) &&
        mayReach(distance - count * first.step, steps.drop_front())) {
      return true;
    }
  }
  return false;
}

/// `loop`: in different iterations of it.
bool areDisjoint(Operation *one, Operation *other, scf::ForOp loop) {
  constexpr int64_t small = int64_t{1} << 40; // no sum of such products wraps
  const std::optional<Block> here = blockOf(one), there = blockOf(other);
  if (!here || !there || here->base != there->base ||
      here->element != there->element || here->strides != there->strides ||
      (loop && !loop.isDefinedOutsideOfLoop(here->base))) {
    return false;
  }
  const std::optional<int64_t> distance = here->start.minus(there->start, loop);
  if (!distance || std::abs(*distance) >= small) {
    return false;
  }
  SmallVector<Reach, 3> steps;
  for (auto [stride, mine, theirs] :
       llvm::zip_equal(here->strides, here->extents, there->extents)) {
    if (std::abs(stride) * std::max(mine, theirs) >= small) {
      return false;
    }
    if (stride > 0) {
      steps.push_back({stride, 1 - mine, theirs - 1});
    } else if (stride < 0) {
      steps.push_back({-stride, 1 - theirs, mine - 1});
    }
  }
  if (loop) {
    const std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    const int64_t each = here->start.coefficientOf(loop.getInductionVar());
    if (!step || *step <= 0 || *step >= small >> 20 ||
        std::abs(each) >= int64_t{1} << 20) {
      return false;
    }
    if (each != 0) {
      steps.push_back({std::abs(each * *step), 0, 0, /*isLoop=*/true});
    }
  }
  llvm::sort(steps, [](const Reach &a, const Reach &b) {
    return std::tuple(a.step, a.isLoop, a.high) >
           std::tuple(b.step, b.isLoop, b.high);
  });
  return !mayReach(*distance, steps);
}

scf::ForOp loopOf(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa<scf::IfOp>(parent)) {
    parent = parent->getParentOp();
  }
  return dyn_cast<scf::ForOp>(parent);
}

} // namespace

bool tz::simt::areDisjoint(Operation *one, Operation *other) {
  return ::areDisjoint(one, other, nullptr);
}

bool tz::simt::areDisjointInIterations(Operation *one, Operation *other) {
  scf::ForOp loop = loopOf(one);
  return loop && loop == loopOf(other) && ::areDisjoint(one, other, loop);
}
