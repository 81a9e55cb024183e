//===- Residues.cpp - accesses to every second element and such -----------===//
//
// What   See Residues.h.
// Why    See Residues.h. Sums that reach an address are exact (R3), and a power
//        of two divides what wraps as well.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Residues.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

constexpr unsigned MostBits = 6; // of a divisor that is looked for

unsigned zerosOf(int64_t number) {
  return number == 0
             ? MostBits
             : std::min<unsigned>(
                   MostBits,
                   unsigned(llvm::countr_zero(static_cast<uint64_t>(number))));
}

/// The number that a value, or each element of it, is.
std::optional<int64_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) &&
                 number.getBitWidth() <= 64
             ? std::optional(number.getSExtValue())
             : std::nullopt;
}

/// How many low bits of a value, or of each element of it, are known to be
/// zero; no more than MostBits.
unsigned lowZeros(Value value, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  if (const std::optional<int64_t> number = constantOf(value)) {
    return zerosOf(*number);
  }
  if (depth == deepest) {
    return 0;
  }
  auto next = [&](Value operand) { return lowZeros(operand, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner);
        loop && argument == loop.getInductionVar()) {
      return std::min(next(loop.getLowerBound()), next(loop.getStep()));
    }
    auto kernel = dyn_cast<tile::KernelOp>(owner);
    auto divisor = kernel && argument.getType().isInteger()
                       ? kernel.getArgAttrOfType<IntegerAttr>(
                             argument.getArgNumber(), "tile.divisibility")
                       : IntegerAttr();
    return divisor ? zerosOf(divisor.getInt()) : 0;
  }
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::HintOp,
            tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
            tile::TransposeOp, ConvertOp>(
          [&](auto) { return next(op->getOperand(0)); })
      .Case<arith::AddIOp, arith::SubIOp, tile::MinSIOp, tile::MaxSIOp>(
          [&](auto) {
            return std::min(next(op->getOperand(0)), next(op->getOperand(1)));
          })
      .Case([&](arith::SelectOp) {
        return std::min(next(op->getOperand(1)), next(op->getOperand(2)));
      })
      .Case([&](arith::MulIOp) {
        return std::min(MostBits,
                        next(op->getOperand(0)) + next(op->getOperand(1)));
      })
      .Case([&](tile::ShlOp) {
        const std::optional<int64_t> by = constantOf(op->getOperand(1));
        return by && *by >= 0 && *by <= int64_t(MostBits)
                   ? std::min(MostBits, next(op->getOperand(0)) + unsigned(*by))
                   : 0;
      })
      .Default([](Operation *) { return 0; });
}

/// A product of a number and one or two values.
struct Term {
  Value value, by; // by: none
  int64_t factor;
  bool isUniform; // the same for all elements

  unsigned zeros() const {
    return std::min(MostBits, zerosOf(factor) + lowZeros(value) +
                                  (by ? lowZeros(by) : 0));
  }
  bool isOf(const Term &other) const {
    return value == other.value && by == other.by &&
           isUniform == other.isUniform;
  }
};

/// Elements behind a pointer, for all elements of an access.
class Places {
public:
  /// Of a load or store; none if it is something else.
  static std::optional<Places> of(Operation *op);

  /// How many low bits of the two's difference are known to be zero but for
  /// the constants. None: all but the constants is the same.
  std::optional<unsigned> zerosBeside(const Places &other,
                                      bool inSameIterations) const;

  Value base;
  int64_t constant = 0;

private:
  void add(const Term &term);
  void addPointer(Value pointer);
  void addOffset(Value offset, int64_t factor);
  void addView(tile::MakeViewOp view, ValueRange offsets);

  SmallVector<Term> terms;
  unsigned steps = 0;
  bool isKnown = true;
};

void Places::add(const Term &term) {
  constexpr size_t mostTerms = 24;
  for (Term &known : terms) {
    if (known.isOf(term)) {
      known.factor = int64_t(uint64_t(known.factor) + uint64_t(term.factor));
      return;
    }
  }
  isKnown &= terms.size() < mostTerms;
  if (isKnown) {
    terms.push_back(term);
  }
}

void Places::addOffset(Value offset, int64_t factor) {
  constexpr unsigned mostSteps = 64;
  if (const std::optional<int64_t> number = constantOf(offset)) {
    // What wraps keeps its low bits.
    constant =
        int64_t(uint64_t(constant) + uint64_t(*number) * uint64_t(factor));
    return;
  }
  isKnown &= ++steps <= mostSteps;
  if (!isKnown) {
    return;
  }
  Operation *op = offset.getDefiningOp();
  if (isa_and_present<arith::ExtSIOp, tile::HintOp, tile::SplatOp,
                      tile::BroadcastOp, tile::ReshapeOp, ConvertOp>(op)) {
    addOffset(op->getOperand(0), factor);
  } else if (isa_and_present<arith::AddIOp>(op)) {
    addOffset(op->getOperand(0), factor);
    addOffset(op->getOperand(1), factor);
  } else {
    add({offset, {}, factor, !isa<RankedTensorType>(offset.getType())});
  }
}

void Places::addPointer(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
      addOffset(moved.getOffset(), 1);
      pointer = moved.getPointer();
    } else if (isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
                   tile::HintOp, ConvertOp>(op)) {
      pointer = op->getOperand(0);
    } else {
      break;
    }
  }
  base = pointer;
  isKnown &= !isa<RankedTensorType>(pointer.getType());
}

void Places::addView(tile::MakeViewOp view, ValueRange offsets) {
  for (auto [stride, offset, extent] :
       llvm::zip_equal(view.getStrides(), offsets,
                       cast<tile::ViewType>(view.getType()).getShape())) {
    if (const std::optional<int64_t> by = constantOf(stride)) {
      addOffset(offset, *by);
    } else if (const std::optional<int64_t> at = constantOf(offset)) {
      if (*at != 0) {
        add({stride, {}, *at, /*isUniform=*/true});
      }
    } else {
      add({stride, offset, 1, /*isUniform=*/true});
    }
    if (extent > 1) {
      add({stride, {}, 1, /*isUniform=*/false});
    }
  }
  addPointer(view.getBase());
}

std::optional<Places> Places::of(Operation *op) {
  Places places;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    places.addPointer(load.getPointer());
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    places.addPointer(store.getPointer());
  } else {
    auto fromView = dyn_cast<tile::LoadViewOp>(op);
    auto toView = dyn_cast<tile::StoreViewOp>(op);
    Value view = fromView ? fromView.getView()
                 : toView ? toView.getView()
                          : Value();
    auto made =
        view ? view.getDefiningOp<tile::MakeViewOp>() : tile::MakeViewOp();
    if (!made) {
      return std::nullopt;
    }
    places.addView(made,
                   fromView ? fromView.getOffsets() : toView.getOffsets());
  }
  return places.isKnown ? std::optional(std::move(places)) : std::nullopt;
}

/// Is it computed once, not in a loop or branch?
bool isOfKernel(Value value) {
  return !value || isa<tile::KernelOp>(value.getParentBlock()->getParentOp());
}

std::optional<unsigned> Places::zerosBeside(const Places &other,
                                            bool inSameIterations) const {
  std::optional<unsigned> zeros;
  auto ask = [&](const Places &mine, const Places &theirs) {
    for (const Term &term : mine.terms) {
      const bool cancels =
          term.isUniform &&
          (inSameIterations ||
           (isOfKernel(term.value) && isOfKernel(term.by))) &&
          llvm::any_of(theirs.terms, [&](const Term &another) {
            return another.isOf(term) && another.factor == term.factor;
          });
      if (!cancels) {
        zeros = std::min(zeros.value_or(MostBits), term.zeros());
      }
    }
  };
  ask(*this, other);
  ask(other, *this);
  return zeros;
}

} // namespace

bool tz::simt::haveOtherResidues(Operation *one, Operation *other,
                                 bool inSameIterations) {
  const std::optional<Places> here = Places::of(one), there = Places::of(other);
  if (!here || !there || here->base != there->base ||
      (!inSameIterations && !isOfKernel(here->base))) {
    return false;
  }
  const uint64_t distance =
      uint64_t(here->constant) - uint64_t(there->constant);
  const std::optional<unsigned> zeros =
      here->zerosBeside(*there, inSameIterations);
  return zeros ? (distance & ((uint64_t{1} << *zeros) - 1)) != 0
               : distance != 0;
}
