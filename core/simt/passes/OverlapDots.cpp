//===- OverlapDots.cpp - simt-overlap-dots --------------------------------===//
//
// What   Begins dots as early as their operands allow and waits for each where
//        its result is first read.
// Why    A dot that is waited for at once leaves the threads idle while it runs
//        and the matrix unit idle while they compute. Of several dots of an
//        iteration, as in attention, one runs while the threads work on
//        another's result.
// Example (test/simt/overlap-dots.mlir; lines with simt.dot, simt.dot_wait, scf., math)
//   before
//     ...
//     %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (!tile, !tile) : i32 {
//       %s = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
//       %p = tile.math exp2 %s : !tile
//       ...
//       %o = simt.dot %h, %q, %acc {instruction = "product"} : !half, !buffer -> !tile
//       ...
//       %d = simt.dot %q, %t, %zero {instruction = "product"} : !buffer, !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>> -> !tile
//       ...
//       scf.yield %o, %e : !tile, !tile
//     }
//   after
//     ...
//     %1:2 = scf.for %arg1 = %c0_i32 to %arg0 step %c1_i32 iter_args(%arg2 = %cst, %arg3 = %cst) -> (tensor<64x64xf32, #layout>, tensor<64x64xf32, #layout>)  : i32 {
//       %2 = simt.dot %0, %0, %cst {async, instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #layout>
//       ...
//       %4 = simt.dot %0, %3, %cst {async, instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared1> -> tensor<64x64xf32, #layout>
//       %5 = simt.dot_wait 1, %2 reads %0 : tensor<64x64xf32, #layout> reads !simt.buffer<64x64xf16, #shared>
//       %6 = tile.math  exp2 %5 : tensor<64x64xf32, #layout>
//       ...
//       %8 = simt.dot %7, %0, %arg2 {async, instruction = "product"} : tensor<64x64xf16, #layout>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #layout>
//       %9 = simt.dot_wait 1, %4 reads %0 : tensor<64x64xf32, #layout> reads !simt.buffer<64x64xf16, #shared>
//       ...
//       %11 = simt.dot_wait 0, %8 reads %0 : tensor<64x64xf32, #layout> reads !simt.buffer<64x64xf16, #shared>
//       scf.yield %11, %10 : tensor<64x64xf32, #layout>, tensor<64x64xf32, #layout>
//     }
// Needs  simt-pipeline-loops.
// Keeps  the order of dots: they end in the order in which they began, so that
// a
//        wait says how many may go on. No dot goes over a wait or a barrier, and
//        all end in the block in which they began: the slots and buffers that
//        they read may be filled again behind it.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_OVERLAPDOTS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

bool hasDots(Operation &op) {
  return op.getNumRegions() != 0 && op.walk([](Operation *inner) {
                                        return isa<DotOp, DotWaitOp>(inner)
                                                   ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                                      }).wasInterrupted();
}

/// Dots of one block between two that are waited for elsewhere.
class Overlap {
public:
  Overlap(Block &block, const SimtTarget &target)
      : block(block), target(target) {}

  void run();

  unsigned hoisted = 0, begun = 0, sunk = 0, postponed = 0;

private:
  bool collect();
  std::optional<SmallVector<Operation *>> neededBehind(DotOp dot, DotOp before);
  bool fitsBeside(DotOp dot, size_t first, size_t place);
  void hoist(size_t index);
  Operation *firstReader(DotOp dot);
  void waitBefore(Operation *reader, ArrayRef<DotOp> finished);
  void sinkReads();
  void postponeCopies();
  bool sink(Operation *op, const DenseSet<Operation *> &moved);

  Block &block;
  const SimtTarget &target;
  SmallVector<DotOp> dots;    // that may stay in flight, in order
  SmallVector<bool> isBeside; // moved to behind the one before
};

/// Either all dots of the block may stay in flight, or none does: one that is
/// waited for at once waits for the older ones too.
bool Overlap::collect() {
  for (auto dot : block.getOps<DotOp>()) {
    if (dot.getAsync() || !dot.getInstruction() ||
        !target.canStayInFlight(dot)) {
      return false;
    }
    dots.push_back(dot);
  }
  return !dots.empty();
}

/// What must move with the dot to stand behind `before`: places of buffers and
/// scalars. None if it needs more that is computed since then, or what it reads
/// may not be there yet.
std::optional<SmallVector<Operation *>> Overlap::neededBehind(DotOp dot,
                                                              DotOp before) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> work(dot->getOperands());
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != &block || op->isBeforeInBlock(before) ||
        !needed.insert(op)) {
      continue;
    }
    if (op == before || !isPure(op) || op->getNumRegions() != 0 ||
        isa<StageOp>(op) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
      return std::nullopt;
    }
    llvm::append_range(work, op->getOperands());
  }
  for (Operation *op = before; op != dot; op = op->getNextNode()) {
    if (!isPure(op) && !isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      return std::nullopt;
    }
  }
  SmallVector<Operation *> inOrder(needed.getArrayRef());
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return inOrder;
}

/// Do the sums that are alive at once leave room for what else is computed?
bool Overlap::fitsBeside(DotOp dot, size_t first, size_t place) {
  int64_t words = wordsOf(dot.getResult());
  for (Value carried : block.getArguments()) {
    words += wordsOf(carried);
  }
  for (size_t i = first; i < place; ++i) {
    words += isa<BlockArgument>(dots[i].getAcc()) ? 0 : wordsOf(dots[i]);
  }
  return words <= int64_t(target.mostAccumulators());
}

/// Behind the first of the dots before it that it needs not wait for, and those
/// that stand there already.
void Overlap::hoist(size_t index) {
  DotOp dot = dots[index];
  for (size_t first = 0; first < index; ++first) {
    auto needed = neededBehind(dot, dots[first]);
    if (!needed) {
      continue;
    }
    size_t place = first + 1;
    while (place < index && isBeside[place]) {
      ++place;
    }
    if (!fitsBeside(dot, first, place)) {
      return;
    }
    Operation *last = dots[place - 1];
    for (Operation *op : *needed) {
      if (last->isBeforeInBlock(op)) {
        op->moveAfter(last);
        last = op;
      }
    }
    if (last->getNextNode() != dot) {
      dot->moveAfter(last);
      ++hoisted;
    }
    dots.erase(dots.begin() + ptrdiff_t(index));
    dots.insert(dots.begin() + ptrdiff_t(place), dot);
    isBeside.erase(isBeside.begin() + ptrdiff_t(index));
    isBeside.insert(isBeside.begin() + ptrdiff_t(place), true);
    return;
  }
}

/// The op of this block that first needs the result; null: it is only the next
/// dot's accumulator.
Operation *Overlap::firstReader(DotOp dot) {
  if (dot.getResult().hasOneUse()) {
    auto next = dyn_cast<DotOp>(*dot->getUsers().begin());
    if (next && next->getBlock() == &block &&
        next.getAcc() == dot.getResult() && next.getA() != dot.getResult()) {
      return nullptr;
    }
  }
  Operation *first = block.getTerminator();
  for (Operation *user : dot->getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    first = here->isBeforeInBlock(first) ? here : first;
  }
  // Behind a wait of all threads, or when a slot is released, what the dot
  // reads may be filled again; dots of other blocks are not counted.
  for (Operation *op = dot->getNextNode(); op != first;
       op = op->getNextNode()) {
    if (hasDots(*op) ||
        isa<ReleaseOp, SyncOp, AsyncWaitOp, BarriersEndOp>(op)) {
      return op;
    }
  }
  return first;
}

/// One wait for all results that this op is the first to need.
void Overlap::waitBefore(Operation *reader, ArrayRef<DotOp> finished) {
  DotOp last = finished.back();
  const auto younger = llvm::count_if(dots, [&](DotOp other) {
    return other->isBeforeInBlock(reader) && last->isBeforeInBlock(other);
  });
  SmallVector<Value> sums;
  SetVector<Value> reads;
  for (DotOp dot : finished) {
    sums.push_back(dot.getResult());
    // With those whose sums went into it.
    for (; dot; dot = dot.getAcc().getDefiningOp<DotOp>()) {
      for (Value operand : {dot.getA(), dot.getB()}) {
        while (auto permute = operand.getDefiningOp<PermuteOp>()) {
          operand = permute.getSource();
        }
        if (operand.getDefiningOp<StageOp>()) {
          reads.insert(operand);
        }
      }
    }
  }
  OpBuilder builder(reader);
  auto wait =
      DotWaitOp::create(builder, last.getLoc(), TypeRange(ValueRange(sums)),
                        uint32_t(younger), sums, reads.getArrayRef());
  for (auto [sum, result] : llvm::zip_equal(sums, wait.getResults())) {
    sum.replaceAllUsesExcept(result, wait);
  }
}

/// To before the last dot that begins before its first use, if that is behind a
/// wait, or to its first user where that was moved there. (Right before the
/// wait an assembler is free to read behind it, and the threads wait twice.)
bool Overlap::sink(Operation *op, const DenseSet<Operation *> &moved) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    if (!here || here == block.getTerminator()) {
      return false;
    }
    first = !first || here->isBeforeInBlock(first) ? here : first;
  }
  Operation *dot = nullptr;
  bool passesWait = false;
  for (Operation *at = op->getNextNode(); first && at != first;
       at = at->getNextNode()) {
    // What may write, or let others write, what the read finds.
    if (at->getNumRegions() != 0 ||
        !(isPure(at) ||
          isa<DotOp, DotWaitOp, ReadOp, tile::LoadOp, tile::LoadViewOp>(at))) {
      return false;
    }
    dot = isa<DotOp>(at) ? at : dot;
    passesWait |= isa<DotWaitOp>(at);
  }
  if (!dot || !(passesWait || moved.contains(first))) {
    return false;
  }
  op->moveBefore(passesWait ? dot : first);
  return true;
}

/// Tiles read from shared memory, and what is computed of them alone, come
/// beside the dot whose result they are used with: older dots do not wait for
/// them, and have their registers meanwhile.
void Overlap::sinkReads() {
  SmallVector<Operation *> reads;
  DenseSet<Operation *> ofReads;
  for (Operation &op : block) {
    const bool follows =
        isPure(&op) && op.getNumRegions() == 0 && !isa<StageOp>(op) &&
        llvm::any_of(op.getOperands(),
                     [&](Value operand) {
                       return ofReads.contains(operand.getDefiningOp());
                     }) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *from = operand.getDefiningOp();
          return !isa<RankedTensorType>(operand.getType()) ||
                 ofReads.contains(from) || !from || from->getBlock() != &block;
        });
    if (isa<ReadOp>(op) || follows) {
      reads.push_back(&op);
      ofReads.insert(&op);
    }
  }
  DenseSet<Operation *> moved;
  for (Operation *op : llvm::reverse(reads)) {
    if (sink(op, moved)) {
      moved.insert(op);
      ++sunk;
    }
  }
}

/// Copies of later iterations begin while the first dots run, not before them:
/// one thread begins them, and a dot begins when all threads have come to it.
/// So does the barrier that says that all have read what the copies replace.
void Overlap::postponeCopies() {
  SmallVector<Operation *> copies;
  Operation *barrier = nullptr;
  SmallVector<Value> awaited; // places of barriers
  Operation *dot = nullptr;
  for (Operation &op : block) {
    auto wait = dyn_cast<BarrierWaitOp>(op);
    auto expect = dyn_cast<ExpectOp>(op);
    auto copy = dyn_cast<BulkCopyOp>(op);
    if (dot && isa<DotWaitOp>(op)) {
      for (Operation *one : llvm::reverse(copies)) {
        one->moveAfter(dot);
        ++postponed;
      }
      if (barrier && !copies.empty()) {
        barrier->moveAfter(dot);
      }
      return;
    }
    if (expect || copy) {
      // One slot at least lies between what is copied and what is read.
      auto barriers = expect ? expect.getBarriers() : copy.getBarriers();
      if (dot || barriers.getType().getCount() < 2) {
        return;
      }
      copies.push_back(&op);
    } else if (wait) {
      awaited.push_back(wait.getIndex());
    } else if (isa<DotOp>(op)) {
      dot = &op;
    } else if (op.getNumRegions() != 0 ||
               !(isPure(&op) ||
                 isa<ReadOp, tile::LoadOp, tile::LoadViewOp>(op))) {
      copies.clear(); // what orders copies with others
      dot = nullptr;
      barrier = isa<SyncOp>(op) ? &op : nullptr;
    }
    if (llvm::any_of(copies, [&](Operation *one) {
          auto first = dyn_cast<ExpectOp>(one);
          return first && llvm::is_contained(awaited, first.getIndex());
        })) {
      return;
    }
  }
}

void Overlap::run() {
  if (!collect()) {
    return;
  }
  isBeside.assign(dots.size(), false);
  for (size_t i = 1; i < dots.size(); ++i) {
    hoist(i);
  }
  llvm::MapVector<Operation *, SmallVector<DotOp>> readers;
  for (DotOp dot : dots) {
    if (Operation *reader = firstReader(dot)) {
      readers[reader].push_back(dot);
    }
  }
  // Alone, and read at once: nothing would go on meanwhile.
  if (dots.size() == 1 && readers.front().first == dots[0]->getNextNode()) {
    return;
  }
  for (DotOp dot : dots) {
    dot.setAsync(true);
    ++begun;
  }
  for (auto &[reader, finished] : readers) {
    waitBefore(reader, finished);
  }
  sinkReads();
  postponeCopies();
}

/// For tests: what has an instruction may stay in flight.
class PlainTarget final : public SimtTarget {
public:
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }
};

struct OverlapDots : tz::simt::impl::OverlapDotsBase<OverlapDots> {
  explicit OverlapDots(const SimtTarget *target) : target(target) {}
  OverlapDots() = default;
  OverlapDots(const OverlapDots &other)
      : OverlapDotsBase(other), target(other.target) {}

  void runOnOperation() override {
    const PlainTarget plain;
    const SimtTarget &machine =
        target ? *target : static_cast<const SimtTarget &>(plain);
    SmallVector<Block *> blocks;
    bool hasDots = false;
    getOperation().walk([&](Block *block) {
      blocks.push_back(block);
      hasDots |= !block->getOps<DotOp>().empty();
    });
    if (!hasDots) {
      return markAllAnalysesPreserved();
    }
    for (Block *block : blocks) {
      Overlap overlap(*block, machine);
      overlap.run();
      hoisted += overlap.hoisted;
      begun += overlap.begun;
      sunk += overlap.sunk;
      postponed += overlap.postponed;
    }
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createOverlapDots(const SimtTarget *target) {
  return std::make_unique<OverlapDots>(target);
}
