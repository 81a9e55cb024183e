//===- DisjointAccesses.cpp - accesses that share no element --------------===//
//
// What   See DisjointAccesses.h.
// Why    See DisjointAccesses.h. Sums that reach an address are exact (R3), so
//        that they may be compared as formulas.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/DisjointAccesses.h"

#include "core/simt/analysis/OwnedLoads.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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

  /// Is the difference a multiple of `modulus`? 0: is it 0? Values that loops
  /// compute are the same in both only `inSameIterations`.
  bool differsByMultiple(const Sum &other, int64_t modulus,
                         bool inSameIterations) const;

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

/// Is value * factor a multiple of `modulus`, a power of two?
bool isMultiple(Value value, int64_t factor, int64_t modulus,
                unsigned depth = 0) {
  constexpr unsigned mostSteps = 8;
  modulus /= std::gcd(factor, modulus);
  if (modulus == 1) {
    return true;
  }
  if (depth == mostSteps) {
    return false;
  }
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value one) {
      return isMultiple(one, 1, modulus, depth + 1);
    });
  };
  if (const std::optional<int64_t> number = getConstantIntValue(value)) {
    return *number % modulus == 0;
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(
        cast<BlockArgument>(value).getOwner()->getParentOp());
    return loop && value == loop.getInductionVar() &&
           all({loop.getLowerBound(), loop.getStep()});
  }
  if (isa<arith::ExtSIOp, arith::TruncIOp, tile::HintOp, arith::AddIOp,
          arith::SubIOp, tile::MinSIOp, tile::MaxSIOp>(op)) {
    return all(op->getOperands());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    return all({select.getTrueValue(), select.getFalseValue()});
  }
  if (auto product = dyn_cast<arith::MulIOp>(op)) {
    for (const bool isLeft : {false, true}) {
      Value by = isLeft ? product.getLhs() : product.getRhs();
      if (const std::optional<int64_t> number = getConstantIntValue(by)) {
        return *number == 0 ||
               isMultiple(isLeft ? product.getRhs() : product.getLhs(), *number,
                          modulus, depth + 1);
      }
    }
    return all(product.getLhs()) || all(product.getRhs());
  }
  return false;
}

/// Is it computed once, not in a loop or branch?
bool isOfKernel(Value value) {
  return isa<tile::KernelOp>(value.getParentBlock()->getParentOp());
}

bool Sum::differsByMultiple(const Sum &other, int64_t modulus,
                            bool inSameIterations) const {
  auto fits = [&](Value value, int64_t factor) {
    return factor == 0 || (modulus != 0 && isMultiple(value, factor, modulus));
  };
  auto fitsBoth = [&](Value value) {
    const int64_t mine = coefficientOf(value),
                  theirs = other.coefficientOf(value);
    int64_t rest = 0;
    if (inSameIterations || isOfKernel(value)) {
      return !llvm::SubOverflow(mine, theirs, rest) && fits(value, rest);
    }
    return fits(value, mine) && fits(value, theirs);
  };
  auto fitsAll = [&](const auto &terms) {
    return llvm::all_of(terms,
                        [&](const auto &term) { return fitsBoth(term.first); });
  };
  int64_t rest = 0;
  return known && other.known &&
         !llvm::SubOverflow(constant, other.constant, rest) &&
         (modulus == 0 ? rest == 0 : rest % modulus == 0) && fitsAll(terms) &&
         fitsAll(other.terms);
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

/// Are all elements of the block different ones?
bool isInjective(const Block &block) {
  constexpr int64_t small = int64_t{1} << 40;
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, extent
  for (auto [stride, extent] : llvm::zip_equal(block.strides, block.extents)) {
    if (extent > 1) {
      dims.push_back({std::abs(stride), extent});
    }
  }
  llvm::sort(dims);
  int64_t reach = 0; // of the dimensions with shorter strides
  for (auto [stride, extent] : dims) {
    if (stride <= reach || stride >= small / extent) {
      return false;
    }
    reach += stride * (extent - 1);
  }
  return true;
}

/// The layout in which threads access; none if more than one has an element.
/// Stores are done by owners.
const Layout *layoutOfThreads(Operation *op) {
  auto store = dyn_cast<tile::StoreViewOp>(op);
  auto type = cast<RankedTensorType>(store ? store.getValue().getType()
                                           : op->getResult(0).getType());
  if (!isa_and_present<LayoutAttr>(type.getEncoding())) {
    return nullptr;
  }
  const Layout &layout = layoutOf(type);
  return !hasCopies(layout) || store ||
                 isLoadedByOwners(cast<tile::LoadViewOp>(op))
             ? &layout
             : nullptr;
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

bool tz::simt::areApartByThread(Operation *one, Operation *other,
                                bool inSameIterations) {
  const auto here = blockOf(one), there = blockOf(other);
  if (!here || !there || here->base != there->base ||
      here->element != there->element || here->strides != there->strides ||
      here->extents != there->extents || !isInjective(*here) ||
      one->getParentOfType<SpecializeOp>() !=
          other->getParentOfType<SpecializeOp>() ||
      (!inSameIterations && !isOfKernel(here->base))) {
    return false;
  }
  const Layout *mine = layoutOfThreads(one), *theirs = layoutOfThreads(other);
  if (!mine || !theirs || *mine != *theirs) {
    return false;
  }
  // Blocks of one dimension that begin at multiples of their length are the
  // same or share nothing.
  const int64_t length = here->strides.size() == 1
                             ? std::abs(here->strides[0]) * here->extents[0]
                             : 0;
  return here->start.differsByMultiple(
      there->start, llvm::isPowerOf2_64(uint64_t(length)) ? length : 0,
      inSameIterations);
}
