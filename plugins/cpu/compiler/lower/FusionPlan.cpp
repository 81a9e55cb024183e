//===- FusionPlan.cpp - Which tiles are computed where --------------------===//
//
// What   See FusionPlan.h. Costs go forward through a block, plans backward.
// Why    See FusionPlan.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/FusionPlan.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

/// A value of at most so many simple operations is computed again in every nest
/// that wants it: less than writing and reading it. Of loads, those of plain
/// rows may be among them, which are loaded again.
constexpr unsigned CheapOps = 7;
/// Bounds the recursion of the evaluator and the length of a loop body.
constexpr unsigned MaxTree = 160;

bool isTile(mlir::Value value) {
  return isa<mlir::RankedTensorType>(value.getType());
}

/// By one number for the whole tile: often no division at all (Runs.cpp).
bool dividesByOne(mlir::Operation *op) {
  mlir::Operation *by = op->getOperand(1).getDefiningOp();
  auto constant = dyn_cast_if_present<arith::ConstantOp>(by);
  return isa_and_present<tile::SplatOp>(by) ||
         (constant && isa<mlir::SplatElementsAttr>(constant.getValue()));
}

unsigned ownCost(mlir::Operation *op) {
  if (isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(op) &&
      dividesByOne(op)) {
    return 2;
  }
  return TypeSwitch<mlir::Operation *, unsigned>(op)
      .Case<tile::MathOp, tile::PowOp, tile::RemFOp>([](auto) { return 12u; })
      .Case<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp,
            tile::DivFOp, tile::GatherOp>([](auto) { return 5u; })
      .Case<tile::LoadOp, tile::LoadViewOp>([](auto) { return 4u; })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp, tile::HintOp,
            tile::TransposeOp, mlir::arith::ConstantOp>([](auto) { return 0u; })
      .Default([](auto) { return 1u; });
}

int64_t groupOf(mlir::Operation *op) {
  auto group = op->getAttrOfType<mlir::IntegerAttr>("group");
  return group ? group.getInt() : 0;
}

bool writesMemory(mlir::Operation *op) {
  return isa<tile::StoreOp, tile::StoreViewOp, tile::AtomicRMWOp,
             tile::AtomicCASOp, tile::BarrierOp, tile::RecordOp>(op);
}

} // namespace

bool accessesMemory(mlir::Operation *op) {
  return isa<tile::LoadOp, tile::LoadViewOp>(op) || writesMemory(op);
}

bool mayMeet(mlir::Operation *load, mlir::Operation *writer) {
  bool found = false;
  writer->walk([&](mlir::Operation *inner) {
    if (!writesMemory(inner)) {
      return;
    }
    int64_t a = groupOf(load), b = groupOf(inner);
    // Atomics, barriers and records are fences whatever they point to.
    found |= !isa<tile::StoreOp, tile::StoreViewOp>(inner) || a == 0 ||
             b == 0 || a == b;
  });
  return found;
}

bool haveSameAddresses(mlir::Operation *load, mlir::Operation *store) {
  if (auto l = dyn_cast<tile::LoadOp>(load)) {
    auto s = dyn_cast<tile::StoreOp>(store);
    return s && s.getPointer() == l.getPointer();
  }
  auto l = cast<tile::LoadViewOp>(load);
  auto s = dyn_cast<tile::StoreViewOp>(store);
  return s && s.getView() == l.getView() &&
         std::equal(s.getOffsets().begin(), s.getOffsets().end(),
                    l.getOffsets().begin(), l.getOffsets().end());
}

namespace {

/// All that `value` becomes on the way to `store` stays at its index.
bool keepsIndex(mlir::Value value, mlir::Operation *store, unsigned depth = 0) {
  for (mlir::Operation *user : value.getUsers()) {
    if (depth == 32 || user->getBlock() != store->getBlock()) {
      return false;
    }
    if (user == store || store->isBeforeInBlock(user)) {
      continue;
    }
    if (!isElementwise(user) ||
        !keepsIndex(user->getResult(0), store, depth + 1)) {
      return false;
    }
  }
  return true;
}

/// Each element of the source is needed by several rows of the result, with
/// other work between them: fusing would repeat the source's computation.
bool repeatsRows(mlir::Operation *op) {
  auto broadcast = dyn_cast<tile::BroadcastOp>(op);
  if (!broadcast) {
    return false;
  }
  ArrayRef<int64_t> from = tile::shapeOf(broadcast.getSource().getType());
  ArrayRef<int64_t> to = tile::shapeOf(broadcast.getResult().getType());
  bool repeated = false;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1 && to[d] != 1) {
      repeated = true;
    } else if (from[d] != 1 && repeated) {
      return true;
    }
  }
  return false;
}

/// A load of whole rows that lie in memory as they would in the arena: loading
/// them again costs what reading a copy would, and the caches hold it once.
bool isPlainRow(mlir::Operation *op) {
  auto load = dyn_cast<tile::LoadViewOp>(op);
  if (!load || load.getResult().getType().getRank() != 1 ||
      llvm::is_contained(load.getChecked(), true)) {
    return false;
  }
  auto view = load.getView().getDefiningOp<tile::MakeViewOp>();
  auto stride = view ? view.getStrides()[0].getDefiningOp<arith::ConstantOp>()
                     : arith::ConstantOp();
  auto unit = stride ? dyn_cast<mlir::IntegerAttr>(stride.getValue())
                     : mlir::IntegerAttr();
  return unit && unit.getInt() == 1;
}

} // namespace

bool isUnitReshape(mlir::Operation *op) {
  auto reshape = dyn_cast<tile::ReshapeOp>(op);
  if (!reshape) {
    return false;
  }
  auto dense = [](mlir::Type type) {
    SmallVector<int64_t> shape(tile::shapeOf(type));
    llvm::erase(shape, 1);
    return shape;
  };
  return dense(reshape.getSource().getType()) ==
         dense(reshape.getResult().getType());
}

bool isElementwise(mlir::Operation *op) {
  if (op->getNumResults() != 1 || !isTile(op->getResult(0)) ||
      op->getNumRegions() != 0) {
    return false;
  }
  if (isa<tile::HintOp>(op)) {
    return true;
  }
  return op->hasTrait<mlir::OpTrait::Elementwise>() &&
         op->getNumOperands() != 0;
}

bool isFusable(mlir::Operation *op) {
  if (op->getNumResults() == 0 || !isTile(op->getResult(0))) {
    return false;
  }
  return isElementwise(op) || isUnitReshape(op) ||
         isa<mlir::arith::ConstantOp, tile::SplatOp, tile::RangeOp,
             tile::BroadcastOp, tile::TransposeOp, tile::GatherOp, tile::LoadOp,
             tile::LoadViewOp, tile::SplitOp>(op);
}

FusionPlan::FusionPlan(tile::KernelOp kernel) {
  kernel->walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *op) { orders[op] = unsigned(orders.size()); });
  kernel->walk([&](mlir::Block *block) {
    int position = 0;
    for (mlir::Operation &op : *block) {
      positions[&op] = position++;
      bool writes = false;
      op.walk([&](mlir::Operation *inner) { writes |= writesMemory(inner); });
      if (writes) {
        writers[block].push_back(&op);
      }
    }
  });
  kernel->walk<mlir::WalkOrder::PreOrder>([&](mlir::Block *block) {
    // The scalar regions of reduce, scan and map hold no tiles.
    if (!isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(block->getParentOp())) {
      planBlock(*block);
    }
  });
}

const ValuePlan &FusionPlan::of(mlir::Value value) const {
  static const ValuePlan none;
  auto found = plans.find(value);
  return found == plans.end() ? none : found->second;
}

FusionPlan::Cost FusionPlan::costOf(mlir::Operation *op) {
  Cost cost{ownCost(op), 1,
            isa<tile::LoadOp, tile::LoadViewOp>(op) && !isPlainRow(op)};
  for (mlir::Value operand : op->getOperands()) {
    if (!isTile(operand)) {
      continue;
    }
    mlir::Operation *def = operand.getDefiningOp();
    if (def && def->getBlock() == op->getBlock() && isFusable(def)) {
      const Cost &from = costs[operand];
      cost.ops = std::min(cost.ops + from.ops, 10000u);
      cost.tree = std::min(cost.tree + from.tree, 10000u);
      cost.memory |= from.memory;
    } else {
      cost.ops += 1;
      cost.memory |= !def;
    }
  }
  return cost;
}

void FusionPlan::planBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (!isFusable(&op)) {
      continue;
    }
    Cost cost = costOf(&op);
    for (mlir::Value result : op.getResults()) {
      costs[result] = cost;
    }
    // A long chain is cut: its head goes through the arena.
    if (cost.tree > MaxTree) {
      for (mlir::Value result : op.getResults()) {
        costs[result] = {1, 1, true};
        plans[result].way = Way::Eager;
      }
    }
  }
  for (mlir::Operation &op : llvm::reverse(block)) {
    for (mlir::Value result : op.getResults()) {
      if (isTile(result)) {
        planValue(result, &op);
      }
    }
  }
  for (mlir::BlockArgument argument : block.getArguments()) {
    if (isTile(argument)) {
      planValue(argument, nullptr);
    }
  }
}

void FusionPlan::planValue(mlir::Value value, mlir::Operation *op) {
  bool cut = plans.contains(value);
  ValuePlan plan;
  bool needsBuffer = false, repeated = false;
  mlir::Block *block = value.getParentBlock();
  for (mlir::OpOperand &use : value.getUses()) {
    mlir::Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    int at = position(user);
    mlir::Operation *owner = use.getOwner();
    needsBuffer |= isa<tile::SplitOp, tile::RecordOp>(owner) ||
                   (isa<tile::GatherOp>(owner) && use.getOperandNumber() == 0);
    if (user != use.getOwner()) {
      plan.nested = true;
      plan.roots.push_back(at);
    } else if (isFusable(user)) {
      repeated |= repeatsRows(user);
      for (mlir::Value result : user->getResults()) {
        const ValuePlan &of = plans[result];
        switch (of.way) {
        case Way::Fused:
          plan.nested |= of.nested;
          plan.roots.append(of.roots.begin(), of.roots.end());
          break;
        case Way::Kept:
          plan.roots.push_back(of.first() < 0 ? at : of.first());
          break;
        case Way::Eager:
          plan.roots.push_back(at);
          break;
        }
      }
    } else {
      plan.roots.push_back(at);
    }
  }
  llvm::sort(plan.roots);
  plan.roots.erase(llvm::unique(plan.roots), plan.roots.end());

  if (op && isFusable(op) && !cut) {
    Cost cost = costs[value];
    bool cheap = cost.ops <= CheapOps && !cost.memory;
    bool once = plan.roots.size() <= 1 && !plan.nested &&
                !(repeated && cost.ops > CheapOps);
    plan.way = !needsBuffer && (cheap || once) ? Way::Fused : Way::Kept;
    if (needsBuffer && plan.nested) {
      plan.way = Way::Eager;
    }
    if (isa<tile::LoadOp, tile::LoadViewOp>(op) && !plan.roots.empty()) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (plan.way == Way::Kept && !plan.nested && !needsBuffer &&
          isPlainRow(op) && !movesAcrossWrite(op, plan.last())) {
        plan.way = Way::Fused;
      }
      if ((load && load.getIsVolatile()) ||
          movesAcrossWrite(op, plan.way == Way::Kept ? plan.first()
                                                     : plan.last())) {
        plan.way = Way::Eager;
      }
    }
  }
  plans[value] = std::move(plan);
}

/// May not `load` happen at position `to`?
bool FusionPlan::movesAcrossWrite(mlir::Operation *load, int to) const {
  auto found = writers.find(load->getBlock());
  if (found == writers.end()) {
    return false;
  }
  int from = position(load);
  for (mlir::Operation *writer : found->second) {
    int at = position(writer);
    if (at <= from || at > to || !mayMeet(load, writer)) {
      continue;
    }
    // Operands that are wanted inside a region are computed before it; a store
    // of the very elements that were loaded goes lane by lane, or after a copy
    // of them where lanes may meet (InPlace.cpp).
    if (at == to &&
        (writer->getNumRegions() || (haveSameAddresses(load, writer) &&
                                     keepsIndex(load->getResult(0), writer)))) {
      continue;
    }
    return true;
  }
  return false;
}

} // namespace tz::cpu
