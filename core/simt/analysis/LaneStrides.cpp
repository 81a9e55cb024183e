//===- LaneStrides.cpp - how far lanes beside each other lie --------------===//
//
// What   See LaneStrides.h. Walks from a value to what it is computed from,
// each
//        value once.
// Why    See LaneStrides.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LaneStrides.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// Chains of ops longer than this say nothing.
constexpr unsigned MostSteps = 64;

bool isEqual(const LaneStrides &strides) {
  return llvm::all_of(strides, [](auto one) { return one == 0; });
}

LaneStrides unknown(Type type) {
  return LaneStrides(tile::shapeOf(type).size(), std::nullopt);
}

class Walk {
public:
  LaneStrides of(Value value, unsigned steps);

private:
  LaneStrides evaluate(Operation *op, Type type, unsigned steps);
  LaneStrides product(Operation *op, unsigned steps);
  LaneStrides reshaped(tile::ReshapeOp reshape, unsigned steps);

  llvm::DenseMap<Value, LaneStrides> known;
};

LaneStrides Walk::of(Value value, unsigned steps) {
  Type type = value.getType();
  if (!isa<RankedTensorType>(type)) {
    return {};
  }
  if (steps == 0) {
    return unknown(type);
  }
  if (auto found = known.find(value); found != known.end()) {
    return found->second;
  }
  LaneStrides result = unknown(type);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // What a loop adds to a pointer is mostly the same for all lanes.
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument != loop.getInductionVar()) {
      result = of(loop.getTiedLoopInit(argument)->get(), steps - 1);
    }
  } else {
    result = evaluate(value.getDefiningOp(), type, steps - 1);
  }
  known.try_emplace(value, result);
  return result;
}

/// A splat's value, as far as it is known.
std::optional<int64_t> splatOf(Value value) {
  APInt constant;
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat.getOperand();
  }
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return constant.getSExtValue();
  }
  return std::nullopt;
}

LaneStrides Walk::product(Operation *op, unsigned steps) {
  LaneStrides a = of(op->getOperand(0), steps),
              b = of(op->getOperand(1), steps);
  Value factor = op->getOperand(1);
  if (isEqual(a)) {
    std::swap(a, b);
    factor = op->getOperand(0);
  }
  if (!isEqual(b)) {
    return unknown(op->getResult(0).getType());
  }
  const std::optional<int64_t> times = splatOf(factor);
  for (auto &one : a) {
    int64_t exact = 0;
    if (one == 0) {
      continue;
    }
    one = one && times && !llvm::MulOverflow(*one, *times, exact)
              ? std::optional(exact)
              : std::nullopt;
  }
  return a;
}

/// Inserting and removing dimensions of extent 1.
LaneStrides Walk::reshaped(tile::ReshapeOp reshape, unsigned steps) {
  ArrayRef<int64_t> before = tile::shapeOf(reshape.getSource().getType()),
                    after = tile::shapeOf(reshape.getType());
  auto isWide = [](int64_t extent) { return extent != 1; };
  LaneStrides result = unknown(reshape.getType());
  if (!llvm::equal(llvm::make_filter_range(before, isWide),
                   llvm::make_filter_range(after, isWide))) {
    return result;
  }
  const LaneStrides source = of(reshape.getSource(), steps);
  unsigned dim = 0;
  for (auto [i, extent] : llvm::enumerate(after)) {
    if (extent == 1) {
      result[i] = 0;
      continue;
    }
    while (before[dim] == 1) {
      ++dim;
    }
    result[i] = source[dim++];
  }
  return result;
}

LaneStrides Walk::evaluate(Operation *op, Type type, unsigned steps) {
  auto from = [&](unsigned i) { return of(op->getOperand(i), steps); };
  auto sum = [&](int64_t sign) {
    LaneStrides a = from(0), b = from(1);
    for (auto [one, other] : llvm::zip_equal(a, b)) {
      int64_t exact = 0;
      one = one && other && !llvm::AddOverflow(*one, sign * *other, exact)
                ? std::optional(exact)
                : std::nullopt;
    }
    return a;
  };
  return llvm::TypeSwitch<Operation *, LaneStrides>(op)
      .Case<arith::ConstantOp>([&](auto constant) {
        return isa<SplatElementsAttr>(constant.getValue())
                   ? LaneStrides(tile::shapeOf(type).size(), 0)
                   : unknown(type);
      })
      .Case<tile::SplatOp>(
          [&](auto) { return LaneStrides(tile::shapeOf(type).size(), 0); })
      .Case<tile::RangeOp>([&](auto) { return LaneStrides{1}; })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        LaneStrides result = from(0);
        for (auto [dim, extent] :
             llvm::enumerate(tile::shapeOf(broadcast.getSource().getType()))) {
          if (extent == 1) {
            result[dim] = 0;
          }
        }
        return result;
      })
      .Case<tile::ReshapeOp>(
          [&](auto reshape) { return reshaped(reshape, steps); })
      .Case<tile::TransposeOp>([&](auto transpose) {
        const LaneStrides source = from(0);
        LaneStrides result;
        for (int64_t dim : transpose.getOrder()) {
          result.push_back(source[dim]);
        }
        return result;
      })
      .Case<arith::AddIOp, tile::AddPtrOp>([&](auto) { return sum(1); })
      .Case<arith::SubIOp>([&](auto) { return sum(-1); })
      .Case<arith::MulIOp>([&](auto) { return product(op, steps); })
      .Case<tile::RemSIOp, tile::RemUIOp>(
          [&](auto) { return isEqual(from(1)) ? from(0) : unknown(type); })
      .Case<tile::DivSIOp, tile::DivUIOp>([&](auto) {
        if (!isEqual(from(1))) {
          return unknown(type);
        }
        LaneStrides result = from(0);
        if (splatOf(op->getOperand(1)) != 1) {
          for (auto &one : result) {
            one = one ? std::optional<int64_t>(0) : std::nullopt;
          }
        }
        return result;
      })
      .Case<tile::MinSIOp, tile::MaxSIOp, tile::MinUIOp, tile::MaxUIOp>(
          [&](auto) {
            return isEqual(from(1))   ? from(0)
                   : isEqual(from(0)) ? from(1)
                                      : unknown(type);
          })
      .Case<arith::SelectOp>([&](auto) {
        // x if x < n else 0
        return isEqual(from(2))     ? from(1)
               : isEqual(from(1))   ? from(2)
               : from(1) == from(2) ? from(1)
                                    : unknown(type);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, tile::HintOp,
            ConvertOp>([&](auto) { return from(0); })
      .Default([&](Operation *) { return unknown(type); });
}

} // namespace

LaneStrides tz::simt::laneStridesOf(Value value) {
  return Walk().of(value, MostSteps);
}
