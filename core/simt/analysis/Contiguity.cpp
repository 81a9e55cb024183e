//===- Contiguity.cpp - runs of consecutive and of equal lanes ------------===//
//
// What   See Contiguity.h. Walks the kernel until nothing changes: values that
//        a loop carries begin with what comes in and lose what the loop's own
//        value does not have.
// Why    See Contiguity.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Contiguity.h"

#include "core/optimizer/analysis/ExactIntegers.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// More is never asked for, and products do not overflow.
static constexpr int64_t Largest = int64_t{1} << 30;

static int64_t powerOfTwoIn(int64_t value) {
  return value == 0 ? Largest : std::min(value & -value, Largest);
}

static Runs unknown(Type type) {
  return Runs(std::max<size_t>(1, tile::shapeOf(type).size()));
}

/// Of every lane, not only of the first one of a run.
static int64_t ofEachLane(const DimRuns &runs) {
  return runs.contiguity > 1 ? 1 : runs.divisibility;
}

/// Of what the first lane of each run of `length` is a multiple, where `runs`
/// is known. Shorter runs begin inside of the longer ones; `unit`: by how much
/// a value grows from lane to lane.
static int64_t ofFirstLane(const DimRuns &runs, int64_t length, int64_t unit) {
  return length < runs.contiguity ? std::gcd(runs.divisibility, length * unit)
                                  : runs.divisibility;
}

/// From one lane of a run to the next one: 1, or the bytes of a pointer's
/// element.
static int64_t unitOf(Type type) {
  auto pointer = dyn_cast<tile::PtrType>(tile::elementType(type));
  return pointer ? tile::storageBytes(pointer.getPointee()) : 1;
}

/// What holds of a tile that is the one or the other, of which `same` lanes
/// beside each other come from one of them.
static DimRuns either(const DimRuns &a, const DimRuns &b, int64_t same,
                      int64_t unit) {
  DimRuns result;
  result.constancy = std::gcd(same, std::gcd(a.constancy, b.constancy));
  result.contiguity = std::gcd(same, std::gcd(a.contiguity, b.contiguity));
  result.divisibility = std::gcd(ofFirstLane(a, result.contiguity, unit),
                                 ofFirstLane(b, result.contiguity, unit));
  return result;
}

static Runs equalLanes(Type type, int64_t divisibility) {
  Runs runs = unknown(type);
  for (auto [dim, extent] : llvm::enumerate(tile::shapeOf(type))) {
    runs[dim].constancy = powerOfTwoIn(extent);
  }
  for (DimRuns &one : runs) {
    one.divisibility = powerOfTwoIn(divisibility);
  }
  return runs;
}

Contiguity::Contiguity(tile::KernelOp kernel) : scalars(kernel) {
  const analysis::ExactIntegers integers(
      kernel, scalars, [](Operation *op) { return isa<ConvertOp>(op); });
  exact = &integers;
  do {
    changed = false;
    for (Operation &op : kernel.getBody().front()) {
      visit(&op);
    }
  } while (changed);
  exact = nullptr;
}

Runs Contiguity::of(Value value) const {
  auto found = known.find(value);
  if (found != known.end()) {
    return found->second;
  }
  if (!isa<RankedTensorType>(value.getType())) {
    return equalLanes(value.getType(), scalars.divisibility(value));
  }
  return unknown(value.getType());
}

void Contiguity::set(Value value, Runs runs) {
  if (!isa<RankedTensorType>(value.getType())) {
    return; // Hints knows more
  }
  auto [place, isNew] = known.try_emplace(value, runs);
  if (isNew) {
    changed = true;
    return;
  }
  Runs met = place->second;
  for (auto [one, other] : llvm::zip_equal(met, runs)) {
    one = either(one, other, Largest, unitOf(value.getType()));
  }
  changed |= met != place->second;
  place->second = met;
}

void Contiguity::visitRegions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, start] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits())) {
      set(argument, of(start));
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [argument, start] :
         llvm::zip_equal(loop.getBeforeArguments(), loop.getInits())) {
      set(argument, of(start));
    }
  }
  for (Region &region : op->getRegions()) {
    for (Operation &inner : region.getOps()) {
      visit(&inner);
    }
  }
}

void Contiguity::visit(Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    visitRegions(op);
    return;
  }
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
      Runs runs = of(value);
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        set(loop.getRegionIterArg(i), runs);
        set(loop.getResult(i), of(loop.getRegionIterArg(i)));
      } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        set(loop.getBeforeArguments()[i], runs);
      } else {
        set(parent->getResult(i), runs);
      }
    }
    return;
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    for (auto [i, value] : llvm::enumerate(condition.getArgs())) {
      set(loop.getAfterArguments()[i], of(value));
      set(loop.getResult(i), of(value));
    }
    return;
  }
  for (Value result : op->getResults()) {
    Type element = tile::elementType(result.getType());
    if (isa<IntegerType, tile::PtrType>(element)) {
      set(result, evaluate(op, result.getType()));
    }
  }
}

/// Sums and differences; `scale`: bytes that one unit of `b` counts in `a`.
static Runs sumOf(const Runs &a, const Runs &b, int64_t scale,
                  bool isDifference) {
  Runs result(a.size());
  for (auto [one, x, y] : llvm::zip_equal(result, a, b)) {
    one.constancy = std::gcd(x.constancy, y.constancy);
    one.contiguity = std::gcd(x.contiguity, y.constancy);
    if (!isDifference) {
      one.contiguity =
          std::max(one.contiguity, std::gcd(x.constancy, y.contiguity));
    }
    // The runs of the sum are no longer than those of its terms.
    one.divisibility =
        std::gcd(ofFirstLane(x, one.contiguity, scale),
                 std::min(ofFirstLane(y, one.contiguity, 1) * scale, Largest));
  }
  return result;
}

static Runs productOf(const Runs &a, const Runs &b) {
  Runs result(a.size());
  for (auto [one, x, y] : llvm::zip_equal(result, a, b)) {
    one.constancy = std::gcd(x.constancy, y.constancy);
    one.divisibility = std::min(ofEachLane(x) * ofEachLane(y), Largest);
  }
  return result;
}

/// Runs of a dividend. A quotient truncates towards zero, so below it a run
/// [-8, -1] has two quotients and remainders that are not consecutive.
/// (Unsigned numbers of an aligned run do not cross zero.)
Runs Contiguity::dividendOf(Operation *op) const {
  Runs runs = of(op->getOperand(0));
  if (isa<tile::DivSIOp, tile::RemSIOp>(op) &&
      !exact->isNatural(op->getOperand(0))) {
    for (DimRuns &one : runs) {
      one.divisibility = ofEachLane(one);
      one.contiguity = 1;
    }
  }
  return runs;
}

/// Where `a` is consecutive and `b` equal, how long a / b is equal and a % b is
/// consecutive: up to the common divisor of run, start and divisor.
static int64_t aligned(const DimRuns &a, const DimRuns &b) {
  return std::gcd(std::gcd(a.contiguity, b.constancy),
                  std::gcd(a.divisibility, ofEachLane(b)));
}

/// Of the right side of a comparison, the first number that compares otherwise
/// than the numbers below it. x < n and x >= n change at n; x > 7 and x <= 7,
/// as simplification writes x >= 8 and x < 8, at 8. Of others nothing is known.
static Runs firstBeyond(arith::CmpIOp compare, Runs right) {
  using Predicate = arith::CmpIPredicate;
  const Predicate predicate = compare.getPredicate();
  if (llvm::is_contained(
          {Predicate::slt, Predicate::ult, Predicate::sge, Predicate::uge},
          predicate)) {
    return right;
  }
  const bool isOrdered =
      predicate != Predicate::eq && predicate != Predicate::ne;
  const bool isSigned =
      predicate == Predicate::sgt || predicate == Predicate::sle;
  APInt bound;
  if (isOrdered && matchPattern(compare.getRhs(), m_ConstantInt(&bound)) &&
      !(isSigned ? bound.isMaxSignedValue() : bound.isMaxValue())) {
    return equalLanes(compare.getRhs().getType(), (bound + 1).getSExtValue());
  }
  for (DimRuns &one : right) {
    one.divisibility = 1;
  }
  return right;
}

Runs Contiguity::evaluate(Operation *op, Type type) const {
  auto from = [&](unsigned i) { return of(op->getOperand(i)); };
  Runs result = unknown(type);
  return llvm::TypeSwitch<Operation *, Runs>(op)
      .Case<arith::ConstantOp>([&](auto constant) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (splat && isa<IntegerType>(splat.getElementType())) {
          APInt value = splat.template getSplatValue<APInt>();
          return equalLanes(type, value.getSExtValue());
        }
        return result;
      })
      .Case<tile::RangeOp>([&](auto range) {
        result[0].contiguity = powerOfTwoIn(tile::shapeOf(type)[0]);
        result[0].divisibility =
            powerOfTwoIn(static_cast<int32_t>(range.getStart()));
        // A run starts every `contiguity` lanes.
        if (result[0].contiguity != tile::shapeOf(type)[0]) {
          result[0].divisibility =
              std::gcd(result[0].divisibility, result[0].contiguity);
        }
        return result;
      })
      .Case<tile::SplatOp>(
          [&](auto splat) { return equalLanes(type, from(0)[0].divisibility); })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        Runs source = from(0);
        for (auto [dim, extent] :
             llvm::enumerate(tile::shapeOf(broadcast.getSource().getType()))) {
          result[dim] = source[dim];
          if (extent == 1 && tile::shapeOf(type)[dim] != 1) {
            result[dim].contiguity = 1;
            result[dim].constancy = powerOfTwoIn(tile::shapeOf(type)[dim]);
          }
        }
        return result;
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        // Inserting and removing dimensions of extent 1.
        ArrayRef<int64_t> before = tile::shapeOf(reshape.getSource().getType()),
                          after = tile::shapeOf(type);
        auto isWide = [](int64_t extent) { return extent != 1; };
        if (!llvm::equal(llvm::make_filter_range(before, isWide),
                         llvm::make_filter_range(after, isWide))) {
          return result;
        }
        Runs source = from(0);
        // Along a dimension of extent 1 each lane is the first of its run.
        int64_t each = 1;
        for (const DimRuns &one : source) {
          each = std::max(each, ofEachLane(one));
        }
        unsigned dim = 0;
        for (auto [i, extent] : llvm::enumerate(after)) {
          if (extent == 1) {
            result[i].divisibility = each;
            continue;
          }
          while (before[dim] == 1) {
            ++dim;
          }
          result[i] = source[dim++];
        }
        return result;
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        Runs source = from(0);
        for (auto [i, dim] : llvm::enumerate(transpose.getOrder())) {
          result[i] = source[dim];
        }
        return result;
      })
      .Case<arith::AddIOp>(
          [&](auto) { return sumOf(from(0), from(1), 1, false); })
      .Case<arith::SubIOp>(
          [&](auto) { return sumOf(from(0), from(1), 1, true); })
      .Case<tile::AddPtrOp>([&](auto add) {
        auto pointer = cast<tile::PtrType>(tile::elementType(type));
        return sumOf(from(0), from(1), tile::storageBytes(pointer.getPointee()),
                     false);
      })
      .Case<arith::MulIOp>([&](auto) { return productOf(from(0), from(1)); })
      .Case<tile::DivSIOp, tile::DivUIOp>([&](auto) {
        const Runs dividend = dividendOf(op);
        for (auto [one, a, b] : llvm::zip_equal(result, dividend, from(1))) {
          one.constancy =
              std::max(aligned(a, b), std::gcd(a.constancy, b.constancy));
        }
        return result;
      })
      .Case<tile::RemSIOp, tile::RemUIOp>([&](auto) {
        const Runs dividend = dividendOf(op);
        for (auto [one, a, b] : llvm::zip_equal(result, dividend, from(1))) {
          one.contiguity = aligned(a, b);
          one.constancy = std::gcd(a.constancy, b.constancy);
          one.divisibility = std::gcd(
              std::gcd(a.divisibility, ofEachLane(b)),
              a.contiguity > one.contiguity ? one.contiguity : Largest);
        }
        return result;
      })
      .Case<arith::CmpIOp>([&](auto compare) {
        Runs a = from(0), b = firstBeyond(compare, from(1));
        for (auto [one, x, y] : llvm::zip_equal(result, a, b)) {
          one.constancy = std::gcd(x.constancy, y.constancy);
          // Consecutive lanes against a bound that is a multiple of the run.
          one.constancy = std::max(one.constancy, aligned(x, y));
        }
        return result;
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, tile::MinSIOp,
            tile::MaxSIOp, tile::MinUIOp, tile::MaxUIOp>([&](auto) {
        for (auto [one, x, y] : llvm::zip_equal(result, from(0), from(1))) {
          one.constancy = std::gcd(x.constancy, y.constancy);
          one.divisibility = std::gcd(ofEachLane(x), ofEachLane(y));
        }
        return result;
      })
      .Case<arith::SelectOp>([&](auto select) {
        Runs condition = from(0), a = from(1), b = from(2);
        bool isScalar = !isa<RankedTensorType>(select.getCondition().getType());
        for (size_t dim = 0; dim < result.size(); ++dim) {
          int64_t same = isScalar ? Largest : condition[dim].constancy;
          result[dim] = either(a[dim], b[dim], same, unitOf(type));
        }
        return result;
      })
      .Case<tile::LoadOp>([&](auto load) {
        // Lanes that read one address read one value: the number of a block
        // that several tokens lie in, say.
        if (load.getIsVolatile()) {
          return result;
        }
        for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
          for (auto [one, x] : llvm::zip_equal(result, from(unsigned(i)))) {
            one.constancy =
                i == 0 ? x.constancy : std::gcd(one.constancy, x.constancy);
          }
        }
        return result;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, ConvertOp>(
          [&](auto) { return from(0); })
      .Case<tile::HintOp>([&](auto hint) {
        result = from(0);
        auto raise = [&](std::optional<ArrayRef<int64_t>> promised,
                         int64_t DimRuns::*field) {
          if (!promised) {
            return;
          }
          for (auto [one, value] : llvm::zip(result, *promised)) {
            one.*field = std::max(one.*field, powerOfTwoIn(value));
          }
        };
        raise(hint.getContiguity(), &DimRuns::contiguity);
        raise(hint.getConstancy(), &DimRuns::constancy);
        raise(hint.getDivisibility(), &DimRuns::divisibility);
        return result;
      })
      .Default([&](Operation *) { return result; });
}
