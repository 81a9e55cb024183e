//===- Behind.cpp - Writing a large output behind the next program --------===//
//
// What   A program's last row of a large output is left in the arena; the loops
//        of the next program write it past the caches, a few lines in each
//        iteration.
// Why    Stores past the caches are slow, and a processor holds few of them:
//        while a row is stored, it computes nothing, and while it computes,
//        memory is idle. Between the loops of softmax or a normalisation both
//        happen at once.
//
// The first line of each page and the last line are written at once as well, so
// that a fault comes while the program that caused it runs.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;

namespace tz::cpu {

namespace {

constexpr uint64_t Line = 64, Page = 4096;
/// Of what is left behind: less fits between the stores of a processor and its
/// memory; more would push the rows of the next program out of its caches.
constexpr uint64_t LeastBytes = 4096, MostBytes = 65536;
/// All bytes are written by whole iterations.
constexpr uint64_t BytesOfIterations = 256;

uint64_t bytesOf(tile::StoreViewOp store) {
  auto type = cast<tile::ViewType>(store.getView().getType());
  return static_cast<uint64_t>(type.getTileType().getNumElements()) *
         tile::storageBytes(type.getElementType());
}

/// Does the program, after `store`, reach memory that it may have written?
bool isReachedLater(tile::StoreViewOp store) {
  for (mlir::Operation *at = store; !isa<tile::KernelOp>(at);
       at = at->getParentOp()) {
    for (mlir::Operation *later = at->getNextNode(); later;
         later = later->getNextNode()) {
      const bool meets = later
                             ->walk([&](mlir::Operation *op) {
                               return accessesMemory(op) && mayMeet(op, store)
                                          ? mlir::WalkResult::interrupt()
                                          : mlir::WalkResult::advance();
                             })
                             .wasInterrupted();
      if (meets) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

bool CpuLowering::mayWriteBehind(tile::StoreViewOp store) const {
  auto type = cast<tile::ViewType>(store.getView().getType());
  const uint64_t bytes = bytesOf(store);
  if (type.getShape().size() != 1 || bytes < LeastBytes || bytes > MostBytes ||
      bytes % BytesOfIterations != 0) {
    return false;
  }
  for (mlir::Operation *around = store->getParentOp();
       !isa<tile::KernelOp>(around); around = around->getParentOp()) {
    if (!isa<mlir::scf::IfOp>(around)) {
      return false;
    }
  }
  return !isReachedLater(store);
}

void CpuLowering::planBehind() {
  if (!largeOutput || checked || hasAtomics || waits() ||
      machine.vectorBits < 256) {
    return;
  }
  // Without a loop in front of the store nothing would be won.
  bool reduces = false;
  uint64_t bytes = 0;
  kernel.walk([&](mlir::Operation *op) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      reduces |= tile::shapeOf(reduce.getSources()[0].getType()).size() == 1;
    } else if (auto store = dyn_cast<tile::StoreViewOp>(op);
               store && mayWriteBehind(store)) {
      bytes = std::max(bytes, bytesOf(store));
    }
  });
  if (!reduces || bytes == 0) {
    return;
  }
  behind.bytes = bytes;
  behind.offset = arena.allocate(bytes);
  behind.end = slot(b.getPtrTy());
  behind.left = slot(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), behind.left);
  b.CreateStore(argsBase, behind.end);
}

std::optional<Buffer> CpuLowering::bufferBehind(tile::StoreViewOp store) const {
  if (!behind.left || !mayWriteBehind(store)) {
    return std::nullopt;
  }
  Buffer buffer =
      shaped(cast<tile::ViewType>(store.getView().getType()).getTileType());
  if (buffer.bytes != bytesOf(store)) {
    return std::nullopt;
  }
  // What is left behind ends where the space for it ends.
  buffer.offset = behind.offset + behind.bytes - buffer.bytes;
  return buffer;
}

/// Writes `bytes` of what is left behind, at `left` bytes from its end.
void CpuLowering::copyBehind(Value *left, uint64_t bytes) {
  Type *byte = b.getInt8Ty();
  auto *vector = FixedVectorType::get(b.getInt32Ty(), machine.vectorBits / 32);
  Value *back = b.CreateNeg(left);
  Value *from =
      b.CreateGEP(byte, arenaAddress(behind.offset + behind.bytes), back);
  Value *to = b.CreateGEP(byte, b.CreateLoad(b.getPtrTy(), behind.end), back);
  MDNode *pastCaches =
      MDNode::get(context, ConstantAsMetadata::get(b.getInt32(1)));
  const uint64_t step = machine.vectorBits / 8;
  for (uint64_t at = 0; at < bytes; at += step) {
    Value *part = b.CreateAlignedLoad(
        vector, b.CreateConstGEP1_64(byte, from, at), Align(step));
    b.CreateAlignedStore(part, b.CreateConstGEP1_64(byte, to, at), Align(step))
        ->setMetadata(LLVMContext::MD_nontemporal, pastCaches);
  }
}

void CpuLowering::writeSomeBehind(uint64_t bytes) {
  if (!behind.left) {
    return;
  }
  Value *left = b.CreateLoad(b.getInt64Ty(), behind.left);
  emitIf(b.CreateICmpNE(left, b.getInt64(0)), [&] {
    copyBehind(left, bytes);
    b.CreateStore(b.CreateSub(left, b.getInt64(bytes)), behind.left);
  });
}

void CpuLowering::writeAllBehind() {
  if (!behind.left) {
    return;
  }
  BasicBlock *ask = block("behind.ask"), *copy = block("behind.copy"),
             *done = block("behind.done");
  b.CreateBr(ask);
  b.SetInsertPoint(ask);
  Value *left = b.CreateLoad(b.getInt64Ty(), behind.left);
  b.CreateCondBr(b.CreateICmpNE(left, b.getInt64(0)), copy, done);
  b.SetInsertPoint(copy);
  copyBehind(left, BytesOfIterations);
  b.CreateStore(b.CreateSub(left, b.getInt64(BytesOfIterations)), behind.left);
  b.CreateBr(ask);
  b.SetInsertPoint(done);
}

void CpuLowering::leaveBehind(Value *to, uint64_t bytes) {
  b.CreateStore(b.CreateConstGEP1_64(b.getInt8Ty(), to, bytes), behind.end);
  b.CreateStore(b.getInt64(bytes), behind.left);
  emitFor(b, b.getInt64(0), b.getInt64(bytes), Page, [&](Value *at) {
    copyBehind(b.CreateSub(b.getInt64(bytes), at), Line);
  });
  copyBehind(b.getInt64(Line), Line);
}

} // namespace tz::cpu
