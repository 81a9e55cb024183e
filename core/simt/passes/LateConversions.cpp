//===- LateConversions.cpp - conversions behind loops ---------------------===//
//
// What   See LateConversions.h.
// Why    See LateConversions.h.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/LateConversions.h"

#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// Elements that a thread has more behind a conversion; fewer are not worth
/// another exchange behind the loop.
constexpr int64_t FewestElements = 4;

bool hasLoopOfDots(Operation *op) {
  return op
      ->walk([&](DotOp dot) {
        auto loop = dot->getParentOfType<LoopLikeOpInterface>();
        return loop && op->isAncestor(loop) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A conversion, and what only passes on its elements.
SmallVector<Operation *, 4> chainOf(ConvertOp convert) {
  SmallVector<Operation *, 4> chain = {convert};
  while (chain.back()->hasOneUse()) {
    Operation *user = *chain.back()->user_begin();
    if (user->getBlock() != convert->getBlock() ||
        !isa<tile::ReshapeOp, tile::BroadcastOp, tile::TransposeOp>(user)) {
      break;
    }
    chain.push_back(user);
  }
  return chain;
}

/// Where a value of `from` would be made for `user`: before the user, or before
/// a loop around it that `from` is not in. `passed`: ops between them.
Operation *placeFor(Operation *from, Operation *user,
                    SmallVectorImpl<Operation *> &passed) {
  Block *block = from->getBlock();
  Block::iterator at = std::next(from->getIterator());
  for (;;) {
    Operation *around = block->findAncestorOpInBlock(*user);
    for (; &*at != around; ++at) {
      passed.push_back(&*at);
    }
    auto branch = dyn_cast<scf::IfOp>(around);
    if (!branch || around == user) {
      return around;
    }
    block = branch.thenBlock()->findAncestorOpInBlock(*user)
                ? branch.thenBlock()
                : branch.elseBlock();
    at = block->begin();
  }
}

/// One place, or one in each of two branches of which none is in the other.
bool areApart(const llvm::MapVector<Block *, Operation *> &places) {
  if (places.size() != 2) {
    return places.size() == 1;
  }
  const auto &[one, first] = places.front();
  const auto &[other, second] = places.back();
  return !one->findAncestorOpInBlock(*second) &&
         !other->findAncestorOpInBlock(*first);
}

bool delay(ConvertOp convert) {
  const int64_t more = layoutOf(convert.getResult()).size(Axis::Register) -
                       layoutOf(convert.getSource()).size(Axis::Register);
  if (more < FewestElements) {
    return false;
  }
  const SmallVector<Operation *, 4> chain = chainOf(convert);
  Operation *last = chain.back();
  llvm::MapVector<Block *, Operation *> places;
  for (Operation *user : last->getUsers()) {
    SmallVector<Operation *> passed;
    Operation *place = placeFor(last, user, passed);
    if (!llvm::any_of(passed, hasLoopOfDots)) {
      return false;
    }
    Operation *&first = places[place->getBlock()];
    first = first && first->isBeforeInBlock(place) ? first : place;
  }
  if (!areApart(places)) {
    return false;
  }
  for (auto [block, place] : places) {
    OpBuilder builder(place);
    IRMapping map;
    for (Operation *op : chain) {
      builder.clone(*op, map);
    }
    last->getResult(0).replaceUsesWithIf(
        map.lookup(last->getResult(0)), [block = block](OpOperand &use) {
          return block->findAncestorOpInBlock(*use.getOwner()) != nullptr;
        });
  }
  for (Operation *op : llvm::reverse(chain)) {
    op->erase();
  }
  return true;
}

} // namespace

unsigned tz::simt::delayConversions(tile::KernelOp kernel) {
  SmallVector<ConvertOp> all;
  kernel.walk([&](ConvertOp convert) { all.push_back(convert); });
  return unsigned(llvm::count_if(all, delay));
}
