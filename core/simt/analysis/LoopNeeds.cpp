//===- LoopNeeds.cpp - what a loop with dots takes of a block -------------===//
//
// What   See LoopNeeds.h.
// Why    See LoopNeeds.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopNeeds.h"

#include "core/simt/analysis/Anchors.h"
#include "core/simt/analysis/Vectors.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

bool tz::simt::feedsDot(scf::ForOp loop, Value value) {
  llvm::SetVector<Operation *> seen;
  seen.insert_range(value.getUsers());
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i];
    if (isa<DotOp>(op)) {
      return true;
    }
    // An address that was loaded reaches it as well, but is no operand.
    if (op->getBlock() == loop.getBody() &&
        !isa<tile::LoadOp, tile::LoadViewOp>(op) &&
        !op->hasTrait<OpTrait::IsTerminator>()) {
      seen.insert_range(op->getUsers());
    }
  }
  return false;
}

/// How many operations a tile goes through before it is exchanged, at most.
static constexpr unsigned MostSteps = 8;

/// Is what is computed of the tile, element by element, exchanged for a dot
/// that wants it in registers? Then threads compute it of what they read.
static bool isExchangedForDot(Value tile, unsigned steps) {
  return steps != 0 && llvm::any_of(tile.getUsers(), [&](Operation *user) {
           return isa<ConvertOp>(user)
                      ? llvm::any_of(user->getUsers(), llvm::IsaPred<DotOp>)
                      : isElementwise(user) &&
                            isExchangedForDot(user->getResult(0), steps - 1);
         });
}

/// Do other threads than those that loaded it need it, as it is or turned?
static bool isExchanged(Value tile) {
  return isExchangedForDot(tile, MostSteps) ||
         llvm::any_of(tile.getUsers(), [](Operation *user) {
           return isa<ConvertOp>(user) ||
                  (isa<tile::TransposeOp, tile::ReshapeOp>(user) &&
                   isExchanged(user->getResult(0)));
         });
}

BufferType tz::simt::rowsBuffer(Operation *load, const Contiguity &runs,
                                const SimtTarget &target) {
  Value result = load->getResult(0);
  MLIRContext *context = load->getContext();
  ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  Type element = tile::elementType(result.getType());
  const int64_t bytes = tile::storageBytes(element);
  SharedAttr how = plainShared(context, shape);
  if (shape.size() == 2) {
    const VectorAccess access = vectorOfLoad(
        runs, load, layoutOf(result.getType()), target.vectorBytes());
    const unsigned fast = access.count > 1 ? access.dim : 1;
    if (isExchanged(result) && shape[fast] * bytes % SharedPiece == 0) {
      how = target.sharedRows(context, {fast, 1 - fast}, shape[fast], bytes);
    } else {
      how = SharedAttr::get(context, {fast, 1 - fast}, shape[fast], 0, 4, 3);
    }
  }
  return BufferType::get(context, shape, element, how);
}

/// Of addresses and numbers that are beside each other, or equal, a thread
/// holds one: the others are constants away from it.
static int64_t wordsOfRuns(Value carried, const Contiguity &runs) {
  int64_t longest = 1;
  if (!isa<FloatType>(tile::elementType(carried.getType()))) {
    const Layout &layout = layoutOf(carried);
    for (auto [dim, run] : llvm::enumerate(runs.of(carried))) {
      longest =
          std::max(longest, std::min(layout.contiguous(unsigned(dim)),
                                     std::max(run.contiguity, run.constancy)));
    }
  }
  return std::max<int64_t>(1, wordsOf(carried) / longest);
}

int64_t tz::simt::wordsOfIteration(scf::ForOp loop, const Contiguity &runs,
                                   function_ref<bool(Operation *)> isFetched) {
  int64_t words = 0;
  for (Value carried : loop.getRegionIterArgs()) {
    words += hasLayout(carried.getType()) ? wordsOfRuns(carried, runs) : 0;
  }
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    const bool isCarried = isa<BlockArgument>(dot.getAcc()) ||
                           isa_and_present<DotOp>(dot.getAcc().getDefiningOp());
    words += isCarried ? 0 : wordsOf(dot.getResult());
    for (Value operand : {dot.getA(), dot.getB()}) {
      Operation *op = operand.getDefiningOp();
      while (isa_and_present<PermuteOp, StageOp, ConvertOp>(op) &&
             loop->isAncestor(op)) {
        operand = op->getOperand(0);
        op = operand.getDefiningOp();
      }
      words += op && isFetched(op) ? 0 : wordsOf(operand);
    }
  }
  return words;
}

unsigned tz::simt::warpsOf(Operation *op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  auto warps = kernel->getAttrOfType<IntegerAttr>("tile.num_warps");
  return warps ? unsigned(warps.getInt()) : 4;
}

unsigned tz::simt::stagesOf(Operation *op, unsigned otherwise) {
  auto attribute = op->getAttrOfType<IntegerAttr>("tile.num_stages");
  return attribute ? unsigned(std::clamp<int64_t>(attribute.getInt(), 1, 16))
                   : otherwise;
}

bool tz::simt::isUsedIn(StageOp stage, scf::ForOp loop) {
  return llvm::any_of(stage->getUsers(),
                      [&](Operation *user) { return loop->isAncestor(user); });
}

/// Of a loop in which this one stands.
static bool isUsedAround(RingOp ring, scf::ForOp loop) {
  return llvm::any_of(ring.getResult().getUsers(), [&](Operation *user) {
    auto around = dyn_cast<scf::ForOp>(user->getParentOp());
    return around && around->isProperAncestor(loop);
  });
}

uint64_t tz::simt::takenBeside(scf::ForOp loop, const SimtTarget &target) {
  constexpr uint64_t reserve = 2048; // exchanges of reductions and the like
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  uint64_t taken = reserve;
  kernel.walk([&](StageOp stage) {
    taken += isUsedIn(stage, loop)
                 ? uint64_t(stage.getResult().getType().getBytes())
                 : 0;
  });
  kernel.walk([&](RingOp ring) {
    RingType type = ring.getResult().getType();
    taken +=
        isUsedAround(ring, loop)
            ? uint64_t(type.getCount() * target.slotBytes(type.getBuffer()))
            : 0;
  });
  return taken;
}
