//===- SimpleOps.cpp - ops without memory and without exchanges -----------===//
//
// What   Constants, ops of each element alone, and those whose results are made
//        of registers that are there already.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::simt {

/// From which register each one of an integer division or a mask follows, and
/// what is added to it: along a run of equal or of consecutive results one is
/// computed.
SmallVector<std::pair<unsigned, int64_t>>
KernelLowering::followedFrom(mlir::Value value) const {
  const Layout &layout = layoutOf(value);
  const Runs along = runs.of(value);
  const bool isMask = tile::elementType(value.getType()).isInteger(1);
  SmallVector<std::pair<unsigned, int64_t>> all;
  std::map<Coordinates, unsigned> firstOf;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); ++reg) {
    Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
    int64_t more = 0;
    // Runs are aligned, and a thread's bits are not a register's.
    for (unsigned dim = 0; layout.isLinear() && dim < at.size(); ++dim) {
      const bool isEqual = isMask || along[dim].constancy > 1;
      const int64_t within =
          at[dim] &
          ((isEqual ? along[dim].constancy : along[dim].contiguity) - 1);
      at[dim] -= within;
      more += isEqual ? 0 : within;
    }
    const unsigned first = firstOf.try_emplace(at, reg).first->second;
    all.emplace_back(first, more);
  }
  return all;
}

void KernelLowering::elementwise(mlir::Operation *op) {
  auto isTile = [](mlir::Value value) {
    return isa<mlir::RankedTensorType>(value.getType());
  };
  if (!isTile(op->getResult(0))) {
    SmallVector<Value *, 3> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(scalar(operand));
    }
    define(op->getResult(0), arithmetic->emit(op, operands));
    return;
  }
  Registers registers;
  auto count = layoutOf(op->getResult(0)).size(Axis::Register);
  SmallVector<std::pair<unsigned, int64_t>> followed;
  if (isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp,
          arith::CmpIOp>(op) ||
      (isa<arith::AndIOp, arith::OrIOp>(op) &&
       tile::elementType(op->getResult(0).getType()).isInteger(1))) {
    followed = followedFrom(op->getResult(0));
  }
  for (unsigned reg = 0; reg < count; ++reg) {
    if (!followed.empty() && followed[reg].first != reg) {
      const auto [first, more] = followed[reg];
      Value *known = registers[first];
      registers.push_back(
          more == followed[first].second
              ? known
              : b.CreateAdd(known, ConstantInt::getSigned(
                                       known->getType(),
                                       more - followed[first].second)));
      continue;
    }
    SmallVector<Value *, 3> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(isTile(operand) ? tile(operand)[reg]
                                         : scalar(operand));
    }
    registers.push_back(arithmetic->emit(op, operands));
  }
  define(op->getResult(0), std::move(registers));
}

void KernelLowering::selectView(arith::SelectOp op) {
  Value *isChosen = scalar(op.getCondition());
  Registers parts = flatten(op.getTrueValue());
  for (auto [part, other] :
       llvm::zip_equal(parts, flatten(op.getFalseValue()))) {
    part = b.CreateSelect(isChosen, part, other);
  }
  defineAll(op->getResults(), parts);
}

void KernelLowering::advanceView(tile::AdvanceViewOp op) {
  ViewParts parts = view(op.getView());
  for (auto [position, offset] :
       llvm::zip_equal(parts.position, op.getOffsets())) {
    position = b.CreateAdd(position, scalar(offset));
  }
  views[op.getResult()] = std::move(parts);
}

void KernelLowering::viewParts(tile::ViewPartsOp op) {
  const ViewParts parts = view(op.getView());
  define(op.getBase(), parts.base);
  for (unsigned dim = 0; dim < parts.shape.size(); ++dim) {
    define(op.getShape()[dim], parts.shape[dim]);
    define(op.getStrides()[dim], parts.strides[dim]);
    define(op.getPosition()[dim], parts.position[dim]);
  }
}

void KernelLowering::constant(arith::ConstantOp op) {
  mlir::TypedAttr attribute = op.getValue();
  auto dense = dyn_cast<mlir::DenseElementsAttr>(attribute);
  auto number = [&](mlir::Attribute one) -> Value * {
    Constant *value = arithmetic->constant(cast<mlir::TypedAttr>(one));
    if (!value) {
      refuse(op, "a constant that is not a number");
    }
    return value;
  };
  if (!dense) {
    define(op, number(attribute));
    return;
  }
  LayoutAttr layout = layoutAttr(op.getType());
  const auto count = unsigned(layout.getValue().size(Axis::Register));
  if (dense.isSplat()) {
    define(op,
           Registers(count, number(dense.getSplatValue<mlir::Attribute>())));
    return;
  }
  // Read-only data, indexed by coordinate.
  mlir::Type element = dense.getElementType();
  SmallVector<Constant *> values;
  for (mlir::Attribute one : dense.getValues<mlir::Attribute>()) {
    values.push_back(
        cast<Constant>(arithmetic->toMemory(number(one), element)));
  }
  Type *type = arithmetic->memoryType(element);
  auto *array = ArrayType::get(type, values.size());
  auto *global = new GlobalVariable(
      module, array, true, GlobalValue::PrivateLinkage,
      ConstantArray::get(array, values), "tile", nullptr,
      GlobalValue::NotThreadLocal, arithmetic->addressSpaces().constants);
  Registers registers;
  for (unsigned reg = 0; reg < count; ++reg) {
    Value *at = linearIndex(layout, reg, dense.getType().getShape());
    registers.push_back(arithmetic->fromMemory(
        b.CreateLoad(type, b.CreateGEP(type, global, at)), element));
  }
  define(op, std::move(registers));
}

void KernelLowering::broadcast(tile::BroadcastOp op) {
  const Layout &to = layoutOf(op.getResult());
  const Layout &from = layoutOf(op.getSource());
  ArrayRef<int64_t> shape = tile::shapeOf(op.getSource().getType());
  const Registers &source = tile(op.getSource());
  Registers registers;
  // The source's layout is that of the result without the new coordinates, so
  // the element is in this thread: at these coordinates of register parts.
  std::map<Coordinates, unsigned> at;
  for (unsigned reg = 0; reg < source.size(); ++reg) {
    at.try_emplace(from.apply(Place{{reg, 0, 0, 0}}), reg);
  }
  for (unsigned reg = 0; reg < to.size(Axis::Register); ++reg) {
    Coordinates coordinates = to.apply(Place{{reg, 0, 0, 0}});
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, shape)) {
      coordinate = extent == 1 ? 0 : coordinate;
    }
    registers.push_back(source[at.at(coordinates)]);
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::range(tile::RangeOp op) {
  LayoutAttr layout = layoutAttr(op.getType());
  Registers registers;
  for (unsigned reg = 0; reg < layout.getValue().size(Axis::Register); ++reg) {
    registers.push_back(b.CreateAdd(coordinate(layout, reg, 0),
                                    b.getInt32(op.getStart()), "", false,
                                    true));
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::join(tile::JoinOp op) {
  Registers registers;
  if (!isa<mlir::RankedTensorType>(op.getLhs().getType())) {
    registers = {scalar(op.getLhs()), scalar(op.getRhs())};
  } else {
    for (auto [left, right] :
         llvm::zip_equal(tile(op.getLhs()), tile(op.getRhs()))) {
      registers.append({left, right});
    }
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::split(tile::SplitOp op) {
  Registers left, right;
  for (auto [i, value] : llvm::enumerate(tile(op.getSource()))) {
    (i % 2 ? right : left).push_back(value);
  }
  define(op.getLhs(), std::move(left));
  define(op.getRhs(), std::move(right));
}

void KernelLowering::emitSimple(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case<arith::ConstantOp>([&](auto o) { constant(o); })
      .Case<tile::ProgramIdOp>(
          [&](auto o) { define(o, programId(o.getAxis())); })
      .Case<tile::NumProgramsOp>(
          [&](auto o) { define(o, programCount(o.getAxis())); })
      .Case<BlockRankOp>([&](auto o) { define(o, blockRank()); })
      .Case<tile::AssumeOp>(
          [&](auto o) { b.CreateAssumption(scalar(o.getCondition())); })
      .Case<tile::BarrierOp>([&](auto) {
        if (hazards.needsBulkWrites(Accesses::ofAll())) {
          awaitBulkStores(/*areDone=*/true);
        } else {
          synchronize(Memories::both);
        }
      })
      .Case<tile::RangeOp>([&](auto o) { range(o); })
      .Case<tile::SplatOp>([&](auto o) {
        auto count = layoutOf(o.getResult()).size(Axis::Register);
        define(o.getResult(), Registers(count, scalar(o.getSource())));
      })
      .Case<tile::BroadcastOp>([&](auto o) { broadcast(o); })
      .Case<tile::TransposeOp>([&](auto o) {
        define(o.getResult(), Registers(tile(o.getSource())));
      })
      .Case<tile::ReshapeOp>([&](auto o) { reshape(o); })
      .Case<tile::JoinOp>([&](auto o) { join(o); })
      .Case<tile::SplitOp>([&](auto o) { split(o); })
      .Default([&](mlir::Operation *) {
        refuse(op, "'" + op->getName().getStringRef().str() +
                       "' is not an operation that this target knows");
      });
}

} // namespace tz::simt
