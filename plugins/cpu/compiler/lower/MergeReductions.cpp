//===- MergeReductions.cpp - Reductions of one shape as one ---------------===//
//
// What   Reductions of tiles of one shape along one axis, neither of which
//        needs the other, become one with several sources.
// Why    Each is a nest that goes over its tile. The sum of x and that of x * x
//        go over x once then, and the gradients of a normalisation over what
//        both of its sums need.
//
//   s = reduce(x) add                s, q = reduce(x, x * x) (add, add)
//   q = reduce(x * x) add      ->
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/MergeReductions.h"

#include "plugins/cpu/compiler/lower/FusionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

/// Sums of one nest: each takes four vector registers.
constexpr size_t MostSources = 4;
/// Ops between two reductions that are looked at, and moved.
constexpr unsigned MostBetween = 64;

/// Each pair is combined by an operation that has an identity, so that a nest
/// begins with that and has no first iteration of its own.
bool hasIdentities(tile::ReduceOp reduce) {
  for (unsigned i = 0; i < reduce.getSources().size(); ++i) {
    if (!isa_and_present<arith::AddFOp, arith::AddIOp, arith::OrIOp,
                         arith::XOrIOp, arith::AndIOp, tile::MaxSIOp,
                         tile::MaxUIOp, tile::MinSIOp, tile::MinUIOp>(
            combinationOf(reduce.getCombine(), i))) {
      return false;
    }
  }
  return true;
}

/// One vector width serves both.
bool areAlike(tile::ReduceOp one, tile::ReduceOp other) {
  auto bits = [](mlir::Value value) {
    return tile::storageBytes(tile::elementType(value.getType()));
  };
  return one.getAxis() == other.getAxis() &&
         tile::shapeOf(one.getSources()[0].getType()) ==
             tile::shapeOf(other.getSources()[0].getType()) &&
         llvm::all_of(other.getSources(), [&](mlir::Value source) {
           return bits(source) == bits(one.getSources()[0]);
         });
}

/// What `later` needs of the ops behind `first`, in their order. None: it needs
/// the result of `first`, or what cannot be computed before.
std::optional<SmallVector<mlir::Operation *>>
neededBetween(tile::ReduceOp first, tile::ReduceOp later) {
  llvm::SetVector<mlir::Operation *> needed;
  SmallVector<mlir::Value> open(later.getSources());
  while (!open.empty()) {
    mlir::Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != first->getBlock() ||
        op->isBeforeInBlock(first) || needed.contains(op)) {
      continue;
    }
    const bool moves =
        op != first && op->getNumRegions() == 0 &&
        (isElementwise(op) ||
         isa<tile::SplatOp, tile::BroadcastOp, arith::ConstantOp>(op));
    if (!moves || needed.size() == MostBetween) {
      return std::nullopt;
    }
    needed.insert(op);
    open.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<mlir::Operation *> ops = needed.takeVector();
  llvm::sort(ops, [](mlir::Operation *a, mlir::Operation *b) {
    return a->isBeforeInBlock(b);
  });
  return ops;
}

/// Of two: a region has the arguments of all first values, then of all second
/// ones.
tile::ReduceOp merge(tile::ReduceOp first, tile::ReduceOp later) {
  mlir::OpBuilder b(first);
  SmallVector<mlir::Value> sources(first.getSources());
  sources.append(later.getSources().begin(), later.getSources().end());
  SmallVector<mlir::Type> types(first.getResultTypes());
  types.append(later.getResultTypes().begin(), later.getResultTypes().end());
  auto made = tile::ReduceOp::create(b, first.getLoc(), types, sources,
                                     first.getAxis());
  mlir::Block &body = made.getCombine().emplaceBlock();
  SmallVector<mlir::Value> combined;
  for (unsigned half = 0; half < 2; ++half) {
    for (mlir::Value source : sources) {
      body.addArgument(tile::elementType(source.getType()), first.getLoc());
    }
  }
  b.setInsertionPointToStart(&body);
  unsigned from = 0;
  for (tile::ReduceOp old : {first, later}) {
    mlir::Block &own = old.getCombine().front();
    const auto count = static_cast<unsigned>(old.getSources().size());
    mlir::IRMapping map;
    for (unsigned i = 0; i < count; ++i) {
      map.map(own.getArgument(i), body.getArgument(from + i));
      map.map(own.getArgument(count + i),
              body.getArgument(unsigned(sources.size()) + from + i));
    }
    for (mlir::Operation &op : own.without_terminator()) {
      b.clone(op, map);
    }
    for (mlir::Value value : own.getTerminator()->getOperands()) {
      combined.push_back(map.lookupOrDefault(value));
    }
    from += count;
  }
  tile::YieldOp::create(b, first.getLoc(), combined);
  size_t at = 0;
  for (tile::ReduceOp old : {first, later}) {
    for (mlir::Value result : old.getResults()) {
      result.replaceAllUsesWith(made.getResult(static_cast<unsigned>(at++)));
    }
    old.erase();
  }
  return made;
}

/// The next reduction behind `first` that can be one with it.
tile::ReduceOp partnerOf(tile::ReduceOp first,
                         SmallVectorImpl<mlir::Operation *> &between) {
  unsigned seen = 0;
  for (mlir::Operation *op = first->getNextNode(); op && seen < MostBetween;
       op = op->getNextNode(), ++seen) {
    auto later = dyn_cast<tile::ReduceOp>(op);
    if (!later || !hasIdentities(later) || !areAlike(first, later) ||
        first.getSources().size() + later.getSources().size() > MostSources) {
      continue;
    }
    if (auto needed = neededBetween(first, later)) {
      between = std::move(*needed);
      return later;
    }
  }
  return {};
}

} // namespace

mlir::Operation *combinationOf(mlir::Region &region, unsigned number) {
  mlir::Block &body = region.front();
  const unsigned count = body.getNumArguments() / 2;
  mlir::Operation *op =
      body.getTerminator()->getOperand(number).getDefiningOp();
  if (!op || op->getBlock() != &body || op->getNumOperands() != 2 ||
      op->getNumResults() != 1) {
    return nullptr;
  }
  const mlir::Value first = body.getArgument(number),
                    second = body.getArgument(count + number);
  const bool combines =
      (op->getOperand(0) == first && op->getOperand(1) == second) ||
      (op->getOperand(0) == second && op->getOperand(1) == first);
  return combines ? op : nullptr;
}

void mergeReductions(tile::KernelOp kernel) {
  SmallVector<tile::ReduceOp> all;
  kernel.walk([&](tile::ReduceOp reduce) { all.push_back(reduce); });
  llvm::SmallPtrSet<mlir::Operation *, 8> gone;
  for (tile::ReduceOp first : all) {
    if (gone.contains(first) || !hasIdentities(first)) {
      continue;
    }
    SmallVector<mlir::Operation *> between;
    while (tile::ReduceOp later = partnerOf(first, between)) {
      for (mlir::Operation *op : between) {
        op->moveBefore(first);
      }
      gone.insert(later);
      first = merge(first, later);
    }
  }
}

} // namespace tz::cpu
