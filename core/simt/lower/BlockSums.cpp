//===- BlockSums.cpp - sums over the blocks that share a program ----------===//
//
// What   simt.block_rank, simt.block_sum, simt.first_block: tiles go from block
//        to block through shared memory, half of the blocks at a time.
// Why    Each thread adds what the same thread of the other block has, so the
//        layout of the tile is of no interest, and neighbours lie side by side.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

Value *KernelLowering::blockRank() {
  return b.CreateAnd(hooks.programId(b, 0), result.splitBlocks - 1);
}

/// Of the elements that a thread holds, as many at a time as one access takes:
/// each vector of all threads, then the next one.
void KernelLowering::blockSum(BlockSumOp op) {
  const Registers &mine = tile(op.getSource());
  mlir::Type element = tile::elementType(op.getType());
  Type *type = registerType(element);
  const uint64_t bytes = type->getPrimitiveSizeInBits() / 8;
  const auto count = unsigned(mine.size()),
             each = std::min(count, unsigned(hooks.vectorBytes() / bytes)),
             threads = hooks.lanes() * warps;
  auto *vector = FixedVectorType::get(type, each);
  const Align alignment(each * bytes);
  const Region region =
      allocate(uint64_t{count} * bytes * threads, each * bytes);
  auto place = [&](unsigned first) {
    return scratchAt(region,
                     b.CreateAdd(thread, b.getInt32(first / each * threads)),
                     vector);
  };
  Registers sums = mine;
  Value *rank = blockRank();
  for (unsigned distance = 1; distance < result.splitBlocks; distance *= 2) {
    Value *part = b.CreateAnd(rank, 2 * distance - 1);
    willWrite(region);
    emitIf(b.CreateICmpEQ(part, b.getInt32(distance)), [&] {
      for (unsigned first = 0; first < count; first += each) {
        Value *some = PoisonValue::get(vector);
        for (unsigned i = 0; i < each; ++i) {
          some = b.CreateInsertElement(some, sums[first + i], i);
        }
        b.CreateAlignedStore(some, place(first), alignment);
      }
    });
    hooks.syncBlocks(b);
    hazards.settle(Memories::shared);
    BasicBlock *before = b.GetInsertBlock(), *takes = block("sum.take"),
               *after = block("sum.after");
    b.CreateCondBr(b.CreateICmpEQ(part, b.getInt32(0)), takes, after);
    b.SetInsertPoint(takes);
    Value *other = b.CreateAdd(rank, b.getInt32(distance));
    Registers added;
    for (unsigned first = 0; first < count; first += each) {
      Value *some = hooks.loadFromBlock(b, vector, place(first), other);
      for (unsigned i = 0; i < each; ++i) {
        Value *one = b.CreateExtractElement(some, i);
        added.push_back(type->isFloatingPointTy()
                            ? b.CreateFAdd(sums[first + i], one)
                            : b.CreateAdd(sums[first + i], one));
      }
    }
    takes = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(after);
    for (unsigned i = 0; i < count; ++i) {
      PHINode *phi = b.CreatePHI(type, 2);
      phi->addIncoming(sums[i], before);
      phi->addIncoming(added[i], takes);
      sums[i] = phi;
    }
  }
  // What was left for others is read.
  hooks.syncBlocks(b);
  hazards.settle(Memories::shared);
  scratch.release(region);
  define(op.getResult(), std::move(sums));
}

void KernelLowering::firstBlock() {
  BasicBlock *first = block("first");
  b.CreateCondBr(b.CreateICmpEQ(blockRank(), b.getInt32(0)), first, exitBlock);
  b.SetInsertPoint(first);
}

} // namespace tz::simt
