//===- Hints.cpp - ranges and divisibility of integers --------------------===//
//
// What   One walk in program order; every op's hint comes from its operands'.
// Why    No fixpoint: values that a loop carries keep the range of their type,
//        because what matters of them (induction) is known by closed form.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/analysis/Hints.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

static constexpr int64_t Min = std::numeric_limits<int64_t>::min();
static constexpr int64_t Max = std::numeric_limits<int64_t>::max();

Interval Interval::join(Interval other) const {
  return {std::min(low, other.low), std::max(high, other.high)};
}

Interval Interval::meet(Interval other) const {
  Interval both{std::max(low, other.low), std::min(high, other.high)};
  return both.low <= both.high ? both : *this;
}

/// a + b where either may be unbounded; what overflows is unbounded.
static int64_t addEnd(int64_t a, int64_t b, int64_t unbounded) {
  int64_t sum;
  if (a == unbounded || b == unbounded || llvm::AddOverflow(a, b, sum)) {
    return unbounded;
  }
  return sum;
}

Interval Interval::operator+(Interval other) const {
  return {addEnd(low, other.low, Min), addEnd(high, other.high, Max)};
}

static int64_t negate(int64_t value) {
  return value == Min ? Max : value == Max ? Min : -value;
}

Interval Interval::operator-(Interval other) const {
  return *this + Interval{negate(other.high), negate(other.low)};
}

/// a * b, saturating; an unbounded end stays unbounded, times zero is zero.
static int64_t mulEnd(int64_t a, int64_t b) {
  int64_t product;
  if (a == 0 || b == 0) {
    return 0;
  }
  if (!llvm::MulOverflow(a, b, product) && a != Min && a != Max && b != Min &&
      b != Max) {
    return product;
  }
  return (a < 0) == (b < 0) ? Max : Min;
}

Interval Interval::operator*(Interval other) const {
  int64_t ends[] = {mulEnd(low, other.low), mulEnd(low, other.high),
                    mulEnd(high, other.low), mulEnd(high, other.high)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval analysis::rangeOfType(Type type) {
  auto integer = dyn_cast<IntegerType>(tile::elementType(type));
  if (!integer || integer.getWidth() >= 64) {
    return {};
  }
  if (integer.getWidth() == 1) {
    return {0, 1}; // i1 is unsigned
  }
  int64_t half = int64_t(1) << (integer.getWidth() - 1);
  return {-half, half - 1};
}

/// Whether a result of this range never wraps in its type.
static bool fits(Interval range, Type type) {
  Interval all = rangeOfType(type);
  return range.low >= all.low && range.high <= all.high &&
         (all.low != Min || (range.low != Min && range.high != Max));
}

/// The range if all of it is in the type, else that of the type: it may wrap.
static Interval fitted(Interval range, Type type) {
  return fits(range, type) ? range : rangeOfType(type);
}

/// The largest power of two that divides what `divisor` divides: wrapping keeps
/// it, and it alone.
static int64_t powerOfTwoIn(int64_t divisor) { return divisor & -divisor; }

Hint Hints::of(Value value) const {
  if (auto it = known.find(value); it != known.end()) {
    return it->second;
  }
  // What no rule knows, a load say, may still be promised.
  Interval range = rangeOfType(value.getType());
  auto it = assumed.find(value);
  return {it != assumed.end() ? range.meet(it->second) : range, 1};
}

void Hints::set(Value value, Hint hint) {
  auto it = assumed.find(value);
  if (it != assumed.end()) {
    hint.range = hint.range.meet(it->second);
  }
  known[value] = hint;
}

bool Hints::countsSigned(scf::ForOp loop) const {
  return !loop.getUnsignedCmp() || (range(loop.getLowerBound()).nonNegative() &&
                                    range(loop.getUpperBound()).nonNegative());
}

/// What `value pred bound` says about value, both of a type with this least
/// signed number.
static Interval implied(arith::CmpIPredicate predicate, int64_t bound,
                        int64_t least) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {bound, bound};
  case arith::CmpIPredicate::sgt:
    return {bound == Max ? bound : bound + 1, Max};
  case arith::CmpIPredicate::sge:
    return {bound, Max};
  case arith::CmpIPredicate::slt:
    return {Min, bound == Min ? bound : bound - 1};
  case arith::CmpIPredicate::sle:
    return {Min, bound};
  // Of the unsigned ones, those that leave no value with the sign bit set.
  case arith::CmpIPredicate::ult:
    return bound > 0        ? Interval{0, bound - 1}
           : bound == least ? Interval{0, Max}
                            : Interval{};
  case arith::CmpIPredicate::ule:
    return bound >= 0 ? Interval{0, bound} : Interval{};
  default:
    return {};
  }
}

static std::optional<int64_t> constantOf(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute))) {
    return std::nullopt;
  }
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute)) {
    attribute = splat.getSplatValue<Attribute>();
  }
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getBitWidth() > 64) {
    return std::nullopt;
  }
  return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                        : integer.getValue().getSExtValue();
}

/// Whether each side of `compare` is a constant or a value of `block`.
static bool comparesValuesOf(Block *block, arith::CmpIOp compare) {
  return llvm::all_of(compare->getOperands(), [&](Value side) {
    return side.getDefiningOp<arith::ConstantOp>() ||
           side.getParentBlock() == block;
  });
}

SmallVector<arith::CmpIOp> analysis::assumedComparisons(tile::KernelOp kernel) {
  SmallVector<arith::CmpIOp> found;
  kernel.walk([&](tile::AssumeOp assumption) {
    SmallVector<Value> conditions{assumption.getCondition()};
    while (!conditions.empty()) {
      Operation *op = conditions.pop_back_val().getDefiningOp();
      if (isa_and_nonnull<arith::AndIOp>(op)) {
        conditions.append(op->operand_begin(), op->operand_end());
        continue;
      }
      auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
      if (compare && comparesValuesOf(assumption->getBlock(), compare)) {
        found.push_back(compare);
      }
    }
  });
  return found;
}

void Hints::assume(arith::CmpIOp compare) {
  auto predicate = compare.getPredicate();
  Value value = compare.getLhs();
  std::optional<int64_t> bound = constantOf(compare.getRhs());
  const int64_t least = rangeOfType(value.getType()).low;
  Interval range;
  if (bound) {
    range = implied(predicate, *bound, least);
  } else if ((bound = constantOf(compare.getLhs()))) {
    value = compare.getRhs();
    using P = arith::CmpIPredicate;
    P swapped = predicate == P::slt   ? P::sgt
                : predicate == P::sle ? P::sge
                : predicate == P::sgt ? P::slt
                : predicate == P::sge ? P::sle
                : predicate == P::ugt ? P::ult
                : predicate == P::uge ? P::ule
                : predicate == P::ult ? P::ugt
                : predicate == P::ule ? P::uge
                                      : predicate;
    range = implied(swapped, *bound, least);
  }
  auto [it, isNew] = assumed.try_emplace(value, range);
  if (!isNew) {
    it->second = it->second.meet(range);
  }
}

Hints::Hints(tile::KernelOp kernel) {
  for (arith::CmpIOp compare : assumedComparisons(kernel)) {
    assume(compare);
  }
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    Hint hint{rangeOfType(argument.getType()), 1};
    if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), "tile.divisibility")) {
      hint.divisibility = std::max<int64_t>(1, divisor.getInt());
    }
    set(argument, hint);
  }
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  // What a loop carries is divided by what its body adds; one more walk over it
  // is enough where no other loop's value is added.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

/// Quotient truncated to zero. A divisor of zero gives some value (P7), which
/// for a dividend that is not negative is taken to be in range.
static Interval divide(Interval a, Interval b) {
  if (a.low < 0 && b.low <= 0 && b.high >= 0) {
    return {};
  }
  if (b.low >= 0) {
    b.low = std::max<int64_t>(b.low, 1);
    b.high = std::max<int64_t>(b.high, 1);
    auto ends = [](int64_t x, int64_t lo, int64_t hi) {
      return Interval{std::min(x / lo, x / hi), std::max(x / lo, x / hi)};
    };
    return ends(a.low, b.low, b.high).join(ends(a.high, b.low, b.high));
  }
  int64_t most = std::max(a.high, negate(a.low));
  return {negate(most), most};
}

/// Remainder with the dividend's sign. Zero as in `divide`.
static Interval remainder(Interval a, Interval b) {
  if (a.low < 0 && b.low <= 0 && b.high >= 0) {
    return {};
  }
  int64_t most = Max;
  if (b.low != Min) {
    most = std::max(std::abs(b.low), b.high == Min ? 0 : std::abs(b.high));
    most = most == 0 ? 0 : most - 1;
  }
  int64_t low = a.low >= 0 ? 0 : std::max(a.low, negate(most));
  int64_t high = a.high <= 0 ? 0 : std::min(a.high, most);
  return {low, high};
}

/// Quotient of unsigned numbers. It is not negative, whatever the sign bit of
/// the dividend, where the divisor is known to be above 1.
static Interval divideUnsigned(Interval a, Interval b, Type type) {
  if (a.nonNegative() && b.nonNegative()) {
    return divide(a, b);
  }
  if (b.low < 2) {
    return {};
  }
  const unsigned width =
      std::min(tile::elementType(type).getIntOrFloatBitWidth(), 64u);
  const uint64_t most = ~uint64_t{0} >> (64 - width);
  return {0, static_cast<int64_t>(most / static_cast<uint64_t>(b.low))};
}

/// Remainder of unsigned numbers: below the divisor, whatever the dividend.
static Interval remainderUnsigned(Interval a, Interval b) {
  if (a.nonNegative() && b.nonNegative()) {
    return remainder(a, b);
  }
  return b.low < 1 ? Interval{} : Interval{0, b.high - 1};
}

static Interval shiftRight(Interval a, Interval amount) {
  if (amount.low < 0) {
    return a.nonNegative() ? Interval{0, a.high} : Interval{};
  }
  int64_t by = std::min<int64_t>(amount.low, 63);
  return {a.low >= 0 ? 0 : a.low >> by, a.high >= 0 ? a.high >> by : -1};
}

/// What divides a quotient whose dividend leaves no remainder; else 1.
static int64_t divisorOfQuotient(int64_t dividend, Interval divisor) {
  const int64_t by = divisor.low;
  return by == divisor.high && by > 0 && dividend % by == 0 ? dividend / by : 1;
}

/// The same of a shift to the right, of what a power of two divides.
static int64_t divisorOfShifted(int64_t dividend, Interval amount) {
  constexpr int64_t most = 62;
  return amount.low == amount.high && amount.low >= 0 && amount.low <= most
             ? divisorOfQuotient(dividend, {int64_t{1} << amount.low,
                                            int64_t{1} << amount.low})
             : 1;
}

/// What divides all that is added to the loop's value in an iteration, if the
/// loop's value is such a sum.
static std::optional<int64_t>
divisorOfSteps(const Hints &hints, scf::ForOp loop, BlockArgument carried) {
  int64_t divisor = 0; // divides by all numbers
  Value value = loop.getTiedLoopYieldedValue(carried)->get();
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (auto sum = dyn_cast_if_present<arith::AddIOp>(op)) {
      // The loop's value is the left term in canonical sums, as in differences.
      divisor = std::gcd(divisor, hints.divisibility(sum.getRhs()));
      value = sum.getLhs();
    } else if (auto difference = dyn_cast_if_present<arith::SubIOp>(op)) {
      divisor = std::gcd(divisor, hints.divisibility(difference.getRhs()));
      value = difference.getLhs();
    } else {
      return std::nullopt;
    }
  }
  return divisor;
}

/// Numbers that a loop carries and counts up or down.
void Hints::visitCarried(scf::ForOp loop) {
  for (BlockArgument carried : loop.getRegionIterArgs()) {
    Type type = carried.getType();
    std::optional<int64_t> steps;
    if (isa<IntegerType, IndexType>(type)) {
      steps = divisorOfSteps(*this, loop, carried);
    }
    if (!steps) {
      continue;
    }
    // A sum that wraps keeps powers of two alone.
    int64_t divisor =
        std::gcd(divisibility(loop.getTiedLoopInit(carried)->get()), *steps);
    Hint hint{rangeOfType(type), powerOfTwoIn(divisor)};
    set(carried, hint);
    set(loop.getTiedLoopResult(carried), hint);
  }
}

void Hints::visit(Operation *op) {
  auto in = [&](unsigned i) { return of(op->getOperand(i)); };
  auto give = [&](Interval range, int64_t divisibility) {
    Type type = op->getResult(0).getType();
    set(op->getResult(0), {fitted(range, type), divisibility});
  };
  auto giveWrapped = [&](Interval range, int64_t divisor) {
    Type type = op->getResult(0).getType();
    give(range, fits(range, type) ? divisor : powerOfTwoIn(divisor));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::ConstantOp) {
        if (auto value = constantOf(op->getResult(0))) {
          set(op->getResult(0),
              {{*value, *value}, *value == Min ? 1 : std::abs(*value)});
        }
      })
      .Case([&](tile::ProgramIdOp) { give({0, INT32_MAX}, 1); })
      .Case([&](tile::NumProgramsOp) { give({1, INT32_MAX}, 1); })
      .Case([&](tile::RangeOp range) {
        int64_t start = static_cast<int32_t>(range.getStart());
        int64_t end = static_cast<int32_t>(range.getEnd());
        give({start, end - 1}, 1);
      })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
            tile::TransposeOp>(
          [&](auto) { give(in(0).range, in(0).divisibility); })
      .Case([&](arith::ExtSIOp ext) {
        Interval range = in(0).range;
        if (tile::elementType(ext.getIn().getType()).isInteger(1)) {
          range = {-range.high, -range.low}; // true is all ones
        }
        give(range, in(0).divisibility);
      })
      .Case([&](tile::HintOp hint) {
        int64_t divisor = in(0).divisibility;
        if (auto list = hint.getDivisibility();
            list && !isa<RankedTensorType>(hint.getType())) {
          const int64_t more = list->front() / std::gcd(divisor, list->front());
          if (llvm::MulOverflow(divisor, more, divisor)) {
            divisor = list->front();
          }
        }
        give(in(0).range, divisor);
      })
      .Case([&](arith::ExtUIOp ext) {
        Interval range = in(0).range, type = rangeOfType(ext.getIn().getType());
        bool bit = type.high == 1;
        give(range.nonNegative() || bit ? range
                                        : Interval{0, 2 * type.high + 1},
             range.nonNegative() ? in(0).divisibility
                                 : powerOfTwoIn(in(0).divisibility));
      })
      .Case([&](arith::TruncIOp) {
        give(in(0).range, powerOfTwoIn(in(0).divisibility));
      })
      .Case([&](arith::AddIOp) {
        giveWrapped(in(0).range + in(1).range,
                    std::gcd(in(0).divisibility, in(1).divisibility));
      })
      .Case([&](arith::SubIOp) {
        giveWrapped(in(0).range - in(1).range,
                    std::gcd(in(0).divisibility, in(1).divisibility));
      })
      .Case([&](arith::MulIOp) {
        int64_t divisor;
        if (llvm::MulOverflow(in(0).divisibility, in(1).divisibility,
                              divisor)) {
          divisor = 1;
        }
        giveWrapped(in(0).range * in(1).range, divisor);
      })
      .Case([&](tile::DivSIOp) {
        give(divide(in(0).range, in(1).range),
             divisorOfQuotient(in(0).divisibility, in(1).range));
      })
      .Case([&](tile::DivUIOp) {
        Type type = op->getResult(0).getType();
        const int64_t divisor = in(0).range.nonNegative()
                                    ? in(0).divisibility
                                    : powerOfTwoIn(in(0).divisibility);
        give(divideUnsigned(in(0).range, in(1).range, type),
             divisorOfQuotient(divisor, in(1).range));
      })
      .Case([&](tile::RemSIOp) {
        give(remainder(in(0).range, in(1).range),
             std::gcd(in(0).divisibility, in(1).divisibility));
      })
      .Case([&](tile::RemUIOp) {
        bool both = in(0).range.nonNegative() && in(1).range.nonNegative();
        // A negative number and 2^width more have a power of two in common.
        int64_t divisor = std::gcd(in(0).divisibility, in(1).divisibility);
        give(remainderUnsigned(in(0).range, in(1).range),
             both ? divisor : powerOfTwoIn(divisor));
      })
      .Case([&](tile::MinSIOp) {
        Interval a = in(0).range, b = in(1).range;
        give({std::min(a.low, b.low), std::min(a.high, b.high)},
             std::gcd(in(0).divisibility, in(1).divisibility));
      })
      .Case([&](tile::MaxSIOp) {
        Interval a = in(0).range, b = in(1).range;
        give({std::max(a.low, b.low), std::max(a.high, b.high)},
             std::gcd(in(0).divisibility, in(1).divisibility));
      })
      .Case<tile::ShrSIOp, tile::ShrUIOp>([&](auto shift) {
        bool logical = isa<tile::ShrUIOp>(shift.getOperation());
        give(logical && !in(0).range.nonNegative()
                 ? Interval{}
                 : shiftRight(in(0).range, in(1).range),
             divisorOfShifted(powerOfTwoIn(in(0).divisibility), in(1).range));
      })
      .Case([&](arith::AndIOp) {
        Interval a = in(0).range, b = in(1).range;
        int64_t high = Max;
        if (a.nonNegative()) {
          high = std::min(high, a.high);
        }
        if (b.nonNegative()) {
          high = std::min(high, b.high);
        }
        // Bits that are zero in either are zero.
        give(a.nonNegative() || b.nonNegative() ? Interval{0, high}
                                                : Interval{},
             std::max(powerOfTwoIn(in(0).divisibility),
                      powerOfTwoIn(in(1).divisibility)));
      })
      .Case([&](tile::ClzOp) {
        Type element = tile::elementType(op->getResult(0).getType());
        give({0, element.getIntOrFloatBitWidth()}, 1);
      })
      .Case([&](arith::SelectOp) {
        give(in(1).range.join(in(2).range),
             std::gcd(in(1).divisibility, in(2).divisibility));
      })
      .Case([&](tile::AddPtrOp add) {
        Type pointee =
            cast<tile::PtrType>(tile::elementType(add.getType())).getPointee();
        int64_t step;
        if (llvm::MulOverflow<int64_t>(in(1).divisibility,
                                       tile::storageBytes(pointee), step)) {
          step = tile::storageBytes(pointee);
        }
        set(add, {{}, std::gcd(in(0).divisibility, step)});
      })
      .Case([&](scf::ForOp loop) {
        Interval from = range(loop.getLowerBound());
        Interval to = range(loop.getUpperBound());
        Interval iv{from.low, to.high == Min ? to.high : to.high - 1};
        Type type = loop.getInductionVar().getType();
        int64_t divisor = std::gcd(divisibility(loop.getLowerBound()),
                                   divisibility(loop.getStep()));
        const bool isSigned = countsSigned(loop);
        if (divisor > 1 && iv.high > Min + divisor) {
          // The last multiple: a block that begins there may end at the bound.
          iv.high -= (iv.high % divisor + divisor) % divisor;
        }
        if (iv.low > iv.high || !isSigned) {
          iv = rangeOfType(type); // the body never runs, or the counter wraps
        }
        set(loop.getInductionVar(),
            {iv, isSigned ? divisor : powerOfTwoIn(divisor)});
        visitCarried(loop);
      })
      .Case([&](scf::YieldOp yield) {
        // The end of an else side: both sides are known, branches in them too.
        auto branch = dyn_cast<scf::IfOp>(yield->getParentOp());
        if (!branch || yield->getParentRegion() != &branch.getElseRegion()) {
          return;
        }
        for (auto [result, left, right] : llvm::zip_equal(
                 branch.getResults(), branch.thenYield().getOperands(),
                 yield.getOperands())) {
          Hint a = of(left), b = of(right);
          set(result, {a.range.join(b.range),
                       std::gcd(a.divisibility, b.divisibility)});
        }
      });
}
