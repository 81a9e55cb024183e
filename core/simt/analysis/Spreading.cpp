//===- Spreading.cpp - layouts of all tiles from those of anchors ---------===//
//
// What   See the header.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Spreading.h"

#include "core/simt/layout/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

Spreading::Spreading(tile::KernelOp kernel, const Anchors &anchors)
    : anchors(anchors) {
  for (const auto &[dot, choice] : anchors.dots()) {
    give(dot->getResult(0), choice.acc, Dot);
    give(tile::DotOp(dot).getAcc(), choice.acc, Dot);
  }
  spread();
  for (const auto &[dot, choice] : anchors.dots()) {
    for (OpOperand &operand : dot->getOpOperands()) {
      if (const Transposition *transposition = anchors.transposition(operand)) {
        give(operand.get(), transposition->read, Dot);
      }
    }
  }
  spread();
  giveToCarried(kernel);
  for (const auto &[op, layout] : anchors.accesses()) {
    for (Value result : op->getResults()) {
      give(result, layout, Memory);
    }
    for (Value operand : op->getOperands()) {
      give(operand, layout, Memory);
    }
  }
  spread();
  chooseRest(kernel);
}

/// How far back from what a loop carries a reduction, and from that a load, is
/// looked for.
static constexpr unsigned MostSteps = 8;

/// The layout of a load that the value is computed from, element by element.
static std::optional<Layout> loadedAs(const Anchors &anchors, Value value,
                                      unsigned steps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0) {
    return std::nullopt;
  }
  auto access = anchors.accesses().find(op);
  if (access != anchors.accesses().end()) {
    return access->second;
  }
  for (Value operand : op->getOperands()) {
    if (isElementwise(op) && isTile(operand)) {
      if (auto layout = loadedAs(anchors, operand, steps - 1)) {
        return layout;
      }
    }
  }
  return std::nullopt;
}

/// The layout of a reduction of loaded tiles in the loop that the value is
/// computed from, element by element.
static std::optional<Layout> reducedAs(const Anchors &anchors, scf::ForOp loop,
                                       Value value, unsigned steps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0 || op->getBlock() != loop.getBody()) {
    return std::nullopt;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto source = loadedAs(anchors, reduce.getSources().front(), MostSteps);
    return source ? std::optional(source->withoutDim(reduce.getAxis()))
                  : std::nullopt;
  }
  for (Value operand : op->getOperands()) {
    if (isElementwise(op) && isTile(operand)) {
      if (auto layout = reducedAs(anchors, loop, operand, steps - 1)) {
        return layout;
      }
    }
  }
  return std::nullopt;
}

/// What a loop sums up from reductions lies as they give it. In the layout of
/// the store behind the loop, each iteration would have to move its part.
void Spreading::giveToCarried(tile::KernelOp kernel) {
  constexpr int64_t mostRegisters = 16; // copies in other lanes cost them too
  kernel.walk([&](scf::ForOp loop) {
    for (auto [argument, next] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      if (!isTile(argument) || choices.contains(argument)) {
        continue;
      }
      auto layout = reducedAs(anchors, loop, next, MostSteps);
      if (layout && layout->size(Axis::Register) <= mostRegisters) {
        give(argument, *layout, Memory);
        spread();
      }
    }
  });
}

void Spreading::give(Value value, const Layout &layout, Priority priority) {
  if (!isTile(value)) {
    return;
  }
  auto [place, isNew] = choices.try_emplace(value, Chosen{layout, priority});
  if (!isNew) {
    if (place->second.priority >= priority) {
      return;
    }
    place->second = Chosen{layout, priority};
  }
  work.push_back(value);
}

void Spreading::spread() {
  while (!work.empty()) {
    spreadFrom(work.pop_back_val());
  }
}

void Spreading::spreadFrom(Value value) {
  Chosen from = choices.find(value)->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    spreadThrough(argument.getOwner()->getParentOp(), value, from);
  } else {
    spreadThrough(value.getDefiningOp(), value, from);
  }
  // Users of one constant have nothing to do with each other: a zero is where a
  // product begins and what a ramp ends at. Each has its own for nothing, or
  // for little what is repeated along a dimension.
  if (isa_and_present<arith::ConstantOp, tile::SplatOp, tile::BroadcastOp>(
          value.getDefiningOp())) {
    return;
  }
  for (Operation *user : value.getUsers()) {
    spreadThrough(user, value, from);
  }
}

void Spreading::spreadThrough(Operation *op, Value value, const Chosen &from) {
  const auto &[layout, priority] = from;
  if (anchors.accesses().contains(op) || isa<tile::DotOp>(op)) {
    return; // anchors of their own
  }
  auto tie = [&](Value other) { give(other, layout, priority); };
  if (isElementwise(op)) {
    llvm::for_each(op->getOperands(), tie);
    llvm::for_each(op->getResults(), tie);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        if (value == broadcast.getResult()) {
          give(broadcast.getSource(),
               layout.beforeBroadcast(shapeOf(broadcast.getSource())),
               priority);
        }
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        Value other = value == reshape.getResult() ? reshape.getSource()
                                                   : Value(reshape.getResult());
        if (std::optional<Layout> moved = layout.reshaped(shapeOf(other))) {
          give(other, *moved, priority);
        }
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        if (value == transpose.getResult()) {
          give(transpose.getSource(),
               layout.permuted(inverse(transpose.getOrder())), priority);
        } else {
          give(transpose.getResult(), layout.permuted(transpose.getOrder()),
               priority);
        }
      })
      .Case<tile::ReduceOp>([&](auto reduce) {
        if (llvm::is_contained(reduce.getSources(), value)) {
          llvm::for_each(reduce.getSources(), tie);
          for (Value result : reduce.getResults()) {
            give(result, layout.withoutDim(reduce.getAxis()), priority);
          }
        }
      })
      .Case<BlockSumOp>([&](auto sum) {
        tie(sum.getSource());
        tie(sum.getResult());
      })
      .Case<tile::JoinOp>([&](auto join) {
        if (value != join.getResult()) {
          tie(join.getLhs());
          tie(join.getRhs());
          give(join.getResult(), joined(layout), priority);
        }
      })
      .Case<tile::SplitOp>([&](auto split) {
        if (value == split.getSource()) {
          Layout half = layout.withoutDim(layout.rank() - 1);
          give(split.getLhs(), half, priority);
          give(split.getRhs(), half, priority);
        }
      })
      .Case<scf::ForOp>([&](auto loop) {
        for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
          if (value == loop.getRegionIterArg(i) || value == loop.getResult(i) ||
              value == loop.getInitArgs()[i]) {
            tie(loop.getRegionIterArg(i));
            tie(loop.getResult(i));
            tie(loop.getInitArgs()[i]);
            tie(loop.getBody()->getTerminator()->getOperand(i));
          }
        }
      })
      .Case<scf::WhileOp>([&](auto loop) {
        for (unsigned i = 0; i < loop.getInits().size(); ++i) {
          if (value == loop.getInits()[i] ||
              value == loop.getBeforeArguments()[i]) {
            tie(loop.getInits()[i]);
            tie(loop.getBeforeArguments()[i]);
            tie(loop.getYieldOp().getOperand(i));
          }
        }
        for (unsigned i = 0; i < loop.getNumResults(); ++i) {
          if (value == loop.getResult(i) ||
              value == loop.getAfterArguments()[i]) {
            tie(loop.getResult(i));
            tie(loop.getAfterArguments()[i]);
            tie(loop.getConditionOp().getArgs()[i]);
          }
        }
      })
      .Case<scf::IfOp>([&](auto branch) {
        for (unsigned i = 0; i < branch.getNumResults(); ++i) {
          if (value == branch.getResult(i)) {
            tie(branch.thenYield().getOperand(i));
            tie(branch.elseYield().getOperand(i));
          }
        }
      })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto) {
        Operation *parent = op->getParentOp();
        for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
          if (operand != value) {
            continue;
          }
          if (auto loop = dyn_cast<scf::ForOp>(parent)) {
            tie(loop.getRegionIterArg(i));
            tie(loop.getResult(i));
          } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
            if (isa<scf::YieldOp>(op)) {
              tie(loop.getBeforeArguments()[i]);
            } else if (i > 0) {
              tie(loop.getAfterArguments()[i - 1]);
              tie(loop.getResult(i - 1));
            }
          } else {
            tie(parent->getResult(i));
          }
        }
      });
}

/// What no anchor reaches: its users first, because a layout goes backward
/// through a broadcast, but not forward.
void Spreading::chooseRest(tile::KernelOp kernel) {
  SmallVector<Value> rest;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::append_range(rest, op->getResults());
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::append_range(rest, block.getArguments());
      }
    }
  });
  for (Value value : llvm::reverse(rest)) {
    if (isTile(value) && !choices.contains(value)) {
      give(value, anchors.plain(shapeOf(value)), Default);
      spread();
    }
  }
}
