//===- Stop.cpp - questions whether a launch is to end --------------------===//
//
// What   The code that asks, and the places in loops where it stands.
// Why    A kernel that never ends must end when its caller wants. Asking costs
//        next to nothing: the loops that do the work have no question in them.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
namespace scf = mlir::scf;
namespace tile = tz::tile;

namespace tz::cpu {

void CpuLowering::leaveIfStopped() {
  MDNode *rarely = MDBuilder(context).createUnlikelyBranchWeights();
  BasicBlock *ask = block("stop.ask"), *goesOn = block("stop.no");
  // Atomic, for it to be read each time.
  LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), stopWord, Align(4));
  word->setAtomic(AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateICmpNE(word, b.getInt32(0)), ask, goesOn, rarely);
  b.SetInsertPoint(ask);
  auto *type =
      FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, /*isVarArg=*/false);
  Value *function = b.CreateAlignedLoad(
      b.getPtrTy(), runField(offsetof(tz_cpu_run, ask)), Align(8));
  CallInst *ends = b.CreateCall(type, function, {this->function->getArg(5)});
  // No memory of the kernel's: what a loop keeps in registers stays there.
  ends->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
  ends->setDoesNotThrow();
  ends->addFnAttr(Attribute::WillReturn);
  b.CreateCondBr(b.CreateICmpNE(ends, b.getInt32(0)), leave, goesOn, rarely);
  b.SetInsertPoint(goesOn);
}

namespace {
/// Work, in elements that are computed, between two questions whether a launch
/// is to end: well below a hundredth of the 0.2 s within which it must.
constexpr uint64_t WorkOfPiece = 1 << 18, MostIterations = 1 << 12;
} // namespace

static std::optional<uint64_t> staticIterations(mlir::Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  std::optional<APInt> all =
      counted ? counted.getStaticTripCount() : std::nullopt;
  return all ? std::optional(all->getLimitedValue()) : std::nullopt;
}

/// Of one iteration of a loop, or of what one operation holds.
static uint64_t workInside(mlir::Operation *op);

static uint64_t workOf(mlir::Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp>(op)) {
    // One that runs for an unknown time asks by itself if that is long. Loops
    // around it ask each few iterations all the same.
    constexpr uint64_t few = 8;
    std::optional<uint64_t> iterations = staticIterations(op);
    return iterations ? llvm::SaturatingMultiply(*iterations, workInside(op))
                      : std::max(WorkOfPiece / few, workInside(op));
  }
  uint64_t work = workInside(op) - 1;
  for (mlir::Value result : op->getResults()) {
    if (auto type = dyn_cast<mlir::RankedTensorType>(result.getType())) {
      work = llvm::SaturatingAdd(work,
                                 static_cast<uint64_t>(type.getNumElements()));
    }
  }
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    auto a = cast<mlir::RankedTensorType>(dot.getA().getType());
    work = llvm::SaturatingAdd(
        work,
        static_cast<uint64_t>(
            a.getDimSize(a.getRank() - 1) / 16 *
            cast<mlir::RankedTensorType>(dot.getType()).getNumElements()));
  }
  return work;
}

static uint64_t workInside(mlir::Operation *op) {
  uint64_t work = 1;
  for (mlir::Region &region : op->getRegions()) {
    for (mlir::Operation &inner : region.getOps()) {
      work = llvm::SaturatingAdd(work, workOf(&inner));
    }
  }
  return work;
}

bool CpuLowering::isRepeatable() const {
  // Longer programs do not feel one store.
  constexpr uint64_t shortLoop = 512;
  if (checked || waits() || usesLog || hasAtomics ||
      workInside(kernel) > shortLoop) {
    return false;
  }
  // Groups of pointers; those of group 0 may point anywhere.
  llvm::SmallDenseSet<uint64_t> read, written;
  bool hasLoop = false;
  kernel->walk([&](mlir::Operation *op) {
    hasLoop |= isa<scf::ForOp, scf::WhileOp>(op);
    auto group = [&] {
      auto number = op->getAttrOfType<mlir::IntegerAttr>("group");
      return number ? number.getValue().getZExtValue() : 0;
    };
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      read.insert(group());
    } else if (isa<tile::StoreOp, tile::StoreViewOp>(op)) {
      written.insert(group());
    }
  });
  return !hasLoop && !written.contains(0) &&
         (written.empty() || !read.contains(0)) &&
         llvm::none_of(written,
                       [&](uint64_t one) { return read.contains(one); });
}

/// Of an iteration: longer ones do not feel a question each piece.
static constexpr uint64_t ShortWork = 512;

static bool holdsLoops(mlir::Operation *loop) {
  return loop
      ->walk([&](mlir::Operation *op) {
        return op != loop && isa<scf::ForOp, scf::WhileOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// How many iterations of the loop take about as long as asking may wait: a
/// power of two.
static uint64_t iterationsOfPiece(mlir::Operation *loop) {
  return llvm::bit_floor(
      std::clamp<uint64_t>(WorkOfPiece / workInside(loop), 1, MostIterations));
}

void CpuLowering::leaveLoopIfStopped(mlir::Operation *loop, BasicBlock *head,
                                     lowering::LoopCounter *counter) {
  const uint64_t count = iterationsOfPiece(loop);
  if (std::optional<uint64_t> all = staticIterations(loop);
      all && *all <= count) {
    return;
  }
  // A loop of pieces around the loop, which itself stays as it would be
  // without questions: what is kept in registers there stays there.
  BasicBlock *latch = b.GetInsertBlock(), *pieces = block("pieces"),
             *piece = block("piece.end");
  BasicBlock *before = nullptr;
  for (BasicBlock *from : predecessors(head)) {
    before = from == latch ? before : from;
  }
  // A counted loop is left in its head, before the iteration that its phis
  // stand for; what another one does before it tests must not be done twice.
  PHINode *outerCounter = nullptr;
  SmallVector<std::pair<PHINode *, Value *>> onwards;
  b.SetInsertPoint(pieces);
  for (PHINode &phi : head->phis()) {
    PHINode *outer = b.CreatePHI(phi.getType(), 2);
    outer->addIncoming(phi.getIncomingValueForBlock(before), before);
    onwards.emplace_back(outer,
                         counter ? &phi : phi.getIncomingValueForBlock(latch));
    phi.removeIncomingValue(before, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(outer, pieces);
    outerCounter = outerCounter ? outerCounter : outer; // the head's first
  }
  before->getTerminator()->replaceSuccessorWith(head, pieces);
  Value *end = counter ? counter->endOfPiece(b, outerCounter, count) : nullptr;
  b.CreateBr(head);

  MDNode *likely = MDBuilder(context).createLikelyBranchWeights();
  auto iterationsLeft = [&] {
    b.SetInsertPoint(head, head->begin());
    PHINode *left = b.CreatePHI(b.getInt32Ty(), 2);
    left->addIncoming(b.getInt32(static_cast<uint32_t>(count)), pieces);
    b.SetInsertPoint(latch->getTerminator());
    left->addIncoming(b.CreateSub(left, b.getInt32(1)), latch);
    return left;
  };
  if (counter) {
    auto *leaves = cast<BranchInst>(head->getTerminator());
    BasicBlock *exit = leaves->getSuccessor(1);
    Value *hasMore = leaves->getCondition();
    b.SetInsertPoint(leaves);
    if (end) {
      cast<ICmpInst>(hasMore)->setOperand(1, end);
    } else {
      PHINode *left = iterationsLeft();
      b.SetInsertPoint(leaves);
      leaves->setCondition(
          b.CreateAnd(hasMore, b.CreateICmpNE(left, b.getInt32(0))));
    }
    leaves->setSuccessor(1, piece);
    if (end && workInside(loop) <= ShortWork && !holdsLoops(loop)) {
      b.SetInsertPoint(before->getTerminator());
      if (auto *isOne = dyn_cast<Instruction>(counter->isOnePiece(b, count))) {
        shortLoops.push_back({isOne, before, pieces, head, latch, piece, exit});
      }
    }
    b.SetInsertPoint(piece);
    BasicBlock *more = block("piece.more");
    b.CreateCondBr(end ? counter->hasMore(b) : hasMore, more, exit);
    piece = more;
  } else {
    PHINode *left = iterationsLeft();
    Value *rest = left->getIncomingValueForBlock(latch);
    latch->getTerminator()->eraseFromParent();
    b.SetInsertPoint(latch);
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), head, piece, likely);
  }
  b.SetInsertPoint(piece);
  leaveIfStopped();
  for (auto [outer, value] : onwards) {
    outer->addIncoming(value, b.GetInsertBlock());
  }
  b.CreateBr(pieces);
}

} // namespace tz::cpu
