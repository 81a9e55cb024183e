//===- ProgramSteps.cpp - How far programs lie apart ----------------------===//
//
// What   See ProgramSteps.h. Sums and products with constants are followed.
// Why    See ProgramSteps.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/ProgramSteps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

Step operator+(Step x, Step y) {
  Step sum;
  sum.known =
      x.known && y.known && !__builtin_add_overflow(x.by, y.by, &sum.by);
  return sum;
}

Step operator*(Step x, std::optional<int64_t> factor) {
  if (x.isZero()) {
    return x;
  }
  Step product;
  product.known =
      x.known && factor && !__builtin_mul_overflow(x.by, *factor, &product.by);
  return product;
}

const Steps Unknown{Step::unknown(), Step::unknown(), Step::unknown()};
/// What is not followed any further has unknown steps.
constexpr unsigned MostDepth = 64;

Steps sum(const Steps &x, const Steps &y) {
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2]};
}

Steps product(const Steps &x, std::optional<int64_t> factor) {
  return {x[0] * factor, x[1] * factor, x[2] * factor};
}

static std::optional<int64_t> numberOf(mlir::Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    return numberOf(splat.getSource());
  }
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (auto dense = dyn_cast<mlir::SplatElementsAttr>(constant.getValue())) {
      return dense.getSplatValue<APInt>().getSExtValue();
    }
  }
  return mlir::getConstantIntValue(value);
}

} // namespace

const Steps &ProgramSteps::of(mlir::Value value) {
  if (auto found = known.find(value); found != known.end()) {
    return found->second;
  }
  Steps steps = Unknown;
  if (depth < MostDepth) {
    ++depth;
    steps = find(value);
    --depth;
  }
  return known[value] = steps;
}

Steps ProgramSteps::ofAccess(mlir::Operation *op) {
  return TypeSwitch<mlir::Operation *, Steps>(op)
      .Case<tile::StoreViewOp, tile::LoadViewOp>(
          [&](auto o) { return ofView(o.getView(), o.getOffsets()); })
      .Case<tile::StoreOp, tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](auto o) { return of(o.getPointer()); })
      .Default([](auto) { return Unknown; });
}

Steps ProgramSteps::ofView(mlir::Value view, mlir::OperandRange offsets) {
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  if (!made) {
    return Unknown;
  }
  const int64_t bytes =
      tile::storageBytes(cast<tile::ViewType>(view.getType()).getElementType());
  Steps steps = of(made.getBase());
  for (auto [offset, stride] : llvm::zip(offsets, made.getStrides())) {
    std::optional<int64_t> number = mlir::getConstantIntValue(stride);
    const Steps scaled = product(of(offset), number);
    steps = sum(steps, product(scaled, bytes));
  }
  return steps;
}

Steps ProgramSteps::ofArgument(mlir::BlockArgument argument) {
  mlir::Operation *parent = argument.getOwner()->getParentOp();
  if (isa<tile::KernelOp>(parent)) {
    return {};
  }
  auto loop = dyn_cast<mlir::scf::ForOp>(parent);
  if (!loop) {
    return Unknown;
  }
  // Of the first iteration: later ones go on from there.
  return argument == loop.getInductionVar()
             ? of(loop.getLowerBound())
             : of(loop.getTiedLoopInit(argument)->get());
}

Steps ProgramSteps::find(mlir::Value value) {
  if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
    return ofArgument(argument);
  }
  mlir::Operation *op = value.getDefiningOp();
  return TypeSwitch<mlir::Operation *, Steps>(op)
      .Case<tile::ProgramIdOp>([](tile::ProgramIdOp o) {
        Steps steps;
        steps[o.getAxis()].by = 1;
        return steps;
      })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
            tile::TransposeOp, tile::HintOp>(
          [&](auto o) { return of(o->getOperand(0)); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto o) { return of(o.getIn()); })
      .Case<arith::AddIOp>([&](auto o) {
        const Steps left = of(o.getLhs());
        return sum(left, of(o.getRhs()));
      })
      .Case<arith::SubIOp>([&](auto o) {
        const Steps left = of(o.getLhs());
        return sum(left, product(of(o.getRhs()), -1));
      })
      .Case<arith::MulIOp>([&](auto o) {
        const Steps left = of(o.getLhs()), right = of(o.getRhs());
        return sum(product(left, numberOf(o.getRhs())),
                   product(right, numberOf(o.getLhs())));
      })
      .Case<tile::AddPtrOp>([&](tile::AddPtrOp o) {
        auto pointer =
            cast<tile::PtrType>(tile::elementType(o.getPointer().getType()));
        const Steps base = of(o.getPointer());
        return sum(base, product(of(o.getOffset()),
                                 tile::storageBytes(pointer.getPointee())));
      })
      .Default([&](mlir::Operation *o) {
        Steps steps;
        for (mlir::Value operand : o->getOperands()) {
          const Steps part = of(operand);
          for (unsigned axis = 0; axis < steps.size(); ++axis) {
            if (!part[axis].isZero()) {
              steps[axis] = Step::unknown();
            }
          }
        }
        return o->getNumRegions() ? Unknown : steps;
      });
}

} // namespace tz::cpu
