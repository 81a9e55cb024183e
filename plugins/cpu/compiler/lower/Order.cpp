//===- Order.cpp - Which program comes next -------------------------------===//
//
// What   Whether a thread takes the programs of a two-dimensional grid along
//        its second axis first.
// Why    Programs may run in any order. Where those along the second axis write
//        neighbouring pieces of a row, and those along the first one other
//        rows, the usual order goes down the rows piece by piece: each program
//        begins another page, and nothing is fetched ahead.
//
//   out + program_id(0) * columns + program_id(1) * BLOCK + range
//       ids (0,0) (1,0) (2,0) ...  become  (0,0) (0,1) (0,2) ...
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstdlib>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

/// By how much a value grows from one program to the next along an axis.
struct Step {
  bool known = true;
  int64_t by = 0;

  static Step unknown() { return {false, 0}; }
  bool isZero() const { return known && by == 0; }
};

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

constexpr unsigned Axes = 2;
using Steps = std::array<Step, Axes>;

/// What is not followed any further has unknown steps.
constexpr unsigned MostDepth = 64;

class Walk {
public:
  const Steps &of(mlir::Value value) {
    if (auto found = known.find(value); found != known.end()) {
      return found->second;
    }
    Steps steps{Step::unknown(), Step::unknown()};
    if (depth < MostDepth) {
      ++depth;
      steps = find(value);
      --depth;
    }
    return known[value] = steps;
  }

  /// Of the addresses of an access, in bytes.
  Steps ofAccess(mlir::Operation *op) {
    return TypeSwitch<mlir::Operation *, Steps>(op)
        .Case<tile::StoreViewOp, tile::LoadViewOp>(
            [&](auto o) { return ofView(o.getView(), o.getOffsets()); })
        .Case<tile::StoreOp, tile::LoadOp, tile::AtomicRMWOp,
              tile::AtomicCASOp>([&](auto o) { return of(o.getPointer()); })
        .Default([](auto) { return Steps{Step::unknown(), Step::unknown()}; });
  }

private:
  static Steps sum(const Steps &x, const Steps &y) {
    return {x[0] + y[0], x[1] + y[1]};
  }
  static Steps product(const Steps &x, std::optional<int64_t> factor) {
    return {x[0] * factor, x[1] * factor};
  }

  Steps ofView(mlir::Value view, mlir::OperandRange offsets) {
    auto made = view.getDefiningOp<tile::MakeViewOp>();
    if (!made) {
      return {Step::unknown(), Step::unknown()};
    }
    const int64_t bytes = tile::storageBytes(
        cast<tile::ViewType>(view.getType()).getElementType());
    Steps steps = of(made.getBase());
    for (auto [offset, stride] : llvm::zip(offsets, made.getStrides())) {
      std::optional<int64_t> number = mlir::getConstantIntValue(stride);
      const Steps scaled = product(of(offset), number);
      steps = sum(steps, product(scaled, bytes));
    }
    return steps;
  }

  Steps ofArgument(mlir::BlockArgument argument) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    if (isa<tile::KernelOp>(parent)) {
      return {};
    }
    auto loop = dyn_cast<mlir::scf::ForOp>(parent);
    if (!loop) {
      return {Step::unknown(), Step::unknown()};
    }
    // Of the first iteration: later ones go on from there.
    return argument == loop.getInductionVar()
               ? of(loop.getLowerBound())
               : of(loop.getTiedLoopInit(argument)->get());
  }

  Steps find(mlir::Value value) {
    if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
      return ofArgument(argument);
    }
    mlir::Operation *op = value.getDefiningOp();
    return TypeSwitch<mlir::Operation *, Steps>(op)
        .Case<tile::ProgramIdOp>([](tile::ProgramIdOp o) {
          Steps steps;
          if (o.getAxis() < Axes) {
            steps[o.getAxis()].by = 1;
          }
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
            for (unsigned axis = 0; axis < Axes; ++axis) {
              if (!part[axis].isZero()) {
                steps[axis] = Step::unknown();
              }
            }
          }
          return o->getNumRegions() ? Steps{Step::unknown(), Step::unknown()}
                                    : steps;
        });
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

  DenseMap<mlir::Value, Steps> known;
  unsigned depth = 0;
};

/// Programs along `first` go on where the one before them ended, or nearly so;
/// those along `second` are far away.
bool goesAlong(const Steps &steps, unsigned first, unsigned second) {
  constexpr int64_t near = 4096;
  const Step along = steps[first], across = steps[second];
  return along.known && along.by != 0 && std::abs(along.by) <= near &&
         (!across.known || std::abs(across.by) > std::abs(along.by));
}

} // namespace

bool CpuLowering::takesSecondAxisFirst() {
  // What programs print comes in the order of their ids, if one thread runs
  // them.
  if (waits() || usesLog) {
    return false;
  }
  Walk walk;
  bool second = false, first = false;
  kernel->walk([&](mlir::Operation *op) {
    // Products have their own order: of the operands that they read again.
    first |= isa<tile::DotOp>(op);
    const bool reads = isa<tile::LoadOp, tile::LoadViewOp>(op),
               writes = isa<tile::StoreOp, tile::StoreViewOp, tile::AtomicRMWOp,
                            tile::AtomicCASOp>(op);
    if (first || !(reads || writes)) {
      return;
    }
    const Steps steps = walk.ofAccess(op);
    first |= goesAlong(steps, 0, 1) && !steps[1].isZero();
    if (writes) {
      const bool along = goesAlong(steps, 1, 0) && !steps[0].isZero();
      second |= along;
      first |= !along;
    }
  });
  return second && !first;
}

} // namespace tz::cpu
